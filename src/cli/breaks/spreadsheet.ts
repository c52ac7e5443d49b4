/** `tieout breaks export|apply`: the work list as CSV, to be edited in a spreadsheet, and applied again: all rows or none. */
import { EXIT } from '../../domain/errors.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { breakCells } from '../../publish/break-cells.ts';
import { defuse, profileOf, undefuse } from '../../publish/profiles.ts';
import { count, counted } from '../../text/counts.ts';
import { type EditedRow, type EditOutcome, planEdit } from '../../worklist/apply-edits.ts';
import { covering } from '../../worklist/covering.ts';
import { command, type Register } from '../context.ts';
import { breakAsJson } from './as-json.ts';
import { decidingAs } from './decide.ts';
import { allOf, OPEN, pagesOf } from './list.ts';

export const register: Register = (program) => {
  command(program, 'breaks export', {
    summary: 'Write the work list as CSV: edit state, assignee and reason, then `breaks apply` it',
    details:
      'Uses the profile of the settings (reports.profile). `breaks apply` also reads the file as a spreadsheet ' +
      'saves it, with semicolons and dates like 31.12.2026. --json prints the same rows as JSON, for programs.',
    examples: ['tieout breaks export > work.csv', 'tieout breaks export --all > everything.csv'],
  })
    .option('--all', 'include waived and resolved breaks')
    .runsOnApp(async (app, { out }, flags) => {
      const wanted = flags.all ? {} : { states: OPEN };
      if (out.json) return out.value({ breaks: (await allOf(app, wanted)).map(exportedAsJson) });
      const { csvText } = await import('../../text/csv-text.ts');
      const profile = profileOf(app.settings.reports.profile);
      const csv = { delimiter: profile.delimiter, record_delimiter: profile.lineEnd, columns: EXPORT_COLUMNS };
      await out.write(`${profile.bom ? '\uFEFF' : ''}${csvText([], { ...csv, header: true })}`);
      for await (const page of pagesOf(app, wanted)) {
        const rows = page.map((each) => ({
          ...breakCells(each, profile),
          // Not `visible`: `breaks apply` reads the name back.
          assignee: defuse(each.assignee ?? '', profile),
          until: each.waiver?.until,
        }));
        if (rows.length > 0) await out.write(csvText(rows, csv));
        if (out.isClosed()) return;
      }
    });

  command(program, 'breaks apply', {
    summary: 'Apply a work list that was edited in a spreadsheet',
    details:
      'Reads break_id, state, assignee, reason and until; other columns are ignored. If a row cannot be applied, ' +
      'none is.',
    examples: ['tieout breaks apply work.csv --dry-run', 'tieout breaks apply work.csv --by ann'],
  })
    .argument('<file>', 'the edited CSV, with comma or semicolon')
    .option('--dry-run', 'print what would change; change nothing')
    .option('--by <name>', 'name to record (default: the user of this machine)')
    .runs(async (session, file, flags) => {
      const rows = await readRows(file);
      const app = await session.app();
      const deciding = decidingAs(flags.by, app);
      const outcomes: EditOutcome[] = [];
      for (const row of rows) outcomes.push(planEdit(row, await app.store.breaks.get(row.breakId), deciding));
      const refused = outcomes.filter((each) => each.outcome === 'refused');
      const planned = outcomes.flatMap((each) => (each.outcome === 'changes' ? each.events : []));
      const records = await app.store.workList.ofSameRecords(planned.map(({ after }) => after.breakId));
      const events = covering(planned, records, deciding);
      const unchanged = outcomes.filter((each) => each.outcome === 'unchanged').length;
      const { out } = session;
      if (refused.length === 0 && !flags.dryRun) await app.store.breaks.append(events);
      if (out.json) {
        await out.value({
          changed: events.map(({ type: event, after: { breakId: break_id, state, assignee } }) => {
            return { break_id, event, state, assignee };
          }),
          unchanged,
          refused,
          applied: refused.length === 0 && !flags.dryRun,
        });
      } else {
        for (const { line, why } of refused) await out.line(`${file}:${line}: ${why}`);
        for (const { type, after } of events)
          await out.line(`${type}  ${after.rule} on ${after.kind} ${after.recordId}`);
        const done = refused.length > 0 ? 'Nothing was changed' : flags.dryRun ? 'Would change' : 'Changed';
        await out.line(
          refused.length > 0
            ? `${done}: ${count(refused.length)} of ${counted(rows.length, 'row')} cannot be applied.`
            : `${done} ${counted(outcomes.length - unchanged, 'break')}; ${counted(unchanged, 'row is as it stands', 'rows are as they stand')}.`,
        );
      }
      return refused.length > 0 ? EXIT.usage : EXIT.clean;
    });
};

/** The first five are read back by `breaks apply`; the rest is for the person who decides. */
const EXPORT_COLUMNS = (
  'break_id state assignee reason until rule severity kind record_id host_reference field expected actual ' +
  'difference currency first_seen_date explanation money_at_stake record_currency'
).split(' ');

function exportedAsJson(each: CurrentBreak): Record<string, unknown> {
  const cells: Record<string, unknown> = { ...breakAsJson(each), until: each.waiver?.until };
  return Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, cells[name] ?? null]));
}

/** @throws UsageError */
async function readRows(file: string): Promise<EditedRow[]> {
  const { readCsv } = await import('../../app/read-csv.ts');
  // This profile marks every text that any profile marks, so it can remove the mark of each.
  const guarding = profileOf('excel');
  return readCsv(file, ['break_id', 'state']).map(({ line, cell }) => ({
    line,
    breakId: cell('break_id') ?? '',
    state: cell('state') ?? '',
    // The export defuses names that a spreadsheet would run; the ledger keeps them as they are.
    assignee: undefuse(cell('assignee') ?? '', guarding),
    reason: cell('reason') ?? '',
    until: cell('until') ?? '',
  }));
}
