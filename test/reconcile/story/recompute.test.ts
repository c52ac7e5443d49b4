import { describe, expect, it } from 'vitest';
import type { Break } from '../../../src/domain/break.ts';
import { byTodaysTerms, compareStored, findingOf, workOut } from '../../../src/reconcile/story/recompute.ts';
import { changedTerms } from '../../../src/reconcile/story/terms-changed.ts';
import { freezeTerms } from '../../../src/reconcile/terms.ts';
import { aCase, aPurchase, dec, someTolerances } from '../../support/builders.ts';
import { AS_OF, built, someRunTerms } from './work-out.ts';

const FEE = { rule: 'FEE_APPLIED_DIFFERS', field: 'applied_fee' };
const dearer = built(aCase({ state: aPurchase({ appliedFee: '6.26', baseFee: '5.40' }) }));
const terms = someRunTerms();
const again = findingOf(dearer, FEE, terms, AS_OF);
const workings = workOut(dearer, FEE, terms, AS_OF);

const stored: Break = {
  breakId: 'b'.repeat(64),
  kind: 'purchase',
  recordId: dearer.recordId,
  ...FEE,
  severity: 'high',
  state: 'open',
  firstSeenDate: '2026-11-01',
  lastSeenDate: '2026-11-02',
  timesReopened: 0,
  assignee: null,
  waiver: null,
  expected: '4.76',
  actual: '6.26',
  difference: dec('1.5'),
  currency: 'EUR',
  tolerance: dec('0.01'),
  explanation:
    'The user paid a fee of 6.26 EUR; quote q-17 (card, 4 min before) promised 4.76 EUR: 1.50 EUR more (31.5 %), all of it in the base fee.',
  evidenceSha256: null,
};

describe('a stored finding', () => {
  it('agrees where it comes out again to the digit', () => {
    expect(compareStored(stored, again, workings)).toEqual({ outcome: 'agrees' });
  });

  it('tells each figure that comes out otherwise', () => {
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

  it('is told where arithmetic and rule part ways, though the rule says the same', () => {
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
    const off = findingOf(dearer, FEE, someRunTerms({ rules: { FEE_APPLIED_DIFFERS: 'off' } }), AS_OF);
    expect(compareStored(stored, off, null)).toMatchObject({ outcome: 'not-recomputed' });
  });
});

describe('settings that changed since', () => {
  const byRule = (absolute: string) =>
    someRunTerms({
      tolerances: someTolerances({
        rules: new Map([['FEE_APPLIED_DIFFERS', { absolute: dec(absolute), relative: dec('0') }]]),
      }),
    });
  const changed = (now = terms) => changedTerms(freezeTerms(terms), freezeTerms(now));
  const today = (now = terms) => byTodaysTerms(changed(now), again, findingOf(dearer, FEE, now, AS_OF));

  it('are told setting by setting', () => {
    expect(changed()).toEqual([]);
    expect(changed(byRule('2'))).toEqual([
      { path: 'tolerances.rules.FEE_APPLIED_DIFFERS.absolute', was: null, is: '2' },
      { path: 'tolerances.rules.FEE_APPLIED_DIFFERS.relative', was: null, is: '0' },
    ]);
    const patient = { ...terms.statuses, purchase: new Map(terms.statuses.purchase) };
    const releasing = patient.purchase.get('RELEASING');
    if (releasing !== undefined) patient.purchase.set('RELEASING', { ...releasing, stuckAfter: 1 });
    expect(changed(someRunTerms({ statuses: patient }))).toEqual([
      { path: 'statuses.purchase.RELEASING.stuckAfter', was: '21600000', is: '1' },
    ]);
  });

  it('say what they would make of the break', () => {
    expect(today()).toEqual({ changed: [], verdict: null, difference: null, tolerance: null });
    expect(today(byRule('2'))).toMatchObject({ verdict: 'gone' });
    expect(today(byRule('1'))).toMatchObject({ verdict: 'other', difference: dec('1.50'), tolerance: dec('1') });
    expect(today(someRunTerms({ window: { before: 1, after: 1 } }))).toMatchObject({ verdict: 'same' });
    expect(today(someRunTerms({ rules: { FEE_APPLIED_DIFFERS: 'off' } }))).toMatchObject({ verdict: 'off' });
    expect(today(someRunTerms({ rules: { FEE_APPLIED_DIFFERS: { severity: 'info' } } }))).toMatchObject({
      verdict: 'gone',
    });
  });
});
