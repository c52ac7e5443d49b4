/** `tieout orphans`: holds another list of records against the tracked ones. */

import type { ListedRecord, Orphan } from '../../books/orphans.ts';
import { EXIT, UsageError } from '../../domain/errors.ts';
import { isRecordId, KINDS } from '../../domain/record.ts';
import { command, type Register } from '../context.ts';
import { count } from '../output.ts';
import { readAmount, readCsv } from '../read-csv.ts';

export const register: Register = (program, context) => {
  command(program, 'orphans', {
    summary: "Hold a partner dashboard's or the app's own list against the tracked records",
    details:
      'Reads a CSV with an id column, and optionally kind, fiat_currency, fiat_value and status. Tells ids that were never stored,\n' +
      'records that the list lacks, and amounts that differ: the only way to learn of a webhook that was lost for good.\n' +
      'Sends nothing. Exits with 1 when anything is found.',
    examples: ['tieout orphans dashboard-october.csv', 'tieout orphans app.csv --only-missing --json'],
  })
    .argument('<file>', 'the other list')
    .option('--only-missing', 'only ids that were never stored')
    .action((file: string, flags: { onlyMissing?: boolean }, self) =>
      context.run(self, async (session) => {
        const { findOrphans } = await import('../../books/orphans.ts');
        const { knownRecords } = await import('../../books/known-records.ts');
        const listed = readCsv(file, ['id']).map(({ line, cell }) => readLine(file, line, cell));
        const app = await session.app();
        const summary = { listed: 0, tracked: 0, agreeing: 0 };
        const everything = knownRecords(app.store.tracked, { kind: null, createdFrom: null, createdTo: null });
        const found: Orphan[] = [];
        for await (const orphan of findOrphans(listed, everything, app.settings.tolerances, summary)) {
          if (!flags.onlyMissing || orphan.finding === 'not-tracked') found.push(orphan);
        }
        const { out } = session;
        if (out.json) await out.value({ ...summary, found });
        else {
          for (const orphan of found) await out.line(inWords(file, orphan));
          await out.line(
            `${count(summary.listed)} listed, ${count(summary.tracked)} tracked, ${count(summary.agreeing)} agree; ${count(found.length)} findings.`,
          );
        }
        return found.length > 0 ? EXIT.breaks : EXIT.clean;
      }),
    );
};

function readLine(file: string, line: number, cell: (name: string) => string | null): ListedRecord {
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
  };
}

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
