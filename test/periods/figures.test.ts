/** The figures of a month: unverified records, open breaks, and the totals per currency. */
import { describe, expect, it } from 'vitest';
import { isClean, isVerified, PeriodTally, readFigures } from '../../src/periods/figures.ts';
import type { PeriodRecord } from '../../src/periods/standing.ts';
import type { PeriodFigures } from '../../src/ports/period.ts';
import { aBreak } from '../support/a-break.ts';
import { anUnreachable, aPurchase, dec } from '../support/builders.ts';
import { aStanding, NOTHING } from './support/a-standing.ts';

function figuresOf(...standing: readonly PeriodRecord[]): PeriodFigures {
  const tally = new PeriodTally();
  for (const each of standing) tally.add(each);
  return tally.figures();
}

it('the figures of an empty month are empty', () => {
  expect(figuresOf()).toEqual(NOTHING);
});

describe('the records of a month', () => {
  const unread = { verdict: 'unverified', verifiedRun: null } as const;

  it('are counted by verdict, and unverified ones by reason', () => {
    const figures = figuresOf(
      aStanding(),
      aStanding({ verdict: 'pending' }),
      aStanding({ verdict: 'pending' }),
      aStanding({ verdict: 'quarantined' }),
      aStanding(unread, { observation: null, state: null }),
      aStanding({ verdict: 'unverified' }, { observation: anUnreachable() }),
      aStanding(unread, { observation: anUnreachable(), state: null }),
      aStanding(unread, { observation: { outcome: 'deferred', reason: 'allowance' }, state: null }),
    );
    expect(figures).toMatchObject({
      population: 8,
      verdicts: { matched: 1, pending: 2, break: 0, unverified: 4, quarantined: 1, waived: 0 },
      neverLookedAt: 1,
      unreachable: 2,
      deferred: 1,
      neverVerified: 3,
    });
  });

  it('that were read once, or are in quarantine, do not count as never verified', () => {
    const figures = figuresOf(
      aStanding({ verdict: 'unverified' }),
      aStanding({ verdict: 'quarantined', verifiedRun: null }),
    );
    expect(figures.neverVerified).toBe(0);
  });

  it('are counted where their date is not that of a body', () => {
    const dated = (datedBy: PeriodRecord['datedBy']) => aStanding({}, { datedBy });
    const figures = figuresOf(dated('told'), dated('told'), dated('told'), dated('tracked'), dated('body'));
    expect([figures.datedByTold, figures.datedByTracking]).toEqual([3, 1]);
  });
});

it('the totals are exact, per currency, and unknown where no record states them', () => {
  const of = (state: Parameters<typeof aPurchase>[0]) => aStanding({}, { state: aPurchase(state) });
  const figures = figuresOf(
    of({ fiatCurrency: 'EUR', fiatValue: '0.1', appliedFee: '0.1', hostFeeCut: '0.5' }),
    of({ fiatCurrency: 'EUR', fiatValue: '0.2', appliedFee: null, hostFeeCut: '0.25' }),
    of({ fiatCurrency: 'USD', fiatValue: '10.10', appliedFee: null }),
    of({ fiatCurrency: 'CHF', fiatValue: '5', appliedFee: '1' }),
    aStanding({ verdict: 'unverified' }, { state: null }),
  );
  expect(
    figures.currencies.map((each) =>
      [each.currency, each.records, each.fiatValue, each.appliedFee, each.hostFeeCut].join(' '),
    ),
  ).toEqual(['CHF 1 5 1 ', 'EUR 2 0.3 0.1 0.75', 'USD 1 10.1  ']);
});

describe('the money of a month', () => {
  it('is at stake once per record, on any leading break; differences of rates are in no sum', () => {
    const fee = { rule: 'FEE_APPLIED_DIFFERS', difference: dec('5'), loss: dec('5') };
    const total = { rule: 'AMOUNT_DIFFERS', difference: dec('5'), loss: dec('5'), severity: 'medium' as const };
    const rate = { rule: 'RATE_OUT_OF_LINE', difference: dec('8000'), unit: 'rate' as const, loss: null };
    const figures = figuresOf(aStanding({ verdict: 'break' }, { breaks: [aBreak(fee), aBreak(total), aBreak(rate)] }));
    expect(figures.stake.open).toEqual([
      { currency: 'EUR', bearer: 'user', records: 1, total: dec('5'), pending: dec('0'), claimed: dec('0') },
    ]);
    const sums = figures.rules.map(({ rule, differences }) => [rule, differences.EUR?.toString()]);
    expect(Object.fromEntries(sums)).toEqual({
      FEE_APPLIED_DIFFERS: '5',
      AMOUNT_DIFFERS: '5',
      RATE_OUT_OF_LINE: undefined,
    });
    expect(readFigures(JSON.stringify(figures))).toEqual(figures);
  });

  it('is absent for a month that was sealed without it', () => {
    const { stake: _, ...before } = figuresOf();
    expect(readFigures(JSON.stringify(before)).stake).toEqual({ recordsAtRisk: 0, open: [], waived: [] });
  });
});

describe('the breaks of a month', () => {
  it('are counted where they are open or waived, not where they are resolved', () => {
    const breaks = (['open', 'acknowledged', 'reopened', 'waived', 'resolved'] as const).map((state) =>
      aBreak({ state }),
    );
    const figures = figuresOf(aStanding({ verdict: 'break' }, { breaks }));
    expect(figures.breaks).toEqual({ open: 3, waived: 1 });
    expect(figures.rules.map(({ rule, open }) => [rule, open])).toEqual([['FEE_APPLIED_DIFFERS', 3]]);
  });

  it('are reported by rule, the most severe first and then by name, with their differences per currency', () => {
    const of = (rule: string, severity: 'critical' | 'high' | 'low', difference: string | null, currency = 'EUR') =>
      aBreak({ rule, severity, difference: difference === null ? null : dec(difference), currency });
    const figures = figuresOf(
      aStanding(
        {},
        { breaks: [of('STATUS_STUCK', 'low', null), of('RESTATED', 'high', '-1'), of('RESTATED', 'high', '2', 'CHF')] },
      ),
      aStanding({}, { breaks: [of('FIELD_CHANGED', 'high', '0.1'), of('FIELD_CHANGED', 'high', '0.2')] }),
      aStanding({}, { breaks: [of('RECORD_ID_MISMATCH', 'critical', null)] }),
    );
    const told = figures.rules.map(({ rule, severity, open, differences }) => [
      rule,
      severity,
      open,
      Object.entries(differences).map(([currency, sum]) => `${currency} ${sum}`),
    ]);
    expect(told).toEqual([
      ['RECORD_ID_MISMATCH', 'critical', 1, []],
      ['FIELD_CHANGED', 'high', 2, ['EUR 0.3']],
      ['RESTATED', 'high', 2, ['CHF 2', 'EUR -1']],
      ['STATUS_STUCK', 'low', 1, []],
    ]);
  });

  it('without a currency have no sum of differences', () => {
    const figures = figuresOf(aStanding({}, { breaks: [aBreak({ currency: null })] }));
    expect(figures.rules[0]?.differences).toEqual({});
  });
});

describe('a month', () => {
  const { verdicts } = NOTHING;
  it.each<[what: string, figures: PeriodFigures, verified: boolean, clean: boolean]>([
    ['with nothing left to do', { ...NOTHING, verdicts: { ...verdicts, matched: 9 } }, true, true],
    ['with a waived break', { ...NOTHING, breaks: { open: 0, waived: 1 } }, true, true],
    ['with an open break', { ...NOTHING, breaks: { open: 1, waived: 0 } }, true, false],
    ['with an unverified record', { ...NOTHING, verdicts: { ...verdicts, unverified: 1 } }, false, false],
    ['with a quarantined record', { ...NOTHING, verdicts: { ...verdicts, quarantined: 1 } }, false, false],
    [
      'with a record still under way, which earns in a later month',
      { ...NOTHING, verdicts: { ...verdicts, pending: 1 } },
      true,
      true,
    ],
    ['with one of both', { ...NOTHING, verdicts: { ...verdicts, unverified: 1, quarantined: 1 } }, false, false],
    ['with one still on its way', { ...NOTHING, verdicts: { ...verdicts, unverified: 1, pending: 1 } }, false, false],
  ])('%s', (_what, figures, verified, clean) => {
    expect([isVerified(figures), isClean(figures)]).toEqual([verified, clean]);
  });
});

it('figures are read back unchanged from their text', () => {
  const figures: PeriodFigures = {
    ...NOTHING,
    population: 2,
    rules: [{ rule: 'RESTATED', severity: 'high', open: 1, differences: { EUR: dec('-1.5') } }],
    currencies: [
      { currency: 'EUR', records: 2, fiatValue: dec('104.76'), appliedFee: dec('4.76'), hostFeeCut: null },
      { currency: 'USD', records: 0, fiatValue: null, appliedFee: null, hostFeeCut: dec('0.5') },
    ],
  };
  expect(readFigures(JSON.stringify(figures))).toEqual(figures);
});
