/**
 * The view tokens that this process has sent or is about to send, to be found in the body of another record. A text is read
 * once, however many tokens there are: the hash of each eight characters is looked up in a bitmap (Rabin–Karp).
 */
import { KnownSecrets } from '../domain/secret-forms.ts';

const WINDOW = 8;
/** View tokens have 16 characters; shorter ones are cut from their own record's body alone. */
const SHORTEST = WINDOW + 2;
/** The oldest are forgotten beyond this: 100,000 took 90 MB of a night that is promised 300, and what is in flight is among the newest. */
const MOST = 10_000;
/** Tokens that begin alike, and tokens that one text is searched for one by one: both bound the time that a text can take. */
const MOST_ALIKE = 16;
const MOST_IN_A_TEXT = 64;
const BITS = 22;
const BASE = 257;
/** BASE to the power of WINDOW − 1, modulo 2^32. */
const LEADING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

export class KnownTokens {
  private readonly bitmap = new Uint8Array(1 << (BITS - 3));
  private readonly byHash = new Map<number, Set<string>>();
  private readonly known = new Set<string>();

  add(token: string): void {
    if (token.length < SHORTEST || this.known.has(token)) return;
    if (this.known.size >= MOST) this.forgetOldest();
    this.known.add(token);
    for (const hash of hashesOf(token)) {
      const place = hash >>> (32 - BITS);
      this.bitmap[place >> 3] = (this.bitmap[place >> 3] ?? 0) | (1 << (place & 7));
      const tokens = this.byHash.get(hash);
      if (tokens === undefined) this.byHash.set(hash, new Set([token]));
      else if (tokens.size < MOST_ALIKE) tokens.add(token);
    }
  }

  /** Tokens that are in the text, as they are or encoded; without `own`. */
  foundIn(text: string, own: string): readonly string[] {
    const candidates = new Set<string>();
    // Escapes leave open which characters they encode, so a text with some is searched without them too.
    for (const each of [text, ...(/[%\\]/.test(text) ? [unescaped(text)] : [])]) this.search(each, candidates);
    candidates.delete(own);
    return [...candidates].filter((token) => new KnownSecrets([token]).isIn(text));
  }

  private search(text: string, candidates: Set<string>): void {
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      if (at >= WINDOW) hash = (hash - Math.imul(folded(text.charCodeAt(at - WINDOW)), LEADING)) | 0;
      hash = (Math.imul(hash, BASE) + folded(text.charCodeAt(at))) | 0;
      if (at < WINDOW - 1) continue;
      const place = hash >>> (32 - BITS);
      if (candidates.size >= MOST_IN_A_TEXT) return;
      if (((this.bitmap[place >> 3] ?? 0) & (1 << (place & 7))) === 0) continue;
      for (const token of this.byHash.get(hash) ?? []) candidates.add(token);
    }
  }

  /** Bits stay set: they cost a look-up, and find nothing. */
  private forgetOldest(): void {
    const [oldest] = this.known;
    if (oldest === undefined) return;
    this.known.delete(oldest);
    for (const hash of hashesOf(oldest)) {
      const tokens = this.byHash.get(hash);
      tokens?.delete(oldest);
      if (tokens?.size === 0) this.byHash.delete(hash);
    }
  }
}

/** Of the token as it is, and of its base64 at each of the three places at which it can begin within a group of three bytes. */
function hashesOf(token: string): readonly number[] {
  const bytes = Buffer.from(token, 'utf8');
  const kernels = [0, 1, 2].map((skipped) => bytes.subarray(skipped, skipped + 6).toString('base64'));
  return [...new Set([token.slice(0, WINDOW), ...kernels])].map((text) => {
    let hash = 0;
    for (let at = 0; at < WINDOW; at++) hash = (Math.imul(hash, BASE) + folded(text.charCodeAt(at))) | 0;
    return hash;
  });
}

/** Both alphabets of base64 as one. */
function folded(code: number): number {
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** Three layers deep, as `KnownSecrets` looks. */
function unescaped(text: string): string {
  let plain = text;
  for (let layer = 0; layer < 3; layer++) {
    plain = plain
      .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code: string | undefined, mark: string | undefined) =>
        code === undefined ? (mark ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
      );
  }
  return plain;
}
