/** A partner's lines against the shares of records: every difference stands on both sides, and no month is judged before its statement. */
import { expect, it } from 'vitest';
import { compareLines, type EarnedShare } from '../../src/books/partner-lines.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue } from '../support/builders.ts';
import { processorMs } from '../support/processor-time.ts';

const own = (recordId: string, date: string, share: string, currency = 'EUR'): EarnedShare => {
  return { recordId, month: date.slice(0, 7), date, currency, share: Decimal.parse(share) };
};

function compared(lines: readonly string[], earned: readonly EarnedShare[], today = '2026-05-10'): string[] {
  const text = `id,share,currency,date\n${lines.join('\n')}\n`;
  const stated = payoutsIn(readStatement(text, 'lines', STATEMENT_TERMS));
  return compareLines(stated, earned, { ...someRevenue(), today }).map(
    ({ month, currency, bucket, ours, theirs }) => `${month} ${currency} ${bucket} ${ours ?? ''} ${theirs ?? ''}`,
  );
}

it('a difference of time stands in both months, also where the partner has no other line of its currency in one of them', () => {
  const earned = [own('a', '2026-01-31', '7'), own('b', '2026-02-10', '5'), own('c', '2026-01-10', '3', 'GBP')];
  expect(compared(['a,7,EUR,2026-02-02', 'b,5,EUR,2026-02-10', 'c,3,GBP,2026-01-10'], earned)).toEqual([
    '2026-01 EUR timing 7 ',
    '2026-01 GBP equal 3 3',
    '2026-02 EUR equal 5 5',
    '2026-02 EUR timing  7',
  ]);
});

it('a statement covers its month in all currencies: the only record of one may be the one that it lacks', () => {
  const earned = [own('a', '2026-02-10', '7'), own('b', '2026-02-10', '5', 'KWD')];
  expect(compared(['a,7,EUR,2026-02-10'], earned)).toEqual(['2026-02 EUR equal 7 7', '2026-02 KWD only ours 5 ']);
});

it("an id in capitals is the record's, unless two records have it but for its case", () => {
  const earned = [own('sqs6a', '2026-02-10', '7'), own('b', '2026-02-11', '5'), own('B', '2026-02-12', '3')];
  expect(compared(['SQS6A,7,EUR,2026-02-10', 'b,5,EUR,2026-02-11', 'B,3,EUR,2026-02-12'], earned)).toEqual([
    '2026-02 EUR equal 15 15',
  ]);
  const alike = [own('ab', '2026-02-10', '7'), own('aB', '2026-02-11', '7')];
  expect(compared(['AB,7,EUR,2026-02-12'], alike)).toEqual([
    '2026-02 EUR only ours 7 ',
    '2026-02 EUR only ours 7 ',
    "2026-02 EUR only the partner's  7",
  ]);
});

it('a line of the first days is of the statement before, until its own month has to be paid', () => {
  const earned = [own('a', '2026-03-02', '7'), own('b', '2026-03-10', '5')];
  const lines = ['a,7,EUR,2026-03-02'];
  expect(compared(lines, earned, '2026-04-05')).toEqual(['2026-03 EUR equal 7 7']);
  expect(compared(lines, earned, '2026-05-10')).toEqual(['2026-03 EUR equal 7 7', '2026-03 EUR only ours 5 ']);
  expect(compared([...lines, 'c,1,EUR,2026-03-09'], earned, '2026-03-20')).toEqual([
    '2026-03 EUR equal 7 7',
    "2026-03 EUR only the partner's  1",
  ]);
});

it('of a month that is not over a statement covers the days until shortly before its last line', () => {
  const earned = [own('a', '2026-03-02', '7'), own('b', '2026-03-10', '5'), own('c', '2026-03-17', '3')];
  expect(compared(['a,7,EUR,2026-03-02', 'd,1,EUR,2026-03-18'], earned, '2026-03-20')).toEqual([
    '2026-03 EUR equal 7 7',
    '2026-03 EUR only ours 5 ',
    "2026-03 EUR only the partner's  1",
  ]);
});

it('a share of zero that one side does not list is no difference: released, taken back, or of a record that earned nothing', () => {
  const earned = [
    own('a', '2026-02-10', '7'),
    own('b', '2026-02-10', '0'),
    { ...own('c', '2026-02-12', '0'), share: Decimal.ZERO.negated() },
  ];
  expect(compared(['a,7,EUR,2026-02-10', 'd,0,EUR,2026-02-11'], earned)).toEqual(['2026-02 EUR equal 7 7']);
});

it('a refund has no day by which the partner must state it', () => {
  const earned = [own('a', '2026-02-28', '7'), own('b', '2026-02-28', '-2')];
  const stated = payoutsIn(readStatement('id,share,currency,date\na,7,EUR,2026-02-28\n', 'lines', STATEMENT_TERMS));
  const found = compareLines(stated, earned, { ...someRevenue(), today: '2026-03-02' });
  expect(found.map(({ bucket, clearBy }) => `${bucket} ${clearBy}`)).toEqual(['clawback null', 'equal null']);
});

it('a share that only the partner lists, and takes back, is a clawback on both sides', () => {
  const lines = [
    'a,7,EUR,2026-02-10',
    'b,5,EUR,2026-02-11',
    'b,-5,EUR,2026-02-12',
    'c,4,EUR,2026-02-12',
    'c,-3,EUR,2026-02-12',
  ];
  expect(compared(lines, [own('a', '2026-02-10', '7')])).toEqual([
    '2026-02 EUR clawback  -5',
    '2026-02 EUR clawback  5',
    '2026-02 EUR clawback  -3',
    '2026-02 EUR equal 7 7',
    "2026-02 EUR only the partner's  4",
  ]);
});

it('a line of a month that has none after it, which earlier versions took, is of the month of its date', () => {
  const text = 'id,share,currency,date\na,1,EUR,2026-02-10\n';
  const lines = payoutsIn(readStatement(text, 'lines', STATEMENT_TERMS)).map((line) => ({
    ...line,
    period: '9999-12',
  }));
  const found = compareLines(lines, [own('a', '2026-02-10', '1')], { ...someRevenue(), today: '2026-05-10' });
  expect(found).toMatchObject([{ month: '2026-02', bucket: 'equal' }]);
});

it('forty thousand lines of one record took quadratic time', () => {
  const two = 'id,share,currency,date\na,1,EUR,2026-02-10\na,-1,EUR,2026-02-10\n';
  const [share, clawback] = payoutsIn(readStatement(two, 'lines', STATEMENT_TERMS));
  if (share === undefined || clawback === undefined) throw new Error('no lines');
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const amount = Decimal.of(BigInt(2 * i + 1), 0);
    return [
      { ...share, amount },
      { ...clawback, amount: amount.plus(Decimal.ONE).negated() },
    ];
  });
  const ms = processorMs(() => compareLines(lines.flat(), [], { ...someRevenue(), today: '2026-05-10' }));
  expect(ms).toBeLessThan(2_000);
});
