/** Processes on machines of other names, one database and no `service.egress`: they book under one name, and share its allowance. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const OTHER_HOST = fileURLToPath(new URL('../faults/children/other-host.ts', import.meta.url));
let server: RecordServer;
let place: Workspace;

beforeAll(async () => {
  server = await startRecordServer();
  place = openWorkspace(server.url);
  const limits = `rateLimits: [{ requests: 10, per: 1h }]`;
  // A slot that a busy machine commits later than half of the guard is booked and not used: without one, ten would soon be gone.
  const settings = place.read('tieout.yaml').replace('rateLimits: off', limits).replace('guard: 0s', 'guard: 20s');
  place.write('tieout.yaml', settings);
  const ids = Array.from({ length: 2 }, (_, i) => `r${i}`);
  for (const id of ids)
    server.answers.set(id, { body: aPurchase({ id: `"${id}"`, purchaseViewToken: undefined, status: '"RELEASED"' }) });
  place.write('ids.csv', `kind,id,view_token\n${ids.map((id) => `purchase,${id},t`).join('\n')}\n`);
  expect(await place.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  place?.remove();
  await server?.close();
});

const on = (host: string) => ({ env: { NODE_OPTIONS: `--import ${OTHER_HOST}`, TIEOUT_FAULTS_HOST: host } });

function rows(sql: string): Record<string, unknown>[] {
  using file = openSqliteFile(place.path('var', 'tieout.db'));
  return file.prepare(sql).all() as Record<string, unknown>[];
}

it('two machines book under one name', async () => {
  const done = await Promise.all(
    ['alpha', 'beta'].map((host, i) => place.process(['service', 'purchase', `r${i}`], on(host))),
  );
  for (const { code, err } of done) expect(code, err).toBe(0);
  expect(rows('select distinct egress from bookings')).toEqual([{ egress: 'default' }]);
});
