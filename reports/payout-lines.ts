import { differenceOf, type LineDifference } from '../src/domain/payout.ts';
import type { Column } from '../src/ports/report-definition.ts';
import { columnsOf, defineReport, monthlyColumns } from './define.ts';

const { amount, count, date, id, text } = columnsOf<LineDifference>('currency');

const columns: readonly Column<LineDifference>[] = [
  ...monthlyColumns('month of the line, or of the release'),
  text('bucket', ({ bucket }) => bucket, {
    description:
      "why the two differ: `equal`, `timing`, `clawback`, `fee or invoice`, `exchange`, `rounding`; or, a break, `amount`, `only the partner's`, `only ours`, `unexplained`",
  }),
  id('record_id', ({ recordId }) => recordId, {
    description: 'purchase or sale',
    empty: 'equal lines are added up; or the line names none',
  }),
  count('line_count', (row) => row.count, 'lines and records in the row'),
  amount('ours', ({ ours }) => ours, { description: 'share by the records', empty: 'none in this month' }),
  amount('theirs', ({ theirs }) => theirs, { description: 'share by the line', empty: 'none in this month' }),
  amount('difference', (row) => differenceOf(row), {
    description: '`theirs` − `ours`; the rows of a month come to the difference of both sides',
    sign: 'minus: the partner states less',
  }),
  date('clear_by', ({ clearBy }) => clearBy, {
    description: "the day by which the partner's next month must have it",
    empty: 'both sides have it, or it is no difference of time',
  }),
];

/** Only in sets of nights that knew of payments; without rows where the partner gives no lines. */
export const payoutLines = defineReport<LineDifference>({
  definition: {
    name: 'payout_lines',
    description: "The partner's statement line by line, against the records",
    notes: 'For statements with a line for each transaction (`tieout payouts import --lines`).',
    columns,
  },
  collect: () => ({ revenue: ({ lines }) => lines }),
});
