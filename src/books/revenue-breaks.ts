/** What is wrong with the payments of the host's revenue, as findings about a month of it or about one payment. Pure. */

import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { showInstant } from '../domain/record.ts';
import { counted } from '../text/counts.ts';
import type { MatchedPayout, MatchedRevenue, RevenueLegs } from './match-payouts.ts';

interface RevenueSubject {
  /** `2026-10-EUR`, or the payment's id. */
  recordId: string;
  currency: string | null;
  evidenceSha256: string | null;
  findings: readonly Finding[];
}

/** By rule code; null for a rule that is switched off. */
type SeverityOf = (rule: string) => Severity | null;

/**
 * Months and payments, each with its findings; empty where all is well.
 * @param replaced payments whose id no payment has any more: their breaks are resolved
 */
export function revenueSubjects(
  { legs, payouts }: MatchedRevenue,
  replaced: readonly string[],
  severityOf: SeverityOf,
): readonly RevenueSubject[] {
  const months = legs.map((leg): RevenueSubject => {
    const severity = leg.finding === null ? null : severityOf(leg.finding);
    const finding = severity === null ? null : monthFinding(leg, severity, payouts);
    return {
      recordId: `${leg.month}-${leg.currency}`,
      currency: leg.currency,
      evidenceSha256: null,
      findings: finding === null ? [] : [finding],
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

function monthFinding(leg: RevenueLegs, severity: Severity, payouts: readonly MatchedPayout[]): Finding | null {
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
  return {
    rule: finding,
    severity,
    field: 'paid_total',
    expected: owed.toString(),
    actual: paid?.toString() ?? null,
    difference,
    unit: 'money',
    // What is still owed; the Service's loss where it paid too much.
    loss: difference.negated(),
    currency,
    tolerance,
    explanation,
  };
}

function unexplained({ paidAt, amount, currency, reference, month }: MatchedPayout, severity: Severity): Finding {
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
