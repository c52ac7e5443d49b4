/** Answers other than the page that was asked for. */

/** Thrown by a handler for what is not there. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** Thrown by a handler where the person may not do this, although the route is open to the role. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
