/** What is wrong with the payments of the host's revenue, as findings about a month of it or about one payment. Pure. */

import { showMoney } from '../domain/currency.ts';
import { Decimal, sumOf } from '../domain/decimal.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { differenceOf, monthsOf, settledBy } from '../domain/payout.ts';
import { showInstant } from '../domain/record.ts';
import { inPlacesOf } from '../domain/stake.ts';
import type { SettledMonth, SettledPayout, SubjectFindings } from '../ports/settled.ts';
import { counted } from '../text/counts.ts';
import { type JudgedRevenue, sumByBucket } from './judge-revenue.ts';

/** By rule code; null for a rule that is switched off. */
type SeverityOf = (rule: string) => Severity | null;

/** Months and payments, each with its findings; empty where all is well. Of ids that no payment has any more, the breaks are resolved. */
export function revenueSubjects(
  { months: legs, payouts, replaced }: JudgedRevenue,
  severityOf: SeverityOf,
): readonly SubjectFindings[] {
  const months = legs.map((leg): SubjectFindings => {
    const severity = leg.finding === null ? null : severityOf(leg.finding);
    const own = severity === null ? null : monthFinding(leg, severity, payouts);
    const ofLines = leg.breaking.length === 0 ? null : severityOf('PAYOUT_DIFFERS');
    return {
      recordId: `${leg.month}-${leg.currency}`,
      currency: leg.currency,
      findings: [own, ofLines === null ? null : lineFinding(leg, ofLines)].filter((each) => each !== null),
    };
  });
  const severity = severityOf('PAYOUT_UNEXPLAINED');
  const payments = payouts.map((payout): SubjectFindings => {
    const isUnexplained = payout.state === 'unexplained' && severity !== null;
    return {
      recordId: payout.payoutId,
      currency: payout.currency,
      evidenceSha256: payout.sha256,
      findings: isUnexplained ? [unexplained(payout, severity, legs)] : [],
    };
  });
  const gone = replaced.map((recordId) => ({ recordId, findings: [] }));
  return [...months, ...payments, ...gone].sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
}

function monthFinding(leg: SettledMonth, severity: Severity, payouts: readonly SettledPayout[]): Finding | null {
  const { month, currency, owed, paid, accrued, dueDate, clawback, materiality, finding, unknown } = leg;
  if (finding === null) return null;
  const difference = (paid ?? Decimal.ZERO).minus(owed);
  const carried = owed.minus(accrued ?? Decimal.ZERO).minus(clawback);
  const parts = [
    { part: inPlacesOf(carried, currency), what: 'carried forward' },
    { part: inPlacesOf(clawback, currency), what: 'clawbacks' },
  ].flatMap(({ part, what }) => (part.isZero ? [] : `${showMoney(part, currency)} of it ${what}`));
  const earned = `${showMoney(owed, currency)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
  const isOwn = (each: { month: string; currency: string }) => each.month === month && each.currency === currency;
  const own = payouts.filter(({ allocations }) => allocations.some(isOwn));
  const count = own.length;
  const explanation =
    finding === 'PAYOUT_MISSING'
      ? `The host's revenue of ${month} is ${earned}; nothing was paid for it, and it was due by ${dueDate}.`
      : `For ${month} ${showMoney(paid ?? Decimal.ZERO, currency)} ${count === 1 ? 'was' : 'were'} paid in ${counted(count, 'payment')}; ` +
        `the host's revenue is ${earned}: ${showMoney(difference.abs(), currency)} ${difference.isNegative ? 'less' : 'more'}.`;
  const isListed = finding === 'PAYOUT_DIFFERS' && !difference.abs().greaterThan(materiality);
  const why = isListed ? ` That is within the materiality of ${showMoney(materiality, currency)}.` : '';
  const silent = unknown === 0 ? '' : ` The share of ${counted(unknown, 'more released record')} is unknown.`;
  return {
    rule: finding,
    severity: isListed ? 'low' : severity,
    field: 'paid_total',
    ...between(leg, owed, paid),
    explanation: `${explanation}${why}${silent}${own.map(undecided).join('')}`,
  };
}

/** Lines of the partner that no reason explains, even where they add up to nothing. */
function lineFinding(leg: SettledMonth, severity: Severity): Finding {
  const { month, currency, breaking, materiality } = leg;
  const total = (side: 'ours' | 'theirs') => sumOf(breaking.flatMap((each) => each[side] ?? []));
  const gross = sumOf(breaking.map((each) => differenceOf(each).abs()));
  // Money is at stake once: of a month that was paid otherwise than its lines state, the payments say how much.
  const sides = between(leg, total('ours'), total('theirs'));
  const parts = sumByBucket(breaking).map(
    ({ bucket, count, difference }) => `${counted(count, 'line')} ${bucket} (${showMoney(difference, currency)})`,
  );
  const names = breaking.flatMap(({ recordId }) => recordId ?? []);
  const named = names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`;
  return {
    rule: 'PAYOUT_DIFFERS',
    severity: gross.greaterThan(materiality) ? severity : 'low',
    field: 'lines',
    ...sides,
    loss: leg.isOpenByLines ? sides.loss : null,
    explanation: `The partner's lines of ${month} differ from the records in ${parts.join(', ')}${named}.`,
  };
}

/** What is still owed is the host's loss; the Service's where it paid too much. */
function between({ currency, tolerance }: SettledMonth, expected: Decimal, actual: Decimal | null) {
  const difference = (actual ?? Decimal.ZERO).minus(expected);
  return {
    expected: expected.toString(),
    actual: actual?.toString() ?? null,
    difference,
    unit: 'money' as const,
    loss: difference.negated(),
    currency,
    tolerance,
  };
}

/** Of a payment for several currencies. */
function undecided({ amount, currency, choices }: SettledPayout): string {
  if (choices === undefined) return '';
  return ` The payment of ${showMoney(amount, currency)} could be for several currencies in ${choices} ways; which, its statement can say (\`settles\`).`;
}

/** Why it is unexplained, as the end of a sentence about the payment. */
export function whyUnexplained(payout: SettledPayout, legs: readonly SettledMonth[]): string {
  const { month } = payout;
  if (month === null) return 'names no month, and its amount is not what earlier months still have open';
  const { currency } = settledBy(payout);
  const own = legs.filter((leg) => leg.currency === currency && monthsOf(month).includes(leg.month));
  const unknown = own.reduce((sum, leg) => sum + leg.unknown, 0);
  if (unknown === 0) return `is for ${month}, in which no revenue of that currency was accrued`;
  return `is for ${month}, in which no share of that currency is known: ${counted(unknown, 'released record')} ${unknown === 1 ? 'states' : 'state'} none`;
}

function unexplained(payout: SettledPayout, severity: Severity, legs: readonly SettledMonth[]): Finding {
  const { paidAt, amount, currency, reference } = payout;
  const named = reference === null ? 'without a reference' : `with the reference ${reference}`;
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
    explanation: `The ${amount.isNegative ? 'reversal' : 'payment'} of ${showMoney(amount.abs(), currency)} on ${showInstant(paidAt).slice(0, 10)}, ${named}, ${whyUnexplained(payout, legs)}.${undecided(payout)}`,
  };
}
