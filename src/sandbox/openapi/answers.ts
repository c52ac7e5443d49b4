/** What endpoints answer when they do not answer with what was asked for (spec §7, field facts "Errors"). */
import { z } from 'zod';
import type { Answer } from '../../openapi/contract.ts';
import { applicationError, frameworkError, validationError } from '../../service/wire/errors.ts';
import { ERROR_CODES } from '../errors.ts';

type Answers = Readonly<Record<number, Answer>>;

const framework = (statusCode: number, error: string, message: string): unknown => ({ message, error, statusCode });

/** Everything under `/api` is limited (spec §8.1). */
const LIMITED: Answer = {
  says: 'Over the limit of the address. No header tells when to come back: by field facts, none was ever seen. Going over the longest window blocks the address for an hour.',
  schema: frameworkError,
  examples: { limited: framework(429, 'Too Many Requests', 'ThrottlerException: Too Many Requests') },
};

const BROKEN: Answer = {
  says: 'A fault of the server, in the envelope of its framework. Proxies in front of a deployment answer 5xx with HTML.',
  schema: frameworkError,
  examples: { broken: framework(500, 'Internal Server Error', 'Internal server error') },
};

const TOO_LARGE: Answer = { says: 'The body is larger than 1 MiB.', schema: frameworkError };

const NOT_JSON: Answer = { says: 'The body is not `application/json`.', schema: frameworkError };

/** For an endpoint under `/api`. */
export function limited(answers: Answers): Answers {
  return { ...answers, 429: LIMITED, 500: BROKEN };
}

/** For an endpoint that reads a body, wherever it is. */
export function reading(answers: Answers): Answers {
  return { ...answers, 413: TOO_LARGE, 415: NOT_JSON };
}

/** A 400 with one message per problem. */
export function invalid(example: string): Answer {
  return {
    says: 'The request is not what the endpoint takes: one message per problem.',
    schema: validationError,
    examples: { invalid: validation(example) },
  };
}

/** A 400 of an endpoint that reads a body: not JSON at all, not valid, or not to be had. */
export function refusedBody(example: string, codes: Readonly<Record<string, Record<string, unknown>>>): Answer {
  const refusals = Object.entries(codes).map(([code, extra]) => [code, { ...extra, code, statusCode: 400 }]);
  return {
    says: 'The body is not JSON, not valid, or asks for what cannot be had.',
    schema: z.union([validationError, applicationError, frameworkError]),
    examples: {
      invalid: validation(example),
      ...Object.fromEntries(refusals),
      'not JSON': framework(400, 'Bad Request', "Body is not valid JSON but content-type is set to 'application/json'"),
    },
  };
}

/** One code of the application's. */
export function refused(statusCode: number, says: string, code: string): Answer {
  return { says, schema: applicationError, examples: { [code]: { code, statusCode } } };
}

export const KEY_UNKNOWN = refused(403, 'The integration key is not known.', ERROR_CODES.hostKeyUnknown);

/** Of one purchase or sale (spec §5.3). */
export const RECORD_REFUSALS = {
  401: refused(401, 'There is no `secret`.', ERROR_CODES.secretMissing),
  403: refused(403, "The `secret` is another record's, or nobody's.", ERROR_CODES.secretWrong),
  404: refused(404, 'There is no such record.', ERROR_CODES.recordUnknown),
  410: refused(410, 'The record was there once.', ERROR_CODES.recordGone),
} as const satisfies Answers;

function validation(message: string): unknown {
  return { name: 'ValidationException', messages: [message], code: 'VALIDATION_EXCEPTION', statusCode: 400 };
}
