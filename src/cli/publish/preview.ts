/** Lists the breaks that another rule set would add and remove. */
import type { RuleOverlay } from '../../../config/rule-overlay.ts';
import type { App } from '../../app/app.ts';
import { previewRules } from '../../app/explain.ts';
import { showMoney } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import { EXIT, type ExitCode } from '../../domain/errors.ts';
import type { Run } from '../../domain/run.ts';
import type { PreviewChange } from '../../explain/preview.ts';
import { picked, snakeCase } from '../output.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';

/** The most rows on a terminal; `--json` has all of them. */
const EXAMPLES = 10;

export async function printPreview(session: Session, app: App, run: Run, overlay: RuleOverlay): Promise<ExitCode> {
  const { out } = session;
  const changes: PreviewChange[] = [];
  const rows = await previewRules(app, run, overlay, (change) => {
    if (out.json || changes.length < EXAMPLES) changes.push(change);
  });
  const sums = (totals: ReadonlyMap<string, Decimal>) =>
    [...totals].map(([currency, sum]) => showMoney(sum, currency)).join(', ');
  if (out.json) {
    await out.value({
      run_id: run.runId,
      rules: rows.map(snakeCase),
      changes: changes.map(({ change, kind, recordId, finding }) => {
        const said = picked(finding, 'rule', 'field', 'severity', 'difference', 'currency', 'explanation');
        return snakeCase({ change, kind, recordId, ...said });
      }),
    });
    return EXIT.clean;
  }
  await out.line(`What these rules would have said of ${run.runId}; nothing is changed.\n`);
  await out.table(
    [
      { title: 'rule', cell: (row) => row.rule },
      { title: 'before', cell: (row) => String(row.before), align: 'right' },
      { title: 'after', cell: (row) => String(row.after), align: 'right' },
      { title: 'added', cell: (row) => String(row.added), align: 'right' },
      { title: 'removed', cell: (row) => String(row.removed), align: 'right' },
      { title: 'difference added', cell: (row) => sums(row.addedTotals) },
      { title: 'difference removed', cell: (row) => sums(row.removedTotals) },
    ],
    rows,
  );
  if (changes.length === 0) await out.line('No break would be added or removed.');
  for (const { change, kind, recordId, finding } of changes)
    await out.line(printable(`${change} ${finding.rule} on ${kind} ${recordId}: ${finding.explanation}`));
  const further = rows.reduce((sum, { added, removed }) => sum + added + removed, 0) - changes.length;
  if (further > 0) await out.line(`… and ${further} more; --json lists all of them`);
  return EXIT.clean;
}
