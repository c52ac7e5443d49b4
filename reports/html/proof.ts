import { Decimal } from '../../src/domain/decimal.ts';
import { entryOf } from '../../src/domain/entry-of.ts';
import type { Section, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { counted, many } from './cells.ts';

const OUTCOMES = ['met', 'late', 'broken', 'unverified'] as const;
const TONES: Readonly<Record<string, Tone>> = { met: 'good', late: 'waiting', broken: 'bad', unverified: 'unknown' };
/** Months that the page shows, the newest ones; revenue_legs.csv has all. */
const MONTHS = 36;

type Leg = Readonly<Record<(typeof LEG)[number], string>>;
const LEG = [
  'business_month',
  'currency',
  'accrued_total',
  'paid_total',
  'posted_total',
  'accrued_minus_paid',
  'paid_minus_posted',
  'carried_forward',
  'finding',
] as const;

/** What others than the Service say: deliveries by chain, and the host's revenue in three legs. Nothing where neither is known. */
export const proofView: View = {
  name: 'proof',
  start: () => {
    const chains = new Map<string, Map<string, number>>();
    const legs: Leg[] = [];
    let hasRevenue = false;
    return {
      open: (table, at) => {
        if (table === 'deliveries') {
          const [chain, outcome] = [at('chain'), at('outcome')];
          return (row) => {
            const outcomes = entryOf(chains, row[chain] ?? '', () => new Map<string, number>());
            const name = row[outcome] ?? '';
            outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
          };
        }
        if (table !== 'revenue_legs') return null;
        hasRevenue = true;
        const places = LEG.map((name) => at(name));
        return (row) => {
          legs.push(Object.fromEntries(LEG.map((name, i) => [name, row[places[i] ?? -1] ?? ''])) as Leg);
          if (legs.length > MONTHS * 10) legs.shift();
        };
      },
      sections: () => [...(chains.size === 0 ? [] : [deliveries(chains)]), ...(hasRevenue ? [revenue(legs)] : [])],
    };
  },
};

function deliveries(chains: ReadonlyMap<string, ReadonlyMap<string, number>>): Section {
  const rows = [...chains].sort(([a], [b]) => (a < b ? -1 : 1));
  const sum = (outcome: string) => rows.reduce((total, [, outcomes]) => total + (outcomes.get(outcome) ?? 0), 0);
  const all = OUTCOMES.reduce((total, outcome) => total + sum(outcome), 0);
  return {
    id: 'deliveries',
    title: 'Deliveries on their chains',
    lead: `${many(sum('met'))} of ${many(all)} deliveries were seen as promised; ${many(sum('unverified'))} were answered by too few endpoints, and count as neither met nor a break.`,
    figures: [
      {
        title: 'Deliveries by chain',
        chart: {
          type: 'stacked',
          unit: 'deliveries',
          categories: rows.map(([chain]) => chain),
          series: OUTCOMES.map((outcome) => ({
            name: outcome,
            tone: TONES[outcome] ?? 'unknown',
            values: rows.map(([, outcomes]) => outcomes.get(outcome) ?? 0),
          })),
        },
        table: {
          caption: 'Deliveries by chain and by outcome',
          columns: [{ title: 'Chain' }, ...OUTCOMES.map((title) => ({ title, align: 'right' as const }))],
          rows: rows.map(([chain, outcomes]): Shown[] => [
            chain,
            ...OUTCOMES.map((outcome) => ({ count: outcomes.get(outcome) ?? 0 })),
          ]),
        },
      },
    ],
  };
}

function revenue(legs: readonly Leg[]): Section {
  const months = [...new Set(legs.map(({ business_month }) => business_month))].sort().slice(-MONTHS);
  const shown = legs.filter(({ business_month }) => months.includes(business_month));
  const wrong = legs.filter(({ finding }) => finding !== '').length;
  const money = (text: string, currency: string): Shown =>
    text === '' ? null : { amount: Decimal.parse(text), currency };
  return {
    id: 'revenue',
    title: "The host's revenue: accrued, paid, posted",
    lead: `${counted(legs.length, 'row')} of a month in one currency; ${wrong === 0 ? 'none' : many(wrong)} with a finding. Accrued is what records state, paid what statements say, posted what the books have.`,
    figures: [
      {
        title: 'Three legs by month',
        chart: null,
        table: {
          caption:
            shown.length < legs.length
              ? `The last ${MONTHS} months; revenue_legs.csv has all`
              : 'Every month that is over',
          columns: [
            { title: 'Month' },
            { title: 'Currency' },
            ...['Accrued', 'Paid', 'Posted', 'Accrued − paid', 'Paid − posted', 'Carried forward'].map((title) => ({
              title,
              align: 'right' as const,
            })),
            { title: 'Finding' },
          ],
          rows: shown.map((leg): Shown[] => [
            leg.business_month,
            leg.currency,
            ...LEG.slice(2, 8).map((name) => money(leg[name], leg.currency)),
            leg.finding === '' ? null : { badge: leg.finding, tone: 'bad' },
          ]),
        },
      },
    ],
  };
}
