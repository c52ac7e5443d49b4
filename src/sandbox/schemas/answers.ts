/** Descriptions of answers, and the refusals that endpoints share (spec §7, field facts "Errors"). */
import { z } from 'zod';
import type { Answer, Examples } from '../../openapi/shared-document.ts';
import { ERROR_CODES } from '../errors.ts';
import { word } from './scalars.ts';

type Answers = Readonly<Record<number, Answer | z.ZodUndefined>>;

export function answer(description: string, schema: z.ZodType, examples?: Examples): Answer {
  return { description, content: { 'application/json': { schema, ...(examples === undefined ? {} : { examples }) } } };
}

/** An answer that is no JSON. */
export function textAnswer(description: string, mediaType: string): Answer {
  return { description, content: { [mediaType]: { schema: z.string() } } };
}

/** By their names in the document. */
export const ERROR_SCHEMAS = {
  ApplicationError: z.looseObject({ code: word, statusCode: z.int() }).describe('An error of the application.'),
  FrameworkError: z
    .looseObject({ message: z.union([z.string(), z.array(z.string())]), error: z.string(), statusCode: z.int() })
    .describe('An error of the web framework, without a code.'),
  ValidationError: z
    .looseObject({ name: word, messages: z.array(z.string()), code: word, statusCode: z.literal(400) })
    .describe('A request that is not valid.'),
};

const { ApplicationError, FrameworkError, ValidationError } = ERROR_SCHEMAS;

/** Refusals by the server itself: with a code (spec §7.1), or in the framework's envelope (`bodies: 'observed'`). */
const Refused = z.union([ApplicationError, FrameworkError]);

/** Everything under `/api` is limited (spec §8.1). */
const LIMITED = answer(
  'Over the limit of the address. No header tells when to come back: by field facts, none was ever seen. Going over the longest window blocks the address for an hour.',
  Refused,
  { limited: framework(429, 'TOO_MANY_REQUESTS', 'ThrottlerException: Too Many Requests') },
);

const BROKEN = answer('A fault of the server. Proxies in front of a deployment answer 5xx with HTML.', Refused, {
  broken: framework(500, 'INTERNAL_SERVER_ERROR', 'Internal server error'),
});

/** For an endpoint under `/api`. */
export function limited<T extends Answers>(answers: T) {
  return { ...answers, 429: LIMITED, 500: BROKEN };
}

/** For an endpoint that reads a body. */
export function reading<T extends Answers>(answers: T) {
  return {
    ...answers,
    413: answer('The body is larger than 1 MiB.', Refused),
    415: answer('The body is not `application/json`.', Refused),
  };
}

/** A 400 with one message per problem. */
export function invalid(example: string): Answer {
  return answer('The request is not valid: one message per problem.', ValidationError, {
    invalid: validation(example),
  });
}

/** A 400 of an assets endpoint with a currency. */
export const NO_SUCH_CURRENCY = answer(
  'A parameter is not valid, or nothing is traded in that currency.',
  z.union([ValidationError, ApplicationError]),
  {
    invalid: validation('withHidden must be a boolean value'),
    ...refusals({ [ERROR_CODES.currencyNotSupported]: { currencyCode: 'XXX' } }),
  },
);

/** A 400 of an endpoint that reads a body: not JSON at all, not valid, or not available. */
export function refusedBody(example: string, codes: Readonly<Record<string, Record<string, unknown>>> = {}): Answer {
  return answer(
    'The body is not JSON, not valid, or asks for what is not available.',
    z.union([ValidationError, Refused]),
    {
      invalid: validation(example),
      ...refusals(codes),
      'not JSON': framework(400, 'BAD_REQUEST', "Body is not valid JSON but content-type is set to 'application/json'"),
    },
  );
}

/** One code of the application. */
export function refused(statusCode: number, description: string, code: string): Answer {
  return answer(description, ApplicationError, { [code]: { code, statusCode } });
}

export const KEY_UNKNOWN = refused(403, 'The integration key is not known.', ERROR_CODES.hostKeyUnknown);

/** Of one purchase or sale (spec §5.3). */
export const RECORD_REFUSALS = {
  401: refused(401, 'There is no `secret`.', ERROR_CODES.secretMissing),
  403: refused(403, 'The `secret` is not that of the record.', ERROR_CODES.secretWrong),
  404: refused(404, 'There is no such record.', ERROR_CODES.recordUnknown),
  410: refused(410, 'The record existed once.', ERROR_CODES.recordGone),
};

/** Reasons for refusing an order. */
export const ORDER_REFUSALS = {
  400: refusedBody('exactly one of cryptoAmount and fiatValue must be given', {
    [ERROR_CODES.assetNotSupported]: { cryptoAssetSymbol: 'XXX_XXX' },
    'SANDBOX.AMOUNT_TOO_LOW': { currency: 'EUR', limit: 6 },
  }),
  409: answer('The price has changed since it was shown.', ApplicationError),
};

function framework(statusCode: number, code: string, message: string): unknown {
  return { message, code, statusCode };
}

function refusals(codes: Readonly<Record<string, Record<string, unknown>>>): Examples {
  return Object.fromEntries(Object.entries(codes).map(([code, extra]) => [code, { ...extra, code, statusCode: 400 }]));
}

function validation(message: string): unknown {
  return { name: 'ValidationException', messages: [message], code: 'VALIDATION_EXCEPTION', statusCode: 400 };
}
