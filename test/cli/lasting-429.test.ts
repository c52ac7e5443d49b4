/** A Service that answers 429 for hours: runs end in time, and say why in the log, the summary, the set and the notices. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { runCli } from '../../src/cli/main.ts';
import { until } from '../e2e/support/workspace.ts';
import { inThisOrder } from '../support/in-this-order.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { aWorld, tieout } from './world.ts';

inThisOrder();

const folder = mkdtempSync(join(tmpdir(), 'tieout-429-'));
const notices: string[] = [];
const servers: Server[] = [];
let port = 0;
let settings = '';

async function listen(answer: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(answer ?? (() => undefined));
  servers.push(server);
  return listenLocally(server);
}

beforeAll(async () => {
  port = await listen((_, response) => {
    response.statusCode = 429;
    response.end('{"code":"TOO_MANY_REQUESTS","statusCode":429}');
  });
  const receiver = await listen((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      notices.push(`${request.url} ${body}`);
      response.end();
    });
  });
  settings = join(folder, 'tieout.yaml');
  writeFileSync(
    settings,
    `service: { url: "http://127.0.0.1:${port}/api", rateLimits: [{ requests: 1000, per: 1m }], guard: 0s, retries: 0 }
database: { url: "sqlite:${join(folder, 'tieout.db')}" }
out: ${join(folder, 'out')}
schedule: { jobs: { nightly: "* * * * *", reference-data: off, recheck: off, retention: off }, maxDuration: 1s }
pages: { url: "https://tieout.internal.example" }
notify: { webhookUrl: "http://127.0.0.1:${receiver}/chat", heartbeatUrl: "http://127.0.0.1:${receiver}/beat" }
`,
  );
  const ids = ['p-1', 'p-2', 's-1'].map((id) => `{"kind":"purchase","id":"${id}","view_token":"token-of-${id}"}`);
  const imported = await tieout(['import', '-', '--config', settings], { openApp, stdin: ids.join('\n') });
  expect(imported.code, imported.err).toBe(0);
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a run with a time limit ends in time, and says 429 wherever it speaks', async () => {
  const began = performance.now();
  // Long enough for the first answer on a busy machine; the rest is waiting.
  const { code, out, err } = await tieout(['run', '--max-duration', '6s', '--config', settings], { openApp });
  expect(code).toBe(3);
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(out).toMatch(/because +3: max-duration: the Service answered 429/);
  for (const words of ['circuit opened', 'waiting for the allowance', '3 of them deferred'])
    expect(err).toContain(words);
  expect(err.split('\n').filter((line) => line.includes('circuit opened'))).toHaveLength(1);
  const [published = ''] = globSync(join(folder, 'out/*/nightly-r1/coverage.csv'));
  const coverage = readFileSync(published, 'utf8');
  expect(coverage.match(/deferred,max-duration: the Service answered 429/g)).toHaveLength(3);
  const [run = ''] = /nightly-\S+-r1/.exec(out) ?? [];
  const shown = await tieout(['runs', 'show', run, '--config', settings], { openApp });
  expect(shown.out).toMatch(/not verified +3: max-duration: the Service answered 429/);
  const chats = notices.filter((each) => each.startsWith('/chat'));
  expect(chats.some((each) => each.includes('no request is sent') && each.includes('429'))).toBe(true);
  expect(chats.find((each) => each.includes('INCOMPLETE'))).toMatch(
    /3: max-duration: the Service answered 429.*lower service.rateLimits/s,
  );
  expect(notices.some((each) => each.startsWith('/beat/fail'))).toBe(true);
});

it('reference data ends in time too, and fails with the reason', async () => {
  const { code, err } = await tieout(['run', 'reference-data', '--max-duration', '1s', '--config', settings], {
    openApp,
  });
  expect(code).toBe(4);
  expect(err).toContain('429');
});

it('the schedule ends each night in time too, says 429 in log, metrics and notice, and goes on with the next date', async () => {
  const at = join(folder, 'schedule');
  mkdirSync(at);
  const own = join(at, 'tieout.yaml');
  writeFileSync(
    own,
    readFileSync(settings, 'utf8')
      .replaceAll(`${folder}/tieout.db`, `${at}/tieout.db`)
      .replace(`out: ${join(folder, 'out')}`, `out: ${join(at, 'out')}`)
      .replace('maxDuration: 1s }', 'maxDuration: 1s, metrics: { port: 0 } }'),
  );
  const line = '{"kind":"purchase","id":"p-1","view_token":"token-of-p-1"}';
  expect((await tieout(['import', '-', '--config', own], { openApp, stdin: line })).code).toBe(0);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  // A ledger that ends three days ago: the schedule owes two nights at its start.
  const first = await tieout(['run', '--date', day(3), '--max-duration', '4s', '--config', own], { openApp });
  expect(first.code).toBe(3);
  notices.length = 0;
  const world = aWorld();
  const running = runCli(['schedule', '--log-level', 'info', '--config', own], world, openApp);
  const says = (text: string) => until(text, () => (world.err() + world.out()).includes(text), 20_000);
  await says('health and metrics');
  const url = /"url":"(http[^"]+)"/.exec(world.err() + world.out())?.[1] ?? '';
  for (const ago of [2, 1]) await says(`nightly-${day(ago)}-r1","state":"incomplete"`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/tieout_circuit_open\{egress="[^"]*"\} 1/);
  world.send('SIGTERM');
  expect(await running).toBe(143);
  const log = world.err() + world.out();
  for (const words of ['max-duration: the Service answered 429', 'waiting for the allowance'])
    expect(log).toContain(words);
  const chats = notices.filter((each) => each.startsWith('/chat') && each.includes('INCOMPLETE'));
  expect(chats).toHaveLength(2);
  for (const each of chats) {
    expect(each).toContain('429');
    expect(each).toMatch(/Page: https:\/\/tieout\.internal\.example\/runs\/nightly-\d{4}-\d\d-\d\d-r1/);
  }
  for (const beat of ['/beat/start', '/beat/fail']) expect(notices.some((each) => each.startsWith(beat))).toBe(true);
});
