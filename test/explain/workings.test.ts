import { describe, expect, it } from 'vitest';
import { workingPair } from '../../src/cli/breaks/explanation-text.ts';
import type { Case } from '../../src/domain/case.ts';
import { asFound } from '../../src/explain/explain-break.ts';
import { figure, signed } from '../../src/rules/working.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aQuarantined,
  aSale,
  aSnapshot,
  at,
  dec,
  LOCKED,
  someReference,
  someTolerances,
} from '../support/builders.ts';
import { workedOut as workedOutBy } from './work-out.ts';

const workedOut = (subject: Case, rule: string, field: string, terms = someRunTerms({ binding: LOCKED })) =>
  workedOutBy(subject, rule, field, terms);

describe('a rule without arithmetic of its own', () => {
  const told = (finding: Parameters<typeof asFound>[0]) =>
    asFound(finding)
      .map(workingPair)
      .map(([label, value]) => `${label}: ${value}`);

  it('has the numbers of its finding', () => {
    const finding = {
      expected: '1.99',
      actual: '2.49',
      difference: dec('0.5'),
      currency: 'EUR',
      tolerance: dec('0.01'),
    };
    expect(told(finding)).toEqual([
      'expected: 1.99 EUR',
      'found: 2.49 EUR',
      'difference: 2.49 − 1.99 = +0.50 EUR',
      'tolerance: 0.01 EUR',
      'outcome: 0.50 > 0.01: a break',
    ]);
  });

  it('or word for word', () => {
    const finding = { expected: null, actual: 'PIX', difference: null, currency: null, tolerance: null };
    expect(told(finding)).toEqual(['expected: nothing in particular', 'found: PIX']);
  });
});

describe('a figure', () => {
  it('has at least the places of its currency, and every further digit', () => {
    expect(figure(dec('0.5'), 'EUR')).toBe('0.50');
    expect(figure(dec('11.171782178217821'), 'EUR')).toBe('11.171782178217821');
    expect(figure(dec('100'), 'JPY')).toBe('100');
    expect(figure(dec('0.04'), 'ETH_ETH')).toBe('0.04');
    expect(figure(dec('1.5'), 'KWD')).toBe('1.500');
  });

  it('as a difference has its sign', () => {
    expect([signed(dec('0.5'), 'EUR'), signed(dec('-0.5'), 'EUR'), signed(dec('0'), 'EUR')]).toEqual([
      '+0.50',
      '-0.50',
      '0.00',
    ]);
  });
});

describe('fees', () => {
  it('FEE_APPLIED_DIFFERS: compares amounts, with the parts', () => {
    const subject = aCase({
      state: aPurchase({ appliedFee: '2.49', baseFee: '2.00', networkFee: '0.49' }),
      quote: aMatchedQuote({ method: { appliedFee: '1.99', baseFee: '1.50', networkFee: '0.49' } }),
    });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee')).toEqual([
      'quoted fee: 1.99 EUR',
      'actual fee: 2.49 EUR',
      'difference: 2.49 − 1.99 = +0.50 EUR',
      'tolerance: the larger of 0.01 and 0.00199 (0.001 × 1.99) = 0.01 EUR',
      'outcome: 0.50 > 0.01: a break',
      'parts: base +0.50, network 0.00, adjustment 0.00; sum +0.50 EUR',
    ]);
  });

  it('FEE_APPLIED_DIFFERS: a part that one side does not state is not called an adjustment', () => {
    const subject = aCase({
      state: aPurchase({ appliedFee: '6.26', baseFee: '4.40' }),
      quote: aMatchedQuote({ method: { networkFee: null } }),
    });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee').at(-1)).toBe(
      'parts: base +0.50, other parts +1.00; sum +1.50 EUR',
    );
  });

  it('FEE_APPLIED_DIFFERS: compares shares of the value, where the quote is for another amount', () => {
    // 52.38 EUR were quoted: 50 EUR of crypto and 2.38 EUR of fee. This record is for 100 EUR of crypto.
    const subject = aCase({
      state: aPurchase({ appliedFee: '9.00', baseFee: '8.14' }),
      quote: aMatchedQuote({
        method: {
          fiatValue: '52.38',
          cryptoUnits: 20_000_000_000_000_000n,
          appliedFee: '2.38',
          baseFee: '1.52',
          networkFee: '0.86',
        },
      }),
    });
    expect(workedOut(subject, 'FEE_APPLIED_DIFFERS', 'applied_fee')).toEqual([
      "compared as: shares of the crypto's value: the quote is for another amount",
      'quoted crypto value: 52.38 − 2.38 = 50.00 EUR',
      "this record's value: 0.04 × 2500 = 100.00 EUR",
      'quoted fee: 2.38 EUR',
      'of it the service fee: 2.38 − 0.86 = 1.52 EUR',
      'expected fee: 1.52 × 100.00 ÷ 50.00 + 0.86 = 3.90 EUR',
      'actual fee: 9.00 EUR',
      'difference: 9.00 − 3.90 = +5.10 EUR',
      'tolerance: the larger of 0.01 and 0.25 (0.25 % of 100.00) = 0.25 EUR',
      'outcome: 5.10 > 0.25: a break',
      'parts: base +5.10, network 0.00, adjustment 0.00; sum +5.10 EUR',
    ]);
  });

  it('FEE_BASE_DIFFERS', () => {
    const subject = aCase({ state: aPurchase({ baseFee: '4.90' }) });
    expect(workedOut(subject, 'FEE_BASE_DIFFERS', 'base_fee')).toEqual([
      'quoted base fee: 3.90 EUR',
      'actual base fee: 4.90 EUR',
      'difference: 4.90 − 3.90 = +1.00 EUR',
      'tolerance: the larger of 0.01 and 0.0039 (0.001 × 3.90) = 0.01 EUR',
      'outcome: 1.00 > 0.01: a break',
    ]);
  });

  it('FEE_NETWORK_DIFFERS: a converted fee has one percent more tolerance', () => {
    const subject = aCase({
      state: aPurchase({ networkFee: '1.00' }),
      quote: aMatchedQuote({ method: { networkFeeExact: false } }),
    });
    expect(workedOut(subject, 'FEE_NETWORK_DIFFERS', 'network_fee')).toEqual([
      'quoted network fee: 0.86 EUR',
      'actual network fee: 1.00 EUR',
      'difference: 1.00 − 0.86 = +0.14 EUR',
      'tolerance: the larger of 0.01 and 0.00086 (0.001 × 0.86); plus 0.0086, as parts are rounded or converted = 0.0186 EUR',
      'outcome: 0.14 > 0.0186: a break',
    ]);
  });

  it('FEE_OUT_OF_BOUNDS: above the maximum', () => {
    const subject = aCase({ state: aPurchase({ appliedFee: '6.86' }) });
    expect(workedOut(subject, 'FEE_OUT_OF_BOUNDS', 'service_fee')).toEqual([
      'crypto value: 0.04 × 2500 = 100.00 EUR',
      'service fee: 6.86 − 0.86 = 6.00 EUR',
      'maximum: the higher of 2.49 and 3.90 (3.9 % of the crypto value) = 3.90 EUR',
      'difference: 6.00 − 3.90 = +2.10 EUR',
      'tolerance: the larger of 0.01 and 0.0039 (0.001 × 3.90) = 0.01 EUR',
      'outcome: 2.10 > 0.01: a break',
    ]);
  });

  it('FEE_OUT_OF_BOUNDS: below the minimum, which is an info finding', () => {
    const subject = aCase({ state: aPurchase({ appliedFee: '1.26' }) });
    expect(workedOut(subject, 'FEE_OUT_OF_BOUNDS', 'service_fee').slice(2, 4)).toEqual([
      'minimum: the lower of 2.49 and 0.99 (0.99 % of the crypto value) = 0.99 EUR',
      'difference: 0.40 − 0.99 = -0.59 EUR',
    ]);
  });
});

describe('amounts', () => {
  it('AMOUNT_DIFFERS: the total', () => {
    const subject = aCase({ state: aPurchase({ fiatValue: '110' }) });
    expect(workedOut(subject, 'AMOUNT_DIFFERS', 'fiat_value')).toEqual([
      'quoted total: 104.76 EUR',
      'actual total: 110.00 EUR',
      'difference: 110.00 − 104.76 = +5.24 EUR',
      'tolerance: the larger of 0.01 and 0.10476 (0.001 × 104.76) = 0.10476 EUR',
      'outcome: 5.24 > 0.10476: a break',
    ]);
  });

  it('AMOUNT_DIFFERS: the crypto', () => {
    const subject = aCase({ state: aPurchase({ cryptoUnits: 30_000_000_000_000_000n }) });
    expect(workedOut(subject, 'AMOUNT_DIFFERS', 'crypto_amount')).toEqual([
      'quoted crypto: 40000000000000000 units ÷ 10^18 = 0.04 ETH_ETH',
      'actual crypto: 30000000000000000 units ÷ 10^18 = 0.03 ETH_ETH',
      'difference: 0.03 − 0.04 = -0.01 ETH_ETH',
      'tolerance: 0.000000001 × 0.04 = 0.00000000004 ETH_ETH',
      'outcome: 0.01 > 0.00000000004: a break',
    ]);
  });

  it('AMOUNT_OUT_OF_LIMITS: the global maximum', () => {
    const subject = aCase({ state: aPurchase({ fiatValue: '15100' }) });
    expect(workedOut(subject, 'AMOUNT_OUT_OF_LIMITS', 'fiat_value')).toEqual([
      'limit in force: maximum for all assets',
      'maximum then: 15000.00 EUR',
      'actual total: 15100.00 EUR',
      'difference: 15100.00 − 15000.00 = +100.00 EUR',
      'tolerance: none: a limit is exact = 0.00 EUR',
      'outcome: 100.00 > 0.00: a break',
    ]);
  });

  it("AMOUNT_OUT_OF_LIMITS: the asset's own minimum of crypto", () => {
    const quote = aMatchedQuote({ quote: { assetTerms: { minPurchaseCryptoUnits: 50_000_000_000_000_000n } } });
    expect(workedOut(aCase({ quote }), 'AMOUNT_OUT_OF_LIMITS', 'crypto_amount')).toEqual([
      'minimum then: 50000000000000000 units ÷ 10^18 = 0.05 ETH_ETH',
      'actual crypto: 40000000000000000 units ÷ 10^18 = 0.04 ETH_ETH',
      'difference: 0.04 − 0.05 = -0.01 ETH_ETH',
      'tolerance: 0.000000001 × 0.05 = 0.00000000005 ETH_ETH',
      'outcome: 0.01 > 0.00000000005: a break',
    ]);
  });

  it('TOTAL_NOT_FOOTING', () => {
    const subject = aCase({ state: aPurchase({ fiatValue: '105.76' }) });
    expect(workedOut(subject, 'TOTAL_NOT_FOOTING', 'fiat_value')).toEqual([
      'crypto value: 0.04 × 2500 = 100.00 EUR',
      'fee: 4.76 EUR',
      'expected total: crypto value + fee = 104.76 EUR',
      'total it states: 105.76 EUR',
      'difference: 105.76 − 104.76 = +1.00 EUR',
      'tolerance: the largest of 0.01, 0.00000000010576 (0.000000000001 × 105.76) and 0.000025 (one unit of the tokens’ last place) = 0.01 EUR',
      'outcome: 1.00 > 0.01: a break',
    ]);
  });

  it('TOTAL_NOT_FOOTING: of a sale the fee is taken off', () => {
    const state = aSale({ exchangeRate: '2050', appliedFee: '4', fiatValue: '190' });
    expect(workedOut(aCase({ state }), 'TOTAL_NOT_FOOTING', 'fiat_value').slice(2, 5)).toEqual([
      'expected total: crypto value − fee = 201.00 EUR',
      'total it states: 190.00 EUR',
      'difference: 190.00 − 201.00 = -11.00 EUR',
    ]);
  });

  it('RATE_OUT_OF_LINE: the two rates of the record', () => {
    const subject = aCase({ state: aPurchase({ fiatRateEur: '0.5', exchangeRateEur: '2500' }) });
    expect(workedOut(subject, 'RATE_OUT_OF_LINE', 'exchange_rate_eur')).toEqual([
      'rate in EUR: 2500.00 EUR',
      'which makes in EUR: 2500 × 0.5 = 1250.00 EUR',
      'rate in EUR it states: 2500.00 EUR',
      'difference: 2500.00 − 1250.00 = +1250.00 EUR',
      'tolerance: 0.000001 × 1250.00 = 0.00125 EUR',
      'outcome: 1250.00 > 0.00125: a break',
    ]);
  });

  it('RATE_OUT_OF_LINE: the price of the day', () => {
    const subject = aCase({ state: aPurchase({ exchangeRate: '3000', exchangeRateEur: '3000' }) });
    expect(workedOut(subject, 'RATE_OUT_OF_LINE', 'exchange_rate')).toEqual([
      'reference: quote q-17 (2026-11-01 09:56 UTC)',
      'reference price: 2490.00 EUR',
      "record's rate: 3000.00 EUR",
      'difference: 3000.00 − 2490.00 = +510.00 EUR',
      'tolerance: 0.1 × 2490.00 = 249.00 EUR',
      'outcome: 510.00 > 249.00: a break',
    ]);
  });

  it('follow the tolerances in force', () => {
    const terms = someRunTerms({
      binding: LOCKED,
      tolerances: someTolerances({ rules: new Map([['AMOUNT_DIFFERS', { absolute: dec('2'), relative: dec('0') }]]) }),
    });
    const subject = aCase({ state: aPurchase({ fiatValue: '110' }) });
    expect(workedOut(subject, 'AMOUNT_DIFFERS', 'fiat_value', terms)[3]).toBe(
      'tolerance: the larger of 2.00 and 0.00 (0 × 104.76) = 2.00 EUR',
    );
  });
});

describe('a record and its past', () => {
  const seen = aSnapshot(aPurchase(), at('2026-11-01 12:00'));

  it('RESTATED: a figure', () => {
    const subject = aCase({ state: aPurchase({ appliedFee: '4.66' }), history: { firstTerminal: seen } });
    expect(workedOut(subject, 'RESTATED', 'applied_fee')).toEqual([
      'seen as RELEASED: 2026-11-01 12:00 UTC',
      'looked at again: 2026-11-02 04:15 UTC',
      'then: 4.76 EUR',
      'now: 4.66 EUR',
      'difference: 4.66 − 4.76 = -0.10 EUR',
      'tolerance: nothing may change here = 0.00 EUR',
      'outcome: 0.10 > 0.00: a break',
    ]);
  });

  it('FIELD_CHANGED: an amount, and one in another currency', () => {
    const dearer = aCase({ state: aPurchase({ fiatValue: '204.76' }), history: { first: seen } });
    expect(workedOut(dearer, 'FIELD_CHANGED', 'fiat_value').slice(2, 5)).toEqual([
      'then: 104.76 EUR',
      'now: 204.76 EUR',
      'difference: 204.76 − 104.76 = +100.00 EUR',
    ]);
    const other = aCase({ state: aPurchase({ fiatValue: '110', fiatCurrency: 'USD' }), history: { first: seen } });
    expect(workedOut(other, 'FIELD_CHANGED', 'fiat_value').slice(2)).toEqual([
      'then: 104.76 EUR',
      'now: 110.00 USD',
      'outcome: not the same: a break',
    ]);
  });
});

describe('statuses', () => {
  it('STATUS_UNKNOWN', () => {
    const subject = aCase({ state: aSale({ status: 'FIAT_RETURNED' }) });
    expect(workedOut(subject, 'STATUS_UNKNOWN', 'status')).toEqual([
      'status: FIAT_RETURNED',
      'statuses of a sale: CREATED, not-started, initiated, delayed, failed, completed, RELEASED, EXPIRED',
      'outcome: not among them: a break',
    ]);
  });

  it('STATUS_STUCK', () => {
    const subject = aCase({ state: aPurchase({ status: 'RELEASING' }) });
    expect(workedOut(subject, 'STATUS_STUCK', 'status')).toEqual([
      'status: RELEASING',
      'since: 2026-11-01 10:20 UTC',
      'judged at: 2026-11-03 00:00 UTC',
      'stayed: 2026-11-03 00:00 UTC − 2026-11-01 10:20 UTC = 37 hours',
      'allowed: 6 hours',
      'outcome: 37 hours > 6 hours: a break',
    ]);
  });

  it('STATUS_REGRESSED', () => {
    const subject = aCase({
      state: aPurchase({ status: 'PAYMENT_STARTED' }),
      history: { peak: { status: 'FIAT_RECEIVED', at: at('2026-11-01 12:00') } },
    });
    expect(workedOut(subject, 'STATUS_REGRESSED', 'status')).toEqual([
      'furthest status: FIAT_RECEIVED (stage 5), seen 2026-11-01 12:00 UTC',
      'status now: PAYMENT_STARTED (stage 1)',
      'outcome: FIAT_RECEIVED → PAYMENT_STARTED is a move the model forbids: a break',
    ]);
  });

  it('STATUS_CONFLICT: with the application, and with a webhook', () => {
    const subject = aCase({
      state: aPurchase({ status: 'EXPIRED' }),
      tracked: {
        expectedStatus: 'RELEASED',
        webhookEvents: [{ type: 'RELEASED', at: at('2026-11-01 11:00') }],
      },
    });
    expect(workedOut(subject, 'STATUS_CONFLICT', 'expected_status')).toEqual([
      'the app expects: RELEASED (stage 7, final)',
      'the record says: EXPIRED (stage 7, final), read 2026-11-02 04:15 UTC',
      'outcome: RELEASED → EXPIRED is a move the model forbids: a break',
    ]);
    expect(workedOut(subject, 'STATUS_CONFLICT', 'webhook_event')).toEqual([
      'webhook: RELEASED, delivered 2026-11-01 11:00 UTC',
      'the record says: EXPIRED (stage 7, final), read 2026-11-02 04:15 UTC',
      'allowed to lag: 60 min',
      'outcome: the webhook and the record cannot both be right: a break',
    ]);
  });

  it('RELEASED_WITHOUT_TX', () => {
    expect(
      workedOut(aCase({ state: aPurchase({ finalTxHash: null }) }), 'RELEASED_WITHOUT_TX', 'final_tx_hash'),
    ).toEqual([
      'status: RELEASED',
      'last changed: 2026-11-01 10:20 UTC',
      'transaction hash: none',
      'outcome: released, and nothing on the chain to show: a break',
    ]);
  });
});

describe('quotes and methods', () => {
  it('QUOTE_MISSING: names where the quote was searched', () => {
    expect(workedOut(aCase({ quote: null }), 'QUOTE_MISSING', 'quote')).toEqual([
      'linked quote: none',
      'looked for: a captured quote for ETH_ETH, EUR, CARD_PAYMENT and this amount',
      'captured between: created 2026-11-01 10:00 UTC, 30 min before to 10 min after = 2026-11-01 09:30 UTC and 2026-11-01 10:10 UTC',
      'outcome: found none: a break',
    ]);
    const linked = aCase({ quote: null, tracked: { quoteId: 'q-9' } });
    expect(workedOut(linked, 'QUOTE_MISSING', 'quote')[0]).toBe('linked quote: q-9, never stored here');
  });

  it('QUOTE_TERMS_DIFFER', () => {
    const quote = aMatchedQuote({ quote: { fiatCurrency: 'USD' }, method: null });
    expect(workedOut(aCase({ quote }), 'QUOTE_TERMS_DIFFER', 'fiat_currency')).toEqual([
      'linked quote: q-17',
      'quoted: USD',
      'actual: EUR',
      'outcome: not the same: a break',
    ]);
    expect(workedOut(aCase({ quote }), 'QUOTE_TERMS_DIFFER', 'payment_method').slice(1, 3)).toEqual([
      'quoted: not this method',
      'actual: CARD_PAYMENT',
    ]);
    const asset = aMatchedQuote({ quote: { asset: { chain: 'ETH', symbol: 'USDC', decimals: 6 } } });
    expect(workedOut(aCase({ quote: asset }), 'QUOTE_TERMS_DIFFER', 'asset').slice(1, 3)).toEqual([
      'quoted: ETH_USDC',
      'actual: ETH_ETH',
    ]);
  });

  it('METHOD_UNSUPPORTED', () => {
    const methods = new Map([['CARD_PAYMENT', { name: 'CARD_PAYMENT', currencies: ['USD', 'GBP'], countries: [] }]]);
    const subject = aCase({ reference: { ...someReference(), methods } });
    expect(workedOut(subject, 'METHOD_UNSUPPORTED', 'fiat_currency')).toEqual([
      'method: CARD_PAYMENT',
      'currency: EUR',
      'its currencies then: USD, GBP',
      'outcome: not among them: a break',
    ]);
    const unlisted = aCase({ state: aPurchase({ paymentMethod: 'SOFORT' }), quote: null });
    expect(workedOut(unlisted, 'METHOD_UNSUPPORTED', 'payment_method').at(-1)).toBe('outcome: not among them: a break');
  });
});

describe('answers', () => {
  const lastVerified = { at: at('2026-11-01 04:15'), status: 'RELEASED' };

  it('RECORD_MISSING and ACCESS_DENIED', () => {
    const missing = aCase({
      observation: anUnreachable({ reason: 'RECORD_MISSING', httpStatus: 404, errorCode: 'NOT_FOUND' }),
      history: { lastVerified },
    });
    expect(workedOut(missing, 'RECORD_MISSING', 'http_status')).toEqual([
      'asked for: purchase sqs6a428mqjtzbv',
      'at: 2026-11-02T04:15:00.000Z',
      'expected: HTTP 200 with the record',
      'answered: HTTP 404, code NOT_FOUND',
      'last verified: 2026-11-01 04:15 UTC as RELEASED',
      'outcome: HTTP 404 is an answer about this record: a break',
    ]);
    const denied = aCase({ observation: anUnreachable({ reason: 'ACCESS_DENIED', httpStatus: 403, errorCode: null }) });
    expect(workedOut(denied, 'ACCESS_DENIED', 'http_status').slice(3, 5)).toEqual([
      'answered: HTTP 403',
      'last verified: never',
    ]);
  });

  it('RECORD_ID_MISMATCH', () => {
    const drift = [{ field: 'id', problem: 'value', found: 'other', expected: 'sqs6a428mqjtzbv', hint: null } as const];
    const subject = aCase({ observation: aQuarantined({ reason: 'RECORD_ID_MISMATCH', drift }) });
    expect(workedOut(subject, 'RECORD_ID_MISMATCH', 'id').slice(2)).toEqual([
      'the body is of: other',
      'last verified: never',
      'outcome: sqs6a428mqjtzbv ≠ other: a break',
    ]);
  });

  it('SCHEMA_DRIFT', () => {
    const drift = [
      { field: 'appliedFee', problem: 'type', found: 'a string', expected: 'a number', hint: null } as const,
    ];
    const subject = aCase({ observation: aQuarantined({ detail: 'appliedFee has another form', drift }) });
    expect(workedOut(subject, 'SCHEMA_DRIFT', 'applied_fee').slice(2, 4)).toEqual([
      'why it was set aside: appliedFee has another form',
      'appliedFee: a string; expected a number',
    ]);
  });

  it('TRACKING_CONFLICT', () => {
    const subject = aCase({ tracked: { conflict: 'came in with 2 different view tokens' } });
    expect(workedOut(subject, 'TRACKING_CONFLICT', 'tracking')).toEqual([
      'id: sqs6a428mqjtzbv',
      'what came in: came in with 2 different view tokens',
      'the one in use: the first; the others are kept beside it, sealed',
      'outcome: one id, more than one claim: a break',
    ]);
  });
});
