/** Figures changed by SQL: noticed by `db check`, and never judged by when the same body comes again. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

inThisOrder();

vi.setConfig(PATIENCE);

let server: RecordServer;
let place: Workspace;

beforeAll(async () => {
  server = await startRecordServer({
    a: { body: aPurchase({ id: '"a"', status: '"PAYMENT_STARTED"', appliedFee: '9.99' }) },
  });
  place = openWorkspace(server.url);
  const line = JSON.stringify({ kind: 'purchase', id: 'a', view_token: 'token-of-a-record' });
  await place.ends(0, ['import', '-', '-q'], { stdin: line });
  expect((await place.tieout(['run', '--date', '2026-11-02', '-q'])).code).toBeOneOf([0, 1]);
});
afterAll(async () => {
  place.remove();
  await server.close();
});

function execute(sql: string): void {
  const database = openSqliteFile(place.path('var', 'tieout.db'));
  database.exec(sql);
  database.close();
}

it('finds nothing in a database that Tieout alone has written', async () => {
  const { code, out } = await place.tieout(['db', 'check']);
  expect([code, out]).toEqual([0, '1 body checked, 0 without a digest; 0 problems\n']);
});

it('names the record whose figures were changed', async () => {
  execute("update contents set applied_fee = '4.62'");
  const { code, out } = await place.tieout(['db', 'check']);
  expect(code).toBe(1);
  await place.ends(1, ['verify', 'out', '--database']);
  expect(out).toMatch(/^contents: purchase a: the figures of body [0-9a-f]{64} were changed$/m);
});

it('judges a fresh answer by its own content, and reports the change', async () => {
  const { code, err } = await place.tieout(['run', '--date', '2026-11-03']);
  expect(code).toBeOneOf([0, 1]);
  expect(err).toContain('purchase a: its stored figures were changed by other means');
  expect(place.csv('2026-11-03/nightly-r1', 'records').rows[0]?.applied_fee).toBe('9.99');
  await place.ends(0, ['db', 'check']);
});

it('finds a break that was closed by other means', async () => {
  execute("update breaks set state = 'resolved'");
  const { out } = await place.ends(1, ['db', 'check']);
  expect(out).toContain('its state is not that of its last event');
});

describe('what rests on no body is sealed:', () => {
  let before: Buffer;
  beforeAll(async () => {
    execute("update breaks set state = 'open'");
    await place.ends(0, ['db', 'check']);
    const list = await place.tieout(['breaks', 'list', '--json']);
    const [id = ''] = /(?<="break_id": ?")[0-9a-f]+/.exec(list.out) ?? [];
    await place.ends(0, ['breaks', 'ack', id, '--reason', 'looked at']);
    const closed = await place.tieout(['period', 'close', '2026-10', '--by', 'ada', '--accept-open', 'a test']);
    expect([closed.code, closed.err]).toEqual([0, closed.err]);
    await place.ends(0, ['period', 'review', '2026-10', '--by', 'bob']);
    await place.ends(0, ['db', 'check']);
    execute('pragma wal_checkpoint(truncate)');
    before = readFileSync(place.path('var', 'tieout.db'));
  });
  afterEach(() => {
    for (const end of ['-wal', '-shm']) rmSync(place.path('var', `tieout.db${end}`), { force: true });
    writeFileSync(place.path('var', 'tieout.db'), before);
  });

  const LAST = '(select max(event_key) from break_events)';
  it.each([
    [
      'a finding and the state after it',
      "update break_events set expected = '9.99', state = 'resolved'; update breaks set state = 'resolved'",
      /^findings of nightly-2026-11-0\d-r1: was changed by other means/m,
    ],
    [
      'a decision and its author',
      `update break_events set who = 'carol', reason = 'goodwill' where event_key = ${LAST}`,
      /^decision of carol on break [0-9a-f]+: was changed/m,
    ],
    [
      'an invented decision, included in the counts',
      `create temp table forged as select * from break_events where event_key = ${LAST};
        update forged set event_key = event_key + 1, who = 'eve', state = 'waived';
        insert into break_events select * from forged;
        update breaks set events = events + 1, state = 'waived', last_event_key = last_event_key + 1 where last_event_key = ${LAST} - 1`,
      /^decision of eve on break [0-9a-f]+: has no seal/m,
    ],
    [
      'a decision that was taken out',
      `update breaks set events = events - 1, state = 'open', last_event_key = last_event_key - 1 where last_event_key = ${LAST};
        delete from break_events where event_key = ${LAST}`,
      /^event \d+: was sealed, and its rows are gone/m,
    ],
    ['a reviewer', "update periods set reviewed_by = 'dora'", /^periods: period 2026-10, .*: was changed/m],
    [
      'a review that was never given',
      "delete from sealed_rows where table_name = 'periods'",
      /^periods: period 2026-10, .*: was changed or added/m,
    ],
  ])('%s', async (_, sql, told) => {
    execute(sql);
    const { code, out } = await place.tieout(['db', 'check']);
    expect([code, out]).toEqual([1, expect.stringMatching(told)]);
  });

  it('and is sealed again with each new key, values changed earlier included', async () => {
    const first = readFileSync(place.path('var', 'tieout.db.key'));
    const rotate = async () => {
      renameSync(place.path('var', 'tieout.db.key'), place.path('old.key'));
      await place.ends(0, ['db', 'reseal', '--old-key-file', 'old.key']);
    };
    await rotate();
    const clean = await place.tieout(['db', 'check']);
    expect([clean.code, clean.out]).toEqual([0, '1 body checked, 0 without a digest; 0 problems\n']);
    execute(`update break_events set reason = 'goodwill' where event_key = ${LAST};
      update periods set reviewed_by = 'dora'; update contents set applied_fee = '4.62'`);
    const told = (await place.tieout(['db', 'check'])).out;
    expect(told).toContain('3 problems');
    await rotate();
    expect(await place.tieout(['db', 'check'])).toMatchObject({ code: 1, out: told });
    writeFileSync(place.path('var', 'tieout.db.key'), first);
  });
});
