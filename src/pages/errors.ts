/** Answers other than the page that was asked for. */
import { UsageError } from '../domain/errors.ts';

/** Thrown by a handler for what is not there: 404. */
export class NotFoundError extends UsageError {}

/** Thrown by a handler where the person may not do this, although the route is open to the role: 403, and recorded. */
export class RefusedError extends UsageError {}

/** The address has a filter that the page does not know: 400. */
export class UnknownFilterError extends UsageError {
  constructor(name: string, known: readonly string[]) {
    const filters = known.length === 0 ? 'It has no filters' : `Its filters are ${known.join(', ')}`;
    super(`This page has no filter “${name.slice(0, 200)}”. ${filters}.`);
  }
}

/** The body of a form that ends too early, or cannot be taken apart: 400. */
export class UnreadableFormError extends UsageError {}
