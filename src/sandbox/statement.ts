/**
 * What the partner pays of the host's share: purchases of three months that are long over, and the statement about them. Months of the
 * population itself are not due yet, so that nothing is expected for them.
 */
import type { SandboxInstant, Statement } from './contract.ts';
import type { Defect, Wants } from './defects/defect.ts';
import type { Allocation } from './defects/index.ts';
import { planRecord } from './record-plan.ts';
import { recordFigures } from './record-quote.ts';
import type { World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CURRENCY = 'EUR';
/** The oldest record of a population of any length is younger than its days and these. */
const SPARE_DAYS = 15;
const LEAST_DAYS = 45;

/** One purchase each; the first month has two. */
const MONTHS = ['paid', 'paid', 'short', 'missing'] as const;
type Fate = (typeof MONTHS)[number];
/** Months before that of the earliest record. */
const MONTHS_BEFORE: Readonly<Record<Fate, number>> = { paid: 2, short: 3, missing: 4 };

/** Days after a month within which it is paid: no month of the population is overdue. */
const paidWithin = (days: number) => Math.max(LEAST_DAYS, Math.ceil(days) + SPARE_DAYS);

/** Noon of the 15th. */
function middleOf(fate: Fate, { now, days }: Pick<World, 'now' | 'days'>): SandboxInstant {
  const earliest = new Date(now - paidWithin(days) * DAY);
  return Date.UTC(earliest.getUTCFullYear(), earliest.getUTCMonth() - MONTHS_BEFORE[fate], 15, 12);
}

const monthOf = (at: SandboxInstant) => new Date(at).toISOString().slice(0, 7);

/**
 * The allocation with the last clean records made old; they have no defect of their own, and are not in the answer key.
 * The same allocation where too few are clean, or where none is to be defective.
 */
export function withOldPurchases(
  allocation: Allocation,
  of: Pick<World, 'now' | 'days' | 'records'>,
): Pick<World, 'allocation' | 'paidByStatement'> {
  const fates = new Map<number, Fate>();
  for (let index = of.records - 1; index >= 0 && fates.size < MONTHS.length; index--) {
    const fate = MONTHS[fates.size];
    if (fate !== undefined && allocation.defectOf(index) === null) fates.set(index, fate);
  }
  const isClean = allocation.indices()[Symbol.iterator]().next().done === true;
  if (fates.size < MONTHS.length || isClean) return { allocation, paidByStatement: new Map() };
  const olds = new Map([...fates].map(([index, fate]) => [index, oldPurchase((of.now - middleOf(fate, of)) / HOUR)]));
  return {
    allocation: { ...allocation, defectOf: (i: number) => olds.get(i) ?? allocation.defectOf(i) },
    paidByStatement: fates,
  };
}

/** A coin with a share for the host, on a chain that no sandbox delivers on. */
function oldPurchase(age: number): Defect {
  const wants: Wants = {
    kind: 'purchase',
    linking: 'linked',
    // A v1 quote of the specification promises no share.
    api: 'v3',
    currencies: [CURRENCY],
    assets: ['TRON_TRX'],
    fiatEur: [400, 900],
    ageHours: [age, age],
    statuses: ['RELEASED', 'RELEASED'],
    complete: true,
  };
  return { name: 'paid-by-statement', says: 'Its share is on the statement.', codes: [], night: 1, wants };
}

/** Null where no purchase was made old. The arithmetic is the sandbox's own, in doubles. */
export function statementOf(world: World): Statement | null {
  if (world.paidByStatement.size === 0) return null;
  const earned = { paid: 0, short: 0, missing: 0 };
  for (const [index, fate] of world.paidByStatement)
    earned[fate] += recordFigures(planRecord(world, index), world).hostFeeCut ?? 0;
  const month = (fate: Fate) => monthOf(middleOf(fate, world));
  const paidOn = (fate: Fate, days: number) => new Date(middleOf(fate, world) + days * DAY).toISOString().slice(0, 10);
  const cents = (amount: number) => amount.toFixed(2);
  // In two parts, of the second of which the partner keeps a fee: together they are the month, rounded to cents.
  const whole = Math.round(earned.paid * 100);
  const first = Math.floor(whole * 0.6);
  const fee = Math.floor((whole - first) * 0.1);
  const short = cents(earned.short * 0.8);
  const rows = [
    [paidOn('short', 25), short, `REV ${month('short')}`, ''],
    [paidOn('paid', 25), cents(first / 100), `REV ${month('paid')}`, ''],
    [paidOn('paid', 27), cents((whole - first - fee) / 100), `Rest of ${month('paid')}`, cents(fee / 100)],
    [paidOn('paid', 29), '12.34', BONUS, ''],
  ];
  const due = { kind: 'payout', night: 1 } as const;
  return {
    csv: ['date,amount,reference,withheld,currency', ...rows.map((row) => [...row, CURRENCY].join(',')), ''].join('\n'),
    payments: rows.length,
    paidWithinDays: paidWithin(world.days),
    answers: [
      {
        ...due,
        id: `${month('short')}-${CURRENCY}`,
        defect: 'payout-of-a-month-short',
        codes: ['PAYOUT_DIFFERS'],
        figures: [{ code: 'PAYOUT_DIFFERS', expected: earned.short, actual: Number(short), unit: 'money', loss: null }],
      },
      {
        ...due,
        id: `${month('missing')}-${CURRENCY}`,
        defect: 'month-not-paid',
        codes: ['PAYOUT_MISSING'],
        figures: [],
      },
      { ...due, id: BONUS, defect: 'payout-of-no-month', codes: ['PAYOUT_UNEXPLAINED'], figures: [] },
    ],
  };
}

const BONUS = 'BONUS';
