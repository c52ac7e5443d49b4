/**
 * Query parameters, one schema each: the routes read by them and the document is made of them. Each is read by itself,
 * because the Service tells of one wrong parameter at a time.
 */
import { isIP } from 'node:net';
import { z } from 'zod';

/** A boolean in a query: the two words and nothing else. */
export const FLAG = z.enum(['true', 'false']);

export const IP_ADDRESS = z
  .string()
  .refine((value) => isIP(value) !== 0)
  .meta({ anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] });

/** ISO 3166-1 alpha-2, in lower case (spec §4.1). */
export const COUNTRY_CODE = z.string().regex(/^[a-z]{2}$/);

/** An integration key (spec §5). */
export const HOST_API_KEY = z.string();

/** A view token (spec §5.3); an empty one is none. */
export const SECRET = z.string().min(1);

/** What `/sandbox/tracked` can be. */
export const EXPORT_FORMAT = z.enum(['csv', 'ndjson']);
