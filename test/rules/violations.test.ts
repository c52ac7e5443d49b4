/**
 * Records that each violate one sentence of the specification, beside clean ones: every violation is found by a rule that speaks of it, and
 * nothing speaks of an ordinary record. Bodies and quotes are read and judged as those of a night are.
 */
import { expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { termsOf } from '../../src/app/app.ts';
import { drillReaders } from '../../src/app/drill.ts';
import type { Case } from '../../src/domain/case.ts';
import { matchLinked } from '../../src/domain/match-quote.ts';
import type { Kind } from '../../src/domain/record.ts';
import type { Listed, ReferenceAsOf } from '../../src/domain/reference.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import { CATALOGUE, type Change } from '../../src/explain/drill/catalogue.ts';
import { judged, planted } from '../../src/explain/drill/drill.ts';
import { edited } from '../../src/explain/drill/edits.ts';
import { readJson } from '../../src/explain/drill/json.ts';
import { observed, type Subject } from '../../src/explain/drill/plant.ts';
import type { StoredCase } from '../../src/ports/store/store.ts';
import { withChain } from '../../src/reconcile/build-cases.ts';
import { RULES } from '../../src/rules/index.ts';
import { parseQuoteLine } from '../../src/service/quote-line.ts';
import { aMethodQuote, aPurchase, aSale, aV3Asset } from '../service/bodies.ts';
import { at, dec, FIRST_NIGHT, SHA256, someAssetTerms, someFacts, someGlobalTerms } from '../support/builders.ts';
import { inThisOrder } from '../support/in-this-order.ts';

inThisOrder();

const settings = loadSettings({
  flags: [],
  configFile: undefined,
  env: {},
  readFile: () => {
    throw Object.assign(new Error('no settings file'), { code: 'ENOENT' });
  },
  known: { rules: RULES.map(({ code }) => code) },
}).settings;
const terms = termsOf(settings);
const readers = drillReaders('Service');
const asOf = at('2026-11-02 04:15');
const judge = judged(terms, { asOf, survey: null });

// --- the clean records ---------------------------------------------------------------------------------------------

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
/** 100 USDC at 0.92 EUR is 92 EUR, plus a fee of 4.05 EUR. */
const TOKENS: Readonly<Record<string, string>> = {
  id: '"7d9f1c52-3b0e-4b61-a0c4-2f1f6b7e8a90"',
  asset: `{"address":"${USDC}","symbol":"USDC","chain":"ETH","name":"USD Coin","decimals":6,"type":"ERC20"}`,
  cryptoAmount: '"100000000"',
  fiatValue: '96.048',
  assetExchangeRate: '0.92',
  assetExchangeRateEur: '0.92',
  baseServiceFee: '3.588',
  networkFee: '0.46',
  appliedFee: '4.048',
};
/** The default purchase, four PLN for one EUR. */
const ZLOTY: Readonly<Record<string, string>> = {
  id: '"plnplnplnplnpln"',
  fiatCurrency: '"PLN"',
  fiatValue: '419.04',
  assetExchangeRate: '10000',
  assetExchangeRateEur: '2500',
  baseServiceFee: '15.6',
  networkFee: '3.44',
  appliedFee: '19.04',
};
/** 0.1 ETH at 2,500 EUR is 250 EUR, less 5 EUR. */
const OBSERVED_SALE: Readonly<Record<string, string>> = {
  updatedAt: '"2026-11-01T10:30:00.000Z"',
  status: '"RELEASED"',
  exchangeRate: '"2500"',
  cryptoToEurRate: '2500',
  fees: '{"amount":"5","currencySymbol":"EUR"}',
  fiat: '{"amount":245,"currencySymbol":"EUR","status":"completed","payoutMethod":"SEPA"}',
  transactionHash: '"0x5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c"',
};

const ethV3 = (price: string, currency = 'EUR', networkFee = '0.86') =>
  aV3Asset({
    symbol: '"ETH"',
    name: '"Ether"',
    decimals: '18',
    type: '"NATIVE"',
    address: 'null',
    price: `{"${currency}":${price},"EUR":2500}`.replace(/("EUR":\d+),"EUR":2500/, '$1'),
    currencyCode: `"${currency}"`,
    maxPurchaseAmount: '-1',
    minPurchaseCryptoAmount: '"-1"',
    networkFee,
  });

function quoteOf(api: 'v1' | 'v3', direction: string, asked: string, response: string): string {
  const head = `"quote_id":"q-1","direction":"${direction}","api_version":"${api}","captured_at":"2026-11-01T09:56:00Z"`;
  return `{${head},"request":{${asked}},"response":${response}}`;
}

const ETH_QUOTE_V3 = quoteOf(
  'v3',
  'onramp',
  '"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","fiatValue":104.76,"userCountryCode":"de"',
  `{"asset":${ethV3('2500')},"CARD_PAYMENT":${aMethodQuote({ cryptoAmount: '"40000000000000000"', fiatValue: '104.76', baseServiceFee: '3.9', appliedFee: '4.76' })}}`,
);
const USDC_QUOTE_V3 = quoteOf(
  'v3',
  'onramp',
  '"cryptoAssetSymbol":"ETH_USDC","fiatCurrency":"EUR","fiatValue":96.048',
  `{"asset":${aV3Asset()},"CARD_PAYMENT":${aMethodQuote({ fiatValue: '96.048', baseServiceFee: '3.588', appliedFee: '4.048' })}}`,
);
const PLN_QUOTE_V1 = quoteOf(
  'v1',
  'onramp',
  '"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"PLN","fiatValue":419.04,"paymentMethodType":"CARD_PAYMENT"',
  '{"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"PLN","cryptoAmount":"40000000000000000","fiatValue":419.04,"paymentMethodType":"CARD_PAYMENT",' +
    '"asset":{"address":null,"symbol":"ETH_ETH","name":"Ether","decimals":18},"assetExchangeRate":10000,"assetExchangeRateEur":2500,' +
    '"fiatExchangeRateEur":0.25,"baseServiceFee":15.6,"networkFee":3.44,"appliedFee":19.04}',
);
const SALE_QUOTE_V3 = quoteOf(
  'v3',
  'offramp',
  '"cryptoAssetSymbol":"ETH_ETH","fiatCurrency":"EUR","cryptoAmount":"100000000000000000"',
  `{"asset":${ethV3('2500')},"SEPA":${aMethodQuote({ cryptoAmount: '"100000000000000000"', fiatValue: '245', baseServiceFee: '5', appliedFee: '5' })}}`,
);

function referenceOf(
  kind: Kind,
  currency: 'EUR' | 'PLN',
  asset: Partial<ReturnType<typeof someAssetTerms>> = {},
): ReferenceAsOf {
  const times = currency === 'PLN' ? '4' : '1';
  const scaled = (text: string) => dec(text).times(dec(times));
  const own = {
    ...someAssetTerms(),
    priceEur: dec('2500'),
    price: scaled('2500'),
    networkFee: kind === 'sale' ? null : scaled('0.86'),
    type: 'NATIVE',
    ...asset,
  };
  const global = {
    ...someGlobalTerms(),
    currencyCode: currency,
    minPurchaseAmount: scaled('6'),
    maxPurchaseAmount: scaled('15000'),
    minFeeAmount: kind === 'sale' ? null : scaled('2.49'),
    ...(kind === 'sale' ? { minFeePercent: null, maxFeePercent: null } : {}),
  };
  const names = kind === 'sale' ? ['SEPA', 'CARD', 'PIX'] : ['CARD_PAYMENT', 'MANUAL_BANK_TRANSFER', 'PIX'];
  const methods = new Map(
    names.map((name) => [
      name,
      {
        name,
        currencies: name === 'PIX' ? ['BRL'] : ['EUR', 'PLN', 'USD'],
        countries: name === 'PIX' ? ['br'] : ['de', 'fr', 'pl'],
      },
    ]),
  );
  const byCode = new Map(['EUR', 'PLN', 'USD'].map((code) => [code, { code, onramp: true, offramp: true }]));
  const listed = (hour: string): Listed => {
    const capturedAt = at(`2026-11-01 ${hour}:30`);
    return {
      assets: { capturedAt, global, asset: own },
      methods: { capturedAt, byName: methods },
      currencies: { capturedAt, byCode },
    };
  };
  return { global, asset: own, methods, before: listed('09'), after: listed('10') };
}

const usdc = {
  symbol: 'USDC',
  decimals: 6,
  address: USDC,
  type: 'ERC20',
  price: dec('0.92'),
  priceEur: dec('0.92'),
  networkFee: dec('0.46'),
};

interface Clean {
  name: string;
  kind: Kind;
  body: string;
  line: string | null;
  reference: ReferenceAsOf;
}

const RECORDS: readonly Clean[] = [
  {
    name: 'purchase, v3 quote',
    kind: 'purchase',
    body: aPurchase(),
    line: ETH_QUOTE_V3,
    reference: referenceOf('purchase', 'EUR'),
  },
  {
    name: 'token purchase, v3 quote',
    kind: 'purchase',
    body: aPurchase(TOKENS),
    line: USDC_QUOTE_V3,
    reference: referenceOf('purchase', 'EUR', usdc),
  },
  {
    name: 'purchase in PLN, v1 quote',
    kind: 'purchase',
    body: aPurchase(ZLOTY),
    line: PLN_QUOTE_V1,
    reference: referenceOf('purchase', 'PLN'),
  },
  {
    name: 'purchase without a quote',
    kind: 'purchase',
    body: aPurchase(),
    line: null,
    reference: referenceOf('purchase', 'EUR'),
  },
  {
    name: 'sale as declared, quote',
    kind: 'sale',
    body: aSale(),
    line: SALE_QUOTE_V3,
    reference: referenceOf('sale', 'EUR'),
  },
  {
    name: 'sale with all fields, quote',
    kind: 'sale',
    body: aSale(OBSERVED_SALE),
    line: SALE_QUOTE_V3,
    reference: referenceOf('sale', 'EUR'),
  },
  { name: 'sale without a quote', kind: 'sale', body: aSale(), line: null, reference: referenceOf('sale', 'EUR') },
];

/** The default purchase of 0.04 tokens at 2,500 EUR, on chains with other addresses and hashes. */
const bought = (name: string, coin: string, decimals: number, receiverAddress: string, finalTxHash: string): Clean => {
  const [chain = '', symbol = ''] = coin.split('_');
  const asset = { address: null, symbol, chain, name, decimals, type: 'NATIVE' };
  return {
    name: `purchase of ${name}`,
    kind: 'purchase',
    body: aPurchase({
      asset: JSON.stringify(asset),
      cryptoAmount: `"4${'0'.repeat(decimals - 2)}"`,
      receiverAddress: `"${receiverAddress}"`,
      finalTxHash: `"${finalTxHash}"`,
    }),
    line: null,
    reference: referenceOf('purchase', 'EUR', { chain, symbol, decimals }),
  };
};
const HASH = '7'.repeat(64);
const CHAINS: readonly Clean[] = [
  bought('Bitcoin', 'BTC_BTC', 8, 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', HASH),
  bought('Ether on Arbitrum', 'ARBITRUM_ETH', 18, '0x14701438d1e2a4be2578158d26f027ea4e99da6c', `0x${HASH}`),
  bought(
    'Solana',
    'SOLANA_SOL',
    9,
    '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkPn7',
  ),
];

function subjectOf({ name, kind, body, line, reference }: Clean): {
  subject: Subject;
  build: (stored: StoredCase) => Promise<Case>;
} {
  const recordId = String(JSON.parse(body).id);
  const text = body.replace(/"purchaseViewToken":"\w+"/, '"purchaseViewToken":"[cut]"');
  const read = readers.body(kind, recordId, text);
  if (read.outcome !== 'verified') throw new Error(`${name}: ${read.detail}`);
  const quote = line === null ? null : parseQuoteLine(line, 'Service');
  if (quote?.ok === false) throw new Error(`${name}: ${quote.problems.join('; ')}`);
  const evidence = { sha256: SHA256, receivedAt: asOf, origin: 'fetch' as const };
  const method = quote?.quote.methods[0] ?? null;
  const stored: StoredCase = {
    recordKey: 1,
    kind,
    recordId,
    attempts: 1,
    tracked: someFacts(),
    history: FIRST_NIGHT,
    observation: observed(read, evidence),
    linked: quote === null ? null : { quote: quote.quote, method, ageSeconds: 240 },
  };
  const build = async (of: StoredCase): Promise<Case> => {
    const { observation } = of;
    const chained =
      observation.outcome === 'verified'
        ? observed(
            { outcome: 'verified', state: withChain(observation.snapshot.state, reference.asset) },
            observation.snapshot.evidence,
          )
        : observation;
    const { linked } = of;
    const isOffered =
      chained.outcome !== 'verified' || linked === null || chained.snapshot.state.paymentMethod === null;
    const own = isOffered
      ? linked?.method
      : linked.quote.methods.find((each) => each.method === chained.snapshot.state.paymentMethod);
    const found =
      linked === null ? null : matchLinked({ observation: chained, linked: { ...linked, method: own ?? null } });
    const state = chained.outcome === 'verified' ? chained.snapshot.state : read.state;
    return {
      ...of,
      observation: chained,
      quote: found,
      reference: lookedUp(reference, state),
      market: NOTHING,
      delivery: null,
    };
  };
  const exchange = line === null ? null : readJson(line);
  const subject = {
    stored,
    state: read.state,
    body: readJson(text),
    exchange: exchange as unknown as Subject['exchange'],
    built: undefined as unknown as Case,
  };
  return { subject, build };
}

/** The lists have one asset: by another name, none is found in them. */
function lookedUp(reference: ReferenceAsOf, { asset }: RecordState): ReferenceAsOf {
  if (asset.symbol === reference.asset?.symbol && asset.chain === reference.asset.chain) return reference;
  const without = (listed: Listed = {}): Listed =>
    listed.assets === undefined ? listed : { ...listed, assets: { ...listed.assets, asset: null } };
  return { ...reference, asset: null, before: without(reference.before), after: without(reference.after) };
}

const NOTHING = { prices: { quotes: null, listings: null }, networkFees: { quotes: null, listings: null }, past: [] };

async function clean(record: Clean) {
  const { subject, build } = subjectOf(record);
  return { subject: { ...subject, built: await build(subject.stored) }, build };
}

// --- what must be found --------------------------------------------------------------------------------------------

it.each([...RECORDS, ...CHAINS])('nothing speaks of the $name', async (record) => {
  const { subject } = await clean(record);
  expect([...judge(subject.built).keys()].filter((name) => !name.startsWith('QUOTE_MISSING'))).toEqual([]);
});

const violations: string[] = [];

it.each(RECORDS)('each change of the $name is found, and nothing speaks of ordinary ones', async (record) => {
  const { subject, build } = await clean(record);
  const wrong: unknown[] = [];
  for (const change of CATALOGUE) {
    if (change.kind !== null && change.kind !== record.kind) continue;
    const one = await planted(change, subject, { asOf }, readers, build, judge);
    if (one === null) continue;
    if (one.outcome === 'found') violations.push(`${record.name}: ${change.id}`);
    if (one.outcome === 'missed' || one.outcome === 'spoke') wrong.push([change.id, one.outcome, one.by]);
  }
  expect(wrong).toEqual([]);
});

it('these are more than 500 violations of 200 kinds', () => {
  expect(violations.length).toBeGreaterThan(500);
  expect(new Set(violations.map((each) => each.split(': ')[1])).size).toBeGreaterThan(200);
});

const [P, T, N, U, S, O, W] = RECORDS as readonly [Clean, Clean, Clean, Clean, Clean, Clean, Clean];
const UNPAID = 'finalTxHash = null; ';

const acts = (...of: readonly (readonly [string, string])[]) =>
  `actions = ${JSON.stringify(of.map(([newStatus, timestamp]) => ({ newStatus, timestamp })))}`;
const AFTERWARDS = '2026-11-01T10:12:00.000Z';

/** Sentences that several fields break together; the catalogue changes one. */
const SENTENCES: readonly (readonly [string, Clean, string])[] = [
  [
    'actions[]: what was released is not cancelled',
    P,
    `${UNPAID}status = "CANCELLED"; ${acts(['INITIALIZED', '2026-11-01T10:00:00.000Z'], ['RELEASED', AFTERWARDS])}`,
  ],
  [
    'actions[]: nothing happens before the creation',
    P,
    acts(['PAYMENT_EXECUTED', '2026-10-31T04:00:00.000Z'], ['RELEASED', AFTERWARDS]),
  ],
  [
    'actions[]: a release follows its payment',
    P,
    acts(['PAYMENT_EXECUTED', '2026-11-01T10:15:00.000Z'], ['RELEASED', '2026-11-01T10:06:00.000Z']),
  ],
  [
    'actions[]: what was being released does not wait for its payment',
    P,
    `${UNPAID}status = "PAYMENT_STARTED"; ${acts(['PAYMENT_EXECUTED', '2026-11-01T10:02:00.000Z'], ['RELEASING', '2026-11-01T10:04:00.000Z'])}`,
  ],
  ['a refused purchase releases nothing', P, 'status = "REVIEW_REJECTED"'],
  ['finalTxHash: a transaction', P, `finalTxHash = "0x${'0'.repeat(64)}"`],
  [
    'symbol and apiV3Symbol are of one asset',
    P,
    'asset.symbol = "ETH_USDT"; asset.apiV3Symbol = "ETH"; asset.chain = "ETH"',
  ],
  ['type: the chain of a coin', P, 'asset.symbol = "ETH_ETH"; asset.type = "BSC"; asset.chain = "ETH"'],
  ['a sale that was paid out has a payout', O, 'fiat.status = "not-started"'],
  [
    'a sale that expired has paid nothing out',
    O,
    'status = "EXPIRED"; crypto.status = "not-started"; transactionHash drop',
  ],
  ['exchangeRate and cryptoToEurRate are one price', O, 'cryptoToEurRate = 2600'],
  ['fees: less than what was sold is worth', O, 'exchangeRate drop; fees.amount = "900"'],
  ['payoutMethod: a PayoutMethodName', W, 'fiat.payoutMethod = "CARD_PAYMENT"'],
];

it.each(SENTENCES)('%s', async (_sentence, record, edits) => {
  expect(await spokenOf(record, edits)).not.toEqual([]);
});

// --- what must be silent -------------------------------------------------------------------------------------------

const PAID_LATER = 'updatedAt at createdAt +17h; ';

/** The changes that make an ordinary record another ordinary one. */
const ORDINARY: readonly (readonly [Clean, string])[] = [
  ...['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_IN_PROGRESS', 'PAYMENT_FAILED', 'PAYMENT_EXECUTED', 'FIAT_SENT'].map(
    (status) => [P, `${UNPAID}status = "${status}"`] as const,
  ),
  ...['FIAT_RECEIVED', 'RELEASING', 'CANCELLED', 'FIAT_PENDING'].map(
    (status) => [U, `${UNPAID}status = "${status}"`] as const,
  ),
  [U, `${UNPAID}status = "EXPIRED"; endTime at createdAt +12h`],
  [U, `${UNPAID}status = "EXPIRED"; endTime drop`],
  // Estimates, until they are paid.
  [P, `${UNPAID}status = "INITIALIZED"; assetExchangeRate * 1.3; assetExchangeRateEur * 1.3; cryptoAmount foots`],
  [P, `${UNPAID}status = "PAYMENT_STARTED"; cryptoAmount * 0.8; assetExchangeRate foots; assetExchangeRateEur * 1.25`],
  [N, `${UNPAID}status = "INITIALIZED"; assetExchangeRate * 0.9; assetExchangeRateEur * 0.9; cryptoAmount foots`],
  // The hash is known while it is being sent.
  [P, 'status = "RELEASING"'],
  // Absent, null and empty.
  ...['endTime', 'assetExchangeRateEur', 'receiverAddress', 'updatedAt', 'purchaseViewToken', 'asset.name'].map(
    (field) => [P, `${field} drop`] as const,
  ),
  ...['endTime', 'assetExchangeRateEur', 'purchaseViewToken', 'asset.name', 'asset.type'].map(
    (field) => [T, `${field} = null`] as const,
  ),
  [P, 'purchaseViewToken = ""'],
  [P, 'asset.address drop'],
  [P, 'asset.address = ""'],
  [P, 'asset.address = "0x0000000000000000000000000000000000000000"'],
  [P, 'asset.address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"'],
  // Other forms of the same.
  [T, 'asset.address lower'],
  [T, `asset.address = "0x${USDC.slice(2).toUpperCase()}"`],
  [T, 'id upper'],
  [P, 'asset = {"address":null,"symbol":"ETH","name":"Ether","decimals":18,"type":"ETH"}'],
  [
    P,
    'asset = {"address":null,"symbol":"ETH_ETH","name":"Ether","decimals":18,"apiV3Symbol":"ETH","apiV3Type":"NATIVE","chain":"ETH"}',
  ],
  [P, 'receiverAddress lower'],
  [P, 'receiverAddress = "0x14701438d1e2a4be2578158d26f027ea4e99da6c:memo"'],
  [P, 'paymentMethodType = "CARD"'],
  [P, 'createdAt = "2026-11-01T11:00:00+01:00"'],
  [P, 'updatedAt = "2026-11-01T10:05:00Z"'],
  // Further fields.
  [P, 'escrowAddress = ""'],
  [P, 'fiatExchangeRateEur = 1'],
  [N, 'fiatExchangeRateEur = 0.25'],
  [N, 'fiatExchangeRateEur = 0.2501; assetExchangeRateEur = 2501'],
  [P, 'actions = [{"newStatus":"INITIALIZED","timestamp":"2026-11-01T10:00:00.000Z"}]'],
  // The status may be a step behind the list, and a payment that failed is followed by another.
  [P, `${UNPAID}status = "FIAT_RECEIVED"; ${acts(['RELEASING', '2026-11-01T10:04:00.000Z'])}`],
  [P, `${UNPAID}status = "PAYMENT_FAILED"; ${acts(['RELEASING', '2026-11-01T10:04:00.000Z'])}`],
  [
    P,
    `${UNPAID}status = "PAYMENT_STARTED"; ${acts(['RELEASING', '2026-11-01T10:03:00.000Z'], ['PAYMENT_FAILED', '2026-11-01T10:05:00.000Z'])}`,
  ],
  // Amounts of ordinary days.
  [P, 'fiatValue + 0.00000000000001'],
  [P, 'appliedFee + -1.2; cryptoAmount foots'],
  [P, 'appliedFee + -1.2; baseServiceFee + -1.2; cryptoAmount foots'],
  [U, 'hostFeeCut = 1; appliedFee + 1; fiatValue foots'],
  [U, 'hostFeeCut = 0'],
  [P, 'assetExchangeRate * 1.01; assetExchangeRateEur * 1.01; cryptoAmount foots'],
  [P, `${PAID_LATER}assetExchangeRate * 0.96; assetExchangeRateEur * 0.96; cryptoAmount foots`],
  [P, 'networkFee + 0.1; appliedFee + 0.1; cryptoAmount foots'],
  [N, 'networkFee + -0.5; appliedFee + -0.5; cryptoAmount foots'],
  [U, 'networkFee + 0.2; appliedFee + 0.2; cryptoAmount foots'],
  [N, 'assetExchangeRateEur * 1.004'],
  [U, 'paymentMethodType = "MANUAL_BANK_TRANSFER"; updatedAt at createdAt +17h'],
  // Sales.
  [S, 'fiat.amount = "245"'],
  [S, 'fiat.amount = 243'],
  [S, 'fiat.amount = 247'],
  [S, 'saleViewToken = "[cut]"; purchaseViewToken drop'],
  [S, 'crypto.assetInfo.type drop; crypto.assetInfo.name drop'],
  [S, 'crypto.assetInfo.address = ""'],
  [S, 'fiat.payoutMethod = "SEPA"; fiat.status = "completed"'],
  [S, 'id upper'],
  [O, 'status drop'],
  [O, 'status = "CREATED"; fiat.status = "not-started"; transactionHash drop'],
  [O, 'fees.currencySymbol = "ETH"'],
  [O, 'fees drop'],
  [O, 'exchangeRate = ""'],
  [W, 'fiat.amount = 240'],
  [W, 'crypto.amount = "2000000000000000"; fiat.amount = 2.51; fiat.amount = 7; crypto.amount = "4000000000000000"'],
];

it('has at least 64 of them', () => expect(ORDINARY.length).toBeGreaterThanOrEqual(64));

it.each(ORDINARY.map(([record, edits]) => [record.name, edits, record] as const))(
  '%s: %s',
  async (_, edits, record) => {
    expect(await spokenOf(record, edits)).toEqual([]);
  },
);

/** The rules that speak of the record once it has been edited. */
async function spokenOf(record: Clean, edits: string): Promise<readonly string[] | undefined> {
  const { subject, build } = await clean(record);
  expect(edited(subject.body, edits)).not.toBeNull();
  const change: Change = {
    id: edits,
    in: 'body',
    kind: null,
    when: [],
    edits,
    speaks: [],
    material: false,
    sentence: '',
  };
  // Undefined: `RECORDS` are clean no longer, and "nothing speaks of …" above says by which rule.
  return (await planted(change, subject, { asOf }, readers, build, judge))?.by;
}
