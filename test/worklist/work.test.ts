import { describe, expect, it } from 'vitest';
import { covering, whyWaiverIsShared } from '../../src/worklist/covering.ts';
import { moneyOf, planClaimed, planDecision, whySecondPerson } from '../../src/worklist/work.ts';
import { aCurrentBreak } from '../support/a-break.ts';
import { dec } from '../support/builders.ts';

const ann = { name: 'ann', account: 'os:ann', proof: 'stated' } as const;
const limits = { above: new Map([['EUR', dec('100')]]), severities: [] };
const deciding = { actor: ann, at: 7, limits, today: '2026-11-20' };
const waiver = { type: 'waived', reason: 'goodwill', until: null, assignee: null } as const;
const atStake = (amount: string) => aCurrentBreak({ moneyAtStake: dec(amount), recordCurrency: 'EUR' });

describe('the money of a break', () => {
  it('is the money at stake, without its sign', () => {
    expect(moneyOf(atStake('-3'))).toEqual({ amount: dec('3'), currency: 'EUR' });
  });

  it('is else its difference in money, and no other difference', () => {
    const none = { moneyAtStake: null, recordCurrency: null, currency: 'USD' };
    expect(moneyOf(aCurrentBreak({ ...none, difference: dec('-2') }))).toEqual({ amount: dec('2'), currency: 'USD' });
    expect(moneyOf(aCurrentBreak({ ...none, difference: dec('-2'), unit: 'days' }))).toBeNull();
    expect(moneyOf(aCurrentBreak({ ...none, difference: null }))).toBeNull();
    expect(moneyOf(aCurrentBreak({ ...none, difference: dec('2'), currency: null }))).toBeNull();
  });

  it('at stake without a currency is not money that a limit knows', () => {
    expect(moneyOf(aCurrentBreak({ moneyAtStake: dec('5'), recordCurrency: null, currency: 'USD' }))).toEqual({
      amount: dec('1.5'),
      currency: 'USD',
    });
  });
});

describe('a waiver above the limit', () => {
  it.each([
    ['100', false],
    ['100.01', true],
    ['-100.01', true],
  ])('with %s at stake needs a second person: %s', (amount, needed) => {
    expect(whySecondPerson(atStake(amount), limits) !== null).toBe(needed);
  });

  it('is none for a currency without a limit; of unknown money it is one, wherever there is a limit', () => {
    const noMoney = aCurrentBreak({ unit: 'days' });
    expect(whySecondPerson(aCurrentBreak({ moneyAtStake: dec('900'), recordCurrency: 'USD' }), limits)).toBeNull();
    expect(whySecondPerson(noMoney, limits)).toBe('its money is unknown');
    expect(whySecondPerson({ ...noMoney, leadingBreakId: 'b'.repeat(64) }, limits)).toBeNull();
    expect(whySecondPerson(noMoney, { above: new Map(), severities: [] })).toBeNull();
  });

  it('is any of a listed severity, also where it is led by another that is waived', () => {
    const high = aCurrentBreak({ severity: 'high', breakId: 'b'.repeat(64), leadingBreakId: 'a'.repeat(64) });
    const strict = { above: new Map(), severities: ['high'] } as const;
    expect(whySecondPerson(high, strict)).toBe('its severity is high');
    const leading = aCurrentBreak({ severity: 'low' });
    const events = [planDecision(leading, waiver, { ...deciding, limits: strict })];
    expect(() => covering(events, [leading, high], { ...deciding, limits: strict })).toThrow('its severity is high');
    expect(whyWaiverIsShared(leading, [leading, high], strict)).toBe('its severity is high');
    expect(covering(events, [leading, high], { ...deciding, limits: strict, secondPerson: true })).toHaveLength(2);
  });

  it('is refused with the limit and the way, unless another person has approved it', () => {
    const refused = () => planDecision(atStake('101'), waiver, deciding);
    expect(refused).toThrow(`a waiver of break ${'a'.repeat(12)} needs a second person: its money is above 100 EUR`);
    expect(refused).toThrow(expect.objectContaining({ remedy: expect.stringContaining('another person approve it') }));
    expect(planDecision(atStake('101'), waiver, { ...deciding, secondPerson: true }).after.state).toBe('waived');
    expect(planDecision(atStake('101'), { ...waiver, type: 'acknowledged' }, deciding).after.state).toBe(
      'acknowledged',
    );
  });
});

describe('an event', () => {
  it('has who, with which proof, and what it was planned upon', () => {
    const event = planDecision(aCurrentBreak({ hostReference: 'order 7' }), waiver, deciding);
    expect(event).toMatchObject({ who: 'ann', proof: 'stated', account: 'os:ann', at: 7, expectedEvents: 3 });
    expect(event.after).not.toHaveProperty('hostReference');
    expect(event.after).not.toHaveProperty('events');
  });

  it('puts a break into a claim and takes it out, and changes nothing else of it', () => {
    const by = { actor: ann, at: 7, reason: 'overcharged' };
    const { hostReference: _host, events: _events, ...rest } = aCurrentBreak();
    const event = { type: 'claimed', at: 7, runId: null, who: 'ann', reason: 'overcharged', proof: 'stated' };
    const claimed = planClaimed([aCurrentBreak()], [aCurrentBreak()], { claimId: 'claim-1', items: [] }, by)[0];
    expect(claimed).toEqual({
      ...event,
      account: 'os:ann',
      expectedEvents: 3,
      after: { ...rest, claimId: 'claim-1' },
    });
    expect(planClaimed([aCurrentBreak({ claimId: 'claim-1' })], [], null, by)[0]?.after).toEqual(rest);
  });
});
