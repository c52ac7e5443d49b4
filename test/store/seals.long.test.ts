/** The walk of `seals.test.ts` on a server: each edit and each check is a round trip. */
import { describe } from 'vitest';
import { editsAreFound } from './support/edits-by-sql.ts';
import { ENGINES } from './support/engines.ts';

describe.each(ENGINES.filter(({ name }) => name !== 'SQLite'))('a change by SQL ($name)', editsAreFound);
