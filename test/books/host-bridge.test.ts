/** The host share from what all records state to the journal and to the revenue, each step added up by hand. */
import { expect, it } from 'vitest';
import { bridgeSteps, HostBridgeTally } from '../../src/books/host-bridge.ts';
import { aMatchedQuote, aPurchase, aSale, someTolerances } from '../support/builders.ts';

it('every step follows from the ones before it', () => {
  const { basis: _, ...linked } = aMatchedQuote({ method: { hostFeeCut: '0.7' } });
  const tally = new HostBridgeTally(someTolerances());
  tally.add(aPurchase({ hostFeeCut: '1.004', status: 'RELEASED' }), null);
  tally.add(aSale({ hostFeeCut: '2.003', status: 'RELEASED' }), null);
  tally.add(aPurchase({ hostFeeCut: '5', status: 'EXPIRED' }), null);
  tally.add(aPurchase({ hostFeeCut: null, status: 'RELEASED' }), linked);
  tally.add(aPurchase({ hostFeeCut: null, status: 'RELEASED' }), null);
  const [bridge, ...more] = tally.rows();
  expect(more).toEqual([]);
  expect(
    bridge === undefined ? [] : bridgeSteps(bridge).map(({ step, records, amount }) => `${step}: ${records} ${amount}`),
  ).toEqual([
    'every record: 3 8.007',
    'less not released: 1 -5',
    'released records: 2 3.007',
    'from quotes: 1 0.7',
    'revenue: 3 3.707',
    // 1.704 of purchases and 2.003 of sales: 1.70 and 2.00, an entry for each kind.
    'rounding: null -0.007',
    'journal: 3 3.7',
  ]);
  expect(bridge?.unknown).toBe(1);
});

it('is empty, not zero, where no record says anything', () => {
  const { basis: _, ...linked } = aMatchedQuote({ method: { hostFeeCut: '0.7' } });
  const amountsOf = (...records: Parameters<HostBridgeTally['add']>[]) => {
    const tally = new HostBridgeTally(someTolerances());
    for (const [state, quote] of records) tally.add(state, quote);
    return tally.rows().flatMap((bridge) => bridgeSteps(bridge).map(({ amount }) => amount?.toString() ?? null));
  };
  const silent = { hostFeeCut: null };
  expect(amountsOf([aPurchase({ ...silent, status: 'RELEASED' }), null])).toEqual(Array(7).fill(null));
  expect(amountsOf([aPurchase({ ...silent, status: 'RELEASED' }), linked])).toEqual([
    ...[null, null, null],
    ...['0.7', '0.7', '0', '0.7'],
  ]);
  // Nothing was released, so nothing is expected.
  expect(amountsOf([aPurchase({ ...silent, status: 'EXPIRED' }), linked])).toEqual([
    ...[null, null, null],
    ...['0', '0', '0', '0'],
  ]);
});

it('has one bridge a currency', () => {
  const tally = new HostBridgeTally(someTolerances());
  tally.add(aPurchase({ fiatCurrency: 'USD', hostFeeCut: '1' }), null);
  tally.add(aPurchase({ fiatCurrency: 'EUR', hostFeeCut: '1' }), null);
  expect(tally.rows().map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
});
