/** `tieout breaks apply`: takes an edited work list back. All rows or none, every refusal told. */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parse } from 'csv-parse/sync';
import { undefuse } from '../../publish/defuse.ts';
import { profileOf } from '../../publish/profiles.ts';
import { type EditedRow, type EditOutcome, planEdit } from '../../reconcile/apply-edits.ts';
import { command, type Register } from '../context.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { count } from '../run-report.ts';

interface ApplyFlags {
  dryRun?: boolean;
  by?: string;
}

export const register: Register = (program, context) => {
  command(program, 'breaks apply', {
    summary: 'Apply a work list that was edited in a spreadsheet',
    details:
      'Reads break_id, state, assignee, reason and until; other columns are ignored. When a row cannot be applied, nothing is.',
    examples: ['tieout breaks apply work.csv --dry-run', 'tieout breaks apply work.csv --by ann'],
  })
    .argument('<file>', 'the edited CSV, with comma or semicolon')
    .option('--dry-run', 'tell what would change, and change nothing')
    .option('--by <name>', 'who decides (default: the user of this machine)')
    .action((file: string, flags: ApplyFlags, self) =>
      context.run(self, async (session) => {
        const rows = readRows(file);
        const app = await session.app();
        const at = app.clock.wall.now();
        const outcomes: EditOutcome[] = [];
        for (const row of rows) {
          outcomes.push(planEdit(row, await app.store.breaks.get(row.breakId), flags.by ?? userInfo().username, at));
        }
        const refused = outcomes.filter((each) => each.outcome === 'refused');
        const events = outcomes.flatMap((each) => (each.outcome === 'changes' ? each.events : []));
        const { out } = session;
        if (refused.length === 0 && !flags.dryRun) await app.store.breaks.append(events);
        if (out.json) {
          await out.value({
            changed: events.map(({ type, after }) => ({
              break_id: after.breakId,
              event: type,
              state: after.state,
              assignee: after.assignee,
            })),
            unchanged: outcomes.filter((each) => each.outcome === 'unchanged').length,
            refused,
            applied: refused.length === 0 && !flags.dryRun,
          });
        } else {
          for (const { line, why } of refused) await out.line(`${file}:${line}: ${why}`);
          for (const { type, after } of events)
            await out.line(`${type}  ${after.rule} on ${after.kind} ${after.recordId}`);
          const unchanged =
            outcomes.length - refused.length - outcomes.filter((each) => each.outcome === 'changes').length;
          const done = refused.length > 0 ? 'Nothing was changed' : flags.dryRun ? 'Would change' : 'Changed';
          await out.line(
            refused.length > 0
              ? `${done}: ${count(refused.length)} of ${count(rows.length)} rows cannot be applied.`
              : `${done} ${count(outcomes.length - unchanged)} breaks; ${count(unchanged)} rows are as they stand.`,
          );
        }
        return refused.length > 0 ? EXIT.usage : EXIT.clean;
      }),
    );
};

/** Spreadsheets save with whichever delimiter their country uses, and put a mark before the first byte. */
function readRows(file: string): EditedRow[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  const header = text.slice(0, text.indexOf('\n'));
  const delimiter = header.split(';').length > header.split(',').length ? ';' : ',';
  let parsed: { record: Record<string, string>; info: { lines: number } }[];
  try {
    parsed = parse(text, {
      columns: true,
      delimiter,
      info: true,
      relax_column_count_less: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new UsageError(`${file}: not a CSV file: ${(error as Error).message}`, { cause: error });
  }
  if (!header.includes('break_id') || !header.includes('state')) {
    throw new UsageError(`${file}:1: the header must have break_id and state, as \`tieout breaks export\` writes it`);
  }
  return parsed.map(({ record, info }) => ({
    line: info.lines,
    breakId: (record.break_id ?? '').trim(),
    state: record.state ?? '',
    assignee: undefuse(record.assignee ?? '', profileOf('standard')),
    reason: record.reason ?? '',
    until: (record.until ?? '').trim(),
  }));
}
