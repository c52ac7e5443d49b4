/** Answers other than the page that was asked for. */
import { EXIT, TieoutError } from '../domain/errors.ts';

/** Thrown by a handler for what is not there: 404. */
export class NotFoundError extends TieoutError {
  override readonly exitCode = EXIT.usage;
}

/** Thrown by a handler where the person may not do this, although the route is open to the role: 403, and recorded. */
export class RefusedError extends TieoutError {
  override readonly exitCode = EXIT.usage;
}
