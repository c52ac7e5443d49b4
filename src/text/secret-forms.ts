/**
 * The texts under which one secret may come back: as it is, encoded for a URL, escaped inside a JSON string, in base64 and
 * in hexadecimal digits. All stored and printed text is searched for each of them.
 */

/** A shorter text is not searched for: it would be cut out of innocent words. View tokens have 16 characters. */
const SHORTEST_SECRET = 6;

/** Secrets that must not be in a text, in any encoding. Every search takes time in proportion to the text. */
export class KnownSecrets {
  private readonly plain: readonly string[];
  private readonly forms: readonly string[];
  /** No text with fewer characters holds a form: most fields of a body are shorter than a token. */
  private readonly shortest: number;

  constructor(secrets: readonly string[]) {
    this.plain = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
    const forms = this.plain.flatMap(secretForms);
    this.forms = this.plain.length > 1 ? forms.sort((a, b) => b.length - a.length) : forms;
    this.shortest = Math.min(...this.forms.map((form) => form.length), ...this.plain.map((secret) => secret.length));
  }

  isIn(text: string): boolean {
    if (text.length < this.shortest) return false;
    return this.forms.some((form) => text.includes(form)) || this.isInside(text);
  }

  /** Cuts every form out; a text that hides a secret in mixed encodings is replaced as a whole. */
  cut(text: string, mask: string): string {
    if (text.length < this.shortest) return text;
    let clean = text;
    for (const form of this.forms) clean = clean.replaceAll(form, mask);
    return this.isInside(clean) ? mask : clean;
  }

  private isInside(text: string): boolean {
    return decodings(text).some((decoded) => this.plain.some((secret) => decoded.includes(secret)));
  }
}

/** All ways of writing the secret, longest first, so that a form that contains another one is cut as a whole. */
export function secretForms(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const forms = new Set([secret, inUrl, encodeURIComponent(inUrl), inJson, inJson.replaceAll('/', '\\/')]);
  for (const form of [...base64Forms(secret), ...hexForms(secret)]) forms.add(form);
  return [...forms].sort((a, b) => b.length - a.length);
}

/**
 * The characters of a base64 text that depend on the secret alone, for each of the three places at which it can begin
 * within a group of three bytes.
 */
function base64Forms(secret: string): readonly string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const bytes = Buffer.from(`\0\0${secret}`, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const padded = bytes.toString('base64', 2 - before);
    const padding = padded.endsWith('==') ? 2 : padded.endsWith('=') ? 1 : 0;
    // The last character before the padding depends on the padding too.
    const text = padded.slice(before === 0 ? 0 : before + 1, padding === 0 ? undefined : -padding - 1);
    return /[+/]/.test(text) ? [text, text.replaceAll('+', '-').replaceAll('/', '_')] : [text];
  });
}

function hexForms(secret: string): readonly string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const digits = Buffer.from(secret, 'utf8').toString('hex');
  return [digits, digits.toUpperCase()];
}

/** The text without the encodings that leave open which characters they encode, layer by layer: each may be inside the other. */
export function decodings(text: string): readonly string[] {
  const found: string[] = [];
  let decoded = text;
  for (let layer = 0; layer < 3; layer++) {
    const next = withoutEscapes(withoutPercents(decoded));
    if (next === decoded) break;
    found.push(next);
    decoded = next;
  }
  return found;
}

function withoutPercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code: string | undefined, mark: string | undefined) =>
    code === undefined ? (mark ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
