/** What is at stake of a month: once, however many findings speak of it. */
import { expect, it } from 'vitest';
import { judgeRevenue } from '../../src/books/judge-revenue.ts';
import { revenueSubjects } from '../../src/books/revenue-breaks.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { payoutsIn } from '../../src/domain/payout.ts';
import { readStatement } from '../../src/evidence/statements/read-statement.ts';
import { STATEMENT_TERMS, someRevenue, someTolerances } from '../support/builders.ts';

/** A month that earned 100; its lines state 90. */
function found(paid: string): string[] {
  const text = `date,amount,currency,period\n2026-02-20,${paid},EUR,2026-01\n`;
  const added = payoutsIn(readStatement(text, 'csv', STATEMENT_TERMS)).map((each) => ({ ...each, addedAt: 0 }));
  const [ours, theirs] = [Decimal.HUNDRED, Decimal.of(90n)];
  const line = { month: '2026-01', currency: 'EUR', bucket: 'amount', recordId: 'a', count: 1, clearBy: null } as const;
  const accrued = new Map([['2026-01 EUR', ours]]);
  const known = { ...someRevenue({ accrued, lines: [{ ...line, ours, theirs }] }), tolerances: someTolerances() };
  const subjects = revenueSubjects(judgeRevenue(added, { ...known, today: '2026-05-01' }), () => 'high');
  return subjects.flatMap(({ findings }) => findings.map(({ field, loss }) => `${field} ${loss}`));
}

it('what was paid otherwise than its lines state is measured by the payments, else by the lines', () => {
  expect(found('90')).toEqual(['lines 10']);
  expect(found('70')).toEqual(['paid_total 30', 'lines null']);
  expect(found('100')).toEqual(['lines null']);
});
