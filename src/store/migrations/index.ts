/** Every migration by the name it has in the database, in order. A new one is a new file and one line here. */
import type { Migration } from 'kysely/migration';
import { tracking } from './0001-tracking.ts';
import { quotes } from './0002-quotes.ts';
import { runs } from './0003-runs.ts';
import { breaks } from './0004-breaks.ts';
import { limits } from './0005-limits.ts';
import { periods } from './0006-periods.ts';
import { dueCandidates } from './0007-due-candidates.ts';
import type { ColumnTypes } from './column-types.ts';

export function migrationsFor(types: ColumnTypes): Record<string, Migration> {
  return {
    '0001-tracking': tracking(types),
    '0002-quotes': quotes(types),
    '0003-runs': runs(types),
    '0004-breaks': breaks(types),
    '0005-limits': limits(types),
    '0006-periods': periods(types),
    '0007-due-candidates': dueCandidates(),
  };
}
