/** One record of the benchmark as the store takes it: its quote, its body, and the state that the body says. */
import { Decimal } from '../../src/domain/decimal.ts';
import type { Quote } from '../../src/domain/quote.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import type { BenchRecord } from './population.ts';

const MINUTE = 60_000;

export function quoteOf(record: BenchRecord): Quote {
  const { chain, symbol, decimals, currency } = record;
  return {
    quoteId: record.quoteId,
    direction: 'onramp',
    api: 'v1',
    capturedAt: record.quotedAt,
    asset: { chain, symbol, decimals },
    fiatCurrency: currency,
    assetTerms: null,
    methods: [
      {
        method: record.method,
        fiatValue: Decimal.parse(record.quotedFiat),
        cryptoUnits: record.units,
        appliedFee: Decimal.parse(record.quotedApplied),
        baseFee: Decimal.parse(record.quotedBase),
        networkFee: Decimal.parse(record.network),
        networkFeeExact: true,
        hostFeeCut: null,
        exchangeRate: Decimal.parse(record.rate),
      },
    ],
  };
}

/** Never all zeros, which is no hash. */
function hashOf({ id, chain }: BenchRecord): string {
  return `${chain === 'BTC' ? '' : '0x'}${BigInt(Number.parseInt(id.slice(1), 36))
    .toString(16)
    .padStart(64, 'a')}`;
}

/** An address that the record's chain has, so that no record contradicts itself. */
const receiverOf = ({ chain }: BenchRecord) =>
  chain === 'BTC' ? 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' : '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c';

export function stateOf(record: BenchRecord): RecordState {
  const { chain, symbol, decimals } = record;
  return {
    kind: 'purchase',
    recordId: record.id,
    status: 'RELEASED',
    createdAt: record.createdAt,
    updatedAt: record.createdAt + 10 * MINUTE,
    asset: { chain, symbol, decimals, address: null },
    cryptoUnits: record.units,
    fiatCurrency: record.currency,
    fiatValue: Decimal.parse(record.fiatValue),
    exchangeRate: Decimal.parse(record.rate),
    exchangeRateEur: null,
    fiatRateEur: null,
    baseFee: Decimal.parse(record.base),
    networkFee: Decimal.parse(record.network),
    appliedFee: Decimal.parse(record.applied),
    hostFeeCut: null,
    paymentMethod: record.method,
    receiverAddress: receiverOf(record),
    finalTxHash: hashOf(record),
    endTime: null,
  };
}

/** The body as the Service would send it (spec §2.9). */
export function bodyOf(record: BenchRecord): string {
  const at = (instant: number) => new Date(instant).toISOString();
  return (
    `{"id":"${record.id}","asset":{"address":null,"symbol":"${record.chain}_${record.symbol}","name":"${record.symbol}",` +
    `"decimals":${record.decimals},"type":"NATIVE"},"cryptoAmount":"${record.units}","fiatCurrency":"${record.currency}",` +
    `"fiatValue":${record.fiatValue},"assetExchangeRate":${record.rate},"baseServiceFee":${record.base},` +
    `"networkFee":${record.network},"appliedFee":${record.applied},"createdAt":"${at(record.createdAt)}",` +
    `"updatedAt":"${at(record.createdAt + 10 * MINUTE)}","status":"RELEASED","finalTxHash":"${hashOf(record)}",` +
    `"paymentMethodType":"${record.method}"}`
  );
}
