/** What stops a whole file or source. A bad line stops nothing: it is rejected. */
import { type ErrorOptions, UnavailableError, UsageError } from '../domain/errors.ts';

/** Thrown for a file that cannot be read at all: missing, compressed, without a header, in another encoding. */
export class UnreadableFileError extends UsageError {
  /** The message without the name of its source, for texts that begin with it. */
  readonly problem: string;

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${file}: ${why}`, options);
    this.problem = this.message;
  }
}

/** Thrown when a configured source cannot be reached or asked. Names the place, never the address with its password. */
export class SourceUnavailableError extends UnavailableError {
  readonly problem: string;

  constructor(source: string, place: string, why: string, options?: ErrorOptions) {
    super(`source ${source} (${place}): ${why}`, options);
    const said = this.message.slice(`source ${source} (${place}): `.length);
    this.problem = place === source ? said : `${place}: ${said}`;
  }
}

/** Thrown when a source's query is wrong: not a select, missing columns, or refused by its database. */
export class SourceQueryError extends UsageError {
  readonly problem: string;

  constructor(source: string, why: string, options?: ErrorOptions) {
    super(`source ${source}: ${why}`, options);
    this.problem = this.message.slice(`source ${source}: `.length);
  }
}
