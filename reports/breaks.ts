import { ageInDays } from '../src/domain/break.ts';
import { type Aside, moneyAside } from '../src/domain/stake.ts';
import { BREAK_COLUMNS } from '../src/ports/break-columns.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { OutsideBreak } from '../src/ports/settled.ts';
import { columnsOf, defineReport, runColumns } from './define.ts';

const { amount, count, date, text } = columnsOf<OutsideBreak>('record_currency');

/** What the night adds to a break, behind the column of that name. */
const FURTHER: Readonly<Record<string, readonly Column<OutsideBreak>[]>> = {
  last_seen_date: [
    count('age_days', (row) => ageInDays(row, row.run.businessDate), {
      description: 'days from `first_seen_date` to `business_date`',
      unit: 'calendar days',
    }),
  ],
  leading_break_id: [
    date('due_date', ({ dueDate }) => dueDate ?? null, {
      description: "the day by which a month of the host's revenue has to be paid",
      empty: 'the break is not about such a month',
    }),
  ],
};

const columns: readonly Column<OutsideBreak>[] = [
  ...runColumns('id of the run that lists the break'),
  ...BREAK_COLUMNS.flatMap((column) => [column, ...(FURTHER[column.name] ?? [])]),
  text('loss_bearer', ({ lossBearer }) => lossBearer, {
    description: 'who loses: `user`, `service`, or `host` (you); losses of different bearers are never added',
    empty: 'no loss is measured, or no money has moved',
  }),
  text('money_moved', ({ moneyMoved }) => moneyMoved, {
    description: "whether the record's money has moved: `yes`, `no`, `pending` or `unknown`",
    empty: 'the break is from before this was recorded',
  }),
  aside('pending', "the record's loss where `money_moved` is `pending` or `unknown`"),
  aside('waived', "the record's loss where its leading break is waived"),
  aside('claimed', "the record's loss where it is in a claim"),
];

/** The loss of a record is in one of four columns: at stake, pending, waived or claimed. Of a claim of a part, the rest is at stake. */
function aside(name: Aside, description: string): Column<OutsideBreak> {
  return amount(`money_${name}`, (row) => moneyAside(row, name), {
    description: `${description}; on the leading break`,
    sign: 'as `money_at_stake`',
    empty: 'there is none',
  });
}

/** The work list: breaks that stand after the run, and those resolved in it. */
export const breaks = defineReport<OutsideBreak>({
  definition: {
    name: 'breaks',
    description: 'Every break that stands, and those resolved in this run',
    notes: 'This is the work list. Work it by `money_at_stake`, one currency at a time.',
    columns,
    key: ['break_id'],
    refersTo: [{ fields: ['leading_break_id'], report: 'breaks', to: ['break_id'] }],
  },
  collect: () => ({
    record: ({ run, tracked: { hostReference }, breaks: all }) => all.map((each) => ({ ...each, run, hostReference })),
    outside: (each) => [each],
  }),
});
