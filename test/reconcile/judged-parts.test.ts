import { expect, it } from 'vitest';
import { addStake, emptyStake, stakeFigures } from '../../src/domain/stake-tally.ts';
import { partOf } from '../../src/reconcile/judged-parts.ts';
import { emptyTally } from '../../src/reconcile/tally.ts';
import { aBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

it('money at stake that threads counted apart is added up, to the last digit', () => {
  const whole = emptyTally();
  for (const amount of ['0.1', '0.200000000000000001']) {
    const stake = emptyStake();
    addStake(stake, [aBreak({ moneyAtStake: dec(amount) })]);
    // As it comes from another thread: a copy, in which decimals are plain objects.
    const copied = structuredClone({ ...emptyTally(), stake });
    partOf({ tally: copied, events: [], rendered: { tables: [], sums: [] } }).addTo(whole);
  }
  expect(stakeFigures(whole.stake).open.map(({ records, total }) => [records, total.toString()])).toEqual([
    [2, '0.300000000000000001'],
  ]);
});
