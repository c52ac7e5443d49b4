/** The partner's statement pays three past months, and none of the population; its defects are in its answer key. */
import { describe, expect, it } from 'vitest';
import { recordFigures } from '../../src/sandbox/record-quote.ts';
import { createWorld } from '../../src/sandbox/sandbox.ts';
import { statementOf, treasuryPayments } from '../../src/sandbox/statement.ts';
import { aPopulation, NOW } from './a-sandbox.ts';

const world = (now: number, more = {}) =>
  createWorld({ clock: () => now, now, bodies: 'spec', records: 300, defects: 0.1, payouts: true, ...more });
const DAY = 86_400_000;

describe('a statement', () => {
  it('pays one month to the cent in two parts, one a fifth short, one not at all, and one payment is of no month', () => {
    const statement = statementOf(world(NOW));
    const rows = (statement?.csv ?? '').trim().split('\n').slice(1);
    expect(rows.map((row) => row.split(',')[2])).toEqual(['REV 2026-06', 'REV 2026-07', 'Rest of 2026-07', 'BONUS']);
    expect(statement?.answers.map(({ id, codes }) => [id, codes])).toEqual([
      ['2026-06-EUR', ['PAYOUT_DIFFERS']],
      ['2026-05-EUR', ['PAYOUT_MISSING']],
      ['BONUS', ['PAYOUT_UNEXPLAINED']],
    ]);
    const cuts = new Map<string, number>();
    const population = aPopulation({ now: NOW, bodies: 'spec', records: 300, defects: 0.1, payouts: true });
    for (const [index] of world(NOW).paidByStatement) {
      const plan = population.plan(index);
      const month = new Date(plan.createdAt).toISOString().slice(0, 7);
      cuts.set(month, (cuts.get(month) ?? 0) + Number(recordFigures(plan, world(NOW)).hostFeeCut));
    }
    const paid = rows.slice(1, 3).map((row) => row.split(','));
    const cents = paid
      .flatMap(([, amount, , withheld]) => [amount, withheld])
      .reduce((sum, each) => sum + Number(each) * 100, 0);
    expect(Math.round(cents)).toBe(Math.round((cuts.get('2026-07') ?? 0) * 100));
    expect(Number(rows[0]?.split(',')[1])).toBeCloseTo((cuts.get('2026-06') ?? 0) * 0.8, 2);
    expect([...cuts.values()].every((cut) => cut > 1)).toBe(true);
  });

  it('with chains, one month is paid there to the cent, and another a tenth less than the line says that names its transaction', () => {
    const of = world(NOW, { chains: true });
    of.transactions.set(-2, `0x${'ab'.repeat(32)}`);
    const [less, full] = treasuryPayments(of);
    const eur = (units: bigint | undefined) => Number(units) / 1_250_000;
    const rows = (statementOf(of)?.csv ?? '').trim().split('\n').slice(1);
    expect(rows.filter((row) => !row.endsWith('EUR,,'))).toEqual([
      expect.stringMatching(/^2026-04-09,[\d.]+,REV 2026-03,,USDC,ETH,0x(?:ab){32}$/),
    ]);
    const stated = Number(rows.at(-1)?.split(',')[1]) / 1.25;
    expect(eur(less?.units) / stated).toBeCloseTo(0.9, 2);
    expect(statementOf(of)?.answers.find(({ id }) => id === '2026-03-EUR')?.figures[0]?.actual).toBe(eur(less?.units));
    expect(statementOf(of)?.answers.some(({ id }) => id === '2026-04-EUR')).toBe(false);
    expect(new Date(full?.at ?? 0).toISOString().slice(0, 7)).toBe('2026-05');
    expect(treasuryPayments(world(NOW))).toEqual([]);
  });

  it('is the same on every day of a year: its months are overdue, those of the population are not', () => {
    for (let day = 0; day < 366; day++) {
      const now = Date.UTC(2027, 0, 1) + day * DAY;
      const of = world(now, { records: 60, days: 30 });
      const within = (statementOf(of)?.paidWithinDays ?? 0) * DAY;
      for (let index = 0; index < of.records; index++) {
        const { createdAt } = aPopulation({ now, bodies: 'spec', records: 60, defects: 0.1, payouts: true }).plan(
          index,
        );
        const created = new Date(createdAt);
        const due = Date.UTC(created.getUTCFullYear(), created.getUTCMonth() + 1, 1) + within;
        expect(due < now - 2 * DAY).toBe(of.paidByStatement.has(index));
      }
    }
  });

  it('is not there where it was not asked for, nothing is defective, or too few records are clean', () => {
    for (const more of [{ payouts: false }, { defects: 0 }, { defects: 1 }, { records: 3 }]) {
      expect(statementOf(world(NOW, more))).toBeNull();
    }
  });
});
