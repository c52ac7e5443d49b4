/** `tieout orphans`: checks another list of records against the tracked ones. */

import { readAmount, readCsv } from '../../app/read-csv.ts';
import type { ListedRecord, Orphan } from '../../books/orphans.ts';
import { isBusinessDate, startOfBusinessDate } from '../../domain/calendar.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { isRecordId, KINDS } from '../../domain/record.ts';
import { count, counted } from '../../text/counts.ts';
import { type Cells, csvOf } from '../cells.ts';
import { command, type Register } from '../context.ts';
import { snakeCase } from '../output.ts';
import { readRange } from '../runs/run-job.ts';

export const register: Register = (program) => {
  command(program, 'orphans', {
    details:
      'Reads a CSV with an id column, and optionally kind, fiat_currency, fiat_value, status and created_at. Prints ' +
      'ids that were never stored, amounts that differ and records that the list lacks, in this order, the largest ' +
      'amounts first. This is the only way to find records whose webhook was lost. Sends nothing. Exits with 1 if ' +
      'it finds a difference.',
    examples: [
      'tieout orphans dashboard-october.csv --from 2026-10-01 --to 2026-11-01 --format csv > october.csv',
      'tieout orphans app.csv --only-missing --json',
    ],
  })
    .argument('<file>', 'the other list')
    .option('--only-missing', 'only ids that were never stored')
    .option('--from <date>', 'records created on or after this date')
    .option('--to <date>', 'records created before this date')
    .choice('--format <format>', 'output format', ['text', 'csv'], 'text')
    .runs(async (session, file, flags) => {
      const { findOrphans, mostTellingFirst } = await import('../../books/orphans.ts');
      const { knownRecords } = await import('../../books/known-records.ts');
      const { from, to } = readRange(flags);
      const { timezone, tolerances } = (await session.settings()).settings;
      const startOf = (date: string | null) => (date === null ? null : startOfBusinessDate(date, timezone));
      const listed = readCsv(file, ['id']).map(({ line, cell }) => readLine(file, line, cell, timezone));
      // Before a database is opened.
      const app = await session.app();
      const summary = { listed: 0, tracked: 0, agreeing: 0 };
      const everything = knownRecords(app.store.tracked);
      const all: Orphan[] = [];
      const range = { from: startOf(from), to: startOf(to) };
      for await (const orphan of findOrphans(listed, everything, tolerances, summary, range))
        if (!flags.onlyMissing || orphan.finding === 'not-tracked') all.push(orphan);
      const found = mostTellingFirst(all);
      const { out } = session;
      if (out.json) await out.value({ ...summary, found: found.map(snakeCase) });
      else if (flags.format === 'csv') await out.write(csvOf(COLUMNS, found.map(asRow)));
      else {
        for (const orphan of found) await out.line(inWords(file, orphan));
        await out.line(
          `${count(summary.listed)} listed, ${count(summary.tracked)} tracked, ${count(summary.agreeing)} agree; ${counted(found.length, 'finding')}.`,
        );
      }
      return found.length > 0 ? EXIT.breaks : EXIT.clean;
    });
};

function readLine(file: string, line: number, cell: (name: string) => string | null, timezone: string): ListedRecord {
  const id = cell('id');
  if (id === null || !isRecordId(id)) throw new UsageError(`${file}:${line}: id ${id ?? '(empty)'}: not a record id`);
  const kind = cell('kind');
  const known = KINDS.find((each) => each === kind);
  if (kind !== null && known === undefined)
    throw new UsageError(`${file}:${line}: kind ${kind}: it must be ${KINDS.join(' or ')}`);
  return {
    line,
    kind: known ?? null,
    id,
    fiatCurrency: cell('fiat_currency'),
    fiatValue: readAmount(file, line, 'fiat_value', cell('fiat_value')),
    status: cell('status'),
    createdAt: readCreated(file, line, cell('created_at'), timezone),
  };
}

/** A day alone is the business day. @throws UsageError */
function readCreated(file: string, line: number, text: string | null, timezone: string): number | null {
  if (text === null) return null;
  if (isBusinessDate(text)) return startOfBusinessDate(text, timezone);
  const at = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(
      `${file}:${line}: created_at ${text}: not a time; write it as 2026-10-13 or 2026-10-13T10:02:00Z`,
    );
  }
  return at;
}

const COLUMNS: Cells<Record<string, unknown>> = Object.fromEntries(
  'finding kind record_id host_reference line field listed known difference currency'
    .split(' ')
    .map((name) => [name, (row: Record<string, unknown>) => row[name]]),
);

function asRow(orphan: Orphan): Record<string, unknown> {
  const row = { ...orphan, record_id: orphan.id };
  if (orphan.finding === 'not-tracked') return { ...row, ...onlyWith('listed', orphan.fiatValue) };
  if (orphan.finding !== 'not-listed') return row;
  return { ...row, host_reference: orphan.hostReference, ...onlyWith('known', orphan.fiatValue) };
}

/** The fiat value of a record that only one side has. */
const onlyWith = (side: 'listed' | 'known', value: unknown) =>
  value === null ? {} : { field: 'fiat_value', [side]: value };

function inWords(file: string, orphan: Orphan): string {
  switch (orphan.finding) {
    case 'not-tracked':
      return `${file}:${orphan.line}: ${orphan.kind ?? 'record'} ${orphan.id} is not tracked: its id and token were never stored`;
    case 'not-listed':
      return `${orphan.kind} ${orphan.id}${orphan.hostReference === null ? '' : ` (${orphan.hostReference})`} is tracked, and the list lacks it`;
    case 'listed-twice':
      return `${file}:${orphan.line}: ${orphan.id} is listed twice`;
    case 'differs': {
      const by = orphan.difference === null ? '' : `: ${orphan.difference} ${orphan.currency} apart`;
      return `${file}:${orphan.line}: ${orphan.kind} ${orphan.id}: the list says ${orphan.field.replace('_', ' ')} ${orphan.listed}, the Service ${orphan.known}${by}`;
    }
  }
}
