/** `tieout evidence forget`: what a chain said for good is asked for again, and only there. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { serveEvm } from '../fuzz/evm-answers.ts';
import type { Served } from '../local-chains/loopback.ts';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

let server: RecordServer;
let chain: { served: Served; paid: string };
let place: Workspace;

beforeAll(async () => {
  [server, chain] = await Promise.all([startRecordServer(), serveEvm(Date.parse('2026-08-31T00:00:00Z'))]);
  place = openWorkspace(server.url, {
    settings: `rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, TOTAL_NOT_FOOTING: off }
evidence:
  chains:
    - { chain: ETH, type: evm, quorum: 1, endpoints: [{ name: a, url: "${chain.served.url}" }] }
`,
  });
  const body = aPurchase({
    id: '"p1"',
    createdAt: '"2026-08-31T10:00:00.000Z"',
    updatedAt: '"2026-08-31T11:00:00.000Z"',
    purchaseViewToken: undefined,
    finalTxHash: `"${chain.paid}"`,
  });
  server.answers.set('p1', { body });
  place.write('ids.csv', 'kind,id,view_token\npurchase,p1,t\n');
  expect(await place.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  place?.remove();
  await Promise.all([server?.close(), chain?.served.close()]);
});

/** Looks at the record again, and says how often the chain was asked. */
async function asked(): Promise<number> {
  const before = chain.served.stats().calls;
  await place.tieout(['audit', '--id', 'p1', '-q']);
  return chain.served.stats().calls - before;
}
const forget = (...args: string[]) => place.tieout(['evidence', 'forget', ...args]);

it('asks again once, names how many, and keeps what was sealed', async () => {
  expect(await asked()).toBeGreaterThan(0);
  expect(await asked()).toBe(0);
  const reason = ['--reason', 'ticket 12', '--by', 'Ann'];
  const others = await forget('--chain', 'ETH', '--tx', 'another', '--json', ...reason);
  expect(JSON.parse(others.out)).toEqual({ chain: 'ETH', forgotten: 0 });
  expect(await asked()).toBe(0);
  const done = await forget('--chain', 'ETH', '--tx', chain.paid, ...reason);
  expect([done.code, done.out]).toEqual([0, '1 transaction of ETH will be asked for again\n']);
  expect(await asked()).toBeGreaterThan(0);
  expect(await asked()).toBe(0);
  expect(await place.tieout(['db', 'check'])).toMatchObject({ code: 0 });
});

it.each([
  [['--chain', 'ETH'], '--reason'],
  [['--reason', 'x'], '--chain'],
  [['--chain', 'ETH', '--reason', ' '], '--reason must not be empty'],
  [['--chain', 'TYPO', '--reason', 'x'], '--chain TYPO: evidence.chains has no such chain; it has ETH'],
])('%j is refused', async (args, why) => {
  const refused = await forget(...args);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(why)]);
});
