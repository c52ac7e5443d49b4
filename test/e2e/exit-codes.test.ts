/** Every way in which a night can fail: its exit code, and a message that says what and what to do, without any secret. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { onARecordServer } from './support/on-a-server.ts';
import {
  type CallOptions,
  type Finished,
  PATIENCE,
  until,
  type Workspace,
  type WorkspaceOptions,
} from './support/workspace.ts';

vi.setConfig(PATIENCE);

const SECRET = 'S3cr3tT0ken';
const KEY = Buffer.alloc(32, 7).toString('base64');
const DATE = '2026-09-01';
const SET = `${DATE}/nightly-r1`;
const QUIET_RULES = 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n';

const { server, open } = await onARecordServer();

function workspace(options: WorkspaceOptions & { url?: string | null } = {}): Workspace {
  const { url = server.url, ...rest } = options;
  return open({ settings: QUIET_RULES, ...rest }, url);
}

const good = (id: string, fields: Record<string, string | undefined> = {}) => ({
  body: aPurchase({ id: `"${id}"`, purchaseViewToken: undefined, ...fields }),
});

/** Tracks purchases named so, each with a token that must never be seen again. */
async function track(place: Workspace, ids: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const lines = ids.map((id) => JSON.stringify({ kind: 'purchase', id, view_token: `${SECRET}-${id}` }));
  await ends(place, 0, ['import', '-', '-q'], { stdin: lines.join('\n'), env });
}

/** Ends with that code, with one message, no stack and no secret. */
async function ends(place: Workspace, code: number, args: readonly string[], options?: CallOptions): Promise<Finished> {
  const done = await place.ends(code, args, options);
  expect(done.err).not.toMatch(/^\s+at /m);
  expect(done.err).not.toContain('unexpected error');
  expect(done.out + done.err).not.toContain(SECRET);
  expect(done.out + done.err).not.toContain(KEY);
  return done;
}

const run = (place: Workspace, code: number, ...flags: string[]) =>
  ends(place, code, ['run', '--date', DATE, '--json', ...flags]);

const published = (place: Workspace) =>
  existsSync(place.path('out', DATE)) ? readdirSync(place.path('out', DATE)) : [];

// Files and settings that are wrong are among the mistakes of mistakes.ts.
it('an import of a header alone is an export without records: 0', async () => {
  const place = workspace();
  place.write('none.csv', 'kind,id,view_token\n');
  await ends(place, 0, ['import', 'none.csv']);
});

describe('usage and settings: 2', () => {
  it.each([['run'], ['run', '--dry-run'], ['plan'], ['audit', '--id', 'a1']])(
    'a business date that has not come: %s %s',
    async (...command) => {
      const place = workspace();
      await track(place, ['a1']);
      const failed = await ends(place, 2, [...command, '--date', '2999-01-01']);
      expect(failed.err).toContain('The business date 2999-01-01 is in the future');
      expect(server.requests).toEqual([]);
    },
  );

  it('nothing to resume', async () => {
    expect((await ends(workspace(), 2, ['run', '--resume'])).err).toContain('no unfinished');
  });

  it('a key of the wrong length, and a key that is not the one of the database', async () => {
    const place = workspace();
    const short = 'c2hvcnQga2V5';
    const bad = await ends(place, 2, ['runs', 'list'], { env: { TIEOUT_SECRET_KEY: short } });
    expect(bad.err).toContain('TIEOUT_SECRET_KEY');
    expect(bad.err).not.toContain(short);
    await track(place, ['a1'], { TIEOUT_SECRET_KEY: KEY });
    const other = Buffer.alloc(32, 8).toString('base64');
    const wrong = await ends(place, 2, ['run', '--date', DATE], { env: { TIEOUT_SECRET_KEY: other } });
    expect(wrong.err).toContain('key');
    expect(wrong.err).not.toContain(other);
    expect(server.requests).toEqual([]);
  });
});

describe('the Service', () => {
  it.each([
    [400, 2],
    [401, 2],
    [403, 2],
    [404, 2],
    [410, 2],
    [422, 2],
    [408, 4],
    [429, 4],
    [503, 4],
  ])('tieout service, answered %d: %d', async (status, code) => {
    const place = workspace();
    await track(place, ['s1']);
    server.answers.set('s1', { status, body: `{"code":"SOME_CODE","statusCode":${status}}` });
    const failed = await place.tieout(['service', 'purchase', 's1']);
    expect(failed.code).toBe(code);
  });

  it.each([
    [400, 2],
    [401, 2],
    [429, 4],
    [503, 4],
  ])('tieout quotes capture, answered %d: %d', async (status, code) => {
    const place = workspace();
    server.paths.set('/host-api/v3/onramp/quote/all', { status, body: `{"code":"SOME_CODE","statusCode":${status}}` });
    const failed = await place.tieout(
      ['quotes', 'capture', '--asset', 'ETH_ETH', '--currency', 'EUR', '--fiat', '100'],
      { env: { TIEOUT_HOST_API_KEY: 'host-key' } },
    );
    expect(failed.code).toBe(code);
  });

  it('a captured quote: 0, and its methods with names like those of all other JSON', async () => {
    const place = workspace();
    const asset =
      '"asset":{"symbol":"ETH","chain":"ETH","name":"Ether","decimals":18,"type":"NATIVE","address":null,"currencyCode":"EUR","networkFee":1}';
    const card =
      '"fiatCurrency":"EUR","cryptoAmount":"47550000000000000","fiatValue":100,"baseServiceFee":3.9,"appliedFee":4.9';
    const body = `{${asset},"CARD_PAYMENT":{${card}}}`;
    server.paths.set('/host-api/v3/onramp/quote/all', { status: 200, body });
    const capture = 'quotes capture --asset ETH_ETH --currency EUR --fiat 100 --quote-id q-1 --json'.split(' ');
    const { code, out, err } = await place.tieout(capture, { env: { TIEOUT_HOST_API_KEY: 'host-key' } });
    expect([code, err]).toEqual([0, err]);
    expect(JSON.parse(out)).toMatchObject({
      quote_id: 'q-1',
      methods: [{ method: 'CARD_PAYMENT', fiat_value: '100', applied_fee: '4.9', base_fee: '3.9' }],
    });
  });

  it('no server: 4, and nothing is published', async () => {
    const closed = await startRecordServer();
    const place = workspace({ url: closed.url });
    await track(place, ['a1', 'a2']);
    await closed.close();
    const failed = await run(place, 4);
    expect(failed.err).toContain('service.url');
    expect(published(place)).toEqual([]);
  });

  it('every token refused: 4, as it is not about the records', async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `d${i}`);
    for (const id of ids) server.answers.set(id, { status: 403, body: '{"code":"FORBIDDEN","statusCode":403}' });
    const place = workspace();
    await track(place, ids);
    const failed = await run(place, 4);
    expect(failed.err).toContain('token');
    expect(published(place)).toEqual([]);
  });

  it('one refused and one unknown among many: breaks, 1', async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `m${i}`);
    for (const id of ids.slice(2)) server.answers.set(id, good(id));
    server.answers.set('m0', {
      status: 401,
      body: '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}',
    });
    const place = workspace();
    await track(place, ids);
    const done = await run(place, 1);
    expect(JSON.parse(done.out)).toMatchObject({ not_reached: 0, verdicts: { matched: 6, unverified: 2, break: 0 } });
    expect(place.csv(SET, 'breaks').rows.map(({ record_id, rule, severity }) => [record_id, rule, severity])).toEqual([
      ['m0', 'ACCESS_DENIED', 'high'],
      ['m1', 'RECORD_MISSING', 'critical'],
    ]);
    expect(place.manifest(SET)).toMatchObject({ status: 'complete' });
  });

  it('some failing, some answered by a proxy: incomplete, 3, which wins over breaks', async () => {
    server.answers.set('f1', { status: 500, body: '{"code":"OOPS","statusCode":500}' });
    server.answers.set('f2', { body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } });
    server.answers.set('f3', { drop: true });
    server.answers.set('f4', good('f4', { finalTxHash: 'null' }));
    server.answers.set('f5', { body: '{"id":"f5","fiatVal' });
    server.answers.set('f6', { hold: new Promise(() => undefined) });
    const place = workspace({ service: '  concurrency: 6\n', timeout: '2s' });
    await track(place, ['f1', 'f2', 'f3', 'f4', 'f5', 'f6']);
    await run(place, 3);
    const coverage = place
      .csv(SET, 'coverage')
      .rows.map(({ record_id, outcome, reason, http_status, attempts }) =>
        [record_id, outcome, reason, http_status, attempts].join(' '),
      );
    expect(coverage).toEqual([
      'f1 unreachable SERVER_ERROR 500 2',
      'f2 unreachable NOT_JSON 200 2',
      'f3 unreachable NETWORK  2',
      'f4 verified  200 1',
      expect.stringMatching(/^f5 (unreachable NETWORK|quarantined UNREADABLE_BODY) 200 [12]$/),
      'f6 unreachable TIMEOUT  2',
    ]);
    expect(place.manifest(SET)).toMatchObject({ status: 'incomplete' });
  });

  it('a redirect is not followed: the secret goes nowhere else, and the record is quarantined', async () => {
    const elsewhere = await startRecordServer();
    server.answers.set('r1', { status: 302, headers: { location: `${elsewhere.url}/host-api/purchase/r1?secret=x` } });
    server.answers.set('r2', good('r2'));
    const place = workspace();
    await track(place, ['r1', 'r2']);
    await run(place, 1);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
    expect(place.csv(SET, 'coverage').row('record_id', 'r1')).toMatchObject({
      outcome: 'quarantined',
      reason: 'REDIRECTED',
      http_status: '302',
    });
    expect(server.count('r1')).toBe(1);
  });
});

describe('the database and the disk: 4', () => {
  it('a file that is no database', async () => {
    const place = workspace();
    place.write('var/tieout.db', 'This is not a database. '.repeat(100));
    const failed = await run(place, 4);
    expect(failed.err).toContain('tieout.db');
  });

  it('a database made by a newer program', async () => {
    const place = workspace();
    await track(place, ['a1']);
    const db = openSqliteFile(place.path('var', 'tieout.db'));
    const { name } = db
      .prepare("select name from sqlite_master where type = 'table' and name like '%migration' limit 1")
      .get() as { name: string };
    db.prepare(`insert into "${name}" (name, timestamp) values (?, ?)`).run(
      '9999-from-the-future',
      '2030-01-01T00:00:00Z',
    );
    db.close();
    const failed = await run(place, 4);
    expect(failed.err).toMatch(/newer/i);
  });

  it('an out folder that cannot be written: nothing is published, and the run can be resumed', async () => {
    const place = workspace();
    server.answers.set('o1', good('o1'));
    await track(place, ['o1']);
    writeFileSync(place.path('out'), 'a file where the folder should be');
    const failed = await run(place, 4);
    expect(failed.err).toContain('out');
    const resumed = await place.tieout(['run', '--resume', '--out', 'elsewhere', '--json']);
    expect([resumed.code, resumed.err]).toEqual([0, resumed.err]);
    expect(server.count('o1')).toBe(1);
    expect(existsSync(place.path('elsewhere', SET, 'manifest.json'))).toBe(true);
  });
});

describe('limits of a run', () => {
  it('another run holds the lock: 5', async () => {
    const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
    server.answers.set('l1', { hold, ...good('l1') });
    const place = workspace();
    await track(place, ['l1']);
    const running = place.start(['run', '--date', DATE, '--json']);
    await until('the first run asks', () => server.count('l1') > 0);
    const second = await run(place, 5);
    expect(second.err).toContain('Another run holds the lock');
    goOn();
    expect((await running.done).code).toBe(0);
  });

  it('--max-requests defers the rest, ends with 3, and the next run starts there', async () => {
    const ids = ['q1', 'q2', 'q3', 'q4', 'q5'];
    for (const id of ids) server.answers.set(id, good(id));
    const place = workspace({ service: '  concurrency: 1\n' });
    await track(place, ids);
    const short = await run(place, 3, '--max-requests', '2');
    expect(JSON.parse(short.out)).toMatchObject({ deferred: 3, not_reached: 3, requests: 2, population: 5 });
    expect(place.csv(SET, 'coverage').rows.map(({ outcome }) => outcome)).toEqual([
      'verified',
      'verified',
      'deferred',
      'deferred',
      'deferred',
    ]);
    expect(place.csv(SET, 'coverage').column('reason').slice(2)).toEqual(Array(3).fill('max-requests'));
    server.requests.length = 0;
    await ends(place, 0, ['run', '--date', '2026-09-02', '--json']);
    expect(server.requests.map(({ id }) => id).slice(0, 3)).toEqual(['q3', 'q4', 'q5']);
  });

  it('--max-duration takes no more work after that long', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `t${String(i).padStart(2, '0')}`);
    for (const id of ids) server.answers.set(id, { delayMs: 200, ...good(id) });
    const place = workspace({ service: '  concurrency: 1\n' });
    await track(place, ids);
    const short = await run(place, 3, '--max-duration', '2s');
    const { deferred, verdicts } = JSON.parse(short.out) as { deferred: number; verdicts: { matched: number } };
    expect(deferred).toBeGreaterThan(0);
    expect(verdicts.matched).toBeGreaterThan(0);
    expect(deferred + verdicts.matched).toBe(40);
    expect(place.manifest(SET)).toMatchObject({ status: 'incomplete' });
  });
});
