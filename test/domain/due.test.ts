/** The schedule of verifications, for one record. That the store selects the same records: `test/store/contract/due-rule.ts`. */
import { describe, expect, it } from 'vitest';
import { DUE_POLICY, type DueFacts, dueClassOf, isRetired } from '../support/due-rule.ts';

const UNSEEN: DueFacts = { lastVerified: null, ended: null, brokenSince: null, answered: null, waiverEnded: false };
/** 2026-11-20. */
const TODAY = 20_777;

/** The nights on which a record is due when it is verified on each of them, counted from TODAY. */
function nights(facts: DueFacts, upTo: number): number[] {
  const looked: number[] = [];
  let known = { ...facts };
  for (let after = 0; after <= upTo; after++) {
    if (dueClassOf(known, DUE_POLICY, TODAY + after) === null) continue;
    looked.push(after);
    known = { ...known, lastVerified: TODAY + after };
  }
  return looked;
}

describe('the schedule', () => {
  it('verifies a clean record 1, 7 and 30 days after its end, then never again', () => {
    const facts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY };
    expect(nights(facts, 400)).toEqual([1, 7, 30]);
    expect(isRetired({ ...facts, lastVerified: TODAY + 29 }, DUE_POLICY)).toBe(false);
    expect(isRetired({ ...facts, lastVerified: TODAY + 30 }, DUE_POLICY)).toBe(true);
  });

  it('verifies a record with an open break every night for 30 days, then weekly', () => {
    const facts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY - 90, brokenSince: TODAY };
    const daily = Array.from({ length: 30 }, (_, night) => night);
    expect(nights(facts, 58)).toEqual([...daily, 36, 43, 50, 57]);
  });

  it('verifies a record under way every night, and one that was never verified at once', () => {
    expect(nights({ ...UNSEEN, lastVerified: TODAY - 1 }, 100)).toHaveLength(101);
    expect(dueClassOf(UNSEEN, DUE_POLICY, TODAY)).toBe('never-verified');
  });

  it('asks weekly for an id that has answered 404 for a month, and nightly where no answer came', () => {
    const dead = { ...UNSEEN, brokenSince: TODAY - 40, answered: TODAY - 6 };
    expect(dueClassOf(dead, DUE_POLICY, TODAY)).toBeNull();
    expect(dueClassOf(dead, DUE_POLICY, TODAY + 1)).toBe('never-verified');
    expect(dueClassOf({ ...dead, answered: null }, DUE_POLICY, TODAY)).toBe('never-verified');
  });
});

describe('a waiver that has ended', () => {
  const waived = { ...UNSEEN, waiverEnded: true };

  it.each([
    ['that is otherwise retired', { ...waived, lastVerified: TODAY - 1, ended: TODAY - 400 }],
    ['that is still under way', { ...waived, lastVerified: TODAY - 1 }],
    [
      'whose weekly verification is not yet due',
      { ...waived, lastVerified: TODAY - 1, ended: TODAY - 90, brokenSince: TODAY - 40 },
    ],
  ])('makes a record due as an open break: one %s', (_, facts) => {
    expect(dueClassOf(facts, DUE_POLICY, TODAY)).toBe('open-break');
  });

  it('leaves a record without an open break that was never verified in its class', () => {
    expect(dueClassOf(waived, DUE_POLICY, TODAY)).toBe('never-verified');
  });

  it('makes a record due that answers 404 and is asked for weekly', () => {
    const dead = { ...waived, brokenSince: TODAY - 40, answered: TODAY - 6 };
    expect(dueClassOf(dead, DUE_POLICY, TODAY)).toBe('open-break');
    expect(dueClassOf({ ...dead, waiverEnded: false }, DUE_POLICY, TODAY)).toBeNull();
  });
});

describe('a retired record', () => {
  const retired: DueFacts = { ...UNSEEN, lastVerified: TODAY, ended: TODAY - 30 };

  it.each([
    ['clean, and verified thirty days after its end', {}, true],
    ['never verified', { lastVerified: null }, false],
    ['under way', { ended: null }, false],
    ['with an open break', { brokenSince: TODAY - 400 }, false],
    ['with a waiver that has ended', { waiverEnded: true }, false],
    ['not verified since its last verification was due', { lastVerified: TODAY - 1 }, false],
  ])('is due again only for an audit or a new break: %s', (_, facts, expected) => {
    expect(isRetired({ ...retired, ...facts }, DUE_POLICY)).toBe(expected);
  });

  it('has been verified at its end, where the policy asks for no later verification', () => {
    const policy = { ...DUE_POLICY, postTerminalDays: [] };
    expect(isRetired({ ...retired, lastVerified: TODAY - 30 }, policy)).toBe(true);
    expect(isRetired({ ...retired, lastVerified: TODAY - 31 }, policy)).toBe(false);
  });
});
