import type { Section, Shown, Tone, View } from '../../src/ports/html-view.ts';
import { count, counted } from '../../src/text/counts.ts';
import { decimalOf, figure, left, money, outcomeCounts, right } from './cells.ts';

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
    const chains = outcomeCounts(TONES);
    const legs: Leg[] = [];
    return {
      rows: {
        deliveries: (cell) => chains.add(cell('chain'), cell('outcome')),
        revenue_legs: (cell) => {
          legs.push(Object.fromEntries(LEG.map((name) => [name, cell(name)])) as Leg);
          if (legs.length > MONTHS * 10) legs.shift();
        },
      },
      sections: () => [
        ...(chains.isEmpty() ? [] : [deliveries(chains)]),
        ...(legs.length === 0 ? [] : [revenue(legs)]),
      ],
    };
  },
};

function deliveries(chains: ReturnType<typeof outcomeCounts>): Section {
  const all = Object.keys(TONES).reduce((sum, outcome) => sum + chains.sumOf(outcome), 0);
  const figure = chains.figure({
    title: 'Deliveries by chain',
    unit: 'deliveries',
    caption: 'Deliveries by chain and by outcome',
    head: 'Chain',
  });
  return {
    id: 'deliveries',
    title: 'Deliveries on their chains',
    lead: `${count(chains.sumOf('met'))} of ${counted(all, 'delivery was', 'deliveries were')} seen as promised; ${counted(chains.sumOf('unverified'), 'was', 'were')} answered by too few endpoints, and count as neither met nor a break.`,
    figures: [figure],
  };
}

function revenue(legs: readonly Leg[]): Section {
  const months = [...new Set(legs.map(({ business_month }) => business_month))].sort().slice(-MONTHS);
  const shown = legs.filter(({ business_month }) => months.includes(business_month));
  const wrong = legs.filter(({ finding }) => finding !== '').length;
  return {
    id: 'revenue',
    title: "The host's revenue: accrued, paid, posted",
    lead: `${counted(legs.length, 'row')} of a month in one currency; ${wrong === 0 ? 'none' : count(wrong)} with a finding. Accrued is what records state, paid what statements say, posted what the books have.`,
    figures: [
      figure({
        title: 'Three legs by month',
        caption:
          shown.length < legs.length
            ? `The last ${MONTHS} months; revenue_legs.csv has all`
            : 'Every month that is over',
        columns: [
          ...left('Month', 'Currency'),
          ...right('Accrued', 'Paid', 'Posted', 'Accrued − paid', 'Paid − posted', 'Carried forward'),
          ...left('Finding'),
        ],
        rows: shown.map((leg): Shown[] => [
          leg.business_month,
          leg.currency,
          ...LEG.slice(2, 8).map((name) => money(decimalOf(leg[name]), leg.currency)),
          leg.finding === '' ? null : { badge: leg.finding, tone: 'bad' },
        ]),
      }),
    ],
  };
}
