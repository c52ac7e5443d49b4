import { ageInDays, type Break, isOpen } from '../src/domain/break.ts';
import type { Decimal } from '../src/domain/decimal.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { RunFacts } from '../src/ports/settled.ts';
import { columnsOf } from './columns.ts';
import { addKnown, defineReport, Groups } from './define.ts';

interface AgeingRow {
  rule: string | null;
  severity: string | null;
  currency: string | null;
  open: number;
  /** Counts per band of BANDS. */
  bands: number[];
  difference: Decimal | null;
}

/** Upper ends of the age bands in days, inclusive; the last has none. */
const BANDS = [1, 7, 30, 90, Number.POSITIVE_INFINITY];
const BAND_NAMES = ['days_0_1', 'days_2_7', 'days_8_30', 'days_31_90', 'days_over_90'];
const BAND_TEXTS = [
  'found first today or yesterday',
  '2 to 7 days old',
  '8 to 30 days old',
  '31 to 90 days old',
  'older than 90 days',
];

const { amount, count, text } = columnsOf<AgeingRow>('currency');

const columns: readonly Column<AgeingRow>[] = [
  text('rule', (row) => row.rule, { description: 'the break code' }),
  text('severity', (row) => row.severity, {
    description: '`low`, `medium`, `high` or `critical`',
  }),
  text('currency', (row) => row.currency, {
    description: 'what the differences are measured in: an ISO code or an asset',
    empty: 'the differences are no amounts',
  }),
  count('open_count', (row) => row.open, {
    description: 'open breaks of all ages',
  }),
  ...BAND_NAMES.map((name, i) =>
    count(name, (row) => row.bands[i] ?? 0, { description: `open breaks ${BAND_TEXTS[i]}` }),
  ),
  amount('difference_total', (row) => row.difference, {
    description: 'net sum of `difference` of breaks with the unit `money`',
    sign: 'plus: more than expected',
    empty: 'no break of the row has the unit `money`',
  }),
];

/** Open breaks by rule and age. Differences are net and never added across currencies. */
export const ageing = defineReport<AgeingRow>({
  definition: {
    name: 'ageing',
    file: 'ageing.csv',
    description: 'Open breaks by rule, currency and age',
    notes: 'Differences are net: a plus and a minus of one rule cancel out, so look at the count too.',
    columns,
  },
  collect: (run) => {
    const groups = new Groups<AgeingRow>(([rule, severity, currency]) => ({
      rule: rule ?? null,
      severity: severity ?? null,
      currency: currency === '' ? null : (currency ?? null),
      open: 0,
      bands: BANDS.map(() => 0),
      difference: null,
    }));
    const take = (each: Break) => add(groups, run, each);
    return {
      record: ({ breaks }) => {
        for (const each of breaks) take(each);
        return [];
      },
      outside: (each) => {
        take(each);
        return [];
      },
      groups,
    };
  },
});

function add(groups: Groups<AgeingRow>, run: RunFacts, each: Break): void {
  if (!isOpen(each.state)) return;
  const row = groups.of([each.rule, each.severity, each.currency]);
  const age = ageInDays(each, run.businessDate);
  const band = BANDS.findIndex((upTo) => age <= upTo);
  row.open++;
  row.bands[band] = (row.bands[band] ?? 0) + 1;
  // A difference of rates is a price per token, and one of crypto is not money: no sum of money has them.
  if (each.unit === 'money') row.difference = addKnown(row.difference, each.difference);
}
