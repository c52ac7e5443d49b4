import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/domain/finding.ts';
import { byTodaysTerms, compareStored, findingOf, workOut } from '../../src/explain/recompute.ts';
import { changedTerms } from '../../src/explain/terms-changed.ts';
import { freezeTerms } from '../../src/rules/terms.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import { aBreak } from '../support/a-break.ts';
import { aCase, aPurchase, dec, LOCKED, someTolerances } from '../support/builders.ts';
import { AS_OF, built } from './work-out.ts';

const FEE = { rule: 'FEE_APPLIED_DIFFERS', field: 'applied_fee' };
const dearer = built(aCase({ state: aPurchase({ appliedFee: '6.26', baseFee: '5.40' }) }));
const terms = someRunTerms({ binding: LOCKED });
const again = findingOf(dearer, FEE, terms, AS_OF);
const workings = workOut(dearer, FEE, terms, AS_OF);

const stored = aBreak({
  recordId: dearer.recordId,
  explanation:
    'The user paid a fee of 6.26 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 1.50 EUR more (31.5 %), all of it in the base fee.',
});

describe('a stored finding', () => {
  it('agrees where the recomputed one is equal to the digit', () => {
    expect(compareStored(stored, again, workings)).toEqual({ outcome: 'agrees' });
  });

  it('names each figure whose recomputed value differs', () => {
    const altered = { ...stored, actual: '7.26', difference: dec('2.5') };
    expect(compareStored(altered, again, workings)).toEqual({
      outcome: 'differs',
      apart: [
        { what: 'found', stored: '7.26', recomputed: '6.26' },
        { what: 'difference', stored: '2.5', recomputed: '1.5' },
        { what: 'difference written out', stored: '2.5', recomputed: '1.5' },
      ],
    });
  });

  it('is shown where the arithmetic differs from the rule, even where the rule agrees', () => {
    const miscalculated = workings === null ? null : { ...workings, tolerance: dec('0.02') };
    expect(compareStored(stored, again, miscalculated)).toEqual({
      outcome: 'differs',
      apart: [{ what: 'tolerance written out', stored: '0.01', recomputed: '0.02' }],
    });
  });

  it('is not found again in a clean case', () => {
    const clean = findingOf(built(aCase()), FEE, terms, AS_OF);
    expect(compareStored(stored, clean, workings)).toEqual({ outcome: 'not-found' });
  });

  it('cannot be judged by a set that leaves its rule out', () => {
    const off = findingOf(dearer, FEE, someRunTerms({ binding: LOCKED, rules: { FEE_APPLIED_DIFFERS: 'off' } }), AS_OF);
    expect(compareStored(stored, off, null)).toEqual({
      outcome: 'not-recomputed',
      why: 'its rule was switched off in that run',
    });
  });

  it.each<[what: string, altered: Partial<typeof stored>, was: string | null, is: string | null]>([
    ['expected', { expected: '4.77' }, '4.77', '4.76'],
    ['currency', { currency: 'USD' }, 'USD', 'EUR'],
    ['severity', { severity: 'low' }, 'low', 'high'],
    ['explanation', { explanation: 'Otherwise.' }, 'Otherwise.', stored.explanation],
  ])('is shown where its %s comes out otherwise', (what, altered, was, is) => {
    expect(compareStored({ ...stored, ...altered }, again, workings)).toEqual({
      outcome: 'differs',
      apart: [{ what, stored: was, recomputed: is }],
    });
  });

  it('is shown where its tolerance differs, by the rule and by the arithmetic', () => {
    expect(compareStored({ ...stored, tolerance: dec('0.02') }, again, workings)).toEqual({
      outcome: 'differs',
      apart: [
        { what: 'tolerance', stored: '0.02', recomputed: '0.01' },
        { what: 'tolerance written out', stored: '0.02', recomputed: '0.01' },
      ],
    });
  });

  it('agrees by its rule alone where the rule has no working lines', () => {
    expect(compareStored(stored, again, null)).toEqual({ outcome: 'agrees' });
  });

  it('without a number is not checked against written-out numbers', () => {
    const inWords = { difference: null, tolerance: null };
    const found = again === null || again === 'off' ? null : { ...again, ...inWords };
    expect(compareStored({ ...stored, ...inWords }, found, workings)).toEqual({ outcome: 'agrees' });
  });

  it('is matched by its rule and its field', () => {
    const both = built(aCase({ state: aPurchase({ fiatValue: '204.76', cryptoUnits: 80_000_000_000_000_000n }) }));
    const found = (rule: string, field: string) => {
      const finding = findingOf(both, { rule, field }, terms, AS_OF);
      return finding === null || finding === 'off' ? finding : `${finding.rule} ${finding.field} ${finding.actual}`;
    };
    expect(found('AMOUNT_DIFFERS', 'fiat_value')).toBe('AMOUNT_DIFFERS fiat_value 204.76');
    expect(found('AMOUNT_DIFFERS', 'crypto_amount')).toBe('AMOUNT_DIFFERS crypto_amount 0.08');
    const unfooted = built(aCase({ state: aPurchase({ fiatValue: '105.76' }) }));
    const footing = findingOf(unfooted, { rule: 'TOTAL_NOT_FOOTING', field: 'fiat_value' }, terms, AS_OF);
    expect(footing).toMatchObject({ rule: 'TOTAL_NOT_FOOTING', field: 'fiat_value' });
  });

  it('of a rule that this version does not have is not recomputed', () => {
    expect(workOut(dearer, { rule: 'FORMER_RULE', field: 'applied_fee' }, terms, AS_OF)).toBeNull();
  });
});

describe('settings that changed since', () => {
  const byRule = (absolute: string) =>
    someRunTerms({
      binding: LOCKED,
      tolerances: someTolerances({
        rules: new Map([['FEE_APPLIED_DIFFERS', { absolute: dec(absolute), relative: dec('0') }]]),
      }),
    });
  const changed = (now = terms) => changedTerms(freezeTerms(terms), freezeTerms(now));
  const today = (now = terms) => byTodaysTerms(changed(now), again, findingOf(dearer, FEE, now, AS_OF));

  it('are shown setting by setting', () => {
    expect(changed()).toEqual([]);
    expect(changed(byRule('2'))).toEqual([
      { path: 'tolerances.rules.FEE_APPLIED_DIFFERS.absolute', was: null, is: '2' },
      { path: 'tolerances.rules.FEE_APPLIED_DIFFERS.relative', was: null, is: '0' },
    ]);
    const patient = { ...terms.statuses, purchase: new Map(terms.statuses.purchase) };
    const releasing = patient.purchase.get('RELEASING');
    if (releasing !== undefined) patient.purchase.set('RELEASING', { ...releasing, stuckAfter: 1 });
    expect(changed(someRunTerms({ binding: LOCKED, statuses: patient }))).toEqual([
      { path: 'statuses.purchase.RELEASING.stuckAfter', was: '21600000', is: '1' },
    ]);
  });

  it('are shown in order of their paths, new ones included', () => {
    const now = someRunTerms({
      binding: LOCKED,
      rules: { AMOUNT_DIFFERS: 'off' },
      window: { before: 1, after: 600_000 },
    });
    expect(changed(now)).toEqual([
      { path: 'rules.AMOUNT_DIFFERS', was: null, is: 'off' },
      { path: 'window.before', was: '1800000', is: '1' },
    ]);
  });

  it('in a list without names are shown by position', () => {
    const then = JSON.stringify({ list: ['a', null, { name: 'x' }] });
    const now = JSON.stringify({ list: ['b', 1, { name: 'y' }] });
    expect(changedTerms(then, now)).toEqual([
      { path: 'list.0', was: 'a', is: 'b' },
      { path: 'list.1', was: 'null', is: '1' },
      { path: 'list.2.name', was: 'x', is: 'y' },
    ]);
  });

  it('state their effect on the break', () => {
    expect(today()).toEqual({ changed: [], verdict: null, difference: null, tolerance: null });
    expect(today(byRule('2'))).toMatchObject({ verdict: 'gone' });
    expect(today(byRule('1'))).toMatchObject({ verdict: 'other', difference: dec('1.50'), tolerance: dec('1') });
    expect(today(someRunTerms({ binding: LOCKED, window: { before: 1, after: 1 } }))).toMatchObject({
      verdict: 'same',
    });
    expect(today(someRunTerms({ binding: LOCKED, rules: { FEE_APPLIED_DIFFERS: 'off' } }))).toMatchObject({
      verdict: 'off',
    });
    expect(
      today(someRunTerms({ binding: LOCKED, rules: { FEE_APPLIED_DIFFERS: { severity: 'info' } } })),
    ).toMatchObject({
      verdict: 'gone',
    });
  });

  describe('change the break where', () => {
    const changes = [{ path: 'window.before', was: '1', is: '2' }];
    const found = again === null || again === 'off' ? null : again;
    const verdictAfter = (was: Partial<Finding>) =>
      byTodaysTerms(changes, found === null ? null : { ...found, ...was }, again).verdict;

    it.each<[what: string, was: Partial<Finding>]>([
      ['severity', { severity: 'low' }],
      ['explanation', { explanation: 'Otherwise.' }],
      ['tolerance', { tolerance: dec('0.02') }],
      ['difference', { difference: dec('1.51') }],
    ])('its %s is another', (_what, was) => {
      expect(verdictAfter({})).toBe('same');
      expect(verdictAfter(was)).toBe('other');
    });

    it('the terms of its run find nothing, or leave its rule out', () => {
      expect(byTodaysTerms(changes, null, again).verdict).toBe('other');
      expect(byTodaysTerms(changes, 'off', again).verdict).toBe('other');
    });
  });
});
