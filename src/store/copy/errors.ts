/** What can stop a copy; each leaves the target as it was. */
import { EXIT, TieoutError } from '../../domain/errors.ts';

/** Something is there already: a copy never mixes two databases. */
export class CopyTargetNotEmptyError extends TieoutError {
  override readonly name = 'CopyTargetNotEmptyError';
  override readonly exitCode = EXIT.usage;
  constructor(location: string, table: string) {
    super(`database ${location} is not empty (${table} has rows): copy into a new database`);
  }
}

/** What was read back is not what was written. */
export class CopyDiffersError extends TieoutError {
  override readonly name = 'CopyDiffersError';
  override readonly exitCode = EXIT.unavailable;
  constructor(table: string) {
    super(
      `table ${table} read back from the target differs from the source, so nothing was kept: check the disk and the ` +
        'memory of both machines, then copy again',
    );
  }
}
