import { describe, expect, it } from 'vitest';
import type { CurrentBreak } from '../../src/ports/store/store.ts';
import {
  changeClaim,
  claimable,
  claimSums,
  isReminderDue,
  planClaim,
  reminderLine,
} from '../../src/worklist/claims.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { at, dec } from '../support/builders.ts';

const by = { actor: { name: 'Ann', account: 'os:ann', proof: 'stated' }, at: 5, reason: 'overcharged' } as const;
const breaks = ['aa', 'bb'].map((breakId, i) => ({
  ...aCurrentBreak(),
  breakId,
  recordId: breakId,
  leadingBreakId: breakId,
  loss: dec(i === 0 ? '1.50' : '2.00'),
  recordCurrency: 'EUR',
}));
const alone = (records: readonly CurrentBreak[], taken = new Map<string, string>()) => ({ records, taken });
const planned = planClaim(breaks, alone(breaks), { ...by, title: 'Card fees' });
const accepted = { ...planned.claim, state: 'accepted' } as const;

describe('a claim', () => {
  it('claims the money at stake of each break', () => {
    expect(planned.items.map(({ claimed }) => claimed.toString())).toEqual(['1.5', '2']);
    expect(claimSums(planned.items).map(({ currency, claimed }) => `${claimed} ${currency}`)).toEqual(['3.5 EUR']);
    const mixed = planned.items.map((item, i) => (i === 1 ? { ...item, currency: 'USD' } : item));
    expect(claimSums(mixed).map(({ currency }) => currency)).toEqual(['EUR', 'USD']);
  });

  it.each([
    ['a break of another claim', breaks, new Map([['bb', 'claim-1']]), 'break bb (purchase bb) is in claim-1 already'],
    ['no break', [], new Map(), 'at least one break'],
    [
      'a break to the Service’s loss',
      [{ ...aCurrentBreak(), leadingBreakId: null, loss: dec('-2') }],
      new Map(),
      'is to the Service’s loss, so there is nothing to claim from it',
    ],
    [
      'a break whose difference is no loss, as that to a limit',
      [{ ...aCurrentBreak(), leadingBreakId: null, loss: null }],
      new Map(),
      'has no money at stake to claim',
    ],
    [
      'a break whose money has not moved',
      [{ ...aCurrentBreak(), moneyMoved: 'no' as const, loss: dec('2') }],
      new Map(),
      'has no money to claim: purchase',
    ],
    [
      'a break of a record under way',
      [{ ...aCurrentBreak(), moneyMoved: 'pending' as const, loss: dec('2') }],
      new Map(),
      'is pending: purchase',
    ],
    [
      'a break of a record that was never read',
      [{ ...aCurrentBreak(), rule: 'RECORD_MISSING', moneyMoved: 'unknown' as const, loss: null }],
      new Map(),
      'it is unknown whether the money of purchase',
    ],
    [
      'a break that nothing proves',
      [{ ...aCurrentBreak(), rule: 'TOTAL_NOT_FOOTING', loss: dec('2') }],
      new Map(),
      'no quote and no published bound proves the money',
    ],
  ])('of %s is refused', (_, of, taken, why) => {
    expect(() => planClaim(of, alone(of, taken), { ...by, title: 'x' })).toThrow(why);
  });

  const lead = { ...aCurrentBreak(), breakId: 'aa', leadingBreakId: 'aa', loss: dec('17.85') };
  const led = { ...aCurrentBreak(), breakId: 'cc', rule: 'AMOUNT_DIFFERS', leadingBreakId: 'aa', loss: dec('17') };

  it.each<[string, readonly CurrentBreak[], [string, string][], string]>([
    ['has its money on the leading one', [lead, led], [], 'the money of break cc is on break aa of the same record'],
    ['is claimed through the leading one', [lead, led], [['aa', 'claim-1']], 'the money of break cc'],
    ['is claimed, and then waived', [{ ...lead, state: 'waived' }, led], [['aa', 'claim-1']], 'is in claim-1 already'],
    ['is waived', [{ ...lead, state: 'waived' }, led], [], 'was waived'],
    [
      'is waived, and comes up with a smaller figure',
      [
        { ...lead, state: 'waived' },
        { ...led, leadingBreakId: null },
      ],
      [],
      'was waived',
    ],
  ])('of a break whose record %s is refused: the money belongs to the record', (_, records, taken, why) => {
    expect(() => planClaim([led], alone(records, new Map(taken)), { ...by, title: 'x' })).toThrow(why);
  });

  describe('against what the app showed', () => {
    const charged = {
      ...aCurrentBreak(),
      breakId: 'c1',
      rule: 'CHARGED_DIFFERS_FROM_SHOWN',
      leadingBreakId: 'c1',
      loss: dec('2.79'),
    };
    const shown = {
      ...aCurrentBreak(),
      breakId: 's1',
      rule: 'SHOWN_DIFFERS_FROM_QUOTE',
      leadingBreakId: 'c1',
      loss: null,
    };
    const fee = (difference: string) => ({
      ...aCurrentBreak(),
      breakId: 'f1',
      leadingBreakId: 'c1',
      loss: null,
      difference: dec(difference),
    });
    const open = (records: readonly CurrentBreak[]) => planClaim([charged], alone(records), { ...by, title: 'x' });

    it('is never for the mistake of the app itself', () => {
      expect(() => open([charged, shown])).toThrow('SHOWN_DIFFERS_FROM_QUOTE');
    });

    it('is for what was charged above the quote, and no more', () => {
      const { items, breaks: put } = open([charged, shown, fee('0.95')]);
      expect(items.map(({ breakId, claimed }) => [breakId, claimed.toString()])).toEqual([['f1', '0.95']]);
      expect(put.map(({ breakId }) => breakId)).toEqual(['c1', 'f1']);
      expect(() => open([charged, shown, fee('-0.95')])).toThrow('mistake');
    });
  });

  it('of a dearer fee and a price beyond the market is for both, each with its own evidence', () => {
    const of = { ...aCurrentBreak(), leadingBreakId: 'p1' };
    const price = { ...of, breakId: 'p1', rule: 'SLIPPAGE', field: 'exchange_rate', loss: dec('7.26') };
    const fee = { ...of, breakId: 'f1', rule: 'FEE_APPLIED_DIFFERS', loss: dec('2') };
    const base = { ...of, breakId: 'f2', rule: 'FEE_BASE_DIFFERS', field: 'base_fee', loss: null };
    const { items, breaks: put } = planClaim([price], alone([base, fee, price]), { ...by, title: 'x' });
    expect(items.map(({ breakId, claimed }) => [breakId, claimed.toString()])).toEqual([
      ['f1', '2'],
      ['p1', '7.26'],
    ]);
    expect(put.map(({ breakId }) => breakId)).toEqual(['f1', 'p1']);
    // A body that contradicts itself proves nothing against the Service: what lacks beside the fee is at stake, and not claimed.
    const rest = { ...of, breakId: 'r1', rule: 'TOTAL_NOT_FOOTING', field: 'fiat_value', loss: dec('0.17') };
    const led = [fee, rest].map((each) => ({ ...each, leadingBreakId: 'f1' }));
    const [first = fee] = led;
    const claimed = planClaim([first], alone(led), { ...by, title: 'x' }).items;
    expect(claimed.map((item) => [item.breakId, item.claimed.toString()])).toEqual([['f1', '2']]);
  });

  it.each([
    ['2', '8.45', '8.44', { a1: '8.44', f1: '2' }],
    ['9', '8.45', '8.44', { a1: '8.44', f1: '9' }],
    // 20.14832 in all: what the quote proves of the tokens is known to the minor unit.
    ['3.32359', '16.82473', '16.82', { a1: '16.83', f1: '3.32' }],
  ])(
    'of a fee dearer by %s and tokens that lack by %s is for both where a quote proves %s of the tokens',
    (more, lacking, proved, claimed) => {
      const leadingBreakId = Number(more) > Number(lacking) ? 'f1' : 'r1';
      const of = { ...aCurrentBreak(), leadingBreakId };
      const fee = { ...of, breakId: 'f1', rule: 'FEE_APPLIED_DIFFERS', loss: dec(more) };
      const rest = { ...of, breakId: 'r1', rule: 'TOTAL_NOT_FOOTING', field: 'fiat_value', loss: dec(lacking) };
      const tokens = { ...of, breakId: 'a1', rule: 'AMOUNT_DIFFERS', field: 'crypto_amount', loss: dec(proved) };
      const record = [fee, rest, tokens];
      const chosen = record.filter(({ breakId }) => breakId === leadingBreakId);
      const { items, breaks: put } = planClaim(chosen, alone(record), { ...by, title: 'x' });
      expect(Object.fromEntries(items.map((item) => [item.breakId, item.claimed.toString()]))).toEqual(claimed);
      expect(put.map(({ breakId }) => breakId)).toEqual(leadingBreakId === 'r1' ? ['f1', 'r1', 'a1'] : ['f1', 'a1']);
    },
  );

  it('rounds each record to the minor unit, so that the sum is the sum of its rows', () => {
    const third = breaks.map((each) => ({ ...each, loss: dec('1.333') }));
    const { items } = planClaim(third, alone(third), { ...by, title: 'x' });
    expect(items.map(({ claimed }) => claimed.toString())).toEqual(['1.33', '1.33']);
    expect(claimSums(items)[0]?.claimed.toString()).toBe('2.66');
  });

  it("keeps the host's own revenue apart", () => {
    const owed = {
      ...aCurrentBreak(),
      breakId: 'p1',
      kind: 'payout' as const,
      rule: 'PAYOUT_MISSING',
      loss: dec('170.36'),
    };
    expect(planClaim([owed], alone([owed]), { ...by, title: 'x' }).items[0]?.claimed.toString()).toBe('170.36');
    const both = [...breaks, owed];
    expect(() => planClaim(both, alone(both), { ...by, title: 'x' })).toThrow('open two claims');
    expect(claimable(both, alone(both)).breakIds).toEqual(['aa', 'bb']);
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
    const mills = () =>
      changeClaim(accepted, planned.items, { state: 'recovered', recovered: new Map([['EUR', dec('2.005')]]) }, by);
    expect(mills).toThrow('break bb: 0.505 EUR is no amount that can be paid');
  });

  it('assigns what a person says of single breaks, and spreads the rest of the total over the others', () => {
    const recover = (recoveredOf: readonly [string, string][], total?: string) =>
      changeClaim(
        accepted,
        planned.items,
        {
          state: 'recovered',
          recoveredOf: new Map(recoveredOf.map(([id, amount]) => [id, dec(amount)])),
          ...(total === undefined ? {} : { recovered: new Map([['EUR', dec(total)]]) }),
        },
        by,
      ).items.map(({ recovered }) => recovered.toString());
    expect(recover([['bb', '2']])).toEqual(['0', '2']);
    expect(recover([['bb', '1.25']], '2')).toEqual(['0.75', '1.25']);
    expect(() => recover([['bb', '2.01']])).toThrow('break bb: 2.01 EUR is more than the 2.00 EUR claimed for it');
    expect(() => recover([['bb', '2']], '1')).toThrow('the parts of single breaks are more than the 1 EUR in all');
    expect(() => recover([['cc', '1']])).toThrow('break cc is not in the claim');
  });

  it.each(['sent', 'recovered', 'written-off'] as const)('is %s by a second person, where two are needed', (state) => {
    const claim = { ...planned.claim, state: state === 'sent' ? 'open' : 'accepted' } as const;
    const before = { name: 'Ann', account: 'oidc:x:ann', linksMadeBy: [] as readonly string[] };
    const change = (name: string, account: string, linksMadeBy: readonly string[] = [], earlier = before) => {
      const actor = { name, account, proof: 'proved' } as const;
      return changeClaim(claim, planned.items, { state }, { ...by, actor, before: earlier, linksMadeBy });
    };
    // Nor is one whose sign-in link the other made.
    expect(() => change('Bob', 'local:Bob', ['oidc:x:ann'])).toThrow('needs a second person');
    const made = { name: 'Bob', account: 'local:Bob', linksMadeBy: ['oidc:x:ann'] };
    expect(() => change('Ann', 'oidc:x:ann', [], made)).toThrow('needs a second person');
    for (const [name, account] of [
      ['Ann', 'oidc:y:ann'],
      ['Bob', 'oidc:x:ann'],
    ] as const)
      expect(() => change(name, account)).toThrow('needs a second person');
    expect(change('Bob', 'local:Bob').claim.state).toBe(state);
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
      `${sent.claimId} would be sent; only an accepted claim can recover money`,
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
    const of = (breakId: string, loss: string | null, over: Partial<CurrentBreak> = {}) => {
      return {
        ...none,
        breakId,
        recordId: breakId,
        leadingBreakId: null,
        loss: loss === null ? null : dec(loss),
        ...over,
      };
    };
    const all = [
      ...breaks,
      of('c1', '1'),
      of('d1', '0'),
      of('d2', null),
      of('d3', '1', { recordCurrency: null }),
      of('e1', '-1'),
      of('f1', '1', { recordId: 'aa', rule: 'AMOUNT_DIFFERS', leadingBreakId: 'aa' }),
    ];
    const { breakIds, sums, refused } = claimable(all, alone(all, new Map([['c1', 'claim-1']])));
    expect(breakIds).toEqual(['aa', 'bb']);
    expect(sums).toEqual([{ currency: 'EUR', claimed: dec('3.50'), recovered: dec('0') }]);
    expect([...refused]).toEqual([
      ['its record is in another claim already', 1],
      ['no money is at stake', 3],
      ['what differs is to the Service’s loss, not to the user’s', 1],
      ['its record is in the claim already', 1],
    ]);
  });
});

describe('a reminder', () => {
  const claim = { ...planned.claim, openedAt: at('2026-11-01 10:00'), state: 'sent', remindOn: '2026-11-20' } as const;
  const sums = claimSums(planned.items);

  it.each([
    ['2026-11-19', 'sent', false],
    ['2026-11-20', 'sent', true],
    ['2026-12-24', 'accepted', true],
    ['2026-12-24', 'recovered', true],
    ['2026-12-24', 'rejected', false],
    ['2026-12-24', 'written-off', false],
  ] as const)('on %s of a claim that is %s', (today, state, isDue) => {
    expect(isReminderDue({ ...claim, state }, sums, today)).toBe(isDue);
    const whole = sums.map((sum) => ({ ...sum, recovered: sum.claimed }));
    if (state === 'recovered') expect(isReminderDue({ ...claim, state }, whole, today)).toBe(false);
    expect(isReminderDue({ ...claim, state, remindOn: null }, sums, today)).toBe(false);
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
