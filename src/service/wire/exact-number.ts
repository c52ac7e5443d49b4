/**
 * A JSON number kept as the text that stood in the body. `0.5247524752475248` and a 17-digit `fiatValue` are evidence:
 * read as a double they may come back as another number, so nothing here ever converts.
 */
export class ExactNumber {
  /** The number exactly as written: `10`, `-0.43`, `1.5e-7`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** As a string: `JSON.stringify` has no way to print a number that is not a double. */
  toJSON(): string {
    return this.text;
  }
}

/** Replaces a value that contained a secret: neither a text nor a number, so every schema reports another type. */
export class EchoedSecret {
  toJSON(): string {
    return '[cut]';
  }
}

/** A number in a body: exact where it was parsed, a plain one where code makes the body. */
export type WireNumber = number | ExactNumber;

export function isWireNumber(value: unknown): value is WireNumber {
  return value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value));
}

/** The digits of a number in a body. */
export function numberText(value: WireNumber): string {
  return typeof value === 'number' ? String(value) : value.text;
}
