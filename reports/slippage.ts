import { Decimal } from '../src/domain/decimal.ts';
import { type Decomposition, effectsOf } from '../src/domain/decompose.ts';
import { seenByAny, sourcesInWords } from '../src/domain/market.ts';
import { middleOf, type PriceMove, priceMove } from '../src/domain/price-move.ts';
import { type MatchedQuote, promisingQuote } from '../src/domain/quote.ts';
import type { RecordState } from '../src/domain/snapshot.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineReport, KIND, RECORD_ID, runColumns } from './define.ts';

type Effects = ReturnType<typeof effectsOf>;

/** Prices and effects of one record. */
interface Slippage extends Decomposition, PriceMove {
  effects: Effects;
  /** `3 quotes, 1 listing`; `none`. */
  source: string;
}

/** A verified record with a promise; `null` parts where its price is not fixed yet, or cannot be told. */
interface SlippageRow extends SettledRecord {
  state: RecordState;
  promise: MatchedQuote;
  slippage: Slippage | null;
}

/** Null where the price is not fixed yet, or quote or record has none. */
function slippageOf(record: SettledRecord): Slippage | null {
  const { decomposed, market, executed } = record;
  if (decomposed === null || typeof decomposed === 'string' || executed === 'not executed yet') return null;
  const seen = seenByAny(market.prices);
  const move = priceMove(decomposed, seen === null ? null : middleOf(seen));
  return { ...decomposed, effects: effectsOf(decomposed), ...move, source: sourcesInWords(market.prices) };
}

const NOT_FIXED = 'the price is not fixed yet, or quote or record has none';

const { amount, count, id, instant, percent, text } = columnsOf<SlippageRow>();

const percentOf = (share: Decimal | null) => (share === null ? null : share.times(Decimal.HUNDRED));

/** One exact part of the total; the fees stand in the amount effect where the quote does not tell them at the record's amount. */
function effect(
  name: string,
  description: string,
  value: (effects: Effects) => Decimal | null,
  rest: { rest?: { of: string; without: readonly string[] } } = {},
): Column<SlippageRow> {
  return amount(name, ({ slippage }) => (slippage === null ? null : value(slippage.effects)), {
    ...rest,
    description,
    sign: "plus: the user's loss",
    empty: NOT_FIXED,
  });
}

const columns: readonly Column<SlippageRow>[] = [
  ...runColumns('id of the run that compared the prices'),
  KIND,
  RECORD_ID,
  id('host_reference', ({ tracked }) => tracked.hostReference, {
    description: "the application's own reference",
    empty: 'the application gave none',
  }),
  text('asset_symbol', ({ state }) => state.asset.symbol, 'symbol of the asset'),
  text('chain', ({ state }) => (state.asset.chain === '' ? null : state.asset.chain), {
    description: 'chain of the asset',
    empty: 'no source names it',
  }),
  text('fiat_currency', ({ state }) => state.fiatCurrency, {
    description: 'currency of the rates and effects in the row',
    unit: 'ISO code',
  }),
  id('quote_id', ({ promise }) => promise.quote.quoteId, 'id of the quote that the user was shown'),
  instant('quote_captured_at', ({ promise }) => promise.quote.capturedAt, 'when the quote was captured'),
  instant('created_at', ({ state }) => state.createdAt, {
    description: 'when the record was created',
    empty: 'the body does not say',
  }),
  count('seconds_between', ({ promise }) => promise.ageSeconds, {
    description: 'from the quote to the creation; negative where the quote was taken on the CREATED webhook',
    unit: 'seconds',
    empty: 'the creation time is not known',
  }),
  percent('quoted_rate', ({ slippage }) => slippage?.prices.quoted ?? null, {
    description: 'quoted price of one whole token: the value after fees divided by the tokens',
    unit: 'fiat per token',
    empty: NOT_FIXED,
  }),
  percent('actual_rate', ({ slippage }) => slippage?.prices.executed ?? null, {
    description:
      'execution price of one whole token: as the record states it, else the value after fees divided by the tokens',
    unit: 'fiat per token',
    empty: NOT_FIXED,
  }),
  percent('move_percent', ({ slippage }) => percentOf(slippage?.move ?? null), {
    description: '`actual_rate` against `quoted_rate`',
    unit: 'percent',
    sign: 'plus: the price rose, which costs a buyer and favours a seller',
    empty: NOT_FIXED,
  }),
  percent('market_move_percent', ({ slippage }) => percentOf(slippage?.market ?? null), {
    description:
      'how far the market moved meanwhile: the middle of the prices that others saw around the execution, against `quoted_rate`',
    unit: 'percent',
    sign: 'plus: the price rose',
    empty: 'nobody else saw a price then',
  }),
  text('market_source', ({ slippage }) => slippage?.source ?? 'none', {
    description:
      'who saw a price around the execution: `quotes` (captured for others) or `listings`, with their number; `none`',
  }),
  percent('unexplained_percent', ({ slippage }) => percentOf(slippage?.unexplained ?? null), {
    description: '`move_percent` − `market_move_percent`; the whole move where the market is not known',
    unit: 'percent',
    sign: 'plus: the price rose more than the market',
    empty: NOT_FIXED,
  }),
  effect(
    'fee_effect',
    'difference of the fees from those quoted for this amount; empty where the quote has none',
    ({ fee }) => fee,
  ),
  // Takes what rounding leaves, so that a rounded row foots too.
  effect('price_effect', 'another price than the quoted one', ({ price }) => price, {
    rest: { of: 'total_effect', without: ['fee_effect', 'amount_effect', 'residual'] },
  }),
  effect(
    'amount_effect',
    'difference of the fees because the amount is not the quoted one; the whole difference where the quote has no fees for this amount',
    ({ amount }) => amount,
  ),
  effect('residual', "what the record's own rate and fees do not explain", ({ residual }) => residual),
  amount('total_effect', ({ slippage }) => slippage?.effects.total ?? null, {
    description: 'how much more the user paid, or less the user got, than quoted: the sum of the four effects',
    sign: "plus: the user's loss",
    empty: NOT_FIXED,
  }),
  text(
    'finding',
    ({ findings }) => {
      const codes = new Set(findings.filter(({ rule }) => SPEAKS_OF_COST.has(rule)).map(({ rule }) => rule));
      return codes.size === 0 ? null : [...codes].join(' ');
    },
    {
      description: 'codes of the findings on price, amount and fees, separated by a space',
      empty: 'none',
    },
  ),
];

const SPEAKS_OF_COST: ReadonlySet<string> = new Set([
  'SLIPPAGE',
  'AMOUNT_DIFFERS',
  'FEE_APPLIED_DIFFERS',
  'FEE_BASE_DIFFERS',
  'FEE_NETWORK_DIFFERS',
]);

export const slippage = defineReport<SlippageRow>({
  definition: {
    name: 'slippage',
    description: 'What execution cost the user, for every verified record with a quote',
    notes:
      'A quote promises its fees and shows the price of its moment. *Execution price* is the price at which the record was carried out; ' +
      '*slippage* is how far it lies from the quoted one beyond what the market did. The effects are exact and add up to `total_effect`.',
    columns,
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({
    record: (record) => {
      const { state, quote } = record;
      const promise = state === null ? null : promisingQuote(quote, state);
      if (state === null || promise === null) return [];
      return [{ ...record, state, promise, slippage: slippageOf(record) }];
    },
  }),
});
