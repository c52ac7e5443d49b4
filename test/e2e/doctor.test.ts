/** `tieout doctor`: its answers for a working deployment, and for each fault of one. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ clock: () => Date.now(), records: 3, rateLimits: 'off' });
});
afterAll(() => sandbox.close());

interface Check {
  what: string;
  state: 'ok' | 'note' | 'wrong';
  says: string;
}

async function doctor(place: Workspace, ...flags: string[]): Promise<{ code: number | null; checks: Check[] }> {
  const { code, out, err } = await place.tieout(['doctor', '--json', ...flags]);
  expect(err).not.toContain('Error');
  return { code, checks: JSON.parse(out) as Check[] };
}

const of = (checks: readonly Check[], what: string) => checks.find((check) => check.what === what);

describe('tieout doctor', () => {
  it('finds a place in order, and says what would be better', async () => {
    const place = openWorkspace(sandbox.url);
    const { code, checks } = await doctor(place);
    expect(code).toBe(0);
    expect(checks.map(({ what, state }) => [what, state])).toEqual([
      ['database', 'ok'],
      ['sealing key', 'note'],
      ['out folder', 'ok'],
      ['reference data', 'note'],
      ['allowance', 'ok'],
      ['the Service', 'ok'],
      ['one record', 'note'],
      ['one quote', 'note'],
    ]);
    expect(of(checks, 'the Service')?.says).toMatch(/^answers at http.* with \d+ currencies$/);
    place.remove();
  });

  it('holds the clock against that of the Service', async () => {
    // The sandbox has a clock of its own and sends no `Date`; this server sends the machine's.
    const server = createServer(async (request, response) => {
      const answer = await fetch(`${sandbox.origin}${request.url}`, { method: request.method ?? 'GET' });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    const port = await listenLocally(server);
    const place = openWorkspace(`http://127.0.0.1:${port}/api`);
    const after = async (minutes: number) => {
      const now = new Date(Date.now() + minutes * 60_000).toISOString();
      const { code, out } = await place.tieout(['doctor', '--json'], { now });
      return { code, clock: of(JSON.parse(out) as Check[], 'clock') };
    };
    expect(await after(-20)).toMatchObject({
      code: 0,
      clock: {
        state: 'note',
        says: 'the clock of this machine is 20 minutes behind the Service’s; set it (`timedatectl`)',
      },
    });
    expect(await after(3 * 24 * 60)).toMatchObject({ code: 4, clock: { state: 'wrong' } });
    expect(await after(0)).toMatchObject({ code: 0, clock: { state: 'ok' } });
    place.remove();
    server.close();
  });

  it('names a chain on which one endpoint decides alone', async () => {
    const endpoints = [{ name: 'one', url: 'https://one.example' }];
    const chains = [
      { chain: 'ETH', type: 'evm', endpoints },
      {
        chain: 'BTC',
        type: 'bitcoin',
        finality: 6,
        quorum: 2,
        endpoints: [...endpoints, { ...endpoints[0], name: 'two' }],
      },
    ];
    const place = openWorkspace(sandbox.url, { settings: `evidence: ${JSON.stringify({ chains })}\n` });
    const { checks } = await doctor(place, '--offline');
    expect(checks.filter(({ what }) => what.startsWith('chain'))).toEqual([
      { what: 'chain ETH', state: 'note', says: expect.stringContaining('decides alone') },
    ]);
    place.remove();
  });

  it('sends one request, and none offline', async () => {
    const place = openWorkspace(sandbox.url);
    const before = sandbox.stats().requests;
    expect((await doctor(place, '--offline')).code).toBe(0);
    expect(sandbox.stats().requests - before).toBe(0);
    await doctor(place);
    expect(sandbox.stats().requests - before).toBe(1);
    place.remove();
  });

  it('reads one record and one quote, and says which setting is wrong', async () => {
    const place = openWorkspace(sandbox.url);
    const line = [...sandbox.trackedLines()].find((each) => each.kind === 'purchase');
    const { kind, id } = line ?? { kind: '', id: '' };
    await place.tieout(['import', '-', '-q'], { stdin: JSON.stringify(line) });
    const key = { TIEOUT_HOST_API_KEY: sandbox.hostApiKey };
    const well = await place.ends(0, ['doctor', '--json'], { env: key });
    const checks = JSON.parse(well.out) as Check[];
    expect(of(checks, 'one record')).toMatchObject({ state: 'ok', says: `${kind} ${id} can be read` });
    expect(of(checks, 'one quote')).toMatchObject({ state: 'ok', says: expect.stringMatching(/payment methods/) });

    const refused = await place.ends(4, ['doctor', '--json'], { env: { TIEOUT_HOST_API_KEY: 'another-key' } });
    expect(of(JSON.parse(refused.out) as Check[], 'one quote')?.says).toContain('check the integration key');

    const named = openWorkspace(sandbox.url, { service: '  identifierName: Other\n' });
    await named.tieout(['import', '-', '-q'], { stdin: JSON.stringify(line) });
    const misnamed = await named.ends(4, ['doctor', '--json'], { env: key });
    expect(of(JSON.parse(misnamed.out) as Check[], 'one record')?.says).toContain(
      'set service.identifierName to Service',
    );
    expect(of(JSON.parse(misnamed.out) as Check[], 'one quote')?.says).toContain('identifierName');
    const night = await named.ends(2, ['run']);
    expect(night.err).toContain('set service.identifierName to Service');
    expect((await named.tieout(['runs', 'list'])).out).toContain('aborted');
    place.remove();
    named.remove();
  });

  it('reads a record that was verified before, where the first one never could be', async () => {
    const place = openWorkspace(sandbox.url);
    const line = [...sandbox.trackedLines()].find((each) => each.kind === 'purchase');
    const unknown = { ...line, id: '0-unknown' };
    await place.tieout(['import', '-', '-q'], { stdin: `${JSON.stringify(unknown)}\n${JSON.stringify(line)}\n` });
    const first = await doctor(place);
    expect([first.code, of(first.checks, 'one record')?.says]).toEqual([
      4,
      expect.stringContaining('purchase 0-unknown is not known there (HTTP 404)'),
    ]);
    await place.ends(0, ['run', '-q', '--fail-on', 'none']);
    const later = await doctor(place);
    expect([later.code, of(later.checks, 'one record')?.says]).toEqual([0, `purchase ${line?.id} can be read`]);
    place.remove();
  });

  it('reads every source without storing anything', async () => {
    const place = openWorkspace(sandbox.url, {
      settings: 'sources: [{ name: inbox, type: file, path: "inbox/*.csv" }]\n',
    });
    const empty = await doctor(place, '--offline');
    expect(empty.code).toBe(4);
    expect(of(empty.checks, 'source inbox')?.says).toContain('no file matches inbox/*.csv');
    place.write('inbox/a.csv', 'kind,id,view_token\npurchase,a1,t1\npurchase,a2,\n');
    const half = await doctor(place, '--offline');
    expect(half.code).toBe(4);
    expect(of(half.checks, 'source inbox')?.says).toMatch(
      /^2 lines: 1 good, 1 to be rejected; .*a\.csv:3: view_token is missing/,
    );
    expect(of(half.checks, 'database')?.says).toContain(' 0 tracked records');
    place.remove();
  });

  it('exits with 2 where no address is set, and with 4 where something else answers there', async () => {
    const nowhere = openWorkspace(null);
    const { code, checks } = await doctor(nowhere);
    expect(code).toBe(2);
    expect(of(checks, 'the Service')).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('set service.url'),
    });
    nowhere.remove();
    const page = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<html>hello</html>'),
    );
    const other = openWorkspace(`http://127.0.0.1:${await listenLocally(page)}/api`);
    const found = await doctor(other);
    expect(found.code).toBe(4);
    expect(of(found.checks, 'the Service')).toMatchObject({ state: 'wrong', says: expect.stringContaining('JSON') });
    other.remove();
    page.close();
  });

  it('names an out folder that cannot be written', async () => {
    const place = openWorkspace(sandbox.url, { settings: 'out: taken/reports\n' });
    place.write('taken', 'a file where a folder should be');
    const { code, checks } = await doctor(place, '--offline');
    expect(code).toBe(4);
    expect(of(checks, 'out folder')).toMatchObject({ state: 'wrong', says: expect.stringContaining('taken/reports') });
    place.remove();
  });

  it('reads the key that sets are signed with', async () => {
    const place = openWorkspace(sandbox.url, { settings: 'publish: { signingKeyFile: keys/sign.pem }\n' });
    const missing = await doctor(place, '--offline');
    expect(missing.code).toBe(4);
    expect(of(missing.checks, 'signing key')).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('keys/sign.pem'),
    });
    const made = await place.ends(0, ['keys', 'generate', '--out', 'keys', '--json']);
    const { private_key_file } = JSON.parse(made.out) as { private_key_file: string };
    place.write('keys/sign.pem', place.read(private_key_file));
    const { code, checks } = await doctor(place, '--offline');
    expect(code).toBe(0);
    expect(of(checks, 'signing key')).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(/^keys\/sign\.pem, id [0-9a-f]{16}/),
    });
    place.remove();
  });
});
