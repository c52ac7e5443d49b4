import { contractOf } from '../src/domain/asset.ts';
import { evidenceOf } from '../src/domain/case.ts';
import { tokensOf } from '../src/domain/fee-parts.ts';
import { shownOf } from '../src/domain/shown.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';
import { MOVED_COLUMNS, SHARE_COLUMNS } from './record-money.ts';

const columns: readonly Column<SettledRecord>[] = [
  {
    name: 'run_id',
    type: 'id',
    description: 'id of the run that judged the record: job, business date, revision',
    value: ({ run }) => run.runId,
  },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'kind',
    type: 'text',
    description: '`purchase` (a user buys crypto) or `sale` (a user sells it)',
    value: ({ kind }) => kind,
  },
  { name: 'record_id', type: 'id', description: 'id of the record at the Service', value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference of the record, for example an order number",
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
    description: 'when the Service last changed the record',
    empty: 'not read, or the body has none',
    value: ({ state }) => state?.updatedAt ?? null,
  },
  {
    name: 'status',
    type: 'text',
    description: 'status of the record at the Service',
    empty: 'not read; or a sale, whose body states none',
    value: ({ state }) => state?.status ?? null,
  },
  {
    name: 'verdict',
    type: 'text',
    description: 'result of the run: `matched`, `pending`, `break`, `waived`, `unverified` or `quarantined`',
    value: ({ verdict }) => verdict,
  },
  {
    name: 'break_count',
    type: 'count',
    description: 'breaks of the record that are `open`, `acknowledged` or `reopened`',
    value: ({ openBreaks }) => openBreaks,
  },
  {
    name: 'asset_chain',
    type: 'text',
    description: 'blockchain of the crypto',
    empty: 'not read, or nothing names the chain',
    value: ({ state }) => state?.asset.chain ?? null,
  },
  {
    name: 'asset_symbol',
    type: 'text',
    description: 'symbol of the crypto, for example `BTC`',
    empty: 'not read',
    value: ({ state }) => state?.asset.symbol ?? null,
  },
  {
    name: 'crypto_units',
    type: 'units',
    description: 'amount of crypto in its smallest unit (satoshi, wei), exact',
    empty: 'not read',
    value: ({ state }) => state?.cryptoUnits.toString() ?? null,
  },
  {
    name: 'crypto_amount',
    type: 'amount',
    description: 'amount of crypto in whole tokens',
    unit: 'tokens',
    empty: 'not read',
    currencyColumn: 'asset_symbol',
    value: ({ state }) => (state === null ? null : tokensOf(state)),
  },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'currency of all fiat amounts in the row',
    unit: 'ISO code',
    empty: 'not read',
    value: ({ state }) => state?.fiatCurrency ?? null,
  },
  {
    name: 'fiat_value',
    type: 'amount',
    description: 'purchase: the total that the user pays, fees included; sale: the payout that the user receives',
    empty: 'not read',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.fiatValue ?? null,
  },
  {
    name: 'applied_fee',
    type: 'amount',
    description: 'the whole fee that the user pays, network fee included',
    empty: 'not read; or a sale that states none',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.appliedFee ?? null,
  },
  {
    name: 'base_fee',
    type: 'amount',
    description: "the Service's fee before discounts and host cuts, without the network fee",
    empty: 'not read, or the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.baseFee ?? null,
  },
  {
    name: 'network_fee',
    type: 'amount',
    description: 'the fee of the blockchain; included in `applied_fee`, so never add the two',
    empty: 'not read, or the record does not state it',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.networkFee ?? null,
  },
  {
    name: 'fee_adjustment',
    type: 'amount',
    description: '`applied_fee` − `base_fee` − `network_fee`: discounts and host cuts',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    currencyColumn: 'fiat_currency',
    rest: { of: 'applied_fee', without: ['base_fee', 'network_fee'] },
    value: ({ fees }) => fees?.actual.adjustment ?? null,
  },
  {
    name: 'host_fee_cut',
    type: 'amount',
    description: "the host's (your) share of the fee, as the record states it",
    empty: 'not read, or the record states none',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.hostFeeCut ?? null,
  },
  {
    name: 'exchange_rate',
    type: 'percent',
    description: 'price of one whole token',
    unit: "row's currency",
    empty: 'not read, or the record states none',
    value: ({ state }) => state?.exchangeRate ?? null,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'purchase: how the user pays; sale: how the user is paid',
    empty: 'not read, or the record names none',
    value: ({ state }) => state?.paymentMethod ?? null,
  },
  {
    name: 'final_tx_hash',
    type: 'id',
    description: 'hash of the transaction that delivers the crypto',
    empty: 'not read, not sent yet, or a sale',
    value: ({ state }) => state?.finalTxHash ?? null,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'id of the quote that the record is compared with',
    empty: 'no quote belongs to the record',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description:
      'how the quote was found: `linked` (the app named it), `captured` (stored near the creation), `requoted` (requested afterwards), `none`',
    empty: 'not read, and no quote is linked',
    value: ({ quote, state }) => quote?.basis ?? (state === null ? null : 'none'),
  },
  {
    name: 'quote_age_seconds',
    type: 'count',
    description: 'age of the quote when the record was created',
    unit: 'seconds',
    sign: 'minus: captured after the creation',
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
    description: 'SHA-256 of that body; `tieout evidence` prints it',
    empty: 'no body was received',
    value: ({ observation }) => evidenceOf(observation),
  },
  {
    name: 'money_at_stake',
    type: 'amount',
    description: 'what the user paid too much, or received too little, against the promise; once per record',
    sign: "plus: the user's loss; minus: the Service's",
    empty: 'no loss, no money has moved, or it is pending, waived or claimed; or not read, then see breaks.csv',
    currencyColumn: 'fiat_currency',
    value: stakeIn,
  },
  {
    name: 'shown_total',
    type: 'amount',
    description: 'the total that the app showed the user',
    empty: 'not read, or the app did not report it',
    currencyColumn: 'fiat_currency',
    value: (record) => shownIn(record)?.total ?? null,
  },
  {
    name: 'shown_fee',
    type: 'amount',
    description: 'the fee that the app showed the user',
    empty: 'not read, or the app did not report it',
    currencyColumn: 'fiat_currency',
    value: (record) => shownIn(record)?.fee ?? null,
  },
  {
    name: 'contract_address',
    type: 'id',
    description: 'contract of the token, as the record states it',
    empty: 'not read, or a coin, which has none',
    value: ({ state }) => (state === null ? null : contractOf(state.asset)),
  },
  ...MOVED_COLUMNS,
  {
    name: 'not_judged',
    type: 'text',
    description: 'rules that concern the record and had no data to compare with, by code, separated by a space',
    empty: 'every rule that concerns the record could be applied',
    value: ({ notJudged = [] }) => (notJudged.length === 0 ? null : notJudged.map(codeOf).join(' ')),
  },
  ...SHARE_COLUMNS,
];

/** Of `CODE: reason`. */
function codeOf(notJudged: string): string {
  return notJudged.split(':', 1)[0] ?? notJudged;
}

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
    notes: 'Look up a single record here. "Not read" means: the record is unverified or quarantined in this run.',
    columns,
    key: ['kind', 'record_id'],
  },
  collect: () => ({ record: (record) => [record] }),
});
