/**
 * The view tokens that this process has sent or will send soon, searched for in the bodies of other records. A text
 * is read once for any number of tokens: the hash of each eight characters is looked up in a bitmap (Rabin–Karp),
 * then in lists of entries. These are in typed arrays, because objects took megabytes of the heap.
 */
import { decodings, KnownSecrets } from '../text/secret-forms.ts';

const WINDOW = 8;
/** View tokens have 16 characters; shorter ones are cut from their own record's body alone. */
const SHORTEST = WINDOW + 2;
/** Hexadecimal digits of the shortest token. They are decoded, because a window of eight of them is four characters only. */
const SHORTEST_HEX = 2 * SHORTEST;
/** The most tokens; the oldest are dropped first, and requests in flight are among the newest. */
const MOST = 10_000;
/** Entries of one list (of tokens that begin alike), and tokens that a text is searched for one by one: both bound its time. */
const MOST_ALIKE = 16;
const MOST_IN_A_TEXT = 64;
/** Entries of one token: its own characters, and its base64 at each of the three places at which it can begin. */
const HASHES = 4;
const BITS = 22;
const LIST_BITS = 16;
const BASE = 257;
const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
/** BASE to the power of WINDOW − 1, modulo 2^32. */
const LEADING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Of bounded size: the oldest tokens make room for new ones. */
export class KnownTokens {
  private readonly bitmap = new Uint8Array(1 << (BITS - 3));
  /** A ring: the next token takes the place of the oldest. */
  private readonly tokens: string[] = [];
  private readonly known = new Set<string>();
  /** Tokens that had no room in a list, and so may be in a text unnoticed. */
  private readonly crowdedOut = new Set<string>();
  private added = 0;
  /** The first entry of each list, and the entry after each; 0 for none. Entry `e` is of the token at (e − 1) / HASHES. */
  private readonly first = new Uint16Array(1 << LIST_BITS);
  private readonly next = new Uint16Array(MOST * HASHES + 1);
  private readonly hashes = new Int32Array(MOST * HASHES + 1);
  /** The folded characters that an entry may have: others end a stretch that is looked up, and most of a body is not. */
  private readonly occurring = new Uint8Array(1 << 16);

  constructor() {
    for (const code of BASE64) this.occurring[code] = 1;
  }

  add(token: string): void {
    if (token.length < SHORTEST || this.known.has(token)) return;
    const place = this.added++ % MOST;
    if (place === 0) this.markAgain();
    const oldest = this.tokens[place];
    if (oldest !== undefined) this.forget(oldest, place);
    this.tokens[place] = token;
    this.known.add(token);
    for (let at = 0; at < WINDOW; at++) this.occurring[folded(token.charCodeAt(at))] = 1;
    for (const [index, hash] of hashesOf(token).entries())
      if (!this.enter(place * HASHES + index + 1, hash)) this.crowdedOut.add(token);
  }

  /**
   * Whether `own` is surely not in the text, in no form, and `foundIn` would find no other token. Nearly every body is so without
   * its token fields, and then no form of its token has to be made. A text with escapes takes a closer look.
   */
  areAbsent(text: string, own: string): boolean {
    if (!this.known.has(own) || this.crowdedOut.has(own)) return false;
    return !text.includes('\\') && !text.includes('%') && this.candidatesIn(text).size === 0;
  }

  /** Tokens that are in the text, as they are or encoded; without `own`. */
  foundIn(text: string, own: string): readonly string[] {
    const candidates = this.candidatesIn(text);
    candidates.delete(own);
    return [...candidates].filter((token) => new KnownSecrets([token]).isIn(text));
  }

  private candidatesIn(text: string): Set<string> {
    const candidates = new Set<string>();
    // Escapes leave open which characters they encode, so a text with some is searched without them too.
    for (const each of [text, ...decodings(text).slice(-1)]) this.search(each, candidates);
    for (const digits of hexStretches(text)) {
      // A token may begin at either digit of a pair.
      for (const pairs of [digits, digits.slice(1)])
        this.search(Buffer.from(pairs, 'hex').toString('latin1'), candidates);
    }
    return candidates;
  }

  private search(text: string, candidates: Set<string>): void {
    let hash = 0;
    let stretch = 0;
    for (let at = 0; at < text.length; at++) {
      const code = folded(text.charCodeAt(at));
      if (this.occurring[code] === 0) {
        stretch = 0;
        hash = 0;
        continue;
      }
      if (++stretch > WINDOW) hash = (hash - Math.imul(folded(text.charCodeAt(at - WINDOW)), LEADING)) | 0;
      hash = (Math.imul(hash, BASE) + code) | 0;
      if (stretch < WINDOW) continue;
      const place = hash >>> (32 - BITS);
      if (((this.bitmap[place >> 3] ?? 0) & (1 << (place & 7))) === 0) continue;
      if (candidates.size >= MOST_IN_A_TEXT) return;
      for (const entry of this.entriesOf(listOf(hash))) {
        const token = this.tokens[Math.floor((entry - 1) / HASHES)];
        if (token !== undefined && this.hashes[entry] === hash) candidates.add(token);
      }
    }
  }

  private entriesOf(list: number): readonly number[] {
    const entries: number[] = [];
    for (let entry = this.first[list] ?? 0; entry !== 0; entry = this.next[entry] ?? 0) entries.push(entry);
    return entries;
  }

  /** @returns false where the list has no room. */
  private enter(entry: number, hash: number): boolean {
    const list = listOf(hash);
    if (this.entriesOf(list).length >= MOST_ALIKE) return false;
    this.mark(hash);
    this.hashes[entry] = hash;
    this.next[entry] = this.first[list] ?? 0;
    this.first[list] = entry;
    return true;
  }

  private mark(hash: number): void {
    const place = hash >>> (32 - BITS);
    this.bitmap[place >> 3] = (this.bitmap[place >> 3] ?? 0) | (1 << (place & 7));
  }

  /**
   * Bits of dropped tokens only cost look-ups; they are cleared once a round of the ring, because a long night would
   * set all bits.
   */
  private markAgain(): void {
    this.bitmap.fill(0);
    for (const hash of this.hashes) this.mark(hash);
  }

  private forget(token: string, place: number): void {
    this.known.delete(token);
    this.crowdedOut.delete(token);
    for (let entry = place * HASHES + 1; entry <= (place + 1) * HASHES; entry++)
      this.leave(entry, listOf(this.hashes[entry] ?? 0));
  }

  /** An entry without room in its list is in no list. */
  private leave(entry: number, list: number): void {
    const after = this.next[entry] ?? 0;
    if (this.first[list] === entry) this.first[list] = after;
    for (const before of this.entriesOf(list)) if (this.next[before] === entry) this.next[before] = after;
  }
}

/** Of at least the digits of a token. Every twentieth character is looked at, as a stretch has one of them; most are no digit. */
function hexStretches(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = SHORTEST_HEX - 1; at < text.length; at += SHORTEST_HEX) {
    if (!isHexDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (from > 0 && isHexDigit(text.charCodeAt(from - 1))) from--;
    while (at < text.length && isHexDigit(text.charCodeAt(at))) at++;
    if (at - from >= SHORTEST_HEX) found.push(text.slice(from, at));
  }
  return found;
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}

const listOf = (hash: number): number => hash >>> (32 - LIST_BITS);

/** Of the token as it is, and of its base64 at each of the three places at which it can begin within a group of three bytes. */
function hashesOf(token: string): readonly number[] {
  const bytes = Buffer.from(token, 'utf8');
  let plain = 0;
  for (let at = 0; at < WINDOW; at++) plain = (Math.imul(plain, BASE) + folded(token.charCodeAt(at))) | 0;
  return [plain, base64Hash(bytes, 0), base64Hash(bytes, 1), base64Hash(bytes, 2)];
}

/** Of the eight characters that six bytes are in base64: made of the bits, for three texts a token took longer than all else. */
function base64Hash(bytes: Buffer, from: number): number {
  let hash = 0;
  for (let at = from; at < from + 6; at += 3) {
    const bits = bytes.readUIntBE(at, 3);
    for (let shift = 18; shift >= 0; shift -= 6)
      hash = (Math.imul(hash, BASE) + (BASE64[(bits >>> shift) & 63] ?? 0)) | 0;
  }
  return hash;
}

/** Maps both alphabets of base64 to one. */
function folded(code: number): number {
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}
