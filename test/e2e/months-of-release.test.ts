/** Records that are created in one month and released in another: closed early or late, the months earn the same in the end. */
import { expect, it, vi } from 'vitest';
import { readCsv } from './support/csv.ts';
import { booked, close, type Life, nightsOf, RULES } from './support/lives.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

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

async function nights(place: Workspace, ...dates: readonly string[]): Promise<void> {
  await nightsOf(LIVES, { server, place }, ...dates);
}

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

it('the status of a month names a share of an earlier record that was learned after the close', async () => {
  const place = open({ settings: RULES });
  const at = { created: '2025-09-30T10:00:00', released: '2025-10-20T10:00:00' };
  const own = { created: '2025-10-01T10:00:00', released: '2025-10-01T10:20:00' };
  const lives = [
    { id: 'own', ...own, cut: '1.00' },
    { id: 'earlier', ...at, cut: '7.00' },
  ];
  await nightsOf(lives, { server, place }, '2025-10-12');
  await close(place, '2025-10', '2025-11-02T08:00:00Z');
  await nightsOf(lives, { server, place }, '2025-11-04');
  const since = async () =>
    JSON.parse((await place.tieout(['period', 'status', '2025-10', '--json'])).out).differs_since;
  expect(await since()).toEqual({ records: 1, changes: 1 });
  await place.ends(0, ['period', 'delta', '2025-10', '--by', 'Ann'], { now: '2025-11-05T08:00:00Z' });
  expect([await since(), await booked(place, '2025-10', '--corrections')]).toEqual([
    { records: 0, changes: 0 },
    '7.00',
  ]);
});

it('what was released before the application says that it was created is booked in the month of its release', async () => {
  const place = open({ settings: RULES });
  const [created, released, told] = ['2025-10-31T22:00:00', '2025-10-31T22:30:00', '2025-11-01T00:30:00'];
  await nightsOf([{ id: 'late', created, released, told, cut: '5.00' }], { server, place }, '2025-11-01');
  const status = async (month: string) => JSON.parse((await place.tieout(['period', 'status', month, '--json'])).out);
  expect((await status('2025-10')).host_share[0].revenue).toEqual({ records: 1, amount: '5' });
  await close(place, '2025-10', '2025-11-02T08:00:00Z');
  expect(await booked(place, '2025-10')).toBe('5.00');
  expect((await status('2025-11')).host_share[0].revenue).toEqual({ records: 0, amount: '0' });
});

it('what came back is taken back, also where its linked quote alone states the share', async () => {
  const place = open({ settings: RULES });
  const amounts = { cryptoAmount: '"4000000000000000000"', fiatValue: '10390.86', baseServiceFee: '390' };
  const quote = aQuoteLine({ ...amounts, appliedFee: '390.86', hostFeeCut: '3.21' });
  place.write('quotes.ndjson', quote.replace('2026-08-31T', '2025-10-10T'));
  await place.ends(0, ['quotes', 'import', 'quotes.ndjson'], { now: '2025-10-10T10:00:00Z' });
  place.write('quoted.csv', 'kind,id,view_token,quote_id\npurchase,quoted,t,q-1\n');
  await place.ends(0, ['import', 'quoted.csv', '-q'], { now: '2025-10-10T10:30:00Z' });
  const [created, released, returned] = ['2025-10-10T10:00:00', '2025-10-10T10:20:00', '2025-11-20T10:00:00'];
  const lives = [{ id: 'quoted', created, released, returned, cut: null }];
  await nightsOf(lives, { server, place }, '2025-10-31', '2025-11-01');
  await close(place, '2025-10', '2025-11-02T08:00:00Z');
  await nightsOf(lives, { server, place }, '2025-11-21', '2025-12-01');
  await close(place, '2025-11', '2025-12-02T08:00:00Z');
  expect([await booked(place, '2025-10'), await booked(place, '2025-11')]).toEqual(['3.21', '-3.21']);
});

it('by the creation, as the settings may say, the months stay as they were', async () => {
  const place = open({ settings: `${RULES}books: { revenueMonth: created }\n` });
  await nights(place, '2025-10-31', '2025-11-04');
  await close(place, '2025-10', '2025-11-05T08:00:00Z');
  expect(await booked(place, '2025-10')).toBe('19.66');
  // From November on by the release: what October has, or its deltas will have, is in no later month.
  place.write('tieout.yaml', place.read('tieout.yaml').replace('revenueMonth: created', 'revenueMonth: released'));
  await nights(place, '2025-11-12', '2025-12-01');
  await close(place, '2025-11', '2025-12-02T08:00:00Z');
  expect(await booked(place, '2025-11')).toBe('20.00');
  place.write('tieout.yaml', place.read('tieout.yaml').replace('revenueMonth: released', 'revenueMonth: created'));
  const back = ['period', 'close', '2025-12', '--by', 'Ann', '--accept-open', 'as is'];
  const { err } = await place.ends(2, back, { now: '2026-01-02T08:00:00Z' });
  expect(err).toContain('2025-12 cannot be closed by the creation of its records: 2025-11 was by their release');
});

it('the sheet of a month that is closed on the 1st, after the night of its last day, has the month', async () => {
  const place = open({ settings: `${RULES}evidence: { payouts: { expected: always } }\n` });
  await nights(place, '2025-10-31');
  await place.ends(0, ['run', '--date', '2025-10-30', '--fail-on', 'none', '-q'], { now: '2025-10-31T04:00:00Z' });
  const earned = () =>
    place
      .csv('periods/2025-10', 'revenue_reconciliation')
      .rows.map(({ business_month, earned_total }) => `${business_month} ${earned_total}`);
  // While its last day goes on, the month still earns.
  await place.ends(0, ['run', '--date', '2025-10-31', '--fail-on', 'none', '-q'], { now: '2025-10-31T20:00:00Z' });
  expect(place.csv('2025-10-31/nightly-r1', 'revenue_reconciliation').rows).toEqual([]);
  await place.ends(0, ['run', '--date', '2025-10-31', '--fail-on', 'none', '-q'], { now: '2025-11-01T04:00:00Z' });
  await close(place, '2025-10', '2025-11-01T08:00:00Z');
  expect([await booked(place, '2025-10'), earned()]).toEqual(['17.00', ['2025-10 17']]);
});
