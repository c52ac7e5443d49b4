import { ageInDays, type Break, isOpen } from '../src/domain/break.ts';
import type { Column } from '../src/ports/report-definition.ts';
import { columnsOf, defineSums } from './define.ts';

interface Aged {
  each: Break;
  /** Place of its age in BANDS. */
  band: number;
}

/** The age bands, with their upper ends in days, inclusive; the last has none. */
const BANDS = [
  ['days_0_1', 1, 'found first today or yesterday'],
  ['days_2_7', 7, '2 to 7 days old'],
  ['days_8_30', 30, '8 to 30 days old'],
  ['days_31_90', 90, '31 to 90 days old'],
  ['days_over_90', Number.POSITIVE_INFINITY, 'older than 90 days'],
] as const;

const { amount, count, text } = columnsOf<Aged>('currency');

const columns: readonly Column<Aged>[] = [
  text('rule', ({ each }) => each.rule, 'the break code'),
  text('severity', ({ each }) => each.severity, '`low`, `medium`, `high` or `critical`'),
  text('currency', ({ each }) => each.currency || null, {
    description: 'what the differences are measured in: an ISO code or an asset',
    empty: 'the differences are no amounts',
  }),
  count('open_count', () => 1, 'open breaks of all ages'),
  ...BANDS.map(([name, , old], i) => count(name, ({ band }) => Number(band === i), `open breaks ${old}`)),
  // A difference of rates is a price per token, and one of crypto is not money: no sum of money has them.
  amount('difference_total', ({ each }) => (each.unit === 'money' ? each.difference : null), {
    description: 'net sum of `difference` of breaks with the unit `money`',
    sign: 'plus: more than expected',
    empty: 'no break of the row has the unit `money`',
  }),
];

/** Open breaks by rule and age. Differences are net and never added across currencies. */
export const ageing = defineSums<Aged>({
  definition: {
    name: 'ageing',
    description: 'Open breaks by rule, currency and age',
    notes: 'Differences are net: a plus and a minus of one rule cancel out, so look at the count too.',
    columns,
  },
  items: (run) => {
    const aged = (each: Break) => {
      const age = ageInDays(each, run.businessDate);
      return { each, band: BANDS.findIndex(([, upTo]) => age <= upTo) };
    };
    const open = (breaks: readonly Break[]) => breaks.filter(({ state }) => isOpen(state)).map(aged);
    return { record: ({ breaks }) => open(breaks), outside: (each) => open([each]) };
  },
});
