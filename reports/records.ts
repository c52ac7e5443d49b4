import { evidenceOf } from '../src/domain/case.ts';
import { tokensOf } from '../src/domain/fee-parts.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const columns: readonly Column<SettledRecord>[] = [
  { name: 'run_id', type: 'id', description: 'The run that judged the record', value: ({ run }) => run.runId },
  { name: 'business_date', type: 'date', description: 'The day the run is for', value: ({ run }) => run.businessDate },
  { name: 'kind', type: 'text', description: 'purchase (on-ramp) or sale (off-ramp)', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: "The Service's id of the record", value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "The app's own reference",
    value: ({ tracked }) => tracked.hostReference,
  },
  {
    name: 'created_at',
    type: 'instant',
    description: 'When the Service created the record',
    value: ({ state }) => state?.createdAt ?? null,
  },
  {
    name: 'updated_at',
    type: 'instant',
    description: 'When the Service last changed it',
    value: ({ state }) => state?.updatedAt ?? null,
  },
  {
    name: 'status',
    type: 'text',
    description: 'As the Service has it; empty where a sale has none',
    value: ({ state }) => state?.status ?? null,
  },
  {
    name: 'verdict',
    type: 'text',
    description: 'matched, pending, break, unverified or quarantined',
    value: ({ verdict }) => verdict,
  },
  {
    name: 'break_count',
    type: 'count',
    description: 'Open breaks on the record',
    value: ({ openBreaks }) => openBreaks,
  },
  {
    name: 'asset_chain',
    type: 'text',
    description: 'Chain of the crypto asset',
    value: ({ state }) => state?.asset.chain ?? null,
  },
  {
    name: 'asset_symbol',
    type: 'text',
    description: 'Symbol of the crypto asset',
    value: ({ state }) => state?.asset.symbol ?? null,
  },
  {
    name: 'crypto_units',
    type: 'units',
    description: 'Crypto amount in the smallest units',
    value: ({ state }) => state?.cryptoUnits.toString() ?? null,
  },
  {
    name: 'crypto_amount',
    type: 'amount',
    description: 'Crypto amount in whole tokens',
    currencyColumn: 'asset_symbol',
    value: ({ state }) => (state === null ? null : tokensOf(state)),
  },
  {
    name: 'fiat_currency',
    type: 'text',
    description: 'Currency of every fiat amount in the row',
    value: ({ state }) => state?.fiatCurrency ?? null,
  },
  {
    name: 'fiat_value',
    type: 'amount',
    description: 'Purchase: what the user pays. Sale: what the user receives',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.fiatValue ?? null,
  },
  {
    name: 'applied_fee',
    type: 'amount',
    description: 'The fee the user paid, network fee included',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.appliedFee ?? null,
  },
  {
    name: 'base_fee',
    type: 'amount',
    description: 'The base fee before any modification',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.baseFee ?? null,
  },
  {
    name: 'network_fee',
    type: 'amount',
    description: 'The network fee, part of the applied fee',
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.networkFee ?? null,
  },
  {
    name: 'fee_adjustment',
    type: 'amount',
    description: 'applied − base − network: discounts and host cuts',
    currencyColumn: 'fiat_currency',
    value: ({ fees }) => fees?.actual.adjustment ?? null,
  },
  {
    name: 'host_fee_cut',
    type: 'amount',
    description: "The host's share as the record states it",
    currencyColumn: 'fiat_currency',
    value: ({ state }) => state?.hostFeeCut ?? null,
  },
  {
    name: 'exchange_rate',
    type: 'percent',
    description: 'Fiat per whole token',
    value: ({ state }) => state?.exchangeRate ?? null,
  },
  {
    name: 'payment_method',
    type: 'text',
    description: 'Payment or payout method, by its current name',
    value: ({ state }) => state?.paymentMethod ?? null,
  },
  {
    name: 'final_tx_hash',
    type: 'id',
    description: 'Transaction hash, once there is one',
    value: ({ state }) => state?.finalTxHash ?? null,
  },
  {
    name: 'quote_id',
    type: 'id',
    description: 'The quote that the record was compared with',
    value: ({ quote }) => quote?.quote.quoteId ?? null,
  },
  {
    name: 'quote_basis',
    type: 'text',
    description: 'linked, captured, requoted or none',
    value: ({ quote, state }) => quote?.basis ?? (state === null ? null : 'none'),
  },
  {
    name: 'quote_age_seconds',
    type: 'count',
    description: 'Creation of the record minus capture of the quote; negative where the quote came after',
    value: ({ quote }) => quote?.ageSeconds ?? null,
  },
  {
    name: 'fetched_at',
    type: 'instant',
    description: 'When the judged body was received',
    value: ({ observation }) => (observation.outcome === 'verified' ? observation.snapshot.evidence.receivedAt : null),
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the body received',
    value: ({ observation }) => evidenceOf(observation),
  },
];

/** Every record of the run with its verdict; unverified ones with what is known without a body. */
export const records = defineReport<SettledRecord>({
  definition: { name: 'records', file: 'records.csv', description: 'Every record in scope, with its verdict', columns },
  collect: () => ({ record: (record) => [record] }),
});
