/**
 * Test data that reads as a specification: each builder gives something whole, clean and consistent, and a test says only
 * what matters to it. Amounts are written as text (`{ appliedFee: '1.49' }`), instants as ISO 8601.
 *
 * The purchase: 0.04 ETH at 2,500 EUR is 100 EUR, plus a fee of 4.76 EUR (base 3.90, network 0.86) is 104.76 EUR, by card.
 */
import type { Asset } from '../../src/domain/asset.ts';
import type { Case, History, JudgingTerms, Observation, TrackedFacts } from '../../src/domain/case.ts';
import type { FeeTerms } from '../../src/domain/compare-promise.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import type { DeliveryFacts } from '../../src/domain/delivery.ts';
import { type Market, NO_MARKET, NOTHING_SEEN } from '../../src/domain/market.ts';
import type { RunRevenue } from '../../src/domain/payout.ts';
import type { MatchedQuote, Quote, QuotedAssetTerms, QuotedMethod } from '../../src/domain/quote.ts';
import { directionOf, type Instant, type Kind } from '../../src/domain/record.ts';
import type { AssetTerms, GlobalTerms, MethodTerms, ReferenceAsOf } from '../../src/domain/reference.ts';
import type { RecordState, Snapshot } from '../../src/domain/snapshot.ts';
import type { StatusDefinition, StatusModel } from '../../src/domain/status.ts';
import type { QuoteBinding, Tolerances } from '../../src/domain/tolerance.ts';
import type { Projection } from '../../src/ports/store/store.ts';

/** `T` as a test writes it: amounts as text, everything optional. */
type Written<T> = {
  [K in keyof T]?: T[K] extends Decimal ? string : T[K] extends Decimal | null ? string | null : T[K];
};

/** `at('2026-11-01 10:00')`: an instant, in UTC. */
export function at(text: string): Instant {
  const instant = Date.parse(`${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(instant)) throw new Error(`not an instant: ${text}`);
  return instant;
}

export const MINUTES = 60_000;
export const HOURS = 60 * MINUTES;
export const DAYS = 24 * HOURS;

/** `dec('1.49')`. */
export function dec(text: string): Decimal {
  return Decimal.parse(text);
}

/** The given fields, with every amount that `base` has read into a Decimal. */
function written<T extends object>(base: T, overrides: Written<T>): T {
  const result = { ...base };
  for (const [key, value] of Object.entries(overrides)) {
    const current = key in base ? base[key as keyof T] : undefined;
    const isAmount = current instanceof Decimal || AMOUNTS.has(key);
    Object.assign(result, { [key]: isAmount && typeof value === 'string' ? dec(value) : value });
  }
  return result;
}

/** Fields that are amounts even where the default is unknown. */
const AMOUNTS: ReadonlySet<string> = new Set([
  'fiatValue',
  'exchangeRate',
  'exchangeRateEur',
  'fiatRateEur',
  'baseFee',
  'networkFee',
  'appliedFee',
  'hostFeeCut',
  'minPurchaseAmount',
  'maxPurchaseAmount',
  'minFeeAmount',
  'minFeePercent',
  'maxFeePercent',
  'price',
]);

// --- records -----------------------------------------------------------------------------------------------------------

export const ETH: Asset = { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null };
export const USDC: Asset = {
  chain: 'ETH',
  symbol: 'USDC',
  decimals: 6,
  address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
};

export type StateOverrides = Written<Omit<RecordState, 'kind'>>;

/** A released purchase of 0.04 ETH for 104.76 EUR, created on 2026-11-01 at 10:00 UTC. */
export function aPurchase(overrides: StateOverrides = {}): RecordState {
  const purchase: RecordState = {
    kind: 'purchase',
    recordId: 'sqs6a428mqjtzbv',
    status: 'RELEASED',
    createdAt: at('2026-11-01 10:00'),
    updatedAt: at('2026-11-01 10:20'),
    asset: ETH,
    cryptoUnits: 40_000_000_000_000_000n,
    fiatCurrency: 'EUR',
    fiatValue: dec('104.76'),
    exchangeRate: dec('2500'),
    exchangeRateEur: dec('2500'),
    fiatRateEur: dec('1'),
    baseFee: dec('3.90'),
    networkFee: dec('0.86'),
    appliedFee: dec('4.76'),
    hostFeeCut: null,
    paymentMethod: 'CARD_PAYMENT',
    receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
    finalTxHash: '0xfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeedfeed',
    endTime: null,
  };
  return written<RecordState>(purchase, overrides);
}

/** A sale of 0.1 ETH for 200 EUR in the bare shape of the specification (§2.8): no status, no rate, no fees. */
export function aSale(overrides: StateOverrides = {}): RecordState {
  const sale: RecordState = {
    kind: 'sale',
    recordId: '0b5a0f67-7a4c-4a52-9f5c-5d1f1c1f7a10',
    status: null,
    createdAt: at('2026-11-01 10:00'),
    updatedAt: null,
    asset: ETH,
    cryptoUnits: 100_000_000_000_000_000n,
    fiatCurrency: 'EUR',
    fiatValue: dec('200'),
    exchangeRate: null,
    exchangeRateEur: null,
    fiatRateEur: null,
    baseFee: null,
    networkFee: null,
    appliedFee: null,
    hostFeeCut: null,
    paymentMethod: null,
    receiverAddress: null,
    finalTxHash: null,
    endTime: null,
  };
  return written<RecordState>(sale, overrides);
}

export const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A fetched body, received on the night after creation unless said otherwise. */
export function aSnapshot(state: RecordState, receivedAt: Instant = at('2026-11-02 04:15')): Snapshot {
  return { state, evidence: { sha256: SHA256, receivedAt, origin: 'fetch' } };
}

// --- quotes and reference data -----------------------------------------------------------------------------------------

/** One method's promise: the default purchase, exactly. */
export function aQuotedMethod(overrides: Written<QuotedMethod> = {}): QuotedMethod {
  const method: QuotedMethod = {
    method: 'CARD_PAYMENT',
    fiatValue: dec('104.76'),
    cryptoUnits: 40_000_000_000_000_000n,
    appliedFee: dec('4.76'),
    baseFee: dec('3.90'),
    networkFee: dec('0.86'),
    networkFeeExact: true,
    hostFeeCut: null,
    exchangeRate: dec('2500'),
  };
  return written(method, overrides);
}

export type QuoteOverrides = Partial<Omit<Quote, 'assetTerms'>> & { assetTerms?: Written<QuotedAssetTerms> | null };

/** Quote q-17 of a v3 response, captured four minutes before the default purchase was created. */
export function aQuote(overrides: QuoteOverrides = {}): Quote {
  const terms: QuotedAssetTerms = {
    currencyCode: 'EUR',
    minPurchaseAmount: null,
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: null,
    price: dec('2490'),
  };
  const quote: Quote = {
    quoteId: 'q-17',
    direction: 'onramp',
    api: 'v3',
    capturedAt: at('2026-11-01 09:56'),
    asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
    fiatCurrency: 'EUR',
    assetTerms: terms,
    methods: [aQuotedMethod()],
  };
  const { assetTerms, ...rest } = overrides;
  const ownTerms = assetTerms === undefined || assetTerms === null ? (assetTerms ?? terms) : written(terms, assetTerms);
  return { ...quote, ...rest, assetTerms: assetTerms === null ? null : ownTerms };
}

export interface MatchOverrides {
  basis?: MatchedQuote['basis'];
  quote?: QuoteOverrides;
  /** Null: the quote does not offer the record's method. */
  method?: Written<QuotedMethod> | null;
  ageSeconds?: number | null;
}

/** The quote as it belongs to the record: linked, four minutes old, for the very same figures. */
export function aMatchedQuote(overrides: MatchOverrides = {}): MatchedQuote {
  const method = overrides.method === null ? null : aQuotedMethod(overrides.method ?? {});
  return {
    basis: overrides.basis ?? 'linked',
    quote: aQuote({ methods: method === null ? [] : [method], ...overrides.quote }),
    method,
    ageSeconds: overrides.ageSeconds === undefined ? 240 : overrides.ageSeconds,
  };
}

/** The global figures as they were read live in 2026, in EUR. */
export function someGlobalTerms(overrides: Written<GlobalTerms & { capturedAt: Instant }> = {}) {
  const terms: GlobalTerms & { capturedAt: Instant } = {
    currencyCode: 'EUR',
    minPurchaseAmount: dec('6'),
    maxPurchaseAmount: dec('15000'),
    minFeeAmount: dec('2.49'),
    minFeePercent: dec('0.99'),
    maxFeePercent: dec('3.9'),
    capturedAt: at('2026-11-01 09:00'),
  };
  return written(terms, overrides);
}

/** ETH in EUR, without limits of its own. */
export function someAssetTerms(overrides: Written<AssetTerms & { capturedAt: Instant }> = {}) {
  const terms: AssetTerms & { capturedAt: Instant } = {
    chain: 'ETH',
    symbol: 'ETH',
    decimals: 18,
    address: null,
    enabled: true,
    minPurchaseAmount: null,
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: null,
    networkFee: dec('0.86'),
    price: dec('2490'),
    capturedAt: at('2026-11-01 09:00'),
  };
  return written(terms, overrides);
}

/** `someMethods({ PIX: ['BRL'] })`: methods with the currencies that each is restricted to. */
export function someMethods(
  currencies: Readonly<Record<string, readonly string[]>> = { CARD_PAYMENT: ['EUR', 'GBP', 'USD'], PIX: ['BRL'] },
): ReadonlyMap<string, MethodTerms> {
  return new Map(
    Object.entries(currencies).map(([name, list]) => [name, { name, currencies: list, countries: ['fr'] }]),
  );
}

/** Everything known as of the default purchase's creation. */
export function someReference(overrides: Partial<ReferenceAsOf> = {}): ReferenceAsOf {
  const known = { global: someGlobalTerms(), asset: someAssetTerms(), methods: someMethods(), ...overrides };
  const capturedAt = at('2026-11-01 09:00');
  const assets = { capturedAt, global: known.global, asset: known.asset };
  return { ...known, before: known.asset === null ? {} : { assets } };
}

/** Nothing was captured before the record was created. */
export const NO_REFERENCE: ReferenceAsOf = { global: null, asset: null, methods: null };

// --- cases -------------------------------------------------------------------------------------------------------------

/** What is known of a record that was never fetched or delivered. */
export const UNSEEN: Projection = {
  status: null,
  statusSince: null,
  peakStatus: null,
  peakAt: null,
  terminalDate: null,
  firstSnapshot: null,
  terminalSnapshot: null,
  lastSnapshot: null,
  lastVerifiedAt: null,
  lastVerifiedDate: null,
};

/** The first night: nothing was seen before. */
export const FIRST_NIGHT: History = {
  first: null,
  firstTerminal: null,
  peak: null,
  statusSince: null,
  lastVerified: null,
};

/** The default application's facts: the id and its token. */
export function someFacts(overrides: Partial<TrackedFacts> = {}): TrackedFacts {
  return {
    hostReference: null,
    createdAt: null,
    quoteId: null,
    expectedStatus: null,
    shown: null,
    conflict: null,
    webhookEvents: [],
    ...overrides,
  };
}

export function anUnreachable(
  overrides: Partial<Extract<Observation, { outcome: 'unreachable' }>> = {},
): Extract<Observation, { outcome: 'unreachable' }> {
  return {
    outcome: 'unreachable',
    reason: 'TIMEOUT',
    httpStatus: null,
    errorCode: null,
    at: at('2026-11-02 04:15'),
    ...overrides,
  };
}

export function aQuarantined(
  overrides: Partial<Extract<Observation, { outcome: 'quarantined' }>> = {},
): Extract<Observation, { outcome: 'quarantined' }> {
  return {
    outcome: 'quarantined',
    reason: 'SCHEMA_DRIFT',
    detail: 'the body lacks fields that the rules need',
    drift: [],
    httpStatus: 200,
    sha256: SHA256,
    at: at('2026-11-02 04:15'),
    ...overrides,
  };
}

export interface CaseOverrides {
  /** The verified body; the default purchase unless said otherwise. */
  state?: RecordState;
  receivedAt?: Instant;
  /** Instead of a verified body. */
  observation?: Observation;
  kind?: Kind;
  tracked?: Partial<TrackedFacts>;
  history?: Partial<History>;
  /** Null: no quote belongs to the record. Sales have none unless one is given. */
  quote?: MatchedQuote | null;
  reference?: ReferenceAsOf;
  market?: Market;
  delivery?: DeliveryFacts | null;
}

/** A clean case: the default purchase, its linked quote, all reference data, on the first night. */
export function aCase(overrides: CaseOverrides = {}): Case {
  const state = overrides.state ?? (overrides.kind === 'sale' ? aSale() : aPurchase());
  const isOnramp = directionOf(state.kind) === 'onramp';
  const quote = overrides.quote === undefined ? (isOnramp ? aMatchedQuote() : null) : overrides.quote;
  return {
    kind: state.kind,
    recordId: state.recordId,
    tracked: someFacts(overrides.tracked),
    observation: overrides.observation ?? { outcome: 'verified', snapshot: aSnapshot(state, overrides.receivedAt) },
    history: { ...FIRST_NIGHT, ...overrides.history },
    quote,
    reference: overrides.reference ?? (isOnramp ? someReference() : NO_REFERENCE),
    market: overrides.market ?? NO_MARKET,
    delivery: overrides.delivery ?? null,
  };
}

// --- terms -------------------------------------------------------------------------------------------------------------

function aStatus(value: string, stage: number, rest: Partial<StatusDefinition> = {}): [string, StatusDefinition] {
  return [value, { value, stage, terminal: false, stuckAfter: null, mayReturnTo: null, ...rest }];
}

/** Purchases by the eleven published values; sales by the words of bodies and events, and by those of the payout. */
export const STATUSES: StatusModel = {
  purchase: new Map([
    aStatus('INITIALIZED', 0, { stuckAfter: 5 * DAYS }),
    aStatus('PAYMENT_STARTED', 1, { stuckAfter: 5 * DAYS }),
    aStatus('PAYMENT_IN_PROGRESS', 2, { stuckAfter: 5 * DAYS }),
    aStatus('PAYMENT_FAILED', 2, { stuckAfter: 5 * DAYS, mayReturnTo: 0 }),
    aStatus('PAYMENT_EXECUTED', 3, { stuckAfter: 5 * DAYS }),
    aStatus('FIAT_SENT', 4, { stuckAfter: 5 * DAYS }),
    aStatus('FIAT_RECEIVED', 5, { stuckAfter: 2 * DAYS }),
    aStatus('RELEASING', 6, { stuckAfter: 6 * HOURS }),
    aStatus('RELEASED', 7, { terminal: true }),
    aStatus('EXPIRED', 7, { terminal: true }),
    aStatus('CANCELLED', 7, { terminal: true }),
  ]),
  sale: new Map([
    aStatus('CREATED', 0, { stuckAfter: 5 * DAYS }),
    aStatus('not-started', 0, { stuckAfter: 5 * DAYS }),
    aStatus('initiated', 1, { stuckAfter: 5 * DAYS }),
    aStatus('delayed', 1, { stuckAfter: 5 * DAYS }),
    aStatus('failed', 1, { stuckAfter: 5 * DAYS, mayReturnTo: 0 }),
    aStatus('completed', 2, { terminal: true }),
    aStatus('RELEASED', 2, { terminal: true }),
    aStatus('EXPIRED', 2, { terminal: true }),
  ]),
};

/** The default tolerances: one minor unit or a thousandth, crypto to a billionth. */
export function someTolerances(overrides: Partial<Tolerances> = {}): Tolerances {
  return {
    fiat: { absolute: 'minor-unit', relative: dec('0.001') },
    crypto: { relative: dec('0.000000001') },
    requoted: { percentPoints: dec('0.25') },
    rate: { consistency: dec('0.000001'), reference: dec('0.1'), sinceQuote: dec('0.015') },
    networkFee: dec('0.25'),
    currencies: new Map(),
    rules: new Map(),
    ...overrides,
  };
}

/** Prices and network fees float, as they do by default. */
export const INDICATIVE: QuoteBinding = { price: 'indicative', networkFee: 'indicative' };
export const LOCKED: QuoteBinding = { price: 'locked', networkFee: 'locked' };

/** What fees are compared by. */
export function someFeeTerms(binding: QuoteBinding = INDICATIVE, tolerances: Partial<Tolerances> = {}): FeeTerms {
  return {
    tolerances: someTolerances(tolerances),
    binding,
    networkFees: NOTHING_SEEN,
    unseen: 0,
    movingMinimum: null,
    sinceQuote: 0,
  };
}

/** Judged at the end of the day after the default purchase. */
export function someTerms(overrides: Partial<JudgingTerms> = {}): JudgingTerms {
  return {
    asOf: at('2026-11-03 00:00'),
    timezone: 'UTC',
    statuses: STATUSES,
    tolerances: someTolerances(),
    binding: INDICATIVE,
    window: { before: 30 * MINUTES, after: 10 * MINUTES },
    identifierName: 'Service',
    feeCeilings: [{ methods: null, currencies: ['EUR'], percent: dec('3.9'), from: 0, to: null }],
    quotesCaptured: { purchase: true, sale: true },
    reusedTx: new Map(),
    deliveries: null,
    prices: null,
    ...overrides,
  };
}

/** By which statements of 2026 are read. */
export const STATEMENT_TERMS = { asOf: Date.UTC(2026, 11, 31), exchange: Decimal.of(2n, 2) };

/** What a night knows of the revenue; nothing, but for what a test says. */
export function someRevenue(over: Partial<RunRevenue> = {}): RunRevenue {
  const none = () => new Map<string, Decimal>();
  return {
    accrued: none(),
    takenBack: none(),
    unknown: none(),
    estimated: none(),
    posted: none(),
    partner: 'Service',
    payoutKey: 0,
    dueDays: 30,
    payWeek: null,
    minimum: none(),
    threshold: null,
    quarterly: false,
    materiality: none(),
    exchange: Decimal.parse('0.02'),
    eurRates: none(),
    lines: [],
    ...over,
  };
}
