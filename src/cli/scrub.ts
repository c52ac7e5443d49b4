/** Removes secrets from texts that are about to leave: logs and error messages. Second to structural redaction in the log. */

const MASK = '[secret]';

/** Names and forms that precede a secret in a text, for secrets whose value is unknown. Each pattern's first group stays. */
const PLACES: readonly RegExp[] = [
  // Query parameters and settings: secret=…, hostApiKey=…, view_token: …, "purchaseViewToken":"…".
  /(["']?\b(?:[a-z_]*secret|host_?api_?key|api_?key|(?:[a-z]+_?)*view_?token|access_?token|token|password|passwd|pwd)["']?\s*[=:]\s*)(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s&'",;)}\]]+)/gi,
  /(\bBearer\s+)[A-Za-z0-9._~+/=-]+/gi,
];

/** `postgres://user:password@host`: everything from the first colon to the last @ before a blank. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*):[^\s]*@/gi;

export class Scrubber {
  private readonly secrets = new Set<string>();

  /** Secrets in all the forms in which they are written: plain, and encoded for a URL or inside JSON. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      // A very short text would match innocent words; real secrets are longer.
      if (secret.length < 4) continue;
      this.secrets.add(secret);
      this.secrets.add(encodeURIComponent(secret));
      this.secrets.add(JSON.stringify(secret).slice(1, -1));
    }
  }

  scrub(text: string): string {
    let clean = text;
    // Longest first, so that a secret within another does not leave a rest.
    for (const secret of [...this.secrets].sort((a, b) => b.length - a.length)) clean = clean.replaceAll(secret, MASK);
    clean = clean.replace(URL_PASSWORD, `$1:${MASK}@`);
    for (const place of PLACES) clean = clean.replace(place, `$1${MASK}`);
    return clean;
  }
}
