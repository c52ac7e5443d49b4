/** Answers other than the page that was asked for. */
import { UsageError } from '../domain/errors.ts';

/** Thrown by a handler for what is not there: 404. */
export class NotFoundError extends UsageError {}

/** Thrown by a handler where the person may not do this, although the route is open to the role: 403, and recorded. */
export class RefusedError extends UsageError {}

/** The body of a form that ends too early, or cannot be taken apart: 400. */
export class UnreadableFormError extends UsageError {}
