import { expect, it } from 'vitest';
import { movesIn } from '../../src/periods/movement.ts';
import type { MovementRow } from '../../src/ports/period.ts';
import type { BreakMove } from '../../src/ports/store/work-list.ts';
import { at, dec } from '../support/builders.ts';

const NOVEMBER = { from: at('2026-11-01 00:00'), to: at('2026-12-01 00:00') };
const step = (
  breakKey: number,
  day: string,
  state: BreakMove['state'],
  money = '2',
  over: Partial<BreakMove> = {},
): BreakMove => ({
  breakKey,
  at: at(`${day} 12:00`),
  rule: 'AMOUNT_DIFFERS',
  state,
  currency: 'EUR',
  moneyAtStake: dec(money),
  ...over,
});

/** One break a page, as the store may give them. */
const movesOf = async (...steps: BreakMove[]): Promise<string[]> => {
  const keys = [...new Set(steps.map(({ breakKey }) => breakKey))];
  const moves = async (after: number) => {
    const next = keys.find((key) => key > after) ?? null;
    return { moves: steps.filter(({ breakKey }) => breakKey === next), last: next };
  };
  const show = (amount: MovementRow['opening']) => `${amount.count} ${amount.money}`;
  return (await movesIn({ workList: { moves } }, NOVEMBER)).map(
    ({ rule, currency, opening, fresh, resolved, waived, closing }) =>
      `${rule} ${currency}: ${[opening, fresh, resolved, waived, closing].map(show).join(', ')}`,
  );
};

it.each<[string, BreakMove[], string]>([
  [
    'stands all month',
    [step(1, '2026-10-05', 'open'), step(1, '2026-11-05', 'acknowledged')],
    '1 2, 0 0, 0 0, 0 0, 1 2',
  ],
  ['comes', [step(1, '2026-11-05', 'open')], '0 0, 1 2, 0 0, 0 0, 1 2'],
  ['comes and goes', [step(1, '2026-11-05', 'open'), step(1, '2026-11-06', 'resolved')], '0 0, 1 2, 1 2, 0 0, 0 0'],
  [
    'was there and is waived',
    [step(1, '2026-10-05', 'open'), step(1, '2026-11-06', 'waived')],
    '1 2, 0 0, 0 0, 1 2, 0 0',
  ],
  ['comes back', [step(1, '2026-10-05', 'resolved'), step(1, '2026-11-06', 'reopened')], '0 0, 1 2, 0 0, 0 0, 1 2'],
  ['grows', [step(1, '2026-10-05', 'open'), step(1, '2026-11-06', 'open', '5')], '1 2, 0 3, 0 0, 0 0, 1 5'],
])('a break that %s', async (_, steps, expected) => {
  expect(await movesOf(...steps)).toEqual([`AMOUNT_DIFFERS EUR: ${expected}`]);
});

it('adds up breaks of one code and currency, over pages, and no other', async () => {
  expect(
    await movesOf(
      step(1, '2026-10-05', 'open'),
      step(2, '2026-11-05', 'open', '-0.5'),
      step(3, '2026-11-05', 'open', '1', { currency: 'JPY' }),
    ),
  ).toEqual(['AMOUNT_DIFFERS EUR: 1 2, 1 -0.5, 0 0, 0 0, 2 1.5', 'AMOUNT_DIFFERS JPY: 0 0, 1 1, 0 0, 0 0, 1 1']);
});
