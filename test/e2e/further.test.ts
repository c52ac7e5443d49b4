/** What auditors ask for later: old runs said again, work lists of quiet nights, sources, time zones, permissions. */

import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { aMethodQuote, aPurchase, aTxHash, aV3Asset } from '../service/bodies.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { columnsOf, REPORT_NAMES } from './support/contract-columns.ts';
import { onARecordServer } from './support/on-a-server.ts';
import { PATIENCE, until, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const { server, open } = await onARecordServer();

function workspace(settings = '', service = ''): Workspace {
  return open({ settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n${settings}`, service });
}

const body = (id: string, fields: Record<string, string | undefined> = {}) => ({
  body: aPurchase({ id: `"${id}"`, purchaseViewToken: undefined, ...fields }),
});

async function track(place: Workspace, ids: readonly string[]): Promise<void> {
  const lines = ids.map((id) => JSON.stringify({ kind: 'purchase', id, view_token: `token-${id}` }));
  await place.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
}

it('a night without any record is incomplete, and publishes every file with its header', async () => {
  const place = workspace();
  await place.ends(3, ['run', '--date', '2026-09-01', '--json']);
  for (const name of REPORT_NAMES) {
    const csv = place.csv('2026-09-01/nightly-r1', name);
    expect([csv.header, csv.rows]).toEqual([columnsOf(name), []]);
  }
  expect(place.manifest('2026-09-01/nightly-r1')).toMatchObject({
    population: 0,
    status: 'incomplete',
    requests_sent: 0,
  });
});

it('files are private, and latest is the newest complete set', async () => {
  const place = workspace();
  chmodSync(place.folder, 0o755);
  server.answers.set('x1', body('x1', { status: '"PAYMENT_STARTED"', finalTxHash: 'null' }));
  await track(place, ['x1']);
  await place.ends(0, ['run', '--date', '2026-09-01']);
  server.answers.set('x1', { status: 500, body: '{"code":"OOPS","statusCode":500}' });
  await place.ends(3, ['run', '--date', '2026-09-02']);
  const latest = place.path('out', 'latest');
  expect(lstatSync(latest).isSymbolicLink()).toBe(true);
  expect(readlinkSync(latest)).toBe('2026-09-01/nightly-r1');
  const set = place.path('out', '2026-09-01', 'nightly-r1');
  for (const folder of [place.path('out'), place.path('out', '2026-09-01'), set]) {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  }
  for (const file of readdirSync(set)) expect(statSync(join(set, file)).mode & 0o777).toBe(0o600);
});

it('an old break on a record that is not due tonight is still on the work list, and still exit 1', async () => {
  const place = workspace();
  server.answers.set('o1', body('o1', { finalTxHash: 'null' }));
  await track(place, ['o1']);
  for (const date of ['2026-09-01', '2026-10-05']) await place.ends(1, ['run', '--date', date]);
  const quiet = await place.ends(1, ['run', '--date', '2026-10-06', '--json']);
  expect(JSON.parse(quiet.out)).toMatchObject({ population: 0, breaks: { open: 1, opened: 0 } });
  expect(place.csv('2026-10-06/nightly-r1', 'breaks').rows).toMatchObject([
    { record_id: 'o1', state: 'open', age_days: '35', last_seen_date: '2026-10-05', first_seen_date: '2026-09-01' },
  ]);
  expect(place.csv('2026-10-06/nightly-r1', 'ageing').rows).toMatchObject([{ open_count: '1', days_31_90: '1' }]);
  // A week later it is looked at again.
  const weekly = await place.tieout(['run', '--date', '2026-10-12', '--json']);
  expect(JSON.parse(weekly.out)).toMatchObject({ population: 1 });
  // Every night can be replayed, independent of later events.
  await place.ends(0, ['breaks', 'list', '--json']);
  for (const run of ['nightly-2026-09-01-r1', 'nightly-2026-10-06-r1']) {
    const replay = await place.tieout(['replay', run, '--json']);
    expect(JSON.parse(replay.out)).toMatchObject({ run_id: run, identical: true });
  }
});

it('a night run late, for an earlier date, takes no day off a break', async () => {
  const place = workspace();
  server.answers.set('l1', body('l1', { finalTxHash: 'null' }));
  await track(place, ['l1']);
  for (const date of ['2026-09-03', '2026-09-01']) await place.ends(1, ['run', '--date', date]);
  expect(place.csv('2026-09-01/nightly-r1', 'breaks').rows).toMatchObject([
    { age_days: '0', first_seen_date: '2026-09-03', last_seen_date: '2026-09-03' },
  ]);
});

it('a run that was given up for a new one is reported as aborted, and the new one supersedes no set that never was', async () => {
  const place = workspace('', '  concurrency: 1\n');
  for (const id of ['g1', 'g2', 'g3']) server.answers.set(id, { delayMs: 400, ...body(id) });
  await track(place, ['g1', 'g2', 'g3']);
  const running = place.start(['run', '--date', '2026-09-01']);
  await until('it asks', () => server.requests.length > 0);
  running.child.kill('SIGKILL');
  await running.done;
  const again = await place.ends(0, ['run', '--date', '2026-09-01', '--json']);
  const { run_id: runId, population } = JSON.parse(again.out) as { run_id: string; population: number };
  expect([runId, population]).toEqual(['nightly-2026-09-01-r2', 3]);
  const ledger = await place.tieout(['runs', 'list', '--json']);
  const { runs } = JSON.parse(ledger.out) as { runs: { run_id: string; state: string }[] };
  expect(runs.map(({ run_id, state }) => `${run_id} ${state}`)).toEqual([
    'nightly-2026-09-01-r2 complete',
    'nightly-2026-09-01-r1 aborted',
  ]);
  expect(place.manifest('2026-09-01/nightly-r2')).toMatchObject({ supersedes: null });
  await place.ends(0, ['verify', 'out']);
});

it('sources are read before each night: a folder of files and a query; one that fails makes the night incomplete', async () => {
  const place = workspace(
    `sources:
  - { name: inbox, type: file, path: "inbox/*.csv" }
  - { name: app, type: sql, url: "sqlite:app.db", query: "select 'purchase' as kind, id, token as view_token, ref as host_reference from orders" }
`,
  );
  place.write('inbox/one.csv', 'kind,id,view_token\npurchase,c1,t1\n');
  const db = openSqliteFile(place.path('app.db'));
  db.exec("create table orders (id text, token text, ref text); insert into orders values ('c2', 't2', 'order 2')");
  db.close();
  for (const id of ['c1', 'c2']) server.answers.set(id, body(id));
  const night = await place.tieout(['run', '--date', '2026-09-01', '--json']);
  expect([night.code, night.err]).toEqual([0, night.err]);
  expect(place.csv('2026-09-01/nightly-r1', 'records').rows).toMatchObject([
    { record_id: 'c1', host_reference: '', verdict: 'matched' },
    { record_id: 'c2', host_reference: 'order 2', verdict: 'matched' },
  ]);
  const broken = openSqliteFile(place.path('app.db'));
  broken.exec('drop table orders');
  broken.close();
  const half = await place.ends(3, ['run', '--date', '2026-09-02', '--json']);
  expect(JSON.parse(half.out)).toMatchObject({ population: 2, source_failures: [expect.stringContaining('app')] });
});

it('business days are those of the time zone', async () => {
  const place = workspace();
  server.answers.set(
    'z1',
    body('z1', {
      createdAt: '"2026-08-31T22:30:00.000Z"',
      status: '"PAYMENT_STARTED"',
      finalTxHash: 'null',
      updatedAt: '"2026-08-31T22:30:00.000Z"',
    }),
  );
  await track(place, ['z1']);
  const nextDay = ['--timezone', 'Europe/Berlin'];
  // Created half an hour into Tuesday, 1 September, in Berlin. Its five working days end half an hour after Monday the seventh does there.
  await place.ends(0, ['run', '--date', '2026-09-07', ...nextDay]);
  const eighth = await place.ends(1, ['run', '--date', '2026-09-08', '--json', ...nextDay]);
  expect(JSON.parse(eighth.out)).toMatchObject({ timezone: 'Europe/Berlin', as_of: '2026-09-08T22:00:00.000Z' });
  expect(place.csv('2026-09-08/nightly-r1', 'breaks').rows).toMatchObject([{ rule: 'STATUS_STUCK' }]);
  expect(place.csv('2026-09-08/nightly-r1', 'host_revenue').rows).toMatchObject([{ business_month: '2026-09' }]);
});

it('no token is stored in plain text, printed or published', async () => {
  const place = workspace();
  const token = 'Zq8vTokenOfTheUser7';
  server.answers.set('s1', body('s1', { purchaseViewToken: `"${token}"`, finalTxHash: 'null' }));
  server.answers.set('s2', { body: `{"id":"s2","status":"RELEASED","purchaseViewToken":"${token}"}` });
  const lines = ['s1', 's2'].map((id) => JSON.stringify({ kind: 'purchase', id, view_token: token }));
  const imported = await place.tieout(['import', '-', '-v', '--log-level', 'trace'], { stdin: lines.join('\n') });
  const run = await place.ends(1, ['run', '--date', '2026-09-01', '-v']);
  expect(imported.out + imported.err + run.out + run.err).not.toContain(token);
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    expect(readFileSync(join(file.parentPath, file.name)).includes(token), file.name).toBe(false);
  }
});

it('an audit may ask for a fresh quote where none was kept, and says so', async () => {
  const place = workspace();
  server.answers.set('f1', body('f1'));
  await track(place, ['f1']);
  const asked: string[] = [];
  server.paths.set('/host-api/v3/onramp/quote/all', (_count, url) => {
    asked.push(url.searchParams.get('hostApiKey') ?? '');
    // The amount that is asked for, and the same percentages; the price has moved by a quarter.
    const method = aMethodQuote({
      cryptoAmount: '"32000000000000000"',
      fiatValue: '104.76',
      baseServiceFee: '3.9',
      appliedFee: '4.76',
    });
    const asset = aV3Asset({
      symbol: '"ETH"',
      decimals: '18',
      type: '"NATIVE"',
      address: 'null',
      networkFee: '0.86',
      price: '{"EUR":3125}',
      maxPurchaseAmount: '-1',
      minPurchaseCryptoAmount: '"-1"',
    });
    return { body: `{"asset":${asset},"CARD_PAYMENT":${method}}` };
  });
  const without = await place.ends(2, ['audit', '--id', 'f1', '--requote']);
  expect(without.err).toContain('TIEOUT_HOST_API_KEY');
  const env = { TIEOUT_HOST_API_KEY: 'k3y-of-the-host' };
  const audit = await place.tieout(['audit', '--id', 'f1', '--requote', '--date', '2026-11-02', '--json'], { env });
  expect([audit.code, audit.err]).toEqual([0, audit.err]);
  expect(audit.out + audit.err).not.toContain('k3y-of-the-host');
  expect(asked).toEqual(['k3y-of-the-host']);
  expect(place.csv('2026-11-02/audit-r1', 'fees').rows).toMatchObject([
    { quote_basis: 'requoted', within_tolerance: 'true' },
  ]);
  expect(place.csv('2026-11-02/audit-r1', 'breaks').rows).toEqual([]);
});

it('records that an aborted run fetched without judging are due again the next night', async () => {
  const place = workspace('', '  concurrency: 1\n');
  const ids = ['u1', 'u2', 'u3', 'u4'];
  for (const id of ids) server.answers.set(id, body(id));
  await track(place, ids);
  for (const date of ['2026-09-01', '2026-09-02']) await place.ends(0, ['run', '--date', date]);
  // Seven days after their end they are looked at again, for the last time but one; the first was restated meanwhile.
  server.answers.set('u1', body('u1', { finalTxHash: `"${aTxHash('other')}"` }));
  for (const id of ids.slice(1)) server.answers.set(id, { delayMs: 300, ...body(id) });
  server.requests.length = 0;
  const running = place.start(['run', '--date', '2026-09-08']);
  await until('the second is asked for', () => server.requests.length > 1);
  running.child.kill('SIGTERM');
  expect((await running.done).code).toBe(143);
  await place.ends(1, ['run', '--date', '2026-09-09', '--json']);
  expect(place.csv('2026-09-09/nightly-r1', 'breaks').rows).toMatchObject([{ record_id: 'u1', rule: 'RESTATED' }]);
});

it('a waiver that has ended is reported on the next night, though nothing else makes its record due', async () => {
  const place = workspace();
  server.answers.set('w1', body('w1', { finalTxHash: 'null' }));
  await track(place, ['w1']);
  await place.ends(1, ['run', '--date', '2026-09-01']);
  const { breaks } = JSON.parse((await place.tieout(['breaks', 'list', '--json'])).out) as {
    breaks: { break_id: string }[];
  };
  const waive = [
    'breaks',
    'waive',
    breaks[0]?.break_id ?? '',
    '--until',
    '2026-09-10',
    '--reason',
    'the chain is slow',
  ];
  await place.ends(0, waive, { now: '2026-09-02T08:00:00Z' });
  const held = await place.tieout(['run', '--date', '2026-09-10', '--json']);
  expect([held.code, JSON.parse(held.out)]).toMatchObject([
    0,
    { breaks: { open: 0, waived: 1 }, verdicts: { matched: 0, pending: 0, break: 0, waived: 1 } },
  ]);
  expect(place.csv('2026-09-10/nightly-r1', 'records').rows).toMatchObject([{ verdict: 'waived', break_count: '0' }]);
  expect(place.csv('2026-09-10/nightly-r1', 'totals').rows).toMatchObject([{ matched_count: '0', waived_count: '1' }]);
  const ended = await place.tieout(['run', '--date', '2026-09-11', '--json']);
  expect([ended.code, JSON.parse(ended.out)]).toMatchObject([1, { population: 1, breaks: { reopened: 1, waived: 0 } }]);
});
