/** A generated population for tests and measurements: the same number gives the same record, on any machine. */
import { createHash } from 'node:crypto';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { Quote } from '../../../src/domain/quote.ts';
import type { Instant, Kind } from '../../../src/domain/record.ts';
import type { RecordState } from '../../../src/domain/snapshot.ts';
import type { QuoteAnswer } from '../../../src/ports/service.ts';
import type { ObservedItem, TrackedInput } from '../../../src/ports/store/store.ts';

export const START: Instant = Date.UTC(2026, 9, 1);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Every third record is a sale. */
export function kindOf(n: number): Kind {
  return n % 3 === 2 ? 'sale' : 'purchase';
}

/** Looks like a UUID; its order has nothing to do with `n`. */
export function idOf(n: number): string {
  const hex = digest(`id ${n}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function quoteIdOf(n: number): string {
  return `q-${n}`;
}

export function lineOf(n: number): TrackedInput {
  return {
    kind: kindOf(n),
    id: idOf(n),
    token: digest(`token ${n}`).slice(0, 16),
    createdAt: START + n * 1_000,
    hostReference: `order-${n}`,
    quoteId: quoteIdOf(n),
    expectedStatus: null,
  };
}

/** An amount with as many digits as the Service sends: up to 17. */
function amount(n: number, whole: number): Decimal {
  const digits = BigInt(`0x${digest(`amount ${n} ${whole}`).slice(0, 12)}`);
  return Decimal.of(BigInt(whole) * 10n ** 14n + (digits % 10n ** 14n), 14);
}

export function stateOf(n: number, status: string): RecordState {
  const kind = kindOf(n);
  return {
    kind,
    recordId: idOf(n),
    status,
    createdAt: START + n * 1_000,
    updatedAt: START + n * 1_000 + 60_000,
    asset: { chain: 'ETH', symbol: n % 2 === 0 ? 'ETH' : 'USDC', decimals: 18, address: null },
    cryptoUnits: BigInt(`0x${digest(`units ${n}`).slice(0, 15)}`),
    fiatCurrency: 'EUR',
    fiatValue: amount(n, 100),
    exchangeRate: amount(n, 1180),
    exchangeRateEur: amount(n, 1180),
    fiatRateEur: Decimal.ONE,
    baseFee: amount(n, 3),
    networkFee: Decimal.parse('0.43'),
    appliedFee: amount(n, 4),
    hostFeeCut: null,
    paymentMethod: kind === 'purchase' ? 'CARD_PAYMENT' : 'SEPA',
    receiverAddress: `0x${digest(`address ${n}`).slice(0, 40)}`,
    finalTxHash: `0x${digest(`tx ${n}`)}`,
    endTime: null,
  };
}

/** A body of the size that the Service sends, about 800 characters. */
export function bodyOf(state: RecordState): { sha256: string; evidence: string } {
  const evidence = JSON.stringify({
    id: state.recordId,
    endTime: new Date((state.createdAt ?? 0) + 259_200_000).toISOString(),
    cryptoAmount: state.cryptoUnits.toString(),
    fiatCurrency: state.fiatCurrency,
    fiatValue: state.fiatValue,
    assetExchangeRate: state.exchangeRate,
    assetExchangeRateEur: state.exchangeRateEur,
    fiatExchangeRateEur: 1,
    baseServiceFee: state.baseFee,
    networkFee: state.networkFee,
    appliedFee: state.appliedFee,
    createdAt: new Date(state.createdAt ?? 0).toISOString(),
    updatedAt: new Date(state.updatedAt ?? 0).toISOString(),
    asset: { ...state.asset, name: 'Ethereum', type: 'NATIVE', apiV3Symbol: state.asset.symbol },
    receiverAddress: state.receiverAddress,
    status: state.status,
    finalTxHash: state.finalTxHash,
    paymentMethodType: state.paymentMethod,
    actions: [],
  });
  return { sha256: digest(evidence), evidence };
}

/** A first verification, as the reconcile room would hand it over. */
export function verifiedItem(
  n: number,
  recordKey: number,
  at: Instant,
  date: string,
  status = 'RELEASED',
): ObservedItem {
  const state = stateOf(n, status);
  const terminal = status === 'RELEASED';
  return {
    recordKey,
    attempts: 1,
    observed: {
      outcome: 'verified',
      state,
      ...bodyOf(state),
      at,
      httpStatus: 200,
      projection: {
        status,
        statusSince: at,
        peakStatus: status,
        peakAt: at,
        terminalDate: terminal ? date : null,
        firstSnapshot: 'this',
        terminalSnapshot: terminal ? 'this' : null,
        lastVerifiedAt: at,
        lastVerifiedDate: date,
      },
      statusChange: null,
    },
  };
}

export function quoteOf(n: number): QuoteAnswer {
  const state = stateOf(n, 'INITIALIZED');
  const purchase = kindOf(n) === 'purchase';
  const names = purchase ? ['MANUAL_BANK_TRANSFER', 'CARD_PAYMENT', 'APPLE_PAY'] : ['SEPA', 'CARD'];
  const quote: Quote = {
    quoteId: quoteIdOf(n),
    direction: purchase ? 'onramp' : 'offramp',
    api: 'v3',
    capturedAt: (state.createdAt ?? 0) - 240_000,
    asset: { chain: state.asset.chain, symbol: state.asset.symbol, decimals: state.asset.decimals },
    fiatCurrency: state.fiatCurrency,
    assetTerms: {
      currencyCode: 'EUR',
      minPurchaseAmount: Decimal.parse('6'),
      maxPurchaseAmount: null,
      minPurchaseCryptoUnits: 1_000n,
      price: Decimal.parse('1180.25'),
    },
    methods: names.map((method) => ({
      method,
      fiatValue: state.fiatValue,
      cryptoUnits: state.cryptoUnits,
      appliedFee: Decimal.parse('4.76'),
      baseFee: Decimal.parse('4.33'),
      networkFee: Decimal.parse('0.43'),
      networkFeeExact: true,
      hostFeeCut: null,
      exchangeRate: state.exchangeRate,
    })),
  };
  const request = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100 };
  return {
    quote,
    request: JSON.stringify(request),
    response: JSON.stringify(quote, (_, v) => (typeof v === 'bigint' ? String(v) : v)),
  };
}
