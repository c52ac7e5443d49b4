/** What is at stake of a month: once, however many findings speak of it. */
import { expect, it } from 'vitest';
import { judgeRevenue } from '../../src/books/judge-revenue.ts';
import { revenueSubjects } from '../../src/books/revenue-breaks.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

/** A month that earned 100; its lines state 90. @param lost by the month before it */
function found(paid: string, lost = 0n): string[] {
  const text = `date,amount,currency,period\n2026-02-20,${paid},EUR,2026-01\n`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const [ours, theirs] = [Decimal.HUNDRED, Decimal.of(90n)];
  const line = { month: '2026-01', currency: 'EUR', bucket: 'amount', recordId: 'a', count: 1, clearBy: null } as const;
  const accrued = new Map([
    ['2025-12 EUR', Decimal.of(-lost)],
    ['2026-01 EUR', ours],
  ]);
  const known = { ...someRevenue({ accrued, lines: [{ ...line, ours, theirs }] }), tolerances: someTolerances() };
  const subjects = revenueSubjects(judgeRevenue(added, { ...known, today: '2026-05-01' }), () => 'high');
  return subjects.flatMap(({ findings }) => findings.map(({ field, loss }) => `${field} ${loss}`));
}

it('what was paid otherwise than its lines state is measured by the payments, else by the lines', () => {
  expect(found('90')).toEqual(['lines 10']);
  expect(found('70')).toEqual(['paid_total 30', 'lines null']);
  expect(found('100')).toEqual(['lines null']);
  // Paid in full, though the month before lost more than it earned.
  expect([found('100', 35n), found('65', 35n)]).toEqual([['lines null'], ['lines null']]);
});

it('a month whose shares are all in lines of the next one, and were paid with it, lacks no payment', () => {
  const accrued = new Map(['2026-01 EUR', '2026-02 EUR'].map((key) => [key, Decimal.HUNDRED]));
  const foundOf = (bucket: 'timing' | 'only ours', paid: string) => {
    const text = `date,amount,currency,period\n2026-03-20,${paid},EUR,2026-02\n`;
    const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
    const line = { currency: 'EUR', recordId: 'a', count: 1, clearBy: null, ours: null, theirs: null } as const;
    const lines = [
      { ...line, month: '2026-01', bucket, ours: Decimal.HUNDRED },
      { ...line, month: '2026-02', bucket: 'timing', theirs: Decimal.HUNDRED },
      { ...line, month: '2026-02', bucket: 'equal', ours: Decimal.HUNDRED, theirs: Decimal.HUNDRED },
    ] as const;
    const terms = { ...someRevenue({ accrued, lines }), tolerances: someTolerances(), today: '2026-05-01' };
    return judgeRevenue(added, terms).months.map(({ finding }) => finding);
  };
  expect(foundOf('timing', '200')).toEqual([null, null]);
  expect(foundOf('only ours', '200')).toEqual(['PAYOUT_MISSING', null]);
  expect(foundOf('timing', '190')).toEqual([null, 'PAYOUT_DIFFERS']);
});

/** January and February earned 100 each, and were carried into March, which earned as much; the lines of January lack 10. */
it.each([
  // As the lines state it: they say what lacks.
  ['290', ['2026-01 lines 10']],
  // All of it, whatever the lines state.
  ['300', ['2026-01 lines null']],
  ['270', ['2026-01 lines null', '2026-03 paid_total 30']],
  // The lines of March alone are not what is owed.
  ['100', ['2026-01 lines null', '2026-03 paid_total 200']],
  [null, ['2026-01 lines null', '2026-03 paid_total 300']],
])('months that were carried are paid with the one that they were carried into: of %s', (paid, expected) => {
  const text = `date,amount,currency,period\n${paid === null ? '' : `2026-04-20,${paid},EUR,2026-03\n`}`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const months = ['2026-01', '2026-02', '2026-03'];
  const lines = months.map((month, i) => {
    const theirs = Decimal.of(i === 0 ? 90n : 100n);
    const bucket = i === 0 ? ('amount' as const) : ('equal' as const);
    return { month, currency: 'EUR', bucket, recordId: 'a', count: 1, clearBy: null, ours: Decimal.HUNDRED, theirs };
  });
  const accrued = new Map(months.map((month) => [`${month} EUR`, Decimal.HUNDRED]));
  const minimum = new Map([['default', Decimal.of(250n)]]);
  const terms = { ...someRevenue({ accrued, lines, minimum }), tolerances: someTolerances(), today: '2026-06-01' };
  const subjects = revenueSubjects(judgeRevenue(added, terms), () => 'high');
  const found = subjects.flatMap(({ recordId, findings }) =>
    findings.map(({ field, loss }) => `${recordId.slice(0, 7)} ${field} ${loss}`),
  );
  expect(found).toEqual(expected);
});

/** A quarter of 100.00, the given February and March, paid together with 5.00 too much or too little. */
it.each([
  ['nothing was earned in its last month', ['100', '50', null], '2026-01/2026-03', '155', ['2026-02 -5']],
  ['the same, and the payment names that month alone', ['100', '50', null], '2026-03', '145', ['2026-03 5']],
  [
    'more was taken back in its last month than it earned',
    ['100', '50', '-20'],
    '2026-01/2026-03',
    '135',
    ['2026-03 -5'],
  ],
  ['in the one between', ['100', '-20', '50'], '2026-01/2026-03', '125', ['2026-03 5']],
  ['all that was earned was paid, and the refund is not netted', ['100', '-20', '50'], '2026-01/2026-03', '150', []],
] as const)('a payment of a quarter says by how much it differs, where %s', (_, [a, b, c], period, paid, expected) => {
  const text = `date,amount,currency,period\n2026-04-20,${paid},EUR,${period}\n`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const earned = Object.entries({ '2026-01': a, '2026-02': b, '2026-03': c });
  const accrued = new Map(
    earned.flatMap(([month, amount]) => (amount === null ? [] : [[`${month} EUR`, Decimal.parse(amount)] as const])),
  );
  const minimum = new Map([['default', Decimal.of(1000n)]]);
  const known = someRevenue({ accrued, minimum, quarterly: true });
  const judged = judgeRevenue(added, { ...known, tolerances: someTolerances(), today: '2026-06-01' });
  const found = revenueSubjects(judged, () => 'high').flatMap(({ recordId, findings }) =>
    findings.map(({ loss }) => `${recordId.slice(0, 7)} ${loss}`),
  );
  expect(found).toEqual(expected);
});

/** A payment for January, as a night says it. */
function said(earned: Readonly<Record<string, string>>, today: string, unknown = 3): string[] {
  const text = 'date,amount,currency,period\n2026-01-28,90,EUR,2026-01\n';
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const amounts = (all: Readonly<Record<string, string>>) =>
    new Map(Object.entries(all).map(([month, amount]) => [`${month} EUR`, Decimal.parse(amount)]));
  const known = someRevenue({
    accrued: amounts(earned),
    unknown: amounts(unknown === 0 ? {} : { '2026-01': `${unknown}` }),
  });
  const judged = judgeRevenue(added, { ...known, tolerances: someTolerances(), today });
  return revenueSubjects(judged, () => 'high').flatMap(({ findings }) =>
    findings.map(({ explanation }) => explanation),
  );
}

it('a payment for a month of unknown shares says so', () => {
  const head = 'The payment of 90.00 EUR on 2026-01-28, without a reference, is for 2026-01, in which';
  expect(said({}, '2026-02-03')).toEqual([
    `${head} no share of that currency is known: 3 released records state none.`,
  ]);
  expect(said({}, '2026-02-03', 0)).toEqual([`${head} no revenue of that currency was accrued.`]);
  expect(said({ '2026-01': '85' }, '2026-02-03')).toEqual([
    "For 2026-01 90.00 EUR was paid in 1 payment; the host's revenue is 85.00 EUR: 5.00 EUR more. The share of 3 more released records is unknown.",
  ]);
});

it('a month may be paid before it is over, and is judged when it is; a later month that is named is a mistake', () => {
  expect(said({ '2025-12': '5' }, '2026-01-30', 0)).toEqual([]);
  expect(said({ '2026-01': '90' }, '2026-02-03', 0)).toEqual([]);
  expect(said({ '2025-11': '5' }, '2025-12-30', 0)).toEqual([expect.stringContaining('no revenue of that currency')]);
});

it('says of what is owed what was carried forward and what was taken back, each to the minor unit', () => {
  const rows =
    '2026-02-20,50,EUR,2026-01,\n2026-02-21,-7.77,EUR,2026-01,clawback\n2026-02-20,80,GBP,2026-01,\n2026-02-21,-5,GBP,2026-01,clawback\n';
  const lines = readStatement(`date,amount,currency,period,type\n${rows}`, 'csv', STATEMENT_TERMS);
  const added = payoutsIn(lines).map((each) => ({ ...each, addedAt: 0 }));
  const amounts = (all: Readonly<Record<string, string>>) =>
    new Map(Object.entries(all).map(([key, amount]) => [key, Decimal.parse(amount)]));
  const accrued = amounts({ '2025-12 EUR': '3', '2026-01 EUR': '100', '2026-01 GBP': '90' });
  const minimum = new Map([['EUR', Decimal.of(10n)]]);
  const known = someRevenue({ accrued, minimum, takenBack: amounts({ '2026-01 GBP': '5.004' }) });
  const judged = judgeRevenue(added, { ...known, tolerances: someTolerances(), today: '2026-05-01' });
  const texts = revenueSubjects(judged, () => 'high').flatMap(({ findings }) =>
    findings.map((each) => each.explanation),
  );
  expect(texts.map((text) => text.split('revenue is ')[1])).toEqual([
    '95.23 EUR (3.00 EUR of it carried forward, -7.77 EUR of it clawbacks): 53.00 EUR less.',
    '90.00 GBP: 15.00 GBP less.',
  ]);
});
