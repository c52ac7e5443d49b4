/** What can go wrong with sealed tokens and bodies. No message carries a key, a token or any part of one. */
import { EXIT, TieoutError } from '../domain/errors.ts';

/** A configured key is not 32 bytes of base64. */
export class KeyFormatError extends TieoutError {
  override readonly name = 'KeyFormatError';
  override readonly exitCode = EXIT.usage;
  constructor(where: string) {
    super(
      `${where} is not a sealing key: it must be exactly 32 bytes in base64 (for example from \`openssl rand -base64 32\`)`,
    );
  }
}

/** A key is needed and none was given. */
export class MissingKeyError extends TieoutError {
  override readonly name = 'MissingKeyError';
  override readonly exitCode = EXIT.usage;
  constructor() {
    super(
      'no sealing key was given, and view tokens are sealed: set TIEOUT_SECRET_KEY (or TIEOUT_SECRET_KEY_FILE) to the one ' +
        'key that all machines of this database share; only a SQLite file has a key file beside it',
    );
  }
}

/** Something was sealed with a key that is not among the configured ones. */
export class WrongKeyError extends TieoutError {
  override readonly name = 'WrongKeyError';
  override readonly exitCode = EXIT.usage;
  readonly keyIds: readonly string[];
  constructor(keyIds: readonly string[]) {
    super(
      `view tokens are sealed with key ${keyIds.join(', ')}, which is not among the configured keys: ` +
        'put that key back (TIEOUT_SECRET_KEY, or the key file beside the database)',
    );
    this.keyIds = keyIds;
  }
}

/** The right key, and yet the seal does not open: the bytes were changed, or moved here from another record. */
export class BrokenSealError extends TieoutError {
  override readonly name = 'BrokenSealError';
  override readonly exitCode = EXIT.unavailable;
  constructor(what: string, cause?: unknown) {
    super(`the seal of ${what} is broken: the row was changed or copied; restore it from a backup or import it again`, {
      cause,
    });
  }
}

/** The key file is there, but may be read by others, or has no key in it. */
export class KeyFileError extends TieoutError {
  override readonly name = 'KeyFileError';
  override readonly exitCode = EXIT.usage;
  constructor(path: string, why: string, cause?: unknown) {
    super(`key file ${path}: ${why}`, { cause });
  }
}
