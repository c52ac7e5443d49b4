/** The host share from what all records state to the journal and to the revenue, each step added up by hand. */
import { expect, it } from 'vitest';
import { hostBridge } from '../../reports/pack/tables.ts';
import { type BridgeRecord, bridgeSteps, HostBridgeTally, printedBridge } from '../../src/books/host-bridge.ts';
import { accrualOf } from '../../src/domain/host-share.ts';
import { hasReleased } from '../../src/domain/released.ts';
import type { RecordState } from '../../src/domain/snapshot.ts';
import { Amounts } from '../../src/publish/amounts.ts';
import { aMatchedQuote, aPurchase, aSale, someTerms } from '../support/builders.ts';

type Linked = Parameters<typeof accrualOf>[1];

/** A record of the month, or of another: by default one that is booked in its own month where it is released. */
function record(state: RecordState, linked: Linked = null, over: Partial<BridgeRecord> = {}): BridgeRecord {
  const isReleased = hasReleased(state);
  const share = accrualOf(state, linked, someTerms());
  const isUnderWay = state.status === 'RELEASING';
  return {
    ...state,
    share,
    isOwn: true,
    isReleased,
    isUnderWay,
    booked: isReleased ? [1] : [],
    ...over,
  };
}

it('every step follows from the ones before it', () => {
  const { basis: _, ...linked } = aMatchedQuote({ method: { hostFeeCut: '0.7' } });
  const tally = new HostBridgeTally();
  tally.add(record(aPurchase({ hostFeeCut: '1.004', status: 'RELEASED' }), null));
  tally.add(record(aSale({ hostFeeCut: '2.003', status: 'RELEASED' }), null));
  tally.add(record(aPurchase({ hostFeeCut: '5', status: 'EXPIRED' }), null));
  tally.add(record(aPurchase({ hostFeeCut: null, status: 'RELEASED' }), linked));
  tally.add(record(aPurchase({ hostFeeCut: null, status: 'RELEASED' }), null));
  const [bridge, ...more] = tally.rows();
  expect(more).toEqual([]);
  expect(
    bridge === undefined ? [] : bridgeSteps(bridge).map(({ step, records, amount }) => `${step}: ${records} ${amount}`),
  ).toEqual([
    'every record: 3 8.007',
    'less not released: 1 -5',
    'of these in flight: 0 0',
    'released records: 2 3.007',
    'from quotes: 1 0.7',
    'created here: 3 3.707',
    'less earned later: 0 0',
    'created before: 0 0',
    'less taken back: 0 0',
    'revenue: 3 3.707',
    // 1.704 of purchases and 2.003 of sales: 1.70 and 2.00, an entry for each kind.
    'rounding: null -0.007',
    'journal: 3 3.7',
  ]);
  expect(bridge?.unknown).toEqual(['sqs6a428mqjtzbv']);
});

it('is empty, not zero, where no record says anything', () => {
  const { basis: _, ...linked } = aMatchedQuote({ method: { hostFeeCut: '0.7' } });
  const amountsOf = (...records: [RecordState, Linked][]) => {
    const tally = new HostBridgeTally();
    for (const [state, quote] of records) tally.add(record(state, quote));
    return tally.rows().flatMap((bridge) => bridgeSteps(bridge).map(({ amount }) => amount?.toString() ?? null));
  };
  const silent = { hostFeeCut: null };
  expect(amountsOf([aPurchase({ ...silent, status: 'RELEASED' }), null])).toEqual(Array(12).fill(null));
  expect(amountsOf([aPurchase({ ...silent, status: 'RELEASED' }), linked])).toEqual([
    ...[null, null, null, null],
    ...['0.7', '0.7', '0', '0', '0', '0.7', '0', '0.7'],
  ]);
  // Nothing was released, so nothing is expected.
  expect(amountsOf([aPurchase({ ...silent, status: 'EXPIRED' }), linked])).toEqual([
    ...[null, null, null, null],
    ...['0', '0', '0', '0', '0', '0', '0', '0'],
  ]);
});

it('says what was created here, also where all of it is earned later and the only other share is unknown', () => {
  const tally = new HostBridgeTally();
  tally.add(record(aPurchase({ hostFeeCut: '3430.5', status: 'RELEASED' }), null, { booked: [] }));
  tally.add(record(aPurchase({ hostFeeCut: null, status: 'RELEASED' }), null));
  const steps = tally.rows().flatMap((bridge) => bridgeSteps(bridge).map(({ amount }) => amount?.toString() ?? null));
  expect(steps).toEqual(['3430.5', '0', '0', '3430.5', '0', '3430.5', '-3430.5', ...Array(5).fill(null)]);
});

it.each([
  ['released in another month', 'RELEASED', { isOwn: true, booked: [] }, ['fromQuotes', 'createdHere', 'earnedLater']],
  ['taken back here', 'RETURNED', { isOwn: false, booked: [-1] }, ['takenBack']],
  ['released here, of another month', 'RELEASED', { isOwn: false, booked: [1] }, ['earnedBefore']],
] as const)(
  'is empty where the only share of a step is unknown, beside known ones of others: %s',
  (_, status, over, empty) => {
    const tally = new HostBridgeTally();
    const share = accrualOf(aPurchase({ hostFeeCut: '5' }), null, someTerms());
    tally.add(record(aPurchase({ status }), null, { share: null, ...over }));
    // It was earned here of another month, or taken back.
    const isBack = status === 'RELEASED' && !over.isOwn;
    tally.add(record(aPurchase({ status: 'RELEASED' }), null, { share, isOwn: false, booked: isBack ? [-1] : [1] }));
    const [bridge] = tally.rows();
    const names = [
      'fromQuotes',
      'createdHere',
      'earnedLater',
      'earnedBefore',
      'takenBack',
      'revenue',
      'journal',
    ] as const;
    expect(names.filter((name) => bridge?.[name].amount === null)).toEqual(empty);
    expect(bridge?.revenue.amount?.toString()).toBe(isBack ? '-5' : '5');
  },
);

it('names an unknown share in the month that earned it alone, as the reconciliation counts it', () => {
  const silent = aPurchase({ hostFeeCut: null, status: 'RELEASED' });
  const unknownIn = (over: Partial<BridgeRecord>) => {
    const tally = new HostBridgeTally();
    tally.add(record(silent, null, over));
    return tally.rows().map(({ unknown }) => unknown.length);
  };
  expect([unknownIn({ booked: [] }), unknownIn({ isOwn: false })]).toEqual([[0], [1]]);
});

it('foots in minor units too, as workbooks and the terminal have it', () => {
  const tally = new HostBridgeTally();
  tally.add(record(aPurchase({ hostFeeCut: '10.005', status: 'RELEASED' })));
  tally.add(record(aPurchase({ hostFeeCut: '0.005', status: 'RELEASED' }), null, { booked: [] }));
  tally.add(record(aPurchase({ hostFeeCut: '2.006', status: 'RELEASING' })));
  tally.add(record(aPurchase({ hostFeeCut: '1.004', status: 'RELEASED' }), null, { isOwn: false }));
  const amounts = new Amounts(hostBridge, 'minor-units');
  const printed = tally.rows().flatMap((bridge) =>
    bridgeSteps(bridge).map((step) => {
      amounts.read(step);
      return `${step.step} ${amounts.texts[amounts.position('amount')]}`;
    }),
  );
  expect(printed).toEqual([
    ...['every record 12.02', 'less not released -2.01', 'of these in flight -2.01', 'released records 10.01'],
    ...['from quotes 0.00', 'created here 10.01', 'less earned later -0.01', 'created before 1.01'],
    ...['less taken back 0.00', 'revenue 11.01', 'rounding 0.00', 'journal 11.01'],
  ]);
  const [bridge] = tally.rows();
  expect(bridge === undefined ? [] : [...printedBridge(bridge)].map((each) => each.join(' '))).toEqual([
    ...['everyRecord 12.02', 'notReleased 2.01', 'inFlight 2.01', 'released 10.01'],
    ...['fromQuotes 0.00', 'createdHere 10.01', 'earnedLater 0.01', 'earnedBefore 1.01'],
    ...['takenBack 0.00', 'revenue 11.01', 'rounding 0.00', 'journal 11.01'],
  ]);
});

it('has one bridge a currency', () => {
  const tally = new HostBridgeTally();
  tally.add(record(aPurchase({ fiatCurrency: 'USD', hostFeeCut: '1' }), null));
  tally.add(record(aPurchase({ fiatCurrency: 'EUR', hostFeeCut: '1' }), null));
  expect(tally.rows().map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
});

it('what is created here and earned later, created before and earned here, and in flight lead to what the month earned', () => {
  const tally = new HostBridgeTally();
  const share = (hostFeeCut: string, status = 'RELEASED') => aPurchase({ hostFeeCut, status });
  tally.add(record(share('10')));
  tally.add(record(share('3'), null, { booked: [] }));
  tally.add(record(share('4', 'RELEASING')));
  tally.add(record(share('5'), null, { isOwn: false, booked: [1] }));
  tally.add(record(share('2', 'RETURNED'), null, { isOwn: false, booked: [-1] }));
  // Earned and taken back in one month.
  tally.add(record(share('6', 'RETURNED'), null, { booked: [1, -1] }));
  const amounts = tally.rows().flatMap((bridge) => bridgeSteps(bridge).map(({ step, amount }) => `${step} ${amount}`));
  expect(amounts).toEqual([
    'every record 23',
    'less not released -4',
    'of these in flight -4',
    'released records 19',
    'from quotes 0',
    'created here 19',
    'less earned later -3',
    'created before 5',
    'less taken back -8',
    'revenue 13',
    'rounding 0',
    'journal 13',
  ]);
});
