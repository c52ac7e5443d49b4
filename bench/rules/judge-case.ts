/**
 * How long judging one clean case takes, all rules and the fee arithmetic included. Figures have the 17 digits of real
 * bodies, and every case is its own object, as in a replay. The peer is `JSON.parse` of such a body: judging should cost
 * no more than a few readings of it. Times are CPU times, so that a busy machine does not count.
 * Run: `node bench/rules/judge-case.ts [cases]`.
 */
import type { Case } from '../../src/domain/case.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { judgeCase } from '../../src/rules/judge-case.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { aCase, aMatchedQuote, aPurchase, aSnapshot, at, someTerms } from '../../test/support/builders.ts';

const ROUNDS = 7;
const CASES = Number.parseInt(process.argv[2] ?? '50000', 10);

/** A released purchase with history and a linked quote, each figure a binary fraction as the wire has them. */
function cleanCase(i: number): Case {
  const units = 40_000_000_000_000_000n + BigInt(i) * 7_919_000_003n;
  const rate = Decimal.parse('2483.9032500905719');
  const cv = Decimal.of(units, 18).times(rate);
  const base = cv.times(Decimal.parse('0.039')).rounded(17);
  const applied = base.plus(Decimal.parse('0.86439999999999999'));
  const figures = {
    cryptoUnits: units,
    exchangeRate: rate.toString(),
    exchangeRateEur: rate.toString(),
    baseFee: base.toString(),
    networkFee: '0.86439999999999999',
    appliedFee: applied.toString(),
    fiatValue: cv.plus(applied).rounded(15).toString(),
  };
  const { exchangeRateEur: _, ...quoted } = figures;
  // Parsed anew each time: equal amounts are never the same object in real life.
  const tonight = aPurchase({ recordId: `r${i}`, ...figures });
  const before = aSnapshot(aPurchase({ recordId: `r${i}`, ...figures }), at('2026-11-01 10:05'));
  return aCase({
    state: tonight,
    quote: aMatchedQuote({ method: quoted }),
    history: {
      first: before,
      firstTerminal: before,
      peak: { status: 'RELEASED', at: at('2026-11-01 10:20') },
      statusSince: at('2026-11-01 10:20'),
      lastVerified: { at: at('2026-11-01 10:20'), status: 'RELEASED' },
    },
  });
}

/** A body of the length that the Service sends; the peer reads it with binary floating point, which we must not. */
const BODY = JSON.stringify({
  id: 'sqs6a428mqjtzbv',
  endTime: '2023-01-08T12:26:39.764Z',
  asset: { address: null, symbol: 'GOERLI_ETH', name: 'ETH on Goerli', decimals: 18, type: 'GOERLI', chain: 'GOERLI' },
  cryptoAmount: '8023728890597727',
  fiatCurrency: 'EUR',
  fiatValue: 10,
  assetExchangeRate: 1180.9032500905719,
  assetExchangeRateEur: 1180.9032500905719,
  fiatExchangeRateEur: 1,
  baseServiceFee: 0.09475247524752475,
  networkFee: 0.43,
  appliedFee: 0.5247524752475248,
  createdAt: '2023-01-05T12:26:39.806Z',
  updatedAt: '2023-01-05T12:26:40.470Z',
  receiverAddress: '0x14701438d1e2A4BE2578158D26F027ea4e99dA6c',
  status: 'INITIALIZED',
  paymentMethodType: 'MANUAL_BANK_TRANSFER',
});

/** Median CPU microseconds per turn over the rounds. */
function measure(turn: (i: number) => void): number {
  const perTurn: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < CASES; i++) turn(i);
    const { user, system } = process.cpuUsage(before);
    perTurn.push((user + system) / CASES);
  }
  perTurn.sort((a, b) => a - b);
  return perTurn[ROUNDS >> 1] ?? Number.NaN;
}

const cases = Array.from({ length: CASES }, (_, i) => cleanCase(i));
const terms = someTerms();
const ruleSet = createRuleSet();
let findings = 0;
let parsed = 0;
const judging = measure((i) => {
  const subject = cases[i];
  if (subject !== undefined) findings += judgeCase(subject, terms, ruleSet).findings.length;
});
const parsing = measure(() => {
  parsed += (JSON.parse(BODY) as { fiatValue: number }).fiatValue;
});
if (findings > 0) throw new Error(`the cases of this benchmark must be clean, but ${findings} findings were made`);
if (parsed === 0) throw new Error('the peer has read nothing');
console.log(
  `judgeCase: ${judging.toFixed(2)} µs per clean case, ${(judging / parsing).toFixed(2)} × JSON.parse of a body ` +
    `(${parsing.toFixed(2)} µs); median of ${ROUNDS} rounds, ${CASES} cases, ${ruleSet.rules.length} rules`,
);
