/**
 * Removes secrets from logs and error messages, in addition to the redaction of log fields by name.
 */

import { MASK, withoutNamedSecrets } from '../text/named-secrets.ts';
import { secretForms } from '../text/secret-forms.ts';

/** A shorter secret would match innocent words; real ones are longer. */
const SHORTEST = 4;

export class Scrubber {
  private secrets: readonly string[] = [];

  /** Secrets in all the forms in which they are written. */
  add(secrets: Iterable<string>): void {
    const forms = [...secrets].filter((secret) => secret.length >= SHORTEST).flatMap(secretForms);
    // Longest first, so that a secret within another does not leave a rest.
    this.secrets = [...new Set([...this.secrets, ...forms])].sort((a, b) => b.length - a.length);
  }

  scrub(text: string): string {
    let clean = text;
    for (const secret of this.secrets) clean = clean.replaceAll(secret, MASK);
    return withoutNamedSecrets(clean);
  }
}
