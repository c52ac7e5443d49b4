/**
 * How long judging one clean case takes, all rules and the fee arithmetic included. Figures have the 17 digits of real
 * bodies, and every case is its own object, as in a replay. Run: `node bench/rules/judge-case.ts [cases]`.
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

const cases = Array.from({ length: CASES }, (_, i) => cleanCase(i));
const terms = someTerms();
const ruleSet = createRuleSet();
const perCase: number[] = [];
let findings = 0;
for (let round = 0; round < ROUNDS; round++) {
  const started = process.hrtime.bigint();
  for (const subject of cases) findings += judgeCase(subject, terms, ruleSet).findings.length;
  perCase.push(Number(process.hrtime.bigint() - started) / 1000 / CASES);
}
perCase.sort((a, b) => a - b);
if (findings > 0) {
  console.error(judgeCase(cases[0] ?? aCase(), terms, ruleSet).findings.map((finding) => finding.explanation));
  throw new Error(`the cases of this benchmark must be clean, but ${findings} findings were made`);
}
const show = (us: number | undefined) => (us ?? Number.NaN).toFixed(2);
console.log(
  `judgeCase: median ${show(perCase[ROUNDS >> 1])} µs per clean case, best ${show(perCase[0])}, worst ${show(perCase.at(-1))} ` +
    `(${CASES} cases, ${ruleSet.rules.length} rules, ${ROUNDS} rounds)`,
);
