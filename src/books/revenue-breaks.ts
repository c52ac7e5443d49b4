/** What is wrong with the payments of the host's revenue, as findings about a month of it or about one payment. Pure. */

import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { differenceOf } from '../domain/payout.ts';
import { showInstant } from '../domain/record.ts';
import type { SettledMonth, SettledPayout } from '../ports/settled.ts';
import { counted } from '../text/counts.ts';
import { type JudgedRevenue, sumByBucket } from './judge-revenue.ts';

interface RevenueSubject {
  /** `2026-10-EUR`, or the payment's id. */
  recordId: string;
  currency: string | null;
  evidenceSha256: string | null;
  findings: readonly Finding[];
}

/** By rule code; null for a rule that is switched off. */
type SeverityOf = (rule: string) => Severity | null;

/** Months and payments, each with its findings; empty where all is well. Of ids that no payment has any more, the breaks are resolved. */
export function revenueSubjects(
  { months: legs, payouts, replaced }: JudgedRevenue,
  severityOf: SeverityOf,
): readonly RevenueSubject[] {
  const months = legs.map((leg): RevenueSubject => {
    const severity = leg.finding === null ? null : severityOf(leg.finding);
    const own = severity === null ? null : monthFinding(leg, severity, payouts);
    const ofLines = leg.breaking.length === 0 ? null : severityOf('PAYOUT_DIFFERS');
    return {
      recordId: `${leg.month}-${leg.currency}`,
      currency: leg.currency,
      evidenceSha256: null,
      findings: [own, ofLines === null ? null : lineFinding(leg, ofLines)].filter((each) => each !== null),
    };
  });
  const severity = severityOf('PAYOUT_UNEXPLAINED');
  const payments = payouts.map((payout): RevenueSubject => {
    const isUnexplained = payout.state === 'unexplained' && severity !== null;
    return {
      recordId: payout.payoutId,
      currency: payout.currency,
      evidenceSha256: payout.sha256,
      findings: isUnexplained ? [unexplained(payout, severity)] : [],
    };
  });
  const gone = replaced.map((recordId) => ({ recordId, currency: null, evidenceSha256: null, findings: [] }));
  return [...months, ...payments, ...gone].sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
}

function monthFinding(leg: SettledMonth, severity: Severity, payouts: readonly SettledPayout[]): Finding | null {
  const { month, currency, owed, paid, accrued, dueDate, tolerance, finding } = leg;
  if (finding === null) return null;
  const actual = paid ?? Decimal.ZERO;
  const difference = actual.minus(owed);
  const carried = owed.minus(accrued ?? Decimal.ZERO);
  const earned = `${showMoney(owed, currency)}${carried.isZero ? '' : ` (${showMoney(carried, currency)} of it carried forward)`}`;
  const count = payouts.filter(
    ({ allocations, matched }) => matched?.currency === currency && allocations.some((each) => each.month === month),
  ).length;
  const explanation =
    finding === 'PAYOUT_MISSING'
      ? `The host's revenue of ${month} is ${earned}; nothing was paid for it, and it was due by ${dueDate}.`
      : `For ${month} ${showMoney(actual, currency)} ${count === 1 ? 'was' : 'were'} paid in ${counted(count, 'payment')}; ` +
        `the host's revenue is ${earned}: ${showMoney(difference.abs(), currency)} ${difference.isNegative ? 'less' : 'more'}.`;
  const isListed = finding === 'PAYOUT_DIFFERS' && !difference.abs().greaterThan(leg.materiality);
  return {
    rule: finding,
    severity: isListed ? 'low' : severity,
    field: 'paid_total',
    expected: owed.toString(),
    actual: paid?.toString() ?? null,
    difference,
    unit: 'money',
    // What is still owed; the Service's loss where it paid too much.
    loss: difference.negated(),
    currency,
    tolerance,
    explanation: isListed
      ? `${explanation} That is within the materiality of ${showMoney(leg.materiality, currency)}.`
      : explanation,
  };
}

/** Lines of the partner that no reason explains, even where they add up to nothing. */
function lineFinding({ month, currency, breaking, materiality, tolerance }: SettledMonth, severity: Severity): Finding {
  const total = (side: 'ours' | 'theirs') =>
    breaking.reduce((sum, each) => sum.plus(each[side] ?? Decimal.ZERO), Decimal.ZERO);
  const [expected, actual] = [total('ours'), total('theirs')];
  const gross = breaking.reduce((sum, each) => sum.plus(differenceOf(each).abs()), Decimal.ZERO);
  const difference = actual.minus(expected);
  const parts = [...sumByBucket(breaking)].map(
    ([bucket, { count, difference: by }]) => `${counted(count, 'line')} ${bucket} (${showMoney(by, currency)})`,
  );
  const names = breaking.flatMap(({ recordId }) => recordId ?? []);
  const named = names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`;
  return {
    rule: 'PAYOUT_DIFFERS',
    severity: gross.greaterThan(materiality) ? severity : 'low',
    field: 'lines',
    expected: expected.toString(),
    actual: actual.toString(),
    difference,
    unit: 'money',
    loss: difference.negated(),
    currency,
    tolerance,
    explanation: `The partner's lines of ${month} differ from the records in ${parts.join(', ')}${named}.`,
  };
}

function unexplained({ paidAt, amount, currency, reference, month }: SettledPayout, severity: Severity): Finding {
  const named = reference === null ? 'without a reference' : `with the reference ${reference}`;
  const why =
    month === null
      ? 'names no month, and is not exactly what months before it have open'
      : `is for ${month}, in which no revenue of that currency was accrued`;
  return {
    rule: 'PAYOUT_UNEXPLAINED',
    severity,
    field: 'amount',
    expected: null,
    actual: amount.toString(),
    difference: amount,
    unit: 'money',
    loss: null,
    currency,
    tolerance: null,
    explanation: `The ${amount.isNegative ? 'reversal' : 'payment'} of ${showMoney(amount.abs(), currency)} on ${showInstant(paidAt).slice(0, 10)}, ${named}, ${why}.`,
  };
}
