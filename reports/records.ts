import { evidenceOf } from '../src/domain/case.ts';
import { tokensOf } from '../src/domain/fee-parts.ts';
import { shownOf } from '../src/domain/shown.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const columns: readonly Column<SettledRecord>[] = [
  { name: 'run_id', type: 'id', description: 'the run that judged the record', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'kind',
    type: 'text',
    description: '`purchase` (a user buys crypto) or `sale` (a user sells it)',
    value: ({ kind }) => kind,
  },
  { name: 'record_id', type: 'id', description: "the Service's id", value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference, an order number perhaps",
    empty: 'the app gave none',
    value: ({ tracked }) => tracked.hostReference,
  },
  {
    name: 'created_at',
    type: 'instant',
    description: 'when the Service created the record',
    empty: 'not read, or the body has none',
    value: ({ state }) => state?.createdAt ?? null,
  },
  {
    name: 'updated_at',
    type: 'instant',
    description: 'when the Service last changed it',
    empty: 'not read, or the body has none',
    value: ({ state }) => state?.updatedAt ?? null,
  },
  {
    name: 'status',
    type: 'text',
    description: 'as the Service has it',
    empty: 'not read; a sale without one',
    value: ({ state }) => state?.status ?? null,
  },
  {
    name: 'verdict',
    type: 'text',
    description: '`matched`, `pending`, `break`, `waived`, `unverified` or `quarantined`',
    value: ({ verdict }) => verdict,
  },
  {
    name: 'break_count',
    type: 'count',
    description: 'open breaks on the record',
    value: ({ openBreaks }) => openBreaks,
  },
  {
    name: 'asset_chain',
    type: 'text',
    description: 'chain of the crypto',
    empty: 'not read',
    value: ({ state }) => state?.asset.chain ?? null,
  },
  {
    name: 'asset_symbol',
    type: 'text',
    description: 'symbol of the crypto',
    empty: 'not read',
    value: ({ state }) => state?.asset.symbol ?? null,
  },
  {
    name: 'crypto_units',
    type: 'units',
    description: 'crypto in its smallest units, exact',
    empty: 'not read',
    value: ({ state }) => state?.cryptoUnits.toString() ?? null,
  },
  {
    name: 'crypto_amount',
    type: 'amount',
    description: 'crypto in whole tokens',
    unit: 'tokens',
    empty: 'not read',
    currencyColumn: 'asset_symbol',
    value: ({ state }) => (state === null ? null : tokensOf(state)),
  },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'currency of every amount in the row',
    unit: 'ISO code',
    empty: 'not read',
    value: ({ state }) => state?.fiatCurrency ?? null,
  },
  {
    name: 'fiat_value',
    type: 'amount',
    description: 'purchase: what the user pays in all; sale: what the user receives',
    empty: 'not read',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.fiatValue ?? null,
  },
  {
    name: 'applied_fee',
    type: 'amount',
    description: 'the fee the user paid, network fee inside',
    empty: 'not read; a sale that states none',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.appliedFee ?? null,
  },
  {
    name: 'base_fee',
    type: 'amount',
    description: 'the fee before discounts',
    empty: 'the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.baseFee ?? null,
  },
  {
    name: 'network_fee',
    type: 'amount',
    description: "the chain's fee; part of `applied_fee`, so never add the two",
    empty: 'the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.networkFee ?? null,
  },
  {
    name: 'fee_adjustment',
    type: 'amount',
    description: 'applied − base − network: discounts and host cuts',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'applied_fee', without: ['base_fee', 'network_fee'] },
    value: ({ fees }) => fees?.actual.adjustment ?? null,
  },
  {
    name: 'host_fee_cut',
    type: 'amount',
    description: 'your share, as the record states it',
    empty: 'the record states none',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.hostFeeCut ?? null,
  },
  {
    name: 'exchange_rate',
    type: 'percent',
    description: 'price of one whole token',
    unit: "row's currency",
    empty: 'the record states none',
    value: ({ state }) => state?.exchangeRate ?? null,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'how the user pays or is paid',
    empty: 'the record names none',
    value: ({ state }) => state?.paymentMethod ?? null,
  },
  {
    name: 'final_tx_hash',
    type: 'id',
    description: 'the transaction on the chain',
    empty: 'not sent yet; a sale',
    value: ({ state }) => state?.finalTxHash ?? null,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'the quote it was compared with',
    empty: 'there is none',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description:
      '`linked`: the app named it; `captured`: found near the creation; `requoted`: asked for afterwards; `none`',
    empty: 'not read, and no quote is linked',
    value: ({ quote, state }) => quote?.basis ?? (state === null ? null : 'none'),
  },
  {
    name: 'quote_age_seconds',
    type: 'count',
    description: 'creation of the record minus capture of the quote',
    unit: 'seconds',
    sign: 'minus: the quote came after',
    empty: 'no quote, or no creation time',
    value: ({ quote }) => quote?.ageSeconds ?? null,
  },
  {
    name: 'fetched_at',
    type: 'instant',
    description: 'when the judged body was received',
    empty: 'not read',
    value: ({ observation }) => (observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null),
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of that body',
    empty: 'no body was received',
    value: ({ observation }) => evidenceOf(observation),
  },
  {
    name: 'money_at_stake',
    type: 'amount',
    description:
      'what the user paid too much, or got too little, against the promise, as the leading break of the record has it',
    sign: "plus: the user's loss; minus: the Service's",
    empty: 'not read, where only breaks.csv has it; or no break measures any',
    currencyColumn: 'fiat_currency',
    value: stakeIn,
  },
  {
    name: 'shown_total',
    type: 'amount',
    description: 'the total that the app showed its user',
    empty: 'not read, or the app did not say',
    currencyColumn: 'fiat_currency',
    value: (record) => shownIn(record)?.total ?? null,
  },
  {
    name: 'shown_fee',
    type: 'amount',
    description: 'the fee that the app showed its user',
    empty: 'not read, or the app did not say',
    currencyColumn: 'fiat_currency',
    value: (record) => shownIn(record)?.fee ?? null,
  },
];

/** Without a body the row has no currency. */
function shownIn(record: SettledRecord) {
  return record.state === null ? null : shownOf(record, record.state);
}

/** Without a body tonight the row has no currency, so it has no amount either; breaks.csv has both. */
function stakeIn({ state, breaks }: SettledRecord) {
  return state === null ? null : (breaks.find(({ moneyAtStake }) => moneyAtStake !== null)?.moneyAtStake ?? null);
}

/** Every record of the run with its verdict; unverified ones with the facts that are known without a body. */
export const records = defineReport<SettledRecord>({
  definition: {
    name: 'records',
    file: 'records.csv',
    description: 'Every record in scope, with its verdict',
    notes: 'The place to look a record up.',
    columns,
  },
  collect: () => ({ record: (record) => [record] }),
});
