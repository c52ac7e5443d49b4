/** Reading query strings and JSON bodies as the Service does: by hand, with its own messages. */
import type { FastifyRequest } from 'fastify';
import type { Body } from '../asset-bodies.ts';
import { type FiatCurrency, findCurrency } from '../currencies.ts';
import { applicationError, ERROR_CODES, validationError } from '../errors.ts';
import { FLAG, IP_ADDRESS } from './parameters.ts';

/** The last value of a parameter, or undefined where it is absent. */
export function parameter(request: FastifyRequest, name: string): string | undefined {
  const value = isObject(request.query) ? request.query[name] : undefined;
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : undefined;
}

/** False where absent. @throws ServiceError 400 for anything but `true` and `false`. */
export function flag(request: FastifyRequest, name: string): boolean {
  const value = parameter(request, name);
  if (value === undefined) return false;
  if (!FLAG.safeParse(value).success) throw validationError(`${name} must be a boolean value`);
  return value === 'true';
}

/** EUR where absent (spec §4.1). @throws ServiceError 400 for a currency without trade in this direction. */
export function requestedCurrency(request: FastifyRequest, direction: 'onramp' | 'offramp'): FiatCurrency {
  return tradedCurrency(parameter(request, 'currencyCode') ?? 'EUR', direction);
}

export function tradedCurrency(code: string, direction: 'onramp' | 'offramp'): FiatCurrency {
  const currency = findCurrency(code);
  if (currency?.[direction]) return currency;
  throw applicationError(400, ERROR_CODES.currencyNotSupported, { currencyCode: code });
}

/** @throws ServiceError 400 for what is not an IP address. */
export function requestedAddress(request: FastifyRequest): string | undefined {
  const ip = parameter(request, 'userIp');
  if (ip !== undefined && !IP_ADDRESS.safeParse(ip).success) throw validationError('userIp must be an ip address');
  return ip;
}

/** The quote endpoints need a key (spec §5.1). @throws ServiceError 400 without one, 403 for one that nobody has. */
export function requireHostKey(request: FastifyRequest, keys: ReadonlySet<string>): void {
  const key = parameter(request, 'hostApiKey');
  if (key === undefined) throw validationError('hostApiKey must be a string');
  if (!keys.has(key)) throw applicationError(403, ERROR_CODES.hostKeyUnknown);
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
