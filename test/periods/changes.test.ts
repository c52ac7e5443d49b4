/** The changes reported for a record that differs from the statement of its closed month. */
import { describe, expect, it } from 'vitest';
import type { Break } from '../../src/domain/break.ts';
import { type CompareInput, compareStated, type StatedRecord } from '../../src/periods/changes.ts';
import { aBreak } from '../support/a-break.ts';
import { aPurchase, dec } from '../support/builders.ts';

const said = (overrides: Partial<StatedRecord> = {}): StatedRecord => ({
  verdict: 'matched',
  state: aPurchase(),
  breaks: [],
  ...overrides,
});

function compare(before: StatedRecord | null, after: StatedRecord | null, overrides: Partial<CompareInput> = {}) {
  return compareStated({
    kind: 'purchase',
    recordId: 'sqs6a428mqjtzbv',
    hostReference: null,
    period: '2026-10',
    before,
    after,
    readings: [],
    lookDate: '2026-11-20',
    ...overrides,
  });
}

/** change, item, before, after, difference, currency. */
const rows = (changes: ReturnType<typeof compare>) =>
  changes.map((each) => [
    each.change,
    each.item,
    each.before,
    each.after,
    each.difference?.toString() ?? null,
    each.currency,
  ]);

it('reports no change where only the time of the last change differs', () => {
  const touched = aPurchase({ updatedAt: aPurchase().updatedAt });
  expect(compare(said(), said({ state: { ...touched, updatedAt: 1 } }))).toEqual([]);
});

describe('a field', () => {
  it('is reported with the difference in its own currency, and a sentence', () => {
    const changes = compare(said(), said({ state: aPurchase({ fiatValue: '110' }) }));
    expect(rows(changes)).toEqual([['field', 'fiat_value', '104.76', '110', '5.24', 'EUR']]);
    expect(changes[0]).toMatchObject({
      period: '2026-10',
      firstSeenDate: '2026-11-20',
      explanation: 'fiat_value was 104.76 EUR when 2026-10 was stated and is 110 EUR since 2026-11-20: 5.24 EUR more.',
    });
  });

  it('is not subtracted across currencies', () => {
    const changes = compare(said(), said({ state: aPurchase({ fiatCurrency: 'USD', fiatValue: '110' }) }));
    expect(rows(changes).slice(0, 2)).toEqual([
      ['field', 'fiat_currency', 'EUR', 'USD', null, null],
      ['field', 'fiat_value', '104.76', '110', null, 'USD'],
    ]);
  });

  it('that was unknown has no difference: unknown is not zero', () => {
    const changes = compare(said(), said({ state: aPurchase({ hostFeeCut: '1.25' }) }));
    expect(rows(changes)).toEqual([['field', 'host_fee_cut', null, '1.25', null, 'EUR']]);
  });

  it('of a record that was never read is reported, without a difference', () => {
    const changes = compare(said({ verdict: 'unverified', state: null }), said());
    expect(rows(changes)).toContainEqual(['field', 'fiat_value', null, '104.76', null, 'EUR']);
    expect(rows(changes)).toContainEqual(['verdict', 'verdict', 'unverified', 'matched', null, null]);
  });

  it('is unchanged where only trailing zeros differ', () => {
    expect(compare(said(), said({ state: aPurchase({ baseFee: '3.9000' }) }))).toEqual([]);
  });

  it.each<
    [
      what: string,
      before: Partial<StatedRecord>,
      after: Partial<StatedRecord>,
      lookDate: string | null,
      sentence: string,
    ]
  >([
    [
      'less',
      {},
      { state: aPurchase({ fiatValue: '100' }) },
      '2026-11-20',
      'fiat_value was 104.76 EUR when 2026-10 was stated and is 100 EUR since 2026-11-20: 4.76 EUR less.',
    ],
    [
      'a text, which has no unit and no difference',
      {},
      { state: aPurchase({ status: 'CANCELLED' }) },
      '2026-11-20',
      'status was RELEASED when 2026-10 was stated and is CANCELLED since 2026-11-20.',
    ],
    [
      'a rate, which has none either',
      {},
      { state: aPurchase({ exchangeRate: '2400' }) },
      '2026-11-20',
      'exchange_rate was 2500 when 2026-10 was stated and is 2400 since 2026-11-20.',
    ],
    [
      'something that was unknown',
      {},
      { state: aPurchase({ hostFeeCut: '1.25' }) },
      '2026-11-20',
      'host_fee_cut was unknown when 2026-10 was stated and is 1.25 EUR since 2026-11-20.',
    ],
    [
      'an undated change',
      {},
      { state: aPurchase({ baseFee: null }) },
      null,
      'base_fee was 3.9 EUR when 2026-10 was stated and is unknown.',
    ],
  ])('has a sentence of its own: %s', (_what, before, after, lookDate, sentence) => {
    expect(compare(said(before), said(after), { lookDate }).map(({ explanation }) => explanation)).toEqual([sentence]);
  });

  it('that is a rate has no difference', () => {
    const changes = compare(said(), said({ state: aPurchase({ exchangeRate: '2400' }) }));
    expect(rows(changes)).toEqual([['field', 'exchange_rate', '2500', '2400', null, null]]);
  });

  it('of a record that can no longer be read has no difference', () => {
    const changes = compare(said(), said({ state: null }));
    expect(rows(changes)).toContainEqual(['field', 'fiat_value', '104.76', null, null, 'EUR']);
    expect(changes.map(({ firstSeenDate }) => firstSeenDate)).toEqual(changes.map(() => '2026-11-20'));
  });

  it('is dated by the first of the observations that show it without a gap', () => {
    const readings = [
      { businessDate: '2026-10-20', state: aPurchase() },
      { businessDate: '2026-11-03', state: aPurchase({ fiatValue: '110' }) },
      { businessDate: '2026-11-04', state: aPurchase() },
      { businessDate: '2026-11-05', state: aPurchase({ fiatValue: '110' }) },
      { businessDate: '2026-11-20', state: aPurchase({ fiatValue: '110', status: 'CANCELLED' }) },
    ];
    const changes = compare(said(), said({ state: aPurchase({ fiatValue: '110', status: 'CANCELLED' }) }), {
      readings,
    });
    expect(changes.map(({ item, firstSeenDate }) => [item, firstSeenDate])).toEqual([
      ['status', '2026-11-20'],
      ['fiat_value', '2026-11-05'],
    ]);
  });
});

describe('a break', () => {
  const open = aBreak();

  it('that opened is reported with its difference and its sentence', () => {
    const changes = compare(said(), said({ verdict: 'break', breaks: [open] }));
    expect(rows(changes)).toEqual([
      ['verdict', 'verdict', 'matched', 'break', null, null],
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', null, 'open', '1.5', 'EUR'],
    ]);
    expect(changes[1]?.explanation).toBe('The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.');
  });

  it('that ended, was waived, or came back is reported', () => {
    const ended = { ...open, state: 'resolved' } as const;
    expect(rows(compare(said({ breaks: [open] }), said({ breaks: [ended] })))).toEqual([
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', 'open', 'resolved', null, null],
    ]);
    const waived = { ...open, state: 'waived' } as const;
    expect(rows(compare(said({ breaks: [open] }), said({ breaks: [waived] })))).toEqual([
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', 'open', 'waived', '0', 'EUR'],
    ]);
    const back = { ...open, state: 'reopened' } as const;
    expect(rows(compare(said({ breaks: [ended] }), said({ breaks: [back] })))).toEqual([
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', 'resolved', 'open', '1.5', 'EUR'],
    ]);
  });

  it('whose difference moved is reported with the movement', () => {
    const worse = { ...open, difference: dec('2.25') };
    expect(rows(compare(said({ breaks: [open] }), said({ breaks: [worse] })))).toEqual([
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', 'open', 'open', '0.75', 'EUR'],
    ]);
  });

  it('that ended is reported so, before its sentence', () => {
    const ended = { ...open, state: 'resolved' } as const;
    expect(compare(said({ breaks: [open] }), said({ breaks: [ended] }))[0]?.explanation).toBe(
      'The break is over: The user paid a fee of 6.26 EUR; quote q-17 promised 4.76 EUR.',
    );
  });

  it('that is new has its own date; a known one has that of the observation with the change', () => {
    const waived = { ...open, state: 'waived', firstSeenDate: '2026-10-05', lastSeenDate: '2026-11-10' } as const;
    const dated = (before: readonly Break[], lookDate: string | null) =>
      compare(said({ breaks: before }), said({ breaks: [waived] }), { lookDate })[0]?.firstSeenDate;
    expect(dated([], '2026-11-20')).toBe('2026-10-05');
    expect(dated([open], '2026-11-20')).toBe('2026-11-20');
    expect(dated([open], null)).toBe('2026-11-10');
  });

  it('of a rule without a field is named by the rule alone', () => {
    const missing = aBreak({ rule: 'RECORD_MISSING', field: '', difference: null, currency: null });
    expect(rows(compare(said(), said({ breaks: [missing] })))).toEqual([
      ['break', 'RECORD_MISSING', null, 'open', null, null],
    ]);
  });

  it('without a number is no change while its state is unchanged', () => {
    const inWords = { ...open, difference: null, currency: null };
    expect(compare(said({ breaks: [inWords] }), said({ breaks: [{ ...inWords, actual: 'other' }] }))).toEqual([]);
    const waived = { ...inWords, state: 'waived' } as const;
    expect(rows(compare(said({ breaks: [inWords] }), said({ breaks: [waived] })))).toEqual([
      ['break', 'FEE_APPLIED_DIFFERS applied_fee', 'open', 'waived', null, null],
    ]);
  });

  it.each<[what: string, before: Partial<Break>, after: Partial<Break>]>([
    ['it had no number', { difference: null }, { state: 'waived' }],
    ['it has none now', {}, { state: 'waived', difference: null }],
    ['its number is in another currency', { currency: 'USD' }, { state: 'waived' }],
  ])('is reported without a difference where %s', (_what, before, after) => {
    const changes = compare(said({ breaks: [{ ...open, ...before }] }), said({ breaks: [{ ...open, ...after }] }));
    expect(rows(changes)).toEqual([['break', 'FEE_APPLIED_DIFFERS applied_fee', 'open', 'waived', null, null]]);
  });

  it('that was ended and is ended is no change, with any number', () => {
    const ended = { ...open, state: 'resolved' } as const;
    expect(compare(said({ breaks: [ended] }), said({ breaks: [{ ...ended, difference: dec('9') }] }))).toEqual([]);
    expect(compare(said(), said({ breaks: [ended] }))).toEqual([]);
  });

  it('that is acknowledged or assigned is no change', () => {
    const acknowledged = { ...open, state: 'acknowledged', assignee: 'kim' } as const;
    expect(compare(said({ breaks: [open] }), said({ breaks: [acknowledged] }))).toEqual([]);
  });
});

describe('a record', () => {
  it('that was added late counts with its whole amounts', () => {
    const changes = rows(compare(null, said()));
    expect(changes[0]).toEqual(['record', 'added', null, 'matched', null, null]);
    expect(changes).toContainEqual(['field', 'fiat_value', null, '104.76', '104.76', 'EUR']);
  });

  it('that left the month counts with its whole amounts, negative', () => {
    const changes = rows(compare(said(), null));
    expect(changes[0]).toEqual(['record', 'moved', 'matched', null, null, null]);
    expect(changes).toContainEqual(['field', 'fiat_value', '104.76', null, '-104.76', 'EUR']);
  });

  const sentences = (changes: ReturnType<typeof compare>, items: readonly string[]) =>
    changes.filter(({ item }) => items.includes(item)).map(({ explanation }) => explanation);

  it('that came late has its reason and its values', () => {
    expect(sentences(compare(null, said()), ['added', 'fiat_value', 'status'])).toEqual([
      'Belongs to 2026-10 by its creation date and was not in it when it was stated: it was tracked, or dated, later.',
      'status is RELEASED; the record was not in 2026-10 when it was stated.',
      'fiat_value is 104.76 EUR; the record was not in 2026-10 when it was stated.',
    ]);
  });

  it('that left has its reason and its earlier values', () => {
    const changes = compare(said(), null);
    expect(sentences(changes, ['moved', 'fiat_value'])).toEqual([
      'Was stated as of 2026-10 and no longer belongs to it: its creation date was corrected, or it was retracted.',
      'fiat_value was 104.76 EUR; the record no longer belongs to 2026-10.',
    ]);
    expect(changes.map(({ firstSeenDate }) => firstSeenDate)).toEqual(changes.map(() => '2026-11-20'));
  });

  it('with another verdict is reported with both', () => {
    const [change] = compare(said(), said({ verdict: 'pending' }));
    expect([change?.explanation, change?.firstSeenDate]).toEqual([
      'Was matched when 2026-10 was stated and is pending now.',
      '2026-11-20',
    ]);
  });

  it('that was outside the month then and is now is no change', () => {
    expect(compare(null, null)).toEqual([]);
  });
});
