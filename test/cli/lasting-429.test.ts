/** A Service that answers 429 for hours: runs end in time, and say why in the log, the summary, the set and the notices. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import { tieout } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-429-'));
const notices: string[] = [];
const servers: Server[] = [];
let port = 0;
let settings = '';

async function listen(answer: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(answer ?? (() => undefined));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
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
  const { code, out, err } = await tieout(['run', '--max-duration', '3s', '--config', settings], { openApp });
  expect(code).toBe(3);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(out).toMatch(/because +3: max-duration: the Service answered 429/);
  for (const words of ['circuit opened', 'waiting for the allowance', '3 of them deferred'])
    expect(err).toContain(words);
  expect(err.split('\n').filter((line) => line.includes('circuit opened'))).toHaveLength(1);
  const [published = ''] = globSync(join(folder, 'out/*/nightly-r1/coverage.csv'));
  const coverage = readFileSync(published, 'utf8');
  expect(coverage.match(/deferred,max-duration: the Service answered 429/g)).toHaveLength(3);
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
