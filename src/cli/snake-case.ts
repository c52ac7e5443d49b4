/** The fields of an object as `--json` prints them. */
import { isoInstant } from '../domain/record.ts';

/** `neverLookedAt` is a count. */
const INSTANT = /(?:^at|(?<!Looked)At|Since|Until|asOf)$/;

/** Names in snake_case, and instants as ISO 8601; what is inside of a field stays as it is. */
export function snakeCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      typeof value === 'number' && INSTANT.test(name) ? isoInstant(value) : value,
    ]),
  );
}
