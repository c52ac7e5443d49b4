import { describe, expect, it } from 'vitest';
import {
  changeClaim,
  claimable,
  claimSums,
  isReminderDue,
  planClaim,
  reminderLine,
} from '../../src/worklist/claims.ts';
import { at, dec } from '../support/builders.ts';
import { aCurrentBreak } from './support/current-break.ts';

const by = { actor: { name: 'Ann', account: 'os:ann', proof: 'stated' }, at: 5, reason: 'overcharged' } as const;
const breaks = ['aa', 'bb'].map((breakId, i) => ({
  ...aCurrentBreak(),
  breakId,
  leadingBreakId: breakId,
  moneyAtStake: dec(i === 0 ? '1.50' : '2.00'),
  recordCurrency: 'EUR',
}));
const planned = planClaim(breaks, new Map(), { ...by, title: 'Card fees' });
const accepted = { ...planned.claim, state: 'accepted' } as const;

describe('a claim', () => {
  it('claims the money at stake of each break', () => {
    expect(planned.items.map(({ claimed }) => claimed.toString())).toEqual(['1.5', '2']);
    expect(claimSums(planned.items).map(({ currency, claimed }) => `${claimed} ${currency}`)).toEqual(['3.5 EUR']);
    const mixed = planned.items.map((item, i) => (i === 1 ? { ...item, currency: 'USD' } : item));
    expect(claimSums(mixed).map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
  });

  it.each([
    ['a break of another claim', breaks, new Map([['bb', 'claim-1']]), 'break bb is in claim-1 already'],
    ['no break', [], new Map(), 'at least one break'],
    [
      'a break to the Service’s loss',
      [{ ...aCurrentBreak(), leadingBreakId: null, moneyAtStake: dec('-2') }],
      new Map(),
      'is to the Service’s loss, so there is nothing to claim from it',
    ],
    [
      'a break whose difference is no loss, as that to a limit',
      [{ ...aCurrentBreak(), leadingBreakId: null, moneyAtStake: null }],
      new Map(),
      'has no money at stake to claim',
    ],
    [
      'a break whose record has its money elsewhere',
      [{ ...aCurrentBreak(), breakId: 'cc', leadingBreakId: 'a'.repeat(64) }],
      new Map(),
      'the money of break cc is on break aaaaaaaaaaaa of the same record',
    ],
  ])('of %s is refused', (_, of, taken, why) => {
    expect(() => planClaim(of, taken, { ...by, title: 'x' })).toThrow(why);
  });

  it('assigns the recovered amount to its breaks in order, and no cent more than was claimed', () => {
    const { items } = changeClaim(
      accepted,
      planned.items,
      { state: 'recovered', recovered: new Map([['EUR', dec('2.00')]]) },
      by,
    );
    expect(items.map(({ recovered }) => recovered.toString())).toEqual(['1.5', '0.5']);
    const tooMuch = () =>
      changeClaim(accepted, planned.items, { state: 'recovered', recovered: new Map([['EUR', dec('3.51')]]) }, by);
    expect(tooMuch).toThrow('0.01 EUR more than was claimed');
    const other = () =>
      changeClaim(accepted, planned.items, { state: 'recovered', recovered: new Map([['USD', dec('1')]]) }, by);
    expect(other).toThrow('nothing was claimed in USD');
  });

  it.each([
    ['open', 'recovered'],
    ['open', 'accepted'],
    ['recovered', 'open'],
    ['sent', 'open'],
  ] as const)('that is %s cannot become %s', (from, to) => {
    expect(() => changeClaim({ ...planned.claim, state: from }, planned.items, { state: to }, by)).toThrow(
      `is ${from}, so it cannot become ${to}`,
    );
  });
});

describe('a change of a claim', () => {
  it('keeps facts that it does not name, and records who made it', () => {
    const { claim, items, event } = changeClaim(accepted, planned.items, { state: 'accepted', reference: 'T-1' }, by);
    expect(claim).toEqual({ ...accepted, reference: 'T-1' });
    expect(items).toBe(planned.items);
    expect(event).toEqual({ at: 5, state: 'accepted', ...by.actor, reason: 'overcharged' });
  });

  it('recovers nothing before it is accepted, and something from then on', () => {
    const sent = { ...planned.claim, state: 'sent' } as const;
    const some = new Map([['EUR', dec('1')]]);
    expect(() => changeClaim(sent, planned.items, { state: 'sent', recovered: some }, by)).toThrow(
      `${sent.claimId} would be sent; money is recovered of an accepted claim`,
    );
    expect(changeClaim(sent, planned.items, { state: 'sent', recovered: new Map() }, by).claim.state).toBe('sent');
    expect(changeClaim(sent, planned.items, { state: 'accepted', recovered: some }, by).claim.state).toBe('accepted');
  });

  it('recovers one currency of several, which are listed in their order and never added', () => {
    const mixed = planned.items.map((item, i) => (i === 0 ? { ...item, currency: 'USD' } : item));
    const recovered = new Map([['EUR', dec('1')]]);
    const { items } = changeClaim(accepted, mixed, { state: 'accepted', recovered }, by);
    expect(
      claimSums(items).map((sum) => `${sum.claimed.toPlaces(2)} ${sum.recovered.toPlaces(2)} ${sum.currency}`),
    ).toEqual(['2.00 1.00 EUR', '1.50 0.00 USD']);
  });
});

describe('what a claim can have', () => {
  it('is reported with the omitted breaks, by reason', () => {
    const none = { ...aCurrentBreak(), recordCurrency: 'EUR' };
    const { breakIds, sums, refused } = claimable(
      [
        ...breaks,
        { ...none, breakId: 'c1', moneyAtStake: dec('1') },
        { ...none, breakId: 'd1', moneyAtStake: dec('0') },
        { ...none, breakId: 'd2', moneyAtStake: null },
        { ...none, breakId: 'd3', moneyAtStake: dec('1'), recordCurrency: null },
        { ...none, breakId: 'e1', moneyAtStake: dec('-1') },
        { ...none, breakId: 'f1', moneyAtStake: dec('1'), leadingBreakId: 'aa' },
      ],
      new Map([['c1', 'claim-1']]),
    );
    expect(breakIds).toEqual(['aa', 'bb']);
    expect(sums).toEqual([{ currency: 'EUR', claimed: dec('3.50'), recovered: dec('0') }]);
    expect([...refused]).toEqual([
      ['it is in another claim already', 1],
      ['no money is at stake', 3],
      ['what differs is to the Service’s loss, not to the user’s', 1],
      ['its money is on another break of the same record', 1],
    ]);
  });
});

describe('a reminder', () => {
  const claim = { ...planned.claim, openedAt: at('2026-11-01 10:00'), state: 'sent', remindOn: '2026-11-20' } as const;

  it.each([
    ['2026-11-19', 'sent', false],
    ['2026-11-20', 'sent', true],
    ['2026-12-24', 'accepted', true],
    ['2026-12-24', 'recovered', false],
    ['2026-12-24', 'rejected', false],
  ] as const)('on %s of a claim that is %s', (today, state, isDue) => {
    expect(isReminderDue({ ...claim, state }, today)).toBe(isDue);
    expect(isReminderDue({ ...claim, state, remindOn: null }, today)).toBe(false);
  });

  it('states the age of the claim and the amount still open', () => {
    const items = planned.items.map((item, i) => (i === 0 ? { ...item, recovered: dec('0.5') } : item));
    expect(reminderLine({ ...claim, reference: 'T-1' }, items, at('2026-11-22 09:00'))).toBe(
      `Claim to ask about: ${claim.claimId} (Card fees) is sent, 20 days old, reference T-1; 3.00 EUR still open`,
    );
  });

  it('of one day, of several currencies and without a reference is printed in one line', () => {
    const items = planned.items.map((item, i) => (i === 0 ? { ...item, currency: 'USD' } : item));
    expect(reminderLine({ ...claim, reference: null }, items, at('2026-11-02 10:00'))).toBe(
      `Claim to ask about: ${claim.claimId} (Card fees) is sent, 1 day old; 2.00 EUR, 1.50 USD still open`,
    );
  });
});
