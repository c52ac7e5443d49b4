/** Opening + new − resolved − waived = closing, in breaks and in money. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movement } from '../../reports/pack/tables.ts';
import { BREAK_STATES, type BreakState } from '../../src/domain/break.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { MovementTally } from '../../src/periods/movement.ts';
import type { MovementRow } from '../../src/ports/period.ts';
import type { BreakStep } from '../../src/ports/store/periods.ts';
import { Amounts } from '../../src/publish/amounts.ts';
import { dec } from '../support/builders.ts';

/** The close before includes the events up to this one. */
const BEFORE = 100;

function aStep(eventKey: number, breakKey: number, state: BreakState, over: Partial<BreakStep> = {}): BreakStep {
  return {
    eventKey,
    breakKey,
    state,
    isOfMonth: false,
    rule: 'FEE_APPLIED_DIFFERS',
    currency: 'EUR',
    moneyAtStake: dec('1.5'),
    ...over,
  };
}

function rowsOf(...steps: readonly BreakStep[]): readonly MovementRow[] {
  const tally = new MovementTally(BEFORE);
  for (const step of steps) tally.add(step);
  return tally.rows();
}

const COLUMNS = ['opening', 'fresh', 'resolved', 'waived', 'closing'] as const;
const inWords = (row: MovementRow | undefined) =>
  COLUMNS.map((name) => `${name} ${row?.[name].count}/${row?.[name].money}`).join(' ');

describe('the movement of open breaks', () => {
  it('begins with the breaks that the close before left open, and ends with those open now', () => {
    const rows = rowsOf(
      aStep(1, 1, 'open'),
      aStep(2, 2, 'open'),
      aStep(3, 3, 'open'),
      aStep(4, 3, 'waived'),
      aStep(101, 1, 'resolved'),
      aStep(102, 4, 'open', { moneyAtStake: dec('10') }),
    );
    expect(rows.map(inWords)).toEqual(['opening 2/3 fresh 1/10 resolved 1/1.5 waived 0/0 closing 2/11.5']);
  });

  it('counts every event on a record of the month itself, as no close contained it before', () => {
    const own = { isOfMonth: true };
    const rows = rowsOf(aStep(5, 1, 'open', own), aStep(6, 2, 'open', own), aStep(101, 2, 'waived', own));
    expect(rows.map(inWords)).toEqual(['opening 0/0 fresh 2/3 resolved 0/0 waived 1/1.5 closing 1/1.5']);
  });

  it('counts a break that comes back as new, after a waiver and after it was resolved', () => {
    const rows = rowsOf(
      aStep(1, 1, 'waived'),
      aStep(2, 2, 'open'),
      aStep(101, 1, 'reopened'),
      aStep(102, 2, 'resolved'),
      aStep(103, 2, 'reopened'),
    );
    expect(rows.map(inWords)).toEqual(['opening 1/1.5 fresh 2/3 resolved 1/1.5 waived 0/0 closing 2/3']);
  });

  it('counts the growth of a standing break as new money, and not as a new break', () => {
    const rows = rowsOf(aStep(1, 1, 'open'), aStep(101, 1, 'acknowledged', { moneyAtStake: dec('4') }));
    expect(rows.map(inWords)).toEqual(['opening 1/1.5 fresh 0/2.5 resolved 0/0 waived 0/0 closing 1/4']);
  });

  it('has a row for each code and currency, and none for a waived break that was resolved', () => {
    const rows = rowsOf(
      aStep(1, 1, 'open', { rule: 'RESTATED', currency: 'USD' }),
      aStep(2, 2, 'open', { rule: 'RESTATED' }),
      aStep(3, 3, 'open', { rule: 'RECORD_MISSING', currency: null, moneyAtStake: null }),
      aStep(4, 4, 'waived', { rule: 'STATUS_STUCK' }),
      aStep(101, 4, 'resolved', { rule: 'STATUS_STUCK' }),
    );
    expect(rows.map(({ rule, currency }) => `${rule} ${currency}`)).toEqual([
      'RECORD_MISSING null',
      'RESTATED EUR',
      'RESTATED USD',
    ]);
  });

  it('foots for any sequence of events', () => {
    const step = fc.record({
      breakKey: fc.integer({ min: 1, max: 4 }),
      state: fc.constantFrom(...BREAK_STATES),
      currency: fc.constantFrom('EUR', 'USD', null),
      cents: fc.bigInt({ min: -500n, max: 500n }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 0, max: 30 }), (steps, before) => {
        const tally = new MovementTally(before);
        for (const [i, { breakKey, state, currency, cents }] of steps.entries()) {
          // Odd breaks are of the month.
          const isOfMonth = breakKey % 2 === 1;
          tally.add(aStep(i + 1, breakKey, state, { currency, isOfMonth, moneyAtStake: Decimal.of(cents, 2) }));
        }
        for (const { opening, fresh, resolved, waived, closing } of tally.rows()) {
          expect(opening.count + fresh.count - resolved.count - waived.count).toBe(closing.count);
          const money = opening.money.plus(fresh.money).minus(resolved.money).minus(waived.money);
          expect(money.toString()).toBe(closing.money.toString());
        }
      }),
    );
  });
});

it('foots in minor units too, as workbooks have it', () => {
  const amount = fc.integer({ min: -9999, max: 9999 }).map((units) => Decimal.of(BigInt(units), 3));
  const of = (money: Decimal) => ({ count: 1, money });
  fc.assert(
    fc.property(amount, amount, amount, amount, (opening, fresh, resolved, waived) => {
      const closing = of(opening.plus(fresh).minus(resolved).minus(waived));
      const parts = { opening: of(opening), fresh: of(fresh), resolved: of(resolved), waived: of(waived), closing };
      const amounts = new Amounts(movement, 'minor-units');
      amounts.read({ rule: 'SLIPPAGE', currency: 'EUR', ...parts });
      const printed = (part: string) =>
        Decimal.parse(amounts.texts[amounts.position(`${part}_money_at_stake`)] ?? '').toPlaces(2);
      const cents = (part: string) => Number(printed(part).replace('.', ''));
      expect(cents('opening') + cents('new') - cents('resolved') - cents('waived')).toBe(cents('closing'));
      for (const [part, { money }] of Object.entries(parts))
        if (money.isZero) expect(Math.abs(cents(part === 'fresh' ? 'new' : part))).toBe(0);
    }),
  );
});
