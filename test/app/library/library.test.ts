import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { usePlugins } from '../../../src/app/plugins.ts';
import {
  ConfigError,
  createServiceClient,
  defineConfig,
  reconcile,
  ServiceNotConfiguredError,
} from '../../../src/index.ts';
import type { TrackedLine } from '../../../src/sandbox/contract.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';

let sandbox: Sandbox;
let lines: TrackedLine[];
let folder: string;

beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 30, seed: 5, rateLimits: 'off' });
  lines = [...sandbox.trackedLines()];
});
afterAll(async () => {
  await usePlugins([], '.');
  return sandbox.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-library-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = () =>
  defineConfig({
    service: { url: sandbox.url, rateLimits: 'off', guard: '0s' },
    database: { url: `sqlite:${folder}/tieout.db` },
    out: join(folder, 'out'),
  });

it('an unknown setting does not compile', () => {
  // @ts-expect-error: the compiler finds it before the loader does.
  const wrong = defineConfig({ service: { concurency: 8 } });
  // @ts-expect-error
  const misplaced = defineConfig({ concurrency: 8 });
  expect([wrong, misplaced]).toHaveLength(2);
});

/** As an app has them; empty columns are left out. */
const records = () => lines.map(({ kind, id, view_token, created_at }) => ({ kind, id, view_token, created_at }));

describe('reconcile', () => {
  it('imports, judges every record once, and publishes', async () => {
    const quotes = [...sandbox.quoteLines()].map((line) => JSON.stringify(line));
    const result = await reconcile({ settings: settings(), records: records(), quotes });
    if (result.outcome !== 'reconciled') throw new Error(result.outcome);
    expect(result.imported.records).toMatchObject({ added: 30, rejectedCount: 0 });
    expect(result.imported.quotes).toMatchObject({ added: quotes.length, rejectedCount: 0 });
    expect(result.tally.population).toBe(30);
    const counts = Object.values(result.tally.verdicts);
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(30);
    expect(existsSync(join(folder, 'out', result.folder, 'manifest.json'))).toBe(true);
  });

  it('loads plugins, whose rules the settings may name', async () => {
    const file = join(folder, 'ours.mjs');
    const rule = `{ code: 'EVERY_RECORD', severity: 'low', title: 't', why: 'w', action: 'a', settledBy: 's', example: 'e', check: () => [{ field: 'id', expected: null, actual: null, explanation: 'x' }] }`;
    writeFileSync(file, `export default { api: 1, name: 'ours', rules: [${rule}] };`);
    const given = { ...settings(), plugins: [file], rules: { EVERY_RECORD: { severity: 'high' } } } as const;
    const result = await reconcile({ settings: given, records: records().slice(0, 3) });
    if (result.outcome !== 'reconciled') throw new Error(result.outcome);
    expect(result.tally.rules.get('EVERY_RECORD')).toMatchObject({ severity: 'high', open: 3 });
    expect(result.run.codeVersion).toMatch(/ ours@/);
    await (await createServiceClient({ settings: given })).close();
    await expect(createServiceClient({ settings: { rules: given.rules } })).rejects.toThrow('EVERY_RECORD');
  });

  it('rejects a line by its place and goes on with the rest', async () => {
    const [first, second] = records();
    if (first === undefined || second === undefined) throw new Error('no records');
    const result = await reconcile({ settings: settings(), records: [first, { ...second, id: '' }] });
    if (result.outcome !== 'reconciled') throw new Error(result.outcome);
    expect(result.imported.records).toMatchObject({ added: 1, rejectedCount: 1 });
    expect(result.imported.records?.rejected[0]?.line).toBe(2);
    expect(result.tally.population).toBe(1);
  });

  it('stops on a signal with everything saved, and goes on where it stopped', async () => {
    const stop = new AbortController();
    const first = await reconcile({
      settings: { ...settings(), service: { ...settings().service, concurrency: 1 } },
      records: records(),
      signal: stop.signal,
      onProgress: (observed) => {
        if (observed > 0) stop.abort();
      },
    });
    if (first.outcome === 'reconciled') throw new Error('it was not stopped');
    const second = await reconcile({ settings: settings(), resume: true });
    if (second.outcome !== 'reconciled') throw new Error(second.outcome);
    expect(second.run.runId).toBe(first.run.runId);
    expect(second.tally.population).toBe(30);
  });

  it('says everything that is wrong with the settings, and where', async () => {
    const wrong = { service: { url: 'nowhere', timeout: 'soon' }, tolerances: { fiat: 1 } };
    // @ts-expect-error: what a program without types could give.
    const error = await reconcile({ settings: wrong }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('service.url');
    expect(String(error)).toContain('service.timeout');
  });

  it('is refused without a Service', async () => {
    const { database, out } = settings();
    await expect(reconcile({ settings: { database, out } })).rejects.toThrow(ServiceNotConfiguredError);
  });
});

describe('createServiceClient', () => {
  it('fetches by kind, id and token, and leaves nothing behind', async () => {
    const before = readdirSync('.').sort();
    const client = await createServiceClient({ settings: { service: { url: sandbox.url } } });
    const line = lines[0];
    if (line === undefined) throw new Error('no records');
    const result = await client.fetchRecord(
      { kind: line.kind, id: line.id, token: line.view_token },
      { pace: 'burst' },
    );
    const wrong = await client.fetchRecord({ kind: line.kind, id: line.id, token: 'another' }, { pace: 'burst' });
    await client.close();
    expect([result.outcome, wrong.outcome]).toEqual(['verified', 'unreachable']);
    expect(readdirSync('.').sort()).toEqual(before);
  });

  it('shares its allowance with every client of the same database', async () => {
    const shared = {
      service: { url: sandbox.url, rateLimits: [{ requests: 6, per: '15m' }], guard: '0s' },
      database: settings().database,
    };
    const clients = [
      await createServiceClient({ settings: shared }),
      await createServiceClient({ settings: shared }),
    ] as const;
    const giveUp = new AbortController();
    const { signal } = giveUp;
    let answered = 0;
    const asked = lines.slice(0, 10).map(async ({ kind, id, view_token }, index) => {
      const { outcome } = await clients[index % 2 === 0 ? 0 : 1].fetchRecord(
        { kind, id, token: view_token },
        { pace: 'burst', signal },
      );
      if (outcome === 'verified') answered++;
    });
    const settled = Promise.allSettled(asked);
    // Half of the limit may go at once; each alone would have had its three. A further one would leave with them.
    await vi.waitFor(() => expect(answered).toBeGreaterThanOrEqual(3), { timeout: 20_000 });
    await setTimeout(500);
    giveUp.abort();
    await settled;
    expect(answered).toBe(3);
    await Promise.allSettled(clients.map((client) => client.close()));
  });

  it('reads the environment only where it is given', async () => {
    const env = { TIEOUT_SERVICE_URL: sandbox.url };
    await expect(createServiceClient({ settings: {} })).rejects.toThrow(ServiceNotConfiguredError);
    const client = await createServiceClient({ settings: {}, env });
    await client.close();
  });
});
