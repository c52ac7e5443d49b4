/**
 * The partner's payments of the host's share: purchases of three past months, and the statement about them. Months of
 * the population itself are not due yet, so no payment is expected for them.
 */
import { catalogueAsset } from './assets-catalogue.ts';
import type { PayoutDue, SandboxInstant } from './contract.ts';
import type { Conditions, Defect } from './defects/defect.ts';
import type { Allocation } from './defects/index.ts';
import type { Payment } from './local-chains.ts';
import { planRecord } from './record-plan.ts';
import { recordFigures } from './record-quote.ts';
import type { PayoutFate, World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CURRENCY = 'EUR';
/** The oldest record of a population of any length is younger than its days and these. */
const SPARE_DAYS = 15;
const LEAST_DAYS = 45;

/** One purchase each; the first month has two. */
const MONTHS: readonly PayoutFate[] = ['paid', 'paid', 'short', 'missing'];
const ON_CHAIN: readonly PayoutFate[] = ['on-chain', 'short-on-chain'];
/** Months before that of the earliest record. */
const MONTHS_BEFORE: Readonly<Record<PayoutFate, number>> = {
  paid: 2,
  short: 3,
  missing: 4,
  'on-chain': 5,
  'short-on-chain': 6,
};

const ASSET = catalogueAsset('ETH_USDC');
const TREASURY = '0x00000000000000000000000000000000000000ee';
/** 1.25 of the asset, which has six places, for one euro, which has two. */
const RATE = '1.25';
const UNITS_FOR_A_CENT = 12_500n;

/** Days after a month within which it is paid: no month of the population is overdue. */
const paidWithin = (days: number) => Math.max(LEAST_DAYS, Math.ceil(days) + SPARE_DAYS);

/** Noon of the 15th. */
function middleOf(fate: PayoutFate, { now, days }: Pick<World, 'now' | 'days'>): SandboxInstant {
  const earliest = new Date(now - paidWithin(days) * DAY);
  return Date.UTC(earliest.getUTCFullYear(), earliest.getUTCMonth() - MONTHS_BEFORE[fate], 15, 12);
}

/**
 * The allocation with the last clean records made old; they have no defect of their own, and are not in the answer key.
 * The same allocation where too few are clean, or where none is to be defective.
 */
export function withOldPurchases(
  allocation: Allocation,
  of: Pick<World, 'now' | 'days' | 'records' | 'chains'>,
): Pick<World, 'allocation' | 'paidByStatement'> {
  const months = of.chains ? [...MONTHS, ...ON_CHAIN] : MONTHS;
  const fates = new Map<number, PayoutFate>();
  for (let index = of.records - 1; index >= 0 && fates.size < months.length; index--) {
    const fate = months[fates.size];
    if (fate !== undefined && allocation.defectOf(index) === null) fates.set(index, fate);
  }
  const isClean = allocation.indices()[Symbol.iterator]().next().done === true;
  if (fates.size < months.length || isClean) return { allocation, paidByStatement: new Map() };
  const olds = new Map([...fates].map(([index, fate]) => [index, oldPurchase((of.now - middleOf(fate, of)) / HOUR)]));
  return {
    allocation: { ...allocation, defectOf: (i: number) => olds.get(i) ?? allocation.defectOf(i) },
    paidByStatement: fates,
  };
}

/** A coin with a share for the host, on a chain that no sandbox delivers on. */
function oldPurchase(age: number): Defect {
  const wants: Conditions = {
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

function earnedIn(world: World): Readonly<Record<PayoutFate, number>> {
  const earned = { paid: 0, short: 0, missing: 0, 'on-chain': 0, 'short-on-chain': 0 };
  for (const [index, fate] of world.paidByStatement)
    earned[fate] += recordFigures(planRecord(world, index), world).hostFeeCut ?? 0;
  return earned;
}

/** To the host's own address: one month in full, of another a tenth less than the statement says. By time. */
export function treasuryPayments(world: World): readonly (Payment & { fate: PayoutFate })[] {
  if (!world.chains || world.paidByStatement.size === 0) return [];
  const earned = earnedIn(world);
  return ON_CHAIN.map((fate, i) => {
    const cents = BigInt(Math.round(earned[fate] * 100));
    return {
      fate,
      index: -1 - i,
      chain: ASSET.chain,
      at: middleOf(fate, world) + 25 * DAY,
      to: TREASURY,
      contract: ASSET.address,
      units: (fate === 'on-chain' ? cents : cents - cents / 10n) * UNITS_FOR_A_CENT,
      fault: null,
    };
  }).sort((a, b) => a.at - b.at);
}

/** Null where no purchase was made old. The arithmetic is the sandbox's own, in doubles. */
export function statementOf(world: World) {
  if (world.paidByStatement.size === 0) return null;
  const earned = earnedIn(world);
  const month = (fate: PayoutFate) => paidOn(fate, 0).slice(0, 7);
  const paidOn = (fate: PayoutFate, days: number) =>
    new Date(middleOf(fate, world) + days * DAY).toISOString().slice(0, 10);
  const onChain = treasuryPayments(world);
  const lessOnChain = onChain.find(({ fate }) => fate === 'short-on-chain');
  const cents = (amount: number) => amount.toFixed(2);
  // In two parts, of the second of which the partner keeps a fee: together they are the month, rounded to cents.
  const whole = Math.round(earned.paid * 100);
  const part = Math.floor(whole * 0.6);
  const fee = Math.floor((whole - part) * 0.1);
  const short = cents(earned.short * 0.8);
  const rows = [
    [paidOn('short', 25), short, `REV ${month('short')}`, ''],
    [paidOn('paid', 25), cents(part / 100), `REV ${month('paid')}`, ''],
    [paidOn('paid', 27), cents((whole - part - fee) / 100), `Rest of ${month('paid')}`, cents(fee / 100)],
    [paidOn('paid', 29), '12.34', BONUS, ''],
  ].map((row) => [...row, CURRENCY, '', '']);
  // The statement names the transaction, and says that it paid all.
  if (lessOnChain !== undefined) {
    const { at, fate, index } = lessOnChain;
    const stated = (Math.round(earned[fate] * 100) * Number(UNITS_FOR_A_CENT)) / 1e6;
    const paidAt = new Date(at).toISOString().slice(0, 10);
    const tx = world.transactions.get(index) ?? '';
    rows.push([paidAt, String(stated), `REV ${month(fate)}`, '', ASSET.symbol, ASSET.chain, tx]);
  }
  const monthly = (fate: PayoutFate) => `${month(fate)}-${CURRENCY}`;
  const due = (defect: string, code: string, id: string, figures: PayoutDue['figures'] = []) =>
    ({ kind: 'payout', night: 1, id, defect, codes: [code], figures }) satisfies PayoutDue;
  const differs = (defect: string, fate: PayoutFate, actual: number) =>
    due(defect, 'PAYOUT_DIFFERS', monthly(fate), [
      { code: 'PAYOUT_DIFFERS', expected: earned[fate], actual, unit: 'money', loss: null },
    ]);
  return {
    /** As `tieout payouts import` reads it. */
    csv: ['date,amount,reference,withheld,currency,chain,tx_hash', ...rows.map((row) => row.join(',')), ''].join('\n'),
    payments: rows.length,
    /** Days after the end of a month within which the partner pays. */
    paidWithinDays: paidWithin(world.days),
    /** Where the host is paid on a local chain; null without chains. */
    treasury: treasuryOf(onChain),
    answers: [
      differs('payout-of-a-month-short', 'short', Number(short)),
      due('month-not-paid', 'PAYOUT_MISSING', monthly('missing')),
      ...onChain
        .filter((each) => each === lessOnChain)
        .map(({ fate, units }) => differs('less-on-chain-than-stated', fate, Number(units / UNITS_FOR_A_CENT) / 100)),
      due('payout-of-no-month', 'PAYOUT_UNEXPLAINED', BONUS),
    ],
  };
}

function treasuryOf([first]: readonly Payment[]) {
  if (first === undefined) return null;
  const { chain, symbol, decimals, address: contract } = ASSET;
  return {
    ...{ chain, address: TREASURY, symbol, contract: contract ?? '', decimals, pays: CURRENCY },
    /** Units of the asset for one of that currency. */
    rate: RATE,
    /** Nothing was paid there before. */
    since: first.at,
  };
}

const BONUS = 'BONUS';
