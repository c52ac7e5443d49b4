import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accrue } from '../../src/books/known-records.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { type EarnedSource, earnedBy, type ReleaseSign } from '../../src/domain/earned.ts';
import type { KnownRecord, LatestScope } from '../../src/ports/store/store.ts';
import { aPurchase, at, someTolerances } from '../support/builders.ts';

/** Half past midnight of 1 November by the Service; the application's date is the evening before. Released on the 3rd. */
const state = aPurchase({ status: 'RELEASED', createdAt: at('2026-10-31 23:30'), hostFeeCut: '6.66' });
const countedAt = at('2026-10-31 22:30');
const record: KnownRecord = {
  kind: 'purchase',
  recordId: state.recordId,
  hostReference: null,
  lastVerifiedAt: at('2026-11-04 04:15'),
  toldCreatedAt: countedAt,
  countedAt,
  earned: { at: at('2026-11-03 10:00'), source: 'updated_at' as const, takenBackAt: null, share: state.hostFeeCut },
  state,
};

async function accruedBy(revenueMonth: 'released' | 'created', from: string, to: string, records = [record]) {
  const asked: LatestScope[] = [];
  const latest = async (scope: LatestScope) => {
    asked.push(scope);
    return records;
  };
  const settings = { timezone: 'Europe/Warsaw', tolerances: someTolerances(), books: { revenueMonth } };
  const accrual = await accrue({ store: { tracked: { latest } }, settings }, { kind: null, from, to });
  return { asked, months: accrual.rows().map(({ month }) => month) };
}

test('a share is earned in the month of the release, in the business time zone', async () => {
  expect((await accruedBy('released', '2026-11-01', '2026-12-01')).months).toEqual(['2026-11']);
  expect((await accruedBy('released', '2026-10-01', '2026-11-01')).months).toEqual([]);
  const early = {
    ...record,
    earned: { at: at('2026-10-31 23:30'), source: 'updated_at' as const, takenBackAt: null, share: state.hostFeeCut },
  };
  expect((await accruedBy('released', '2026-10-01', '2026-12-01', [early])).months).toEqual(['2026-11']);
});

test.each([
  ['is not released', { earned: null }],
  ['a webhook calls released and no run has read, as the close of its month has it', { lastVerifiedAt: null }],
])('nothing is earned by a record that %s', async (_, other) => {
  expect((await accruedBy('released', '2026-01-01', '2027-01-01', [{ ...record, ...other }])).months).toEqual([]);
});

test('by the setting in the month that the record is counted to', async () => {
  const { asked, months } = await accruedBy('created', '2026-10-01', '2026-11-01');
  expect(months).toEqual(['2026-10']);
  expect((await accruedBy('created', '2026-11-01', '2026-12-01')).months).toEqual([]);
  expect(asked).toMatchObject([{ createdFrom: null, createdTo: null }]);
});

test('whatever was released when, the sum over months is the sum over records', async () => {
  const moment = fc.integer({ min: at('2026-01-01 00:00'), max: at('2026-12-30 00:00') });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(moment, fc.integer({ min: 0, max: 99_999 }), fc.boolean())), async (drawn) => {
      const records = drawn.map(([earnedAt, cents, isPound], i): KnownRecord => {
        const own = { ...state, hostFeeCut: Decimal.of(BigInt(cents), 2), fiatCurrency: isPound ? 'GBP' : 'EUR' };
        return {
          ...record,
          recordId: `p${i}`,
          earned: { at: earnedAt, source: 'updated_at', takenBackAt: null, share: own.hostFeeCut },
          state: own,
        };
      });
      const latest = async () => records;
      const settings = {
        timezone: 'Europe/Berlin',
        tolerances: someTolerances(),
        books: { revenueMonth: 'released' as const },
      };
      const whole = await accrue({ store: { tracked: { latest } }, settings }, { kind: null, from: null, to: null });
      for (const currency of ['EUR', 'GBP']) {
        const months = whole.rows().filter((row) => row.currency === currency);
        const sum = months.reduce((total, row) => total.plus(row.fromRecords.amount ?? Decimal.ZERO), Decimal.ZERO);
        const cents = drawn.flatMap(([, each, isPound]) => ((isPound ? 'GBP' : 'EUR') === currency ? [each] : []));
        expect(sum.toPlaces(2)).toBe((cents.reduce((a, b) => a + b, 0) / 100).toFixed(2));
      }
    }),
    { numRuns: 50 },
  );
});

describe('the release', () => {
  const body = (status: string, over: Partial<ReleaseSign['state']> = {}): ReleaseSign => ({
    state: {
      kind: 'purchase',
      status,
      createdAt: at('2026-10-20 09:00'),
      hostFeeCut: null,
      updatedAt: at('2026-11-03 09:00'),
      ...over,
    },
    evidence: { receivedAt: at('2026-11-05 04:15') },
  });
  test.each<[string, Parameters<typeof earnedBy>, [string, EarnedSource] | null]>([
    ['of a record under way', [null, body('RELEASING'), []], null],
    [
      'by the last change of its first body',
      [body('RELEASED'), body('RELEASED', { updatedAt: at('2026-11-04 09:00') }), []],
      ['2026-11-03 09:00', 'updated_at'],
    ],
    [
      'after an expiry',
      [body('EXPIRED', { updatedAt: at('2026-10-30 09:00') }), body('RELEASED'), []],
      ['2026-11-03 09:00', 'updated_at'],
    ],
    [
      'by the list of moments',
      [null, body('RELEASED', { releasedAt: at('2026-11-01 09:00') }), []],
      ['2026-11-01 09:00', 'actions'],
    ],
    [
      'by a webhook',
      [null, body('RELEASED'), [{ type: 'RELEASED', at: at('2026-11-02 09:00') }]],
      ['2026-11-02 09:00', 'webhook'],
    ],
    [
      'by the time of receipt, where its date cannot be true',
      [null, body('RELEASED', { updatedAt: 0 }), []],
      ['2026-11-05 04:15', 'fetched_at'],
    ],
    [
      "by its creation, of a sale in the specification's own shape",
      [null, body('', { kind: 'sale', status: null, updatedAt: null }), []],
      ['2026-10-20 09:00', 'created_at'],
    ],
    [
      'of a record that was first seen when it had come back, by its list of moments',
      [null, body('RETURNED', { releasedAt: at('2026-10-30 09:00') }), []],
      ['2026-10-30 09:00', 'actions'],
    ],
    [
      'of one that had come back, by a webhook',
      [null, body('RETURNED'), [{ type: 'RELEASED', at: at('2026-10-30 09:00') }]],
      ['2026-10-30 09:00', 'webhook'],
    ],
    ['of one that came back, and whose release nothing dates', [null, body('RETURNED'), []], null],
  ])('%s', (_what, [first, newest, events], expected) => {
    const { at: when = null, source = null } = earnedBy(first, newest, events) ?? {};
    expect([when, source]).toEqual(expected === null ? [null, null] : [at(expected[0]), expected[1]]);
  });

  const moments = { releasedAt: at('2026-10-30 09:00'), returnedAt: at('2026-11-02 09:00') };
  const before = body('RELEASED', { updatedAt: at('2026-10-30 09:00') });
  test.each<[string, Parameters<typeof earnedBy>, string | null]>([
    [
      'by the list of moments, and not by the release in it',
      [before, body('RETURNED', moments), []],
      '2026-11-02 09:00',
    ],
    [
      'by the list of a body whose status says nothing of it',
      [null, body('RELEASED', moments), []],
      '2026-11-02 09:00',
    ],
    [
      'by the last change of a body that lists no return',
      [before, body('RETURNED', { releasedAt: moments.releasedAt }), []],
      '2026-11-03 09:00',
    ],
    [
      'by a webhook that came before',
      [before, body('RETURNED', moments), [{ type: 'RETURNED', at: at('2026-11-01 09:00') }]],
      '2026-11-01 09:00',
    ],
    [
      'by the time of receipt, where the moment cannot be true',
      [before, body('RETURNED', { returnedAt: at('2099-01-01 09:00') }), []],
      '2026-11-05 04:15',
    ],
    [
      'never by a payment that came back before the release',
      [null, body('RELEASED', { releasedAt: moments.returnedAt, returnedAt: moments.releasedAt }), []],
      null,
    ],
  ])('is taken back %s', (_what, [first, newest, events], expected) => {
    expect(earnedBy(first, newest, events)?.takenBackAt).toBe(expected === null ? null : at(expected));
  });

  test.each([
    ['4', '4'],
    ['5', '5'],
    ['0', '4'],
    [null, '4'],
  ])('of a share of 4, of which the returned body states %s, is %s', (told, expected) => {
    const share = (cut: string | null) => ({ hostFeeCut: cut === null ? null : Decimal.parse(cut) });
    const earned = earnedBy(body('RELEASED', share('4')), body('RETURNED', share(told)), []);
    expect(String(earned?.share)).toBe(expected);
  });
});

test('a record that came back without a known share is counted and estimated no more', async () => {
  const silent = { ...record, state: { ...state, hostFeeCut: null } };
  const earned = { at: at('2026-11-03 10:00'), source: 'updated_at' as const, takenBackAt: null, share: null };
  const back = { ...silent, recordId: 'back', earned: { ...earned, takenBackAt: at('2026-12-02 10:00') } };
  const latest = async () => [record, { ...silent, earned }, back];
  const books = { revenueMonth: 'released' as const, estimate: 'method-rate' as const };
  const settings = { timezone: 'UTC', tolerances: someTolerances(), books };
  const accrual = await accrue({ store: { tracked: { latest } }, settings }, { kind: null, from: null, to: null });
  expect(accrual.rows().map(({ month, unknown, estimated }) => [month, unknown.length, String(estimated)])).toEqual([
    ['2026-11', 1, '6.66'],
  ]);
});
