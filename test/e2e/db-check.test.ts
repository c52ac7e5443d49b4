/** Figures changed by SQL: noticed by `db check`, and never judged by when the same body comes again. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

let server: RecordServer;
let place: Workspace;

beforeAll(async () => {
  server = await startRecordServer({
    a: { body: aPurchase({ id: '"a"', status: '"PAYMENT_STARTED"', appliedFee: '9.99' }) },
  });
  place = openWorkspace(server.url);
  const line = JSON.stringify({ kind: 'purchase', id: 'a', view_token: 'token-of-a-record' });
  expect((await place.tieout(['import', '-', '-q'], { stdin: line })).code).toBe(0);
  expect((await place.tieout(['run', '--date', '2026-11-02', '-q'])).code).toBeOneOf([0, 1]);
});
afterAll(async () => {
  place.remove();
  await server.close();
});

function execute(sql: string): void {
  const database = new DatabaseSync(place.path('var', 'tieout.db'));
  database.exec(sql);
  database.close();
}

it('finds nothing in a database that Tieout alone has written', async () => {
  const { code, out } = await place.tieout(['db', 'check']);
  expect([code, out]).toEqual([0, '1 bodies checked, 0 without a digest; 0 problems\n']);
});

it('names the record whose figures were changed', async () => {
  execute("update contents set applied_fee = '4.62'");
  const { code, out } = await place.tieout(['db', 'check']);
  expect(code).toBe(1);
  expect((await place.tieout(['verify', 'out', '--database'])).code).toBe(1);
  expect(out).toMatch(/^contents: purchase a: the figures of body [0-9a-f]{64} were changed$/m);
});

it('judges a fresh answer by what it says, and tells of the change', async () => {
  const { code, err } = await place.tieout(['run', '--date', '2026-11-03']);
  expect(code).toBeOneOf([0, 1]);
  expect(err).toContain('purchase a: its stored figures were changed by other means');
  expect(place.csv('2026-11-03/nightly-r1', 'records').rows[0]?.applied_fee).toBe('9.99');
  expect((await place.tieout(['db', 'check'])).code).toBe(0);
});

it('finds a break that was closed by other means', async () => {
  execute("update breaks set state = 'resolved'");
  const { code, out } = await place.tieout(['db', 'check']);
  expect(code).toBe(1);
  expect(out).toContain('its state is not that of its last event');
});
