/** Bodies as a deployment really sent them: rules that cry wolf here cry wolf in production. */
import { expect, test } from 'vitest';
import { feePercentOf } from '../../src/domain/fee-parts.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import { judgeCase } from '../../src/rules/judge-case.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { sample } from '../service/sample.ts';
import { aCase, aPurchase, aSnapshot, at, NO_REFERENCE, someTerms } from '../support/builders.ts';

/** As `test/service/normalise-purchase.test.ts` has them figure by figure. */
function recorded(name: string): RecordState {
  const reading = normalisePurchase(sample(name).purchase, 'Ramp');
  if (!reading.ok) throw new Error('drifted');
  return reading.value;
}

/** Bank transfer of 10 EUR, January 2023. */
const EUR_BANK = recorded('webhook-purchase-created-eur-bank');
/** Bank transfer of 4.34 GBP, April 2021: no rates in EUR. */
const GBP_BANK = recorded('webhook-purchase-created-2021-gbp-bank');

/** From documentation, cut off after the fee: made-up figures, no status, no times. */
const DOCUMENTATION = aPurchase({
  recordId: '322',
  status: null,
  createdAt: null,
  updatedAt: null,
  asset: { chain: 'ETH', symbol: 'ETH', decimals: 18, address: null },
  cryptoUnits: 30_000_000_000_000_000n,
  fiatCurrency: 'GBP',
  fiatValue: '0.05',
  exchangeRate: '1.29518206550279',
  exchangeRateEur: '1.51277630353432',
  fiatRateEur: null,
  baseFee: '0.09892653257425743',
  networkFee: '0.008420210000000001',
  appliedFee: '0.1073467425742574',
  paymentMethod: null,
  receiverAddress: null,
  finalTxHash: null,
});

function judgedAt(state: RecordState, asOf: number) {
  const snapshot = aSnapshot(state, state.updatedAt ?? asOf);
  const subject = aCase({
    state,
    quote: null,
    reference: NO_REFERENCE,
    history: {
      first: snapshot,
      peak: { status: 'INITIALIZED', at: snapshot.evidence.receivedAt },
      statusSince: snapshot.evidence.receivedAt,
    },
  });
  return judgeCase(subject, someTerms({ asOf }), createRuleSet());
}

test.each([
  ['10 EUR by bank', EUR_BANK, at('2023-01-06 00:00')],
  ['4.34 GBP by bank', GBP_BANK, at('2021-05-01 00:00')],
])('the purchase of %s is clean on its day but for the missing quote', (_, state, asOf) => {
  expect(judgedAt(state, asOf).findings.map(({ rule }) => rule)).toEqual(['QUOTE_MISSING']);
});

test('a week later it is stuck', () => {
  expect(judgedAt(GBP_BANK, at('2021-05-07 09:00')).findings).toMatchObject([
    {
      rule: 'STATUS_STUCK',
      explanation: 'In INITIALIZED since 2021-04-30 09:00 UTC (6 days 23 hours); allowed 5 days.',
    },
    { rule: 'QUOTE_MISSING' },
  ]);
});

test('the recorded figures foot to far below a cent, with the network fee inside the applied one', () => {
  const { fees } = judgedAt(EUR_BANK, at('2023-01-06 00:00')).figures;
  // 0.008023728890597727 × 1180.9032500905719, with every digit.
  expect(fees?.actual.cv?.toString()).toBe('9.4752475247524746276190782700713');
  expect(fees?.actual.adjustment?.toPlaces(14)).toBe('0.00000000000000');
  expect(fees && feePercentOf(fees.actual)?.toString()).toBe('1');
});

test('a made-up body gives findings, never a crash', () => {
  const { findings } = judgedAt(DOCUMENTATION, at('2026-11-21 00:00'));
  expect(findings.map(({ rule }) => rule)).toEqual(['STATUS_UNKNOWN', 'QUOTE_MISSING', 'TOTAL_NOT_FOOTING']);
  expect(findings.at(-1)?.explanation).toBe(
    'The total is 0.05 GBP, but 0.03 ETH_ETH at 1.29518 GBP plus a fee of 0.11 GBP comes to 0.15 GBP: 0.10 GBP less.',
  );
});
