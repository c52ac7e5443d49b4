/** Records that are created in one month and released in another: closed early or late, the months earn the same in the end. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { purchaseOf } from '../service/bodies.ts';
import { readCsv } from './support/csv.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

const RULES =
  'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, RATE_OUT_OF_LINE: off, TX_REUSED: off, STATUS_STUCK: off, STATUS_REGRESSED: off, RESTATED: off, REFUND_DUE: off }\n';

interface Life {
  id: string;
  created: string;
  /** Null where it is never released. */
  released: string | null;
  cut: string;
  returned?: string;
  currency?: string;
}

/** 10.00 earned in its month; 6.66 over the month's end; 4.00 of September in October; 3.00 returned in November; 9.00 is never released. */
const LIVES: readonly Life[] = [
  { id: 'plain', created: '2025-10-15T10:00:00', released: '2025-10-15T10:20:00', cut: '10.00' },
  { id: 'over', created: '2025-10-31T10:00:00', released: '2025-11-03T10:00:00', cut: '6.66' },
  { id: 'before', created: '2025-09-30T10:00:00', released: '2025-10-02T10:00:00', cut: '4.00' },
  {
    id: 'back',
    created: '2025-10-10T10:00:00',
    released: '2025-10-10T10:20:00',
    returned: '2025-11-20T10:00:00',
    cut: '3.00',
  },
  { id: 'open', created: '2025-10-20T10:00:00', released: null, cut: '9.00' },
  { id: 'november', created: '2025-11-10T10:00:00', released: '2025-11-10T10:20:00', cut: '20.00' },
];

/** The bodies as they are at a moment. */
function serveAt(now: string, lives: readonly Life[]): void {
  for (const { id, created, released, returned, cut, currency = 'EUR' } of lives) {
    const isReturned = returned !== undefined && returned <= now;
    const isReleased = released !== null && released <= now;
    const status = isReturned ? 'RETURNED' : isReleased ? 'RELEASED' : 'PAYMENT_STARTED';
    const updated = isReturned ? returned : isReleased ? released : created;
    const body = purchaseOf(id, {
      status: `"${status}"`,
      cryptoAmount: '"4000000000000000000"',
      fiatValue: '10390.86',
      baseServiceFee: '390',
      appliedFee: '390.86',
      hostFeeCut: cut,
      fiatCurrency: `"${currency}"`,
      createdAt: `"${created}.000Z"`,
      updatedAt: `"${updated}.000Z"`,
      ...(isReleased || isReturned ? {} : { finalTxHash: 'null' }),
    });
    server.answers.set(id, { body });
  }
}

async function nights(place: Workspace, ...dates: readonly string[]): Promise<void> {
  await nightsOf(LIVES, place, ...dates);
}

async function nightsOf(lives: readonly Life[], place: Workspace, ...dates: readonly string[]): Promise<void> {
  for (const date of dates) {
    serveAt(`${date}T23:59:59`, lives);
    const ids = lives
      .filter(({ created }) => created <= `${date}T23:59:59`)
      .map(({ id, created }) => `purchase,${id},t,${created}Z\n`);
    place.write('ids.csv', `kind,id,view_token,created_at\n${ids.join('')}`);
    expect(await place.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
    // Everything is read, so that what was returned is seen too.
    const run = await place.tieout(
      ['audit', '--from', '2025-09-01', '--to', '2026-01-01', '--date', date, '--fail-on', 'none', '-q'],
      { now: `${date}T23:59:59Z` },
    );
    expect([run.code, run.err]).toEqual([0, run.err]);
  }
}

async function booked(place: Workspace, ...flags: readonly string[]): Promise<string> {
  const { out, err } = await place.tieout(['journal', '--period', ...flags, '--format', 'generic']);
  expect(err).toBe('');
  return bookedIn(out);
}

function bookedIn(journal: string, currency?: string): string {
  const { rows } = readCsv(journal);
  const revenue = rows.filter(
    (row) => row.account === 'Host fee revenue' && (currency ?? row.currency) === row.currency,
  );
  return revenue.reduce((sum, { credit, debit }) => sum + Number(credit || 0) - Number(debit || 0), 0).toFixed(2);
}

const close = async (place: Workspace, period: string, now: string) => {
  const { code, err } = await place.tieout(['period', 'close', period, '--by', 'Ann', '--accept-open', 'as is'], {
    now,
  });
  expect([code, err]).toEqual([0, err]);
};

it.each([
  ['on the 2nd', '2025-11-01', '2025-11-02T08:00:00Z'],
  ['on the 5th', '2025-11-04', '2025-11-05T08:00:00Z'],
])('October is closed %s: the months book the same', async (_what, lastNight, now) => {
  const place = open({ settings: RULES });
  await nights(place, '2025-10-31', lastNight);
  await close(place, '2025-10', now);
  expect(await booked(place, '2025-10')).toBe('17.00');
  await nights(place, '2025-11-12', '2025-12-01');
  await close(place, '2025-11', '2025-12-02T08:00:00Z');
  // 20.00 of its own, 6.66 created before, and 3.00 taken back.
  expect(await booked(place, '2025-11')).toBe('23.66');
  const { out } = await place.tieout(['revenue', '--format', 'csv']);
  const { rows } = readCsv(out);
  expect(rows.map(({ business_month, accrued_total }) => `${business_month} ${accrued_total}`)).toEqual([
    '2025-10 17',
    '2025-11 23.66',
  ]);
  // What is released later, or taken back, changes nothing in the journal of October.
  await place.tieout(['period', 'delta', '2025-10', '--by', 'Ann'], { now: '2025-12-03T08:00:00Z' });
  const corrections = await place.tieout(['journal', '--period', '2025-10', '--corrections']);
  expect([corrections.code, corrections.err]).toEqual([2, expect.stringContaining('change no amount of the journal')]);
  expect(await booked(place, '2025-10')).toBe('17.00');
});

it('a record under way does not stand in the way of a close, and the pack leads from what was created to what was earned', async () => {
  const place = open({ settings: RULES });
  await nights(place, '2025-10-31', '2025-11-01');
  const closed = await place.tieout(['period', 'close', '2025-10', '--by', 'Ann'], { now: '2025-11-02T08:00:00Z' });
  expect([closed.code, closed.err]).toEqual([0, closed.err]);
  const { folder } = JSON.parse((await place.tieout(['period', 'pack', '2025-10', '--json'])).out) as {
    folder: string;
  };
  const { rows } = readCsv(place.read(`${folder}/host_bridge.csv`));
  expect(rows.map(({ step, record_count, amount }) => `${step} ${record_count} ${amount}`)).toEqual([
    'every record 4 28.66',
    'less not released 2 -15.66',
    'of these in flight 2 -15.66',
    'released records 2 13',
    'from quotes 0 0',
    'created here 2 13',
    'less earned later 0 0',
    'created before 1 4',
    'less taken back 0 0',
    'revenue 3 17',
    'rounding  0',
    'journal 3 17',
  ]);
});

it('a release of October that is learned after the close is a correction, in the open month', async () => {
  const place = open({ settings: RULES });
  await nights(place, '2025-10-12');
  // Nothing was read since the 12th: `plain` and `before` are as they were then.
  await close(place, '2025-10', '2025-11-02T08:00:00Z');
  expect(await booked(place, '2025-10')).toBe('7.00');
  await nights(place, '2025-11-04');
  await place.tieout(['period', 'delta', '2025-10', '--by', 'Ann'], { now: '2025-11-05T08:00:00Z' });
  expect(await booked(place, '2025-10', '--corrections')).toBe('10.00');
  const { out } = await place.tieout(['journal', '--period', '2025-10', '--corrections']);
  const { rows } = readCsv(out);
  expect(new Set(rows.map(({ date }) => date))).toEqual(new Set(['2025-11-05']));
});

it('by the creation, as the settings may say, the months stay as they were', async () => {
  const place = open({ settings: `${RULES}books: { revenueMonth: created }\n` });
  await nights(place, '2025-10-31', '2025-11-04');
  await close(place, '2025-10', '2025-11-05T08:00:00Z');
  expect(await booked(place, '2025-10')).toBe('19.66');
});

const DAY = 86_400_000;
const START = Date.parse('2025-09-01T12:00:00Z');
const dayAt = (day: number) => new Date(START + day * DAY).toISOString();

/** Within 91 days, which are September to November. */
const lives = fc.array(
  fc.record({
    created: fc.integer({ min: 0, max: 85 }),
    releasedAfter: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 4 }),
    returnedAfter: fc.option(fc.integer({ min: 1, max: 45 })),
    cents: fc.integer({ min: 1, max: 9999 }),
    currency: fc.constantFrom('EUR', 'GBP'),
  }),
  { minLength: 3, maxLength: 8 },
);
const closes = fc.record({
  day: fc.integer({ min: 1, max: 12 }),
  nightsBefore: fc.integer({ min: 0, max: 20 }),
  states: fc.boolean(),
});

it('for any order of nights, closes, late releases and deltas, what the months book is what the records have', async () => {
  const property = fc.asyncProperty(lives, fc.array(closes, { minLength: 3, maxLength: 3 }), async (drawn, months) => {
    const first = { id: 'first', created: dayAt(0).slice(0, 19), released: dayAt(0).slice(0, 19), cut: '1.00' };
    const others = drawn.map(({ created, releasedAfter, returnedAfter, cents, currency }, i): Life => {
      const released = releasedAfter === null ? null : created + releasedAfter;
      const at = (day: number) => dayAt(day).slice(0, 19);
      const back = released === null || returnedAfter === null ? {} : { returned: at(released + returnedAfter) };
      return {
        id: `r${i}`,
        created: at(created),
        released: released === null ? null : at(released),
        cut: (cents / 100).toFixed(2),
        currency,
        ...back,
      };
    });
    // A night before the first record would be incomplete.
    const of = [{ ...first, currency: 'EUR' }, ...others];
    const place = open({ settings: RULES });
    const names = ['2025-09', '2025-10', '2025-11'];
    const firstOf = [30, 61, 91];
    const delta = (period: string, now: string) => place.tieout(['period', 'delta', period, '--by', 'Ann'], { now });
    for (const [i, { day, nightsBefore, states }] of months.entries()) {
      const closeDay = (firstOf[i] ?? 0) + day - 1;
      // The newest night may be weeks older than the close; then much is learned after it.
      await nightsOf(of, place, dayAt(closeDay - 1 - nightsBefore).slice(0, 10));
      await close(place, names[i] ?? '', dayAt(closeDay));
      if (states && i > 0) await delta(names[i - 1] ?? '', dayAt(closeDay));
    }
    await nightsOf(of, place, '2026-03-20');
    for (const period of names) await delta(period, '2026-03-21T08:00:00Z');
    const journals: string[] = [];
    for (const period of names)
      for (const flags of [[], ['--corrections']])
        journals.push((await place.tieout(['journal', '--period', period, ...flags, '--format', 'generic'])).out);
    const { rows } = readCsv((await place.tieout(['revenue', '--format', 'csv'])).out);
    for (const currency of ['EUR', 'GBP']) {
      const cents = (text: string) => Math.round(Number(text) * 100);
      const booked = journals.reduce((sum, each) => sum + (each === '' ? 0 : cents(bookedIn(each, currency))), 0);
      // Months that are not closed: nothing but the accrual has them.
      const later = rows.filter((row) => row.fiat_currency === currency && !names.includes(row.business_month ?? ''));
      const stands = of.filter(
        (life) => life.currency === currency && life.released !== null && life.returned === undefined,
      );
      const rest = later.reduce((sum, { accrued_total }) => sum + cents(accrued_total || '0'), 0);
      expect(booked + rest).toBe(stands.reduce((sum, { cut }) => sum + cents(cut), 0));
    }
  });
  await fc.assert(property, { numRuns: 6, seed: 28, endOnFailure: true });
});
