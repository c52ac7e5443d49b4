/** A refund that the records know and the partner takes back: once, however it is stated. */
import { expect, it } from 'vitest';
import { judgeRevenue } from '../../src/books/judge-revenue.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn, type RunRevenue } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

const amounts = (all: Readonly<Record<string, string>>) =>
  new Map(Object.entries(all).map(([month, amount]) => [`${month} EUR`, Decimal.parse(amount)]));

/** January to March earn 100 each, less what records say was taken back; by month: paid, clawback, finding. */
function months(
  rows: readonly string[],
  takenBack: Readonly<Record<string, string>> = { '2026-01': '15' },
  more: Readonly<Record<string, string>> = {},
  today = '2026-09-01',
  terms: Partial<RunRevenue> = {},
) {
  const accrued = amounts({ '2026-01': '100', '2026-02': '100', '2026-03': '100', ...more });
  const refunds = amounts(takenBack);
  for (const [key, refund] of refunds) accrued.set(key, (accrued.get(key) ?? Decimal.ZERO).minus(refund));
  const text = `date,amount,currency,period\n${rows.map((row) => `${row.startsWith('20') ? '' : '2026-04-20,'}${row}\n`).join('')}`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const known = { ...someRevenue({ accrued, takenBack: refunds, ...terms }), tolerances: someTolerances() };
  const judged = judgeRevenue(added, { ...known, today });
  expect(String(judged.months.at(-1)?.closing)).toBe(
    String(
      judged.months.reduce((sum, { sheet: { earned, paid, clawback } }) => {
        return sum
          .plus(earned ?? Decimal.ZERO)
          .minus(paid ?? Decimal.ZERO)
          .plus(clawback);
      }, Decimal.ZERO),
    ),
  );
  // A payment differs where a month does.
  expect(judged.payouts.some(({ state }) => state === 'differs')).toBe(
    judged.months.some(({ finding, paid }) => finding === 'PAYOUT_DIFFERS' && paid !== null),
  );
  return judged.months.map(({ paid, clawback, finding }) => `${paid} ${clawback} ${finding}`);
}

const [MARCH, FEBRUARY] = ['100,EUR,2026-03', '100,EUR,2026-02'];

it('is a difference where it was netted silently, and is stated as a clawback of a later month besides', () => {
  expect(months(['85,EUR,2026-01', FEBRUARY, '-15,EUR,2026-02', MARCH])).toEqual([
    '85 15 PAYOUT_DIFFERS',
    '85 -15 null',
    '100 0 null',
  ]);
  // In its own month.
  expect(months(['85,EUR,2026-01', '-15,EUR,2026-01', FEBRUARY, MARCH])[0]).toBe('70 0 PAYOUT_DIFFERS');
  // In two parts, of two months in a row.
  const inParts = ['85,EUR,2026-01', FEBRUARY, '-10,EUR,2026-02', MARCH, '-5,EUR,2026-03'];
  expect(months(inParts)).toEqual(['85 15 PAYOUT_DIFFERS', '90 -10 null', '95 -5 null']);
  // By a line that names the month which earned the share.
  const named = ['100,EUR,2026-01', '85,EUR,2026-02', MARCH, '-15,EUR,2026-01'];
  expect(months(named, { '2026-02': '15' })).toEqual(['85 -15 null', '85 15 PAYOUT_DIFFERS', '100 0 null']);
  // Of several refunds in one month, stated one by one.
  const two = ['60,EUR,2026-01', FEBRUARY, '-15,EUR,2026-02', '-25,EUR,2026-02', MARCH];
  expect(months(two, { '2026-01': '40' })[0]).toBe('60 40 PAYOUT_DIFFERS');
});

it('is none where it is stated once, in whatever month', () => {
  expect(months(['100,EUR,2026-01', FEBRUARY, '-15,EUR,2026-02', MARCH])).toEqual([
    '100 15 null',
    '85 -15 null',
    '100 0 null',
  ]);
  expect(months(['85,EUR,2026-01', FEBRUARY, MARCH])).toEqual(['85 0 null', '100 0 null', '100 0 null']);
  const inParts = ['100,EUR,2026-01', FEBRUARY, '-10,EUR,2026-02', MARCH, '-5,EUR,2026-03'];
  expect(months(inParts)).toEqual(['100 15 null', '90 -10 null', '95 -5 null']);
  // One part left out of its own month's payment, the other stated.
  expect(months(['90,EUR,2026-01', FEBRUARY, '-5,EUR,2026-02', MARCH])[0]).toBe('90 5 null');
  // Of two refunds of one amount the clawback is that which was left out of its month's payment.
  const twice = { '2026-01': '15', '2026-02': '15' };
  expect(months(['85,EUR,2026-01', FEBRUARY, MARCH, '-15,EUR,2026-03'], twice)).toEqual([
    '85 0 null',
    '100 15 null',
    '85 -15 null',
  ]);
  expect(months(['100,EUR,2026-01', '85,EUR,2026-02', MARCH, '-15,EUR,2026-03'], twice)).toEqual([
    '100 15 null',
    '85 0 null',
    '85 -15 null',
  ]);
});

it('is none where several refunds come off the payments of the months after each, in part', () => {
  const rows = [
    '100,EUR,2026-01',
    '90,EUR,2026-02',
    '89,EUR,2026-03',
    '88,EUR,2026-04',
    '93,EUR,2026-05',
    '92,EUR,2026-06',
  ];
  const refunds = { '2026-01': '15', '2026-02': '16', '2026-03': '17' };
  const more = { '2026-04': '100', '2026-05': '100', '2026-06': '100' };
  expect(months(rows, refunds, more).map((each) => each.split(' ')[2])).toEqual(Array(6).fill('null'));
  // A cent less than all of it.
  const short = [...rows.slice(0, -1), '91.9,EUR,2026-06'];
  expect(months(short, refunds, more).map((each) => each.split(' ')[2])).toContain('PAYOUT_DIFFERS');
});

it('is none where one has come off the month after, whose own may still come off the next payment', () => {
  const both = { '2026-01': '15', '2026-02': '20' };
  const until = (today: string, february = '85') =>
    months(['100,EUR,2026-01', `${february},EUR,2026-02`], both, {}, today).slice(0, 2);
  expect(until('2026-04-05')).toEqual(['100 0 null', '85 0 null']);
  // March's payment has had its time.
  expect(until('2026-05-05')).toEqual(['100 0 PAYOUT_DIFFERS', '85 0 PAYOUT_DIFFERS']);
  expect(until('2026-04-05', '84')).toEqual(['100 0 PAYOUT_DIFFERS', '84 0 PAYOUT_DIFFERS']);
});

it('is no excess of its month where it came off a later payment that is short besides: what lacks beyond it is missing', () => {
  expect(months(['100,EUR,2026-01', '75,EUR,2026-02', MARCH])).toEqual([
    '85 0 null',
    '90 0 PAYOUT_DIFFERS',
    '100 0 null',
  ]);
  // It came off in part.
  expect(months(['100,EUR,2026-01', '92,EUR,2026-02', MARCH])).toEqual([
    '92 0 PAYOUT_DIFFERS',
    '100 0 null',
    '100 0 null',
  ]);
  // Two refunds off one payment, and one off two.
  const two = { '2026-01': '15', '2026-02': '20' };
  expect(months(['100,EUR,2026-01', '100,EUR,2026-02', '55,EUR,2026-03'], two)).toEqual([
    '85 0 null',
    '80 0 null',
    '90 0 PAYOUT_DIFFERS',
  ]);
  expect(months(['100,EUR,2026-01', '90,EUR,2026-02', '85,EUR,2026-03'])).toEqual([
    '85 0 null',
    '100 0 null',
    '90 0 PAYOUT_DIFFERS',
  ]);
  // Where a clawback states it, the payment leaves it out once more; and what no record tells of is no refund.
  expect(
    months(['85,EUR,2026-01', '75,EUR,2026-02', '-15,EUR,2026-02', MARCH]).map((each) => each.split(' ')[2]),
  ).toEqual(['PAYOUT_DIFFERS', 'PAYOUT_DIFFERS', 'null']);
  expect(months(['120,EUR,2026-01', '70,EUR,2026-02', MARCH])).toEqual([
    '120 0 PAYOUT_DIFFERS',
    '70 0 PAYOUT_DIFFERS',
    '100 0 null',
  ]);
});

it('says nothing of a clawback of another amount, which the records do not know', () => {
  expect(months(['85,EUR,2026-01', FEBRUARY, '-40,EUR,2026-02', MARCH])).toEqual([
    '85 0 null',
    '60 -40 null',
    '100 0 null',
  ]);
});

it('leaves no cent where shares have more digits than its clawback', () => {
  const rows = ['100,EUR,2026-01', FEBRUARY, '-5.74,EUR,2026-02', MARCH];
  // 94.255 and 5.745 are 94.26 and 5.75 in cents, which would be 100.01.
  expect(months(rows, { '2026-01': '5.745' })).toEqual(['100 5.74 null', '94.26 -5.74 null', '100 0 null']);
});

const SIX = { '2026-04': '100', '2026-05': '100', '2026-06': '100' };
const [QUARTER, NEXT] = ['2026-01/2026-03', '2026-04/2026-06'];
const findingsOf = (all: readonly string[]) => all.map((each) => each.split(' ')[2]);

it('is none where a payment of a quarter leaves it out and its clawback stands beside it', () => {
  const rows = [`300,EUR,${QUARTER}`, '-15,EUR,2026-03', `300,EUR,${NEXT}`];
  const clean = ['100 15 null', '100 0 null', '85 -15 null', ...Array(3).fill('100 0 null')];
  expect(months(rows, undefined, SIX)).toEqual(clean);
  // Also where neither names a month, and where one line states the refunds of several.
  expect(months(['300,EUR,', '-15,EUR,'], undefined)).toEqual(clean.slice(0, 3));
  const two = { '2026-01': '6.5', '2026-02': '8.5' };
  expect(months(rows, two, SIX)).toEqual(['100 6.5 null', '100 8.5 null', ...clean.slice(2)]);
  // A month that was not paid is owed with what the clawback took.
  expect(months(['100,EUR,2026-02', '-15,EUR,2026-02', MARCH])).toEqual([
    'null 15 PAYOUT_MISSING',
    '85 -15 null',
    '100 0 null',
  ]);
});

it('may come off the payment of the next quarter, which is the next payment', () => {
  const rows = [`300,EUR,${QUARTER}`, `285,EUR,${NEXT}`];
  expect(findingsOf(months(rows, undefined, SIX))).toEqual(Array(6).fill('null'));
  // Until that has had its time; and the one after it may be the one.
  expect(findingsOf(months(rows.slice(0, 1), undefined, {}, '2026-05-20'))).toEqual(Array(3).fill('null'));
  const nine = { ...SIX, '2026-07': '100', '2026-08': '100', '2026-09': '100' };
  const later = [`300,EUR,${QUARTER}`, `300,EUR,${NEXT}`, '285,EUR,2026-07/2026-09'];
  expect(findingsOf(months(later, undefined, nine, '2026-12-01'))).toEqual(Array(9).fill('null'));
  // What lacks beyond it is missing.
  const short = findingsOf(months([rows[0] ?? '', `284.9,EUR,${NEXT}`], undefined, SIX));
  expect(short).toEqual([...Array(5).fill('null'), 'PAYOUT_DIFFERS']);
});

it('may come off the next payment where neither names its months', () => {
  const more = { '2026-04': '110', '2026-05': '110', '2026-06': '110' };
  const clean = Array(6).fill('null');
  const [all, less] = ['2026-04-20,300,EUR,', '2026-07-20,315,EUR,'];
  expect(findingsOf(months([all, less], undefined, more))).toEqual(clean);
  // That of January came off in time, the one of March comes off the next.
  const two = { '2026-01': '6.5', '2026-03': '8.5' };
  expect(findingsOf(months(['2026-04-20,293.5,EUR,', '2026-07-20,321.5,EUR,'], two, more))).toEqual(clean);
  // What is neither is for no month, and what lacks is missing.
  expect(findingsOf(months(['2026-04-20,299,EUR,', less], undefined, more))).toContain('PAYOUT_MISSING');
  expect(findingsOf(months([all], undefined, {}, '2026-05-20'))).toEqual(clean.slice(0, 3));
});

it('may come off the next payment after months that earned nothing, which are in none', () => {
  const single = ['100,EUR,2026-01', FEBRUARY, MARCH];
  const late = { '2026-03': '15' };
  expect(findingsOf(months([...single, '85,EUR,2026-08'], late, { '2026-08': '100' }, '2026-12-01'))).toEqual(
    Array(4).fill('null'),
  );
  const third = { '2026-07': '100', '2026-08': '100', '2026-09': '100' };
  const rows = [`300,EUR,${QUARTER}`, '285,EUR,2026-07/2026-09'];
  expect(findingsOf(months(rows, undefined, third, '2026-12-01'))).toEqual(Array(6).fill('null'));
  // What lacks beyond it is missing.
  expect(months([...single, '84.9,EUR,2026-08'], late, { '2026-08': '100' }, '2026-12-01').slice(2)).toEqual([
    '85 0 null',
    '99.9 0 PAYOUT_DIFFERS',
  ]);
});

it('waits for the payment of a quarter in which nothing was earned yet, and for what is carried forward', () => {
  const minimum = new Map([['default', Decimal.parse('5000')]]);
  const rows = [`300,EUR,${QUARTER}`];
  const quarterly = (today: string) => findingsOf(months(rows, undefined, {}, today, { quarterly: true, minimum }));
  expect(quarterly('2026-07-20')).toEqual(Array(3).fill('null'));
  expect(quarterly('2026-08-05')).toContain('PAYOUT_DIFFERS');
  const carried = { '2026-04': '20' };
  expect(findingsOf(months(rows, undefined, carried, '2026-08-05', { minimum }))).toEqual(Array(4).fill('null'));
});
