import { contractOf } from '../src/domain/asset.ts';
import { evidenceOf } from '../src/domain/case.ts';
import { tokensOf } from '../src/domain/fee-parts.ts';
import { shownOf } from '../src/domain/shown.ts';
import { priceWindow } from '../src/domain/slippage.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineReport, HOST_REFERENCE, RECORD_ID, runColumns } from './define.ts';

const { amount, count, id, instant, percent, text, units } = columnsOf<SettledRecord>();

/** A record that is released no more is not earned. */
const releaseOf = ({ revenue }: SettledRecord) => (revenue?.takenBackMonth === null ? revenue : null);

const EXACT: ReadonlySet<string> = new Set(['actions', 'webhook']);
const boundOf = (release: { source: string } | null) =>
  release === null ? null : EXACT.has(release.source) ? 'exact' : 'latest';

const columns: readonly Column<SettledRecord>[] = [
  ...runColumns('id of the run that judged the record: job, business date, revision'),
  text('kind', ({ kind }) => kind, '`purchase` (a user buys crypto) or `sale` (a user sells it)'),
  RECORD_ID,
  HOST_REFERENCE,
  instant('created_at', ({ state }) => state?.createdAt ?? null, {
    description: 'when the Service created the record',
    empty: 'not read, or the body has none',
  }),
  instant('updated_at', ({ state }) => state?.updatedAt ?? null, {
    description: 'when the Service last changed the record',
    empty: 'not read, or the body has none',
  }),
  text('status', ({ state }) => state?.status ?? null, {
    description: 'status of the record at the Service',
    empty: 'not read; or a sale, whose body states none',
  }),
  text('verdict', ({ verdict }) => verdict, {
    description: 'result of the run: `matched`, `pending`, `break`, `waived`, `unverified` or `quarantined`',
  }),
  count('break_count', ({ openBreaks }) => openBreaks, {
    description: 'breaks of the record that are `open`, `acknowledged` or `reopened`',
  }),
  text('asset_chain', ({ state }) => state?.asset.chain ?? null, {
    description: 'blockchain of the crypto',
    empty: 'not read, or nothing names the chain',
  }),
  text('asset_symbol', ({ state }) => state?.asset.symbol ?? null, {
    description: 'symbol of the crypto, for example `BTC`',
    empty: 'not read',
  }),
  units('crypto_units', ({ state }) => state?.cryptoUnits.toString() ?? null, {
    description: 'amount of crypto in its smallest unit (satoshi, wei), exact',
    empty: 'not read',
  }),
  amount('crypto_amount', ({ state }) => (state === null ? null : tokensOf(state)), {
    description: 'amount of crypto in whole tokens',
    unit: 'tokens',
    empty: 'not read',
    currencyColumn: 'asset_symbol',
  }),
  text('fiat_currency', ({ state }) => state?.fiatCurrency ?? null, {
    description: 'currency of all fiat amounts in the row',
    unit: 'ISO code',
    empty: 'not read',
  }),
  amount('fiat_value', ({ state }) => state?.fiatValue ?? null, {
    description: 'purchase: the total that the user pays, fees included; sale: the payout that the user receives',
    empty: 'not read',
  }),
  amount('applied_fee', ({ state }) => state?.appliedFee ?? null, {
    description: 'the whole fee that the user pays, network fee included',
    empty: 'not read; or a sale that states none',
  }),
  amount('base_fee', ({ state }) => state?.baseFee ?? null, {
    description: "the Service's fee before discounts and host cuts, without the network fee",
    empty: 'not read, or the record does not state it',
  }),
  amount('network_fee', ({ state }) => state?.networkFee ?? null, {
    description: 'the fee of the blockchain; included in `applied_fee`, so never add the two',
    empty: 'not read, or the record does not state it',
  }),
  amount('fee_adjustment', ({ fees }) => fees?.actual.adjustment ?? null, {
    description: '`applied_fee` − `base_fee` − `network_fee`: discounts and host cuts',
    sign: 'minus: a discount',
    empty: 'one of the three is not known',
    rest: { of: 'applied_fee', without: ['base_fee', 'network_fee'] },
  }),
  amount('host_fee_cut', ({ state }) => state?.hostFeeCut ?? null, {
    description: "the host's (your) share of the fee, as the record states it",
    empty: 'not read, or the record states none',
  }),
  percent('exchange_rate', ({ state }) => state?.exchangeRate ?? null, {
    description: 'price of one whole token',
    unit: "row's currency",
    empty: 'not read, or the record states none',
  }),
  text('payment_method', ({ state }) => state?.paymentMethod ?? null, {
    description: 'purchase: how the user pays; sale: how the user is paid',
    empty: 'not read, or the record names none',
  }),
  id('final_tx_hash', ({ state }) => state?.finalTxHash ?? null, {
    description: 'hash of the transaction that delivers the crypto',
    empty: 'not read, not sent yet, or a sale',
  }),
  id('quote_id', ({ quote }) => quote?.quote.quoteId ?? null, {
    description: 'id of the quote that the record is compared with',
    empty: 'no quote belongs to the record',
  }),
  text('quote_basis', ({ quote, state }) => quote?.basis ?? (state === null ? null : 'none'), {
    description:
      'how the quote was found: `linked` (the app named it), `captured` (stored near the creation), `requoted` (requested afterwards), `none`',
    empty: 'not read, and no quote is linked',
  }),
  count('quote_age_seconds', ({ quote }) => quote?.ageSeconds ?? null, {
    description: 'age of the quote when the record was created',
    unit: 'seconds',
    sign: 'minus: captured after the creation',
    empty: 'no quote, or no creation time',
  }),
  instant(
    'fetched_at',
    ({ observation }) => (observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null),
    {
      description: 'when the judged body was received',
      empty: 'not read',
    },
  ),
  id('evidence_sha256', ({ observation }) => evidenceOf(observation), {
    description: 'SHA-256 of that body; `tieout evidence` prints it',
    empty: 'no body was received',
  }),
  amount('money_at_stake', stakeIn, {
    description: 'what the user paid too much, or received too little, against the promise; once per record',
    sign: "plus: the user's loss; minus: the Service's",
    empty: 'no loss, no money has moved, or it is pending, waived or claimed; or not read, then see breaks.csv',
  }),
  amount('shown_total', (record) => shownIn(record)?.total ?? null, {
    description: 'the total that the app showed the user',
    empty: 'not read, or the app did not report it',
  }),
  amount('shown_fee', (record) => shownIn(record)?.fee ?? null, {
    description: 'the fee that the app showed the user',
    empty: 'not read, or the app did not report it',
  }),
  id('contract_address', ({ state }) => (state === null ? null : contractOf(state.asset)), {
    description: 'contract of the token, as the record states it',
    empty: 'not read, or a coin, which has none',
  }),
  text('business_month', ({ businessMonth }) => businessMonth, {
    description:
      "month that the record belongs to: by the app's date of its creation, else the Service's, else its import",
    unit: '`2026-10`',
    empty: 'no date is known',
  }),
  text('money_moved', ({ moved }) => moved, {
    description:
      'whether money has moved: `yes` (paid and delivered, or not given back in time), `pending` (paid, neither delivered nor given back yet), `no` (never paid), `unknown`',
  }),
  text('earned_month', (row) => releaseOf(row)?.month ?? null, {
    description: 'month of the release',
    unit: '`2026-10`',
    empty: 'not released, or the body does not date it',
  }),
  text('not_judged', ({ notJudged = [] }) => (notJudged.length === 0 ? null : notJudged.map(codeOf).join(' ')), {
    description: 'rules that concern the record and had no data to compare with, by code, separated by a space',
    empty: 'every rule that concerns the record could be applied',
  }),
  amount('host_share', ({ share }) => share?.amount ?? null, {
    description: "the host's (your) share of a released record: what `tieout revenue` and the journal add up",
    empty: 'not released, or neither the record nor its linked quote states a share',
  }),
  text('host_share_source', ({ share }) => share?.source ?? null, {
    description: '`record`: the record states it; `quote`: only its linked quote promised it',
    empty: 'no share is known',
  }),
  instant('earned_at', (row) => releaseOf(row)?.at ?? null, {
    description: 'when the share was earned: the release, by the earliest sign of it',
    empty: 'not released, or taken back',
  }),
  text('earned_at_source', (row) => releaseOf(row)?.source ?? null, {
    description:
      "what dates the release: `actions` (the body's list of moments), `webhook`, or of the first released body its `updated_at`, `created_at` or time of receipt (`fetched_at`)",
    empty: 'not released, or taken back',
  }),
  text('earned_at_bound', (row) => boundOf(releaseOf(row)), {
    description: '`exact`: the moment itself; `latest`: it was released then, or before',
    empty: 'not released, or taken back',
  }),
  text('price_window', priceWindow, {
    description:
      'the hours in which the price was fixed, where they are more than two, and how many prices of others in them it was judged by',
    unit: '`44 h: 3 quotes, 1 listing`',
    empty: 'known to two hours or less, not executed yet, or no quote',
  }),
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
    description: 'Every record in scope, with its verdict',
    notes: 'Look up a single record here. "Not read" means: the record is unverified or quarantined in this run.',
    columns,
    key: ['kind', 'record_id'],
  },
  collect: () => ({ record: (record) => [record] }),
});
