/** The two error envelopes: the application's, with a `code` (spec §7), and the framework's, without one. */
import type { Bodies, Body } from './contract.ts';

/** Thrown by a route for anything but success; the server answers with its status and body. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly statusCode: number;
  readonly body: Body;

  constructor(statusCode: number, body: Body) {
    super(typeof body.code === 'string' ? body.code : `HTTP ${statusCode}`);
    this.statusCode = statusCode;
    this.body = body;
  }
}

export function applicationError(statusCode: number, code: string, extra: Body = {}): ServiceError {
  return new ServiceError(statusCode, { ...extra, code, statusCode });
}

/** As seen when `hostApiKey` is missing: a name and one message per problem. */
export function validationError(...messages: string[]): ServiceError {
  return applicationError(400, 'VALIDATION_EXCEPTION', { name: 'ValidationException', messages });
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export function frameworkError(statusCode: number, message: string): ServiceError {
  return new ServiceError(statusCode, { message, error: REASONS[statusCode] ?? 'Error', statusCode });
}

/** An error has a `code` (spec §1 rule 3, §7.1); the framework's envelope, which has none, is only seen in deployments. */
export function inOneShape({ statusCode, body }: ServiceError, bodies: Bodies): Body {
  if (bodies === 'observed' || 'code' in body) return body;
  const code = (REASONS[statusCode] ?? 'Error').toUpperCase().replaceAll(' ', '_');
  return { message: body.message, code, statusCode };
}

export const ERROR_CODES = {
  unsupportedMethod: 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD',
  valueIsZero: 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO',
  currencyNotSupported: 'FIAT_CURRENCY_NOT_SUPPORTED',
  assetNotSupported: 'ASSET_NOT_SUPPORTED',
  hostKeyUnknown: 'SERVICES.HOST_API.INVALID_HOST_API_KEY',
  secretMissing: 'SERVICES.HOST_API.SECRET_REQUIRED',
  secretWrong: 'SERVICES.HOST_API.INVALID_SECRET',
  recordUnknown: 'SERVICES.HOST_API.NOT_FOUND',
  recordGone: 'SERVICES.HOST_API.GONE',
} as const;
