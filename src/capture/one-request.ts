/** Errors of the client that speak of one request: the job goes on to the next one. */

/** Every other error (TLS, an open circuit, the database) is about all requests, and stops the job. */
const ABOUT_ONE_REQUEST: ReadonlySet<string> = new Set([
  'AnswerDriftError',
  'BodyTooLargeError',
  'ConnectionLostError',
  'ConnectionRefusedError',
  'DeadlineError',
  'DnsError',
  'InvalidRequestError',
  'NotHttpError',
  'NotJsonError',
  'RedirectedError',
  'RequestRejectedError',
  'ServerFailureError',
  'TruncatedBodyError',
  'UnreadableAnswerError',
]);

export function isAboutOneRequest(error: unknown): error is Error {
  return error instanceof Error && ABOUT_ONE_REQUEST.has(error.name);
}
