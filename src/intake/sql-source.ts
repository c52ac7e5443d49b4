/** Tracked records from a query of the app's own database. Reading only, streaming, row by row. */
import type { StatusModel } from '../domain/status.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import type { IntakeItem, LineTerms, SqlIntakeSource } from './contract.ts';
import { cutObject } from './cut.ts';
import { SourceQueryError } from './errors.ts';
import { AMOUNT_COLUMNS, ignoredNote, missingColumns, trackedFacts, unknownColumns } from './tracked-facts.ts';

/**
 * @throws SourceUnavailableError where the database cannot be reached, SourceQueryError where it refuses the query or
 *   the query lacks a column.
 */
export async function* readSqlSource(
  source: SqlIntakeSource,
  statuses?: StatusModel,
  quietMs?: number,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  // Loaded when a query is asked: plugins bring this file into commands that ask none.
  const open = source.url.startsWith('sqlite:')
    ? (await import('./sqlite-rows.ts')).sqliteRows
    : (await import('./postgres-rows.ts')).postgresRows;
  await using answer = await open(source, quietMs);
  const missing = missingColumns(answer.columns, source.kind);
  if (missing.length > 0) {
    const why = `its query returns ${answer.columns.join(', ')} and lacks ${missing.join(', ')}`;
    throw new SourceQueryError(source.name, why, { remedy: 'name them with "as"' });
  }
  const ignored = ignoredNote(unknownColumns(answer.columns));
  if (ignored !== null) yield { type: 'note', text: `columns ${ignored}` };
  let row = 0;
  for await (const page of answer.pages) {
    for (const cells of page) {
      row++;
      yield rowItem(row, cells, { kind: source.kind, statuses });
    }
  }
}

/** One row, with the columns by name. @param line counted from 1 */
export function rowItem(
  line: number,
  cells: Readonly<Record<string, unknown>>,
  terms: LineTerms,
): IntakeItem<TrackedInput> {
  const facts = trackedFacts((column) => textOf(cells[column], AMOUNT_COLUMNS.includes(column)), terms);
  return 'problems' in facts
    ? { type: 'rejected', line, reason: facts.problems.join('; '), raw: cutObject(shown(cells)) }
    : { type: 'good', line, value: facts };
}

/**
 * Whole numbers are ids in older deployments; any other type is a mistake in the query. SQLite has no decimals: a REAL is printed with
 * the fewest digits that give it back, which are those that were stored.
 */
function textOf(value: unknown, isAmount: boolean): string | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'number' && (isAmount || Number.isSafeInteger(value)) ? String(value) : undefined;
}

/** JSON has no bigint and should not hold bytes. */
function shown(cells: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  );
}
