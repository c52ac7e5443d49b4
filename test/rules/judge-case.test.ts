import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Case, QuarantineReason, UnreachableReason } from '../../src/domain/case.ts';
import { judgeCase } from '../../src/rules/judge-case.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { BREAK_CODES } from '../support/break-codes.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aQuarantined,
  aSale,
  aSnapshot,
  at,
  ETH,
  LOCKED,
  NO_REFERENCE,
  STATUSES,
  type StateOverrides,
  someAssetTerms,
  someGlobalTerms,
  someMethods,
  someReference,
  someTerms,
  USDC,
} from '../support/builders.ts';

const ALL = createRuleSet();

function codesOf(subject: Case, ruleSet = ALL): string[] {
  return judgeCase(subject, someTerms(), ruleSet).findings.map(({ rule }) => rule);
}

test('a clean case has no findings; what could not be compared is counted', () => {
  const { findings, notApplicable } = judgeCase(aCase(), someTerms(), ALL);
  expect(findings).toEqual([]);
  const ofContract = notApplicable.filter((code) => BREAK_CODES.includes(code));
  expect(ofContract).toEqual(['STATUS_REGRESSED', 'STATUS_CONFLICT', 'RESTATED', 'FIELD_CHANGED']);
});

test.each([
  ['unreachable', anUnreachable()],
  ['quarantined', aQuarantined()],
])(
  'a record that is %s is not judged by any rule that needs its body, and none counts it as lacking a price',
  (_, observation) => {
    expect(judgeCase(aCase({ observation }), someTerms(), ALL).notJudged).toEqual([]);
  },
);

test('a sale in the bare shape of the specification is judged on its amounts alone', () => {
  const quote = aMatchedQuote({
    quote: { direction: 'offramp' },
    method: { method: 'SEPA', fiatValue: '203', cryptoUnits: 100_000_000_000_000_000n },
  });
  expect(judgeCase(aCase({ state: aSale(), quote }), someTerms({ binding: LOCKED }), ALL).findings).toMatchObject([
    { rule: 'AMOUNT_DIFFERS' },
  ]);
});

test('findings are complete, in rule order', () => {
  const state = aPurchase({ appliedFee: '6.26', baseFee: '5.40', fiatValue: '106.26', finalTxHash: null });
  const { findings } = judgeCase(aCase({ state }), someTerms(), ALL);
  expect(findings.map(({ rule, severity, field }) => [rule, severity, field])).toEqual([
    ['RELEASED_WITHOUT_TX', 'high', 'final_tx_hash'],
    ['AMOUNT_DIFFERS', 'medium', 'fiat_value'],
    ['FEE_APPLIED_DIFFERS', 'high', 'applied_fee'],
    ['FEE_BASE_DIFFERS', 'medium', 'base_fee'],
    ['FEE_OUT_OF_BOUNDS', 'high', 'service_fee'],
  ]);
  expect(findings[0]).toEqual({
    rule: 'RELEASED_WITHOUT_TX',
    severity: 'high',
    field: 'final_tx_hash',
    expected: null,
    actual: null,
    difference: null,
    unit: null,
    loss: null,
    currency: null,
    tolerance: null,
    explanation: expect.any(String),
  });
});

test('configured severities are used, and rules that are off are not asked', () => {
  const ruleSet = createRuleSet({ RELEASED_WITHOUT_TX: { severity: 'low' }, FEE_BASE_DIFFERS: 'off' });
  const state = aPurchase({ baseFee: '5.40', finalTxHash: null });
  const { findings, notApplicable } = judgeCase(aCase({ state }), someTerms(), ruleSet);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['RELEASED_WITHOUT_TX', 'low']]);
  expect(notApplicable).not.toContain('FEE_BASE_DIFFERS');
});

test('a remark stays a remark at every severity of the rule', () => {
  const ruleSet = createRuleSet({ FEE_OUT_OF_BOUNDS: { severity: 'critical' } });
  const state = aPurchase({ appliedFee: '1.36', baseFee: '0.50', fiatValue: '101.36' });
  const { findings } = judgeCase(aCase({ state, quote: null }), someTerms(), ruleSet);
  expect(findings.filter(({ rule }) => rule === 'FEE_OUT_OF_BOUNDS')).toMatchObject([{ severity: 'info' }]);
});

test('the fee arithmetic comes along for the reports, where there was a body', () => {
  const judged = judgeCase(aCase({ state: aPurchase({ appliedFee: '6.26' }) }), someTerms(), ALL);
  expect(judged.figures.fees?.applied?.difference.toString()).toBe('1.5');
  expect(judgeCase(aCase({ observation: anUnreachable() }), someTerms(), ALL).figures.fees).toBeNull();
});

test.each([
  ['RECORD_MISSING', anUnreachable({ reason: 'RECORD_MISSING', httpStatus: 404 }), ['RECORD_MISSING']],
  ['ACCESS_DENIED', anUnreachable({ reason: 'ACCESS_DENIED', httpStatus: 403 }), ['ACCESS_DENIED']],
  ['TIMEOUT', anUnreachable({ reason: 'TIMEOUT' }), []],
  ['NOT_SENT', anUnreachable({ reason: 'NOT_SENT' }), []],
  ['RECORD_ID_MISMATCH', aQuarantined({ reason: 'RECORD_ID_MISMATCH' }), ['RECORD_ID_MISMATCH']],
  ['UNREADABLE_BODY', aQuarantined({ reason: 'UNREADABLE_BODY' }), ['SCHEMA_DRIFT']],
  ['REDIRECTED', aQuarantined({ reason: 'REDIRECTED' }), ['SCHEMA_DRIFT']],
  ['deferred', { outcome: 'deferred', reason: 'allowance' } as const, []],
])('%s is reported once, and nothing else is checked against a record that was not read', (_, observation, codes) => {
  const first = aSnapshot(aPurchase());
  const history = { first, firstTerminal: first, peak: { status: 'RELEASED', at: at('2026-11-01 10:20') } };
  expect(codesOf(aCase({ observation, history, quote: null }))).toEqual(codes);
});

// --- any input --------------------------------------------------------------------------------------------------------

const amount = fc.oneof(
  fc.constantFrom('0', '0.0000000001', '4.76', '104.76', '1e-30', '123456789012345.12345678901234567'),
  fc.nat({ max: 100_000 }).map((n) => `${n}e-2`),
);
const known = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const status = fc.constantFrom(...STATUSES.purchase.keys(), 'FIAT_PENDING');
const instant = fc.integer({ min: at('2026-10-01 00:00'), max: at('2026-12-01 00:00') });
const units = fc.bigInt({ min: 0n, max: 10n ** 24n });
const asset = fc.constantFrom(ETH, USDC, { ...ETH, decimals: 0 });
const currency = fc.constantFrom('EUR', 'USD', 'JPY', 'XQQ');
const method = fc.constantFrom('CARD_PAYMENT', 'PIX', 'SOFORT');

const body: fc.Arbitrary<StateOverrides> = fc.record(
  {
    status: known(status),
    createdAt: known(instant),
    updatedAt: known(instant),
    asset,
    cryptoUnits: units,
    fiatCurrency: currency,
    fiatValue: amount,
    exchangeRate: known(amount),
    exchangeRateEur: known(amount),
    fiatRateEur: known(amount),
    baseFee: known(amount),
    networkFee: known(amount),
    appliedFee: known(amount),
    hostFeeCut: known(amount),
    paymentMethod: known(method),
    receiverAddress: known(fc.constantFrom('0xAA', '0xaa', 'bc1q')),
    finalTxHash: known(fc.constantFrom('0x1', '0x2')),
  },
  { requiredKeys: [] },
);
const record = fc.tuple(fc.boolean(), body).map(([bought, fields]) => (bought ? aPurchase(fields) : aSale(fields)));

const quote = fc
  .record({
    basis: fc.constantFrom('linked', 'captured', 'requoted'),
    fiatCurrency: currency,
    asset,
    limits: known(
      fc.record({ minPurchaseAmount: known(amount), price: known(amount), minPurchaseCryptoUnits: known(units) }),
    ),
    method: known(
      fc.record({
        method,
        fiatValue: amount,
        cryptoUnits: units,
        appliedFee: amount,
        baseFee: known(amount),
        networkFee: known(amount),
        networkFeeExact: fc.boolean(),
      }),
    ),
    ageSeconds: known(fc.integer({ min: -1_000_000, max: 1_000_000 })),
  })
  .map(({ basis, fiatCurrency, asset: quotedAsset, limits, method: promise, ageSeconds }) =>
    aMatchedQuote({
      basis,
      quote: { fiatCurrency, asset: quotedAsset, assetTerms: limits },
      method: promise,
      ageSeconds,
    }),
  );

const reference = fc.oneof(
  fc.constant(NO_REFERENCE),
  fc
    .record({
      currencyCode: currency,
      minFeeAmount: known(amount),
      min: known(amount),
      max: known(amount),
      price: known(amount),
    })
    .map(({ currencyCode, minFeeAmount, min, max, price }) =>
      someReference({
        global: someGlobalTerms({ currencyCode, minFeeAmount }),
        asset: someAssetTerms({ minPurchaseAmount: min, maxPurchaseAmount: max, price }),
        methods: someMethods(),
      }),
    ),
);

const reasons: readonly UnreachableReason[] = [
  'RECORD_MISSING',
  'ACCESS_DENIED',
  'NETWORK',
  'SERVER_ERROR',
  'NOT_JSON',
];
const quarantines: readonly QuarantineReason[] = ['RECORD_ID_MISMATCH', 'SCHEMA_DRIFT', 'BODY_TOO_LARGE'];
const observation = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  fc.constantFrom(...reasons).map((reason) => anUnreachable({ reason })),
  fc.constantFrom(...quarantines).map((reason) => aQuarantined({ reason })),
);

const anyCase = fc
  .record({
    state: record,
    before: known(record),
    terminal: known(record),
    peak: known(fc.record({ status, at: instant })),
    statusSince: known(instant),
    expectedStatus: known(status),
    event: fc.constantFrom('RELEASED', 'EXPIRED', 'RETURNED'),
    eventAt: instant,
    quote: known(quote),
    reference,
    observation,
  })
  .map((all) =>
    aCase({
      state: all.state,
      ...(all.observation === undefined ? {} : { observation: all.observation }),
      history: {
        first: all.before === null ? null : aSnapshot(all.before),
        firstTerminal: all.terminal === null ? null : aSnapshot(all.terminal),
        peak: all.peak,
        statusSince: all.statusSince,
      },
      tracked: { expectedStatus: all.expectedStatus, webhookEvents: [{ type: all.event, at: all.eventAt }] },
      quote: all.quote,
      reference: all.reference,
    }),
  );

test('any input: no crash, one finding per rule and field, and sentences that make sense', () => {
  fc.assert(
    fc.property(anyCase, (subject) => {
      const { findings, notApplicable } = judgeCase(subject, someTerms(), ALL);
      const identities = findings.map(({ rule, field }) => `${rule} ${field}`);
      expect(new Set(identities).size).toBe(identities.length);
      for (const finding of findings) {
        expect(finding.explanation).toMatch(/^[A-Z].*[^.]\.$/);
        expect(finding.explanation).not.toMatch(/\bnull\b|undefined|NaN|\[object|\n|\de-\d/);
        expect(finding.field).toMatch(/^[a-z0-9_.]+$/);
        expect(notApplicable).not.toContain(finding.rule);
      }
    }),
    { numRuns: 600 },
  );
});

test('any input: a difference is actual minus expected, and beyond the tolerance', () => {
  fc.assert(
    fc.property(anyCase, (subject) => {
      for (const finding of judgeCase(subject, someTerms(), ALL).findings) {
        const { expected, actual, difference, tolerance } = finding;
        if (difference === null) continue;
        expect([finding.rule, rational(actual) - rational(expected)]).toEqual([
          finding.rule,
          rational(difference.toString()),
        ]);
        const size = rational(difference.abs().toString());
        if (tolerance !== null) expect(size > rational(tolerance.toString())).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
});

/** A plain decimal in units of 10^-200, by its digits alone. */
function rational(text: string | null): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text ?? '');
  if (match === null) throw new Error(`not a plain decimal: ${text}`);
  const [, sign, whole = '', fraction = ''] = match;
  return BigInt(`${sign}${whole}${fraction.padEnd(200, '0')}`);
}

test('decimals that are wrong do not value tokens: the break stands, and what was lost is not known', () => {
  const state = aPurchase({ asset: { ...ETH, decimals: 0 } });
  const { findings } = judgeCase(aCase({ state, quote: null }), someTerms(), ALL);
  expect(findings.find(({ rule }) => rule === 'TOTAL_NOT_FOOTING')).toMatchObject({ loss: null });
});
