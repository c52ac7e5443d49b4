/** What a batch of lines changes in the tracked records: first facts stay, contradictions are counted once, on both sides. */
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import type { Kind } from '../../src/domain/record.ts';
import type { TrackedInput } from '../../src/ports/store/tracked.ts';
import { decideTracking, type TrackedEntry } from '../../src/store/tracking-decisions.ts';
import { at } from '../support/builders.ts';

const NOON = at('2026-11-20 12:00');

const line = (more: Partial<TrackedInput> = {}): TrackedInput => ({
  kind: 'purchase',
  id: '322',
  token: 'first',
  createdAt: null,
  hostReference: null,
  quoteId: null,
  expectedStatus: null,
  ...more,
});

/** As the database has it. */
const stored = (more: Partial<TrackedEntry> = {}): TrackedEntry => ({
  recordKey: 7,
  kind: 'purchase',
  id: '322',
  origin: 'webhook',
  trackedAt: at('2026-11-01 09:00'),
  createdAt: null,
  hostReference: null,
  quoteId: null,
  expectedStatus: null,
  shown: null,
  conflict: null,
  retracted: false,
  changed: false,
  hasToken: (token) => token === 'first',
  newToken: null,
  claims: [],
  ...more,
});
const decide = (lines: readonly TrackedInput[], known: readonly TrackedEntry[] = [], replaces = false) =>
  decideTracking(lines, known, 'import', NOON, replaces);
const outcomes = (...given: Parameters<typeof decide>) => decide(...given).outcomes.map(({ outcome }) => outcome);

describe('a new id', () => {
  it('is added with its facts, and known from then on in the same batch', () => {
    const shown = { total: Decimal.parse('104.76'), fee: null };
    const { outcomes: told, entries } = decide([line({ hostReference: 'order-1', shown }), line()]);
    expect(told).toEqual([{ outcome: 'added' }, { outcome: 'unchanged' }]);
    expect(entries).toMatchObject([
      {
        recordKey: null,
        kind: 'purchase',
        id: '322',
        origin: 'import',
        trackedAt: NOON,
        hostReference: 'order-1',
        shown,
        newToken: 'first',
        conflict: null,
        changed: false,
        retracted: false,
        claims: [],
      },
    ]);
  });
});

describe('a known record', () => {
  it('keeps its first facts; an empty one is filled in, and the expectation may change', () => {
    const facts = { createdAt: at('2026-11-01 08:00'), hostReference: 'order-1', quoteId: 'q-1' };
    const known = stored(facts);
    expect(outcomes([line({ createdAt: NOON, hostReference: 'other', quoteId: 'q-9' })], [known])).toEqual([
      'unchanged',
    ]);
    expect(known).toMatchObject({ ...facts, changed: false });
    expect(outcomes([line({ expectedStatus: 'RELEASED' })], [known])).toEqual(['updated']);
    expect(outcomes([line({ expectedStatus: 'CANCELLED' }), line()], [known])).toEqual(['updated', 'unchanged']);
    expect(known).toMatchObject({ expectedStatus: 'CANCELLED', changed: true });
  });

  it.each<Partial<TrackedInput>>([{ createdAt: NOON }, { hostReference: 'order-1' }, { quoteId: 'q-1' }])(
    'gets %o where it has none',
    (fact) => {
      const known = stored();
      expect(outcomes([line(fact)], [known])).toEqual(['updated']);
      expect(known).toMatchObject({ ...fact, changed: true });
    },
  );

  it('gets the shown amounts that it lacks, and keeps those that it has', () => {
    const amounts = (total: string | null, fee: string | null) => ({
      total: total === null ? null : Decimal.parse(total),
      fee: fee === null ? null : Decimal.parse(fee),
    });
    const shownAfter = (known: TrackedEntry['shown'], told: TrackedInput['shown']) => {
      const entry = stored({ shown: known });
      const [outcome] = outcomes([line(told === undefined ? {} : { shown: told })], [entry]);
      return [outcome, entry.shown?.total?.toString() ?? null, entry.shown?.fee?.toString() ?? null];
    };
    expect(shownAfter(null, undefined)).toEqual(['unchanged', null, null]);
    expect(shownAfter(null, amounts('10', null))).toEqual(['updated', '10', null]);
    expect(shownAfter(amounts('10', null), null)).toEqual(['unchanged', '10', null]);
    expect(shownAfter(amounts('10', null), amounts('11', '1'))).toEqual(['updated', '10', '1']);
    expect(shownAfter(amounts(null, '1'), amounts('11', '2'))).toEqual(['updated', '11', '1']);
    expect(shownAfter(amounts('10', '1'), amounts('11', '2'))).toEqual(['unchanged', '10', '1']);
  });
});

describe('another token', () => {
  const told =
    'purchase 322 came in with 2 different view tokens (first from webhook on 2026-11-01, last from import on 2026-11-20)';

  it('is a conflict each time, and one claim; the token itself is in no text', () => {
    const known = stored();
    const { outcomes: found } = decide([line({ token: 'second' }), line({ token: 'second' })], [known]);
    expect(found).toEqual([
      { outcome: 'conflict', detail: told },
      { outcome: 'conflict', detail: told },
    ]);
    expect(known.claims).toMatchObject([{ type: 'token', newToken: 'second', settled: false }]);
    expect(known).toMatchObject({ changed: true, newToken: null });
  });

  it('and a third one are two claims', () => {
    const known = stored();
    const [, last] = decide([line({ token: 'second' }), line({ token: 'third' })], [known]).outcomes;
    expect(last).toMatchObject({ detail: expect.stringContaining('came in with 3 different view tokens') });
    expect(known.claims).toHaveLength(2);
  });

  it('that a person has decided against is not a conflict any more', () => {
    const settled = { type: 'token', origin: 'import', at: NOON, isToken: (token: string) => token === 'old' } as const;
    const known = stored({ claims: [{ ...settled, newToken: null, settled: true }] });
    expect(outcomes([line({ token: 'old' }), line({ token: 'new' })], [known])).toEqual(['unchanged', 'conflict']);
    expect(known.conflict).toContain('came in with 2 different view tokens');
  });

  it('replaces the stored one where the command says so, which settles the claims', () => {
    const known = stored();
    decide([line({ token: 'second' })], [known]);
    expect(outcomes([line({ token: 'third', hostReference: 'order-1' })], [known], true)).toEqual(['updated']);
    expect(known).toMatchObject({ replacement: 'third', conflict: null, hostReference: 'order-1', changed: true });
    expect(known.claims).toMatchObject([{ settled: true }]);
    expect([known.hasToken('first'), known.hasToken('third')]).toEqual([false, true]);
    expect(outcomes([line({ token: 'third' })], [known], true)).toEqual(['unchanged']);
  });

  it('replaces that of a line before it in the same batch, which was never stored', () => {
    const { outcomes: found, entries } = decide([line(), line({ token: 'second' })], [], true);
    expect(found).toEqual([{ outcome: 'added' }, { outcome: 'updated' }]);
    expect(entries).toMatchObject([{ newToken: 'second', recordKey: null }]);
    expect(entries[0]).not.toHaveProperty('replacement');
  });
});

describe('one id of both kinds', () => {
  const kinds = (entries: readonly TrackedEntry[]) => entries.map(({ kind, conflict }) => [kind, conflict]);
  const sale = (from: string, to: string) => `came in as a purchase (${from}) and as a sale (${to})`;
  const purchase = (from: string, to: string) => `came in as a sale (${from}) and as a purchase (${to})`;
  const BEFORE = 'from webhook on 2026-11-01';
  const NOW = 'from import on 2026-11-20';

  it('marks the stored record and the new one; the new line is reported', () => {
    const { outcomes: found, entries } = decide([line({ kind: 'sale' })], [stored()]);
    expect(found).toEqual([{ outcome: 'conflict', detail: `sale 322 ${purchase(NOW, BEFORE)}` }]);
    expect(kinds(entries)).toEqual([
      ['purchase', sale(BEFORE, NOW)],
      ['sale', purchase(NOW, BEFORE)],
    ]);
    expect(entries.map(({ claims }) => claims)).toMatchObject([
      [{ type: 'kind', isNew: true, settled: false }],
      [{ type: 'kind', isNew: true, settled: false }],
    ]);
  });

  it('marks each of them once, however many lines repeat it', () => {
    const lines = (['purchase', 'sale', 'purchase', 'sale'] as const).map((kind) => line({ kind }));
    const { outcomes: found, entries } = decide(lines);
    expect(found.map(({ outcome }) => outcome)).toEqual(['added', 'conflict', 'unchanged', 'unchanged']);
    expect(entries.map(({ claims }) => claims.length)).toEqual([1, 1]);
  });

  it.each<[Kind, string, number | null, number | null]>([
    ['sale', 'conflict', 7, 8],
    ['sale', 'unchanged', 8, 7],
    ['purchase', 'unchanged', 7, 8],
    ['purchase', 'conflict', 8, 7],
    ['sale', 'conflict', 7, null],
    ['purchase', 'unchanged', 7, null],
  ])('is a conflict for lines of the later one alone: a %s line is %s (keys %s and %s)', (kind, outcome, a, b) => {
    const known = [stored({ recordKey: a }), stored({ kind: 'sale', recordKey: b })];
    expect(outcomes([line({ kind })], known)).toEqual([outcome]);
  });

  it('is reported beside other tokens', () => {
    const known = stored();
    decide([line({ token: 'second' }), line({ kind: 'sale' })], [known]);
    expect(known.conflict).toBe(
      `came in with 2 different view tokens (first ${BEFORE}, last ${NOW}); ${sale(BEFORE, NOW)}`,
    );
  });
});
