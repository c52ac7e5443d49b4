import type { ComparedPart } from '../src/domain/compare-promise.ts';
import { showMoney } from '../src/domain/currency.ts';
import { feePercentOf } from '../src/domain/fee-parts.ts';
import { type FeeComparison, feeBounds, varianceOf } from '../src/domain/fees.ts';
import type { MatchedQuote } from '../src/domain/quote.ts';
import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineReport, KIND, RECORD_ID, runColumns } from './define.ts';

/** A verified record with its fee arithmetic. */
interface FeeRow extends SettledRecord {
  state: RecordState;
  fees: FeeComparison;
  variance: ReturnType<typeof varianceOf>;
  bounds: ReturnType<typeof feeBounds>;
}

const { amount, boolean, id, percent, text } = columnsOf<FeeRow>();

const NO_BOUNDS = 'no reference data of that time, or only for another currency';

/** A part of the fee as quoted and as recorded, and the difference. */
function comparedPart(part: 'base' | 'network'): readonly Column<FeeRow>[] {
  return [
    amount(`quoted_${part}_fee`, ({ fees }) => fees.quoted?.[part] ?? null, {
      description: `${part} fee of the quote`,
      empty: 'the quote does not state it',
    }),
    amount(`actual_${part}_fee`, ({ fees }) => fees.actual[part], {
      description: `${part} fee of the record`,
      empty: 'the record does not state it',
    }),
    amount(`${part}_fee_variance`, ({ variance }) => variance?.[part] ?? null, {
      description: `\`actual_${part}_fee\` − \`quoted_${part}_fee\``,
      sign: 'plus: more than quoted',
      empty: 'one of the two is not known',
      rest: { of: `actual_${part}_fee`, without: [`quoted_${part}_fee`] },
    }),
  ];
}

const columns: readonly Column<FeeRow>[] = [
  ...runColumns('id of the run that compared the fees'),
  KIND,
  RECORD_ID,
  text('fiat_currency', ({ state }) => state.fiatCurrency, {
    description: 'currency of all amounts in the row',
    unit: 'ISO code',
  }),
  text('payment_method', ({ state }) => state.paymentMethod, {
    description: 'purchase: how the user pays; sale: how the user is paid',
    empty: 'the record names none',
  }),
  id('quote_id', ({ quote }) => quote?.quote.quoteId ?? null, {
    description: 'id of the quote that the record is compared with',
    empty: 'no quote belongs to the record',
  }),
  text('quote_basis', ({ quote }) => quote?.basis ?? 'none', {
    description: 'how the quote was found, as in records.csv: `linked`, `captured`, `requoted` or `none`',
  }),
  amount('quoted_fiat_value', ({ fees }) => fees.quoted?.fiatValue ?? null, {
    description: 'total of the quote',
    empty: 'no comparable quote',
  }),
  amount('actual_fiat_value', ({ fees }) => fees.actual.fiatValue, 'total of the record'),
  amount('quoted_applied_fee', ({ fees }) => fees.quoted?.applied ?? null, {
    description: 'whole fee of the quote, network fee included',
    empty: 'no comparable quote',
  }),
  amount('actual_applied_fee', ({ fees }) => fees.actual.applied, {
    description: 'whole fee of the record, network fee included',
    empty: 'a sale that states none',
  }),
  amount('applied_fee_variance', ({ variance }) => variance?.applied ?? null, {
    description: '`actual_applied_fee` − `quoted_applied_fee`',
    sign: 'plus: the user paid more than quoted',
    empty: 'one of the two is not known',
    rest: { of: 'actual_applied_fee', without: ['quoted_applied_fee'] },
  }),
  ...comparedPart('base'),
  ...comparedPart('network'),
  amount('quoted_adjustment', ({ fees }) => fees.quoted?.adjustment ?? null, {
    description: 'applied − base − network fee of the quote',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    rest: { of: 'quoted_applied_fee', without: ['quoted_base_fee', 'quoted_network_fee'] },
  }),
  amount('actual_adjustment', ({ fees }) => fees.actual.adjustment, {
    description: 'applied − base − network fee of the record',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    rest: { of: 'actual_applied_fee', without: ['actual_base_fee', 'actual_network_fee'] },
  }),
  amount('adjustment_variance', ({ variance }) => variance?.adjustment ?? null, {
    description:
      '`applied_fee_variance` − `base_fee_variance` − `network_fee_variance`, a part that is not known counted as 0',
    sign: 'plus: a smaller discount than quoted',
    empty: 'the applied fee variance is not known',
    rest: { of: 'applied_fee_variance', without: ['base_fee_variance', 'network_fee_variance'] },
  }),
  percent('quoted_exchange_rate', ({ fees }) => fees.quoted?.exchangeRate ?? null, {
    description: 'price of one whole token in the quote',
    unit: "row's currency",
    empty: 'the quote does not state it',
  }),
  percent('actual_exchange_rate', ({ fees }) => fees.actual.exchangeRate, {
    description: 'price of one whole token in the record',
    unit: "row's currency",
    empty: 'the record does not state it',
  }),
  percent('rate_variance_percent', ({ variance }) => variance?.ratePercent ?? null, {
    description:
      'deviation of the exchange rate from the quoted one; of fiat per token where the record states no rate',
    sign: 'plus: a token costs more than quoted',
    empty: 'one of the two is not known',
  }),
  percent('actual_fee_percent', ({ fees }) => feePercentOf(fees.actual), {
    description: '(applied − network fee) as a percentage of the value of the crypto',
    empty: 'the fee or the value is not known',
  }),
  percent('min_fee_percent', ({ bounds }) => bounds?.min ?? null, {
    description: 'lower bound that the Service published when the record was created',
    empty: NO_BOUNDS,
  }),
  percent('max_fee_percent', ({ bounds }) => bounds?.max ?? null, {
    description: 'upper bound that the Service published when the record was created',
    empty: NO_BOUNDS,
  }),
  percent('min_fee_amount', ({ bounds }) => bounds?.amount ?? null, {
    description: 'minimum fee that the Service published when the record was created',
    unit: "row's currency",
    empty: NO_BOUNDS,
  }),
  percent('tolerance', ({ fees }) => fees.applied?.allowed ?? null, {
    description: 'the largest difference of the applied fee that is not a break',
    unit: "row's currency",
    empty: 'nothing was compared',
  }),
  boolean('within_tolerance', ({ fees }) => fees.withinTolerance, {
    description:
      'whether the compared fees agree: none of `FEE_APPLIED_DIFFERS`, `FEE_BASE_DIFFERS` and `FEE_NETWORK_DIFFERS` was found',
    empty: 'nothing could be compared',
  }),
  text('tolerance_reason', toleranceReason, {
    description: 'how the fees were compared, which part differs, and which parts are not known',
  }),
];

/** Every verified record against its quote; rows without a quote show the actual figures alone. */
export const fees = defineReport<FeeRow>({
  definition: {
    name: 'fees',
    description: 'Fees of every verified record as quoted and as recorded, with variances that foot',
    notes:
      'Always, to the last digit: `actual_applied_fee` − `quoted_applied_fee` = `applied_fee_variance` = `base_fee_variance` + `network_fee_variance` + `adjustment_variance`. All variances are actual − quoted: plus means that the user paid more than quoted. A part that the quote or the record does not state is empty and is contained in the adjustment; `tolerance_reason` names it. Where the quote is for another amount, percentages of the value are compared, so a variance larger than `tolerance` may still agree; `tolerance_reason` states the quoted fee converted to this amount. From the demonstration, purchase 9efa97cc-98ca-4508-aac1-8fd64f979aa6: quoted 11.23 EUR, actual 15.82 EUR, variance 4.59 = 0 (base) + 0 (network) + 4.59 (adjustment): a discount was withdrawn.',
    columns,
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({
    record: (record) => {
      const { state, fees } = record;
      if (state === null || fees === null) return [];
      const variance = varianceOf(state, record.quote, fees);
      return [{ ...record, state, fees, variance, bounds: feeBounds(state, record.reference.global) }];
    },
  }),
});

const PARTS = ['applied', 'base', 'network'] as const;
const NAMES = { applied: 'applied fee', base: 'base fee', network: 'network fee' } as const;

/** `shares of the value: the quote is for another amount; applied fee 12.00 EUR, expected 11.50 EUR: outside 0.10 EUR`. */
function toleranceReason({ state, fees, quote }: FeeRow): string {
  if (quote === null) return 'no quote belongs to the record';
  if (fees.quoted === null) return 'the quote is for another currency or asset, or lacks the payment method';
  const { fiatCurrency: currency } = state;
  const clauses = PARTS.flatMap((part) => partInWords(NAMES[part], fees[part], fees.comparedAs, currency));
  const minimum =
    fees.isMinimumUnlisted === true
      ? [
          `the base fee may be the minimum, which moves with the rate: no list in ${currency} tells it, so that 1.5 % is allowed`,
        ]
      : [];
  return [howCompared(fees, quote), ...clauses, ...minimum, ...unknownParts(fees)].join('; ');
}

function howCompared({ comparedAs, withinTolerance }: FeeComparison, quote: MatchedQuote): string {
  if (withinTolerance === null) return 'nothing could be compared';
  if (comparedAs === 'amount') return 'figure against figure';
  if (comparedAs === 'network') return 'the quote is for another amount: of its fees only the network fee is compared';
  const why = quote.basis === 'requoted' ? 'the quote is a fresh one' : 'the quote is for another amount';
  return `shares of the value: ${why}`;
}

/** Parts that agree figure against figure need no words: their columns say it. */
function partInWords(
  name: string,
  part: ComparedPart | null,
  comparedAs: FeeComparison['comparedAs'],
  currency: string,
): string[] {
  if (part === null || (part.agrees && comparedAs !== 'percent')) return [];
  const outcome = `${part.agrees ? 'within' : 'outside'} ${showMoney(part.allowed, currency)}`;
  return [`${name} ${showMoney(part.actual, currency)}, expected ${showMoney(part.expected, currency)}: ${outcome}`];
}

/** A part that one side does not state has no variance of its own: it is in the adjustment. */
function unknownParts({ actual, quoted }: FeeComparison): string[] {
  if (quoted === null) return [];
  const sidesWithout = (part: (typeof PARTS)[number]) =>
    [actual[part] === null ? ['record'] : [], quoted[part] === null ? ['quote'] : []].flat();
  if (actual.applied === null) return [`no applied fee on the ${sidesWithout('applied').join(' and the ')}`];
  return (['base', 'network'] as const).flatMap((part) => {
    const sides = sidesWithout(part);
    return sides.length === 0 ? [] : [`no ${NAMES[part]} on the ${sides.join(' and the ')}: it is in the adjustment`];
  });
}
