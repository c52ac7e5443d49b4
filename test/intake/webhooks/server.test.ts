import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { webhookSchemas } from '../../../src/app/serve-schemas.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { Figures, ServerEdges } from '../../../src/intake/server/contract.ts';
import { ListenError, type RunningServer } from '../../../src/intake/server/listen.ts';
import { startIntakeServer } from '../../../src/intake/server/server.ts';
import type { AcceptOutcome } from '../../../src/intake/webhooks/contract.ts';

const FIGURES: Figures = {
  now: Date.UTC(2026, 10, 2, 5),
  jobs: [
    {
      job: 'nightly',
      lastSuccessAt: Date.UTC(2026, 10, 2, 4),
      newest: {
        finishedAt: Date.UTC(2026, 10, 2, 4),
        requestsSent: 120,
        sources: [{ name: 'app', read: 9, accepted: 7, rejected: 2, failed: 1, problems: [] }],
        verdicts: { matched: 100, break: 3 },
        withoutData: { records: 4, lacking: new Map([['asset.type', 2]]) },
      },
    },
    { job: 'audit', lastSuccessAt: null, newest: null },
  ],
  openBreaks: { info: 0, low: 1, medium: 0, high: 0, critical: 2 },
  moneyAtStake: [{ currency: 'EUR', bearer: 'user', total: Decimal.parse('12.5') }],
  queue: null,
  egress: 'office',
  circuit: { open: true, trips: 2 },
  windows: [{ requests: 100, perMs: 60_000, used: 37 }],
  requestsSent: 5,
  learnedFrom: { fetch: 4, webhook: 9, event: 0, import: 0 },
  awaitingRecheck: 2,
  free: new Map(),
  lastNight: null,
  clockAheadMs: null,
};

const edges = (overrides: Partial<ServerEdges> = {}): ServerEdges => ({
  host: '127.0.0.1',
  port: 0,
  verify: null,
  intakeToken: null,
  monotonic: () => performance.now(),
  readWebhook: (_bytes, kind) => ({
    outcome: 'record',
    delivered: {
      kind,
      id: 'p-1',
      token: 't',
      eventType: null,
      body: { sha256: 'x', evidence: '{}' },
      identity: 'x',
      state: { ok: false, drift: [] },
    },
  }),
  readEvent: () => ({ outcome: 'no-record', eventType: 'x' }),
  readQuote: () => ({ ok: false, problems: [] }),
  accept: async () => 'stored',
  addQuote: async () => 'added',
  isReady: async () => undefined,
  figures: async () => FIGURES,
  onStored: () => undefined,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  documentation: { schemas: webhookSchemas('Service'), version: '0' },
  showsDocumentation: false,
  ...overrides,
});

const servers: RunningServer[] = [];
async function started(overrides: Partial<ServerEdges> = {}): Promise<RunningServer> {
  const server = await startIntakeServer(edges(overrides));
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const send = (server: RunningServer) =>
  fetch(`${server.url}/webhooks/purchases`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });

describe('the server', () => {
  it('bounds what one address may send', async () => {
    const server = await started({ rateLimit: { requests: 3, perMs: 60_000 } });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await send(server)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    // Monitoring is not limited with them.
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(server.url + path)).status).toBe(200);
  });

  it('shows what is for this machine under no name that a stranger can own (DNS rebinding)', async () => {
    const asked = async (server: RunningServer, path: string, host: string) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const [first = ''] = (await socket.toArray()).map(String);
      return Number(first.split(' ')[1]);
    };
    const server = await started({ showsDocumentation: true });
    for (const path of ['/metrics', '/%6detrics', '/openapi.json', '/docs/'])
      for (const host of ['evil.example', 'EVIL.example:80', '127.0.0.1.evil.example', 'localhost.evil.example'])
        expect([path, host, await asked(server, path, host)]).toEqual([path, host, 421]);
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:9', 'tieout', 'a.localhost'])
      expect([host, await asked(server, '/metrics', host)]).toEqual([host, 200]);
    expect(await asked(server, '/healthz', 'evil.example')).toBe(200);
    const behindProxy = await started({ trustProxy: ['127.0.0.1'] });
    expect(await asked(behindProxy, '/metrics', 'tieout.example')).toBe(200);
  });

  it.each<[string, Partial<ServerEdges>]>([
    ['alone', {}],
    [
      'beside pages',
      { mount: async (app) => void app.setNotFoundHandler((_request, reply) => reply.code(404).send('page')) },
    ],
  ])('answers a method that a path lacks with 405 and the ones that it has: %s', async (_, overrides) => {
    const server = await started(overrides);
    const asked = async (path: string, method = 'GET') => {
      const answer = await fetch(server.url + path, { method });
      return [answer.status, answer.headers.get('allow')];
    };
    expect(await asked('/webhooks/purchases')).toEqual([405, 'POST']);
    expect(await asked('/readyz', 'DELETE')).toEqual([405, 'GET, HEAD']);
    expect(await asked('/webhooks/purchase')).toEqual([404, null]);
  });

  it('does not reveal the rest of an allowance', async () => {
    const server = await started({ rateLimit: { requests: 1, perMs: 60_000 } });
    for (const status of [200, 429]) {
      const answer = await send(server);
      expect([answer.status, [...answer.headers.keys()].filter((name) => name.includes('ratelimit'))]).toEqual([
        status,
        [],
      ]);
    }
  });

  it('does not read a body that nests too deeply', async () => {
    const server = await started();
    const headers = { 'content-type': 'application/json' };
    const body = '['.repeat(65) + ']'.repeat(65);
    const answer = await fetch(`${server.url}/webhooks/purchases`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      '{"statusCode":400,"error":"the body has too many values, or nests too deeply"}',
    ]);
  });

  it('logs each delivery, and one of a record that is not tracked', async () => {
    const said: unknown[] = [];
    const log = {
      info: (facts: object, message: string) => void said.push([message, facts]),
      warn: (message: string) => void said.push(message),
      error: (message: string) => void said.push(message),
    };
    await send(await started({ log }));
    await send(await started({ log, accept: async () => 'untracked' }));
    expect(said).toEqual([
      ['delivery', { kind: 'purchase', id: 'p-1', eventType: null, origin: 'webhook', outcome: 'stored' }],
      'purchase p-1: a webhook without a view token, for a record that is not tracked',
    ]);
  });

  /** The answer to these bytes. */
  const asked = (url: string, bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(bytes));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });

  it('takes no request with two Host headers', async () => {
    const head = 'GET /healthz HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n';
    expect(await asked((await started()).url, head)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['/webhooks/purchases', 'application/json', ['refused: 1 purchase malformed (400)']],
    ['/webhooks/purchases', 'text/plain', ['refused: 1 purchase unsupported (415)']],
    ['/nowhere', 'application/json', []],
  ])('keeps no body of a piece for each byte: 40 of them took 2.6 GB (%s, %s)', async (path, type, lines) => {
    const said: string[] = [];
    const note = (line: string) => void said.push(line);
    const log = { info: () => undefined, warn: note, error: note };
    const server = await started({ log, requestTimeoutMs: 120_000 });
    const head = `POST ${path} HTTP/1.1\r\nHost: a.example\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    // It waits for the rest of the body, unless the pieces were too many.
    const begun = head + '1\r\n \r\n'.repeat(5_000);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(begun));
    socket.on('error', () => undefined).resume();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(said).toEqual(lines);
    expect((await send(server)).status).toBe(200);
  });

  it('counts what is no HTTP behind its head as no failure of its own', async () => {
    const failures: string[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (line: string) => void failures.push(line) };
    const server = await started({ log });
    const head = 'POST /events HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nTransfer-Encoding: ';
    for (const rest of ['xchunked\r\n\r\n{}', 'chunked\r\n\r\nfffffffffffffffff\r\n{}', 'chunked\r\n\r\n2\n{}\n0\n\n'])
      expect(await asked(server.url, head + rest)).toMatch(/^HTTP\/1\.1 400 /);
    await pause(50);
    expect(failures).toEqual([]);
  });

  it.each([
    ['in its head', 'POST /webhooks/purchases HTTP/1.1\r\nHost: a.example\r\nX-Slow: ', 'x'],
    [
      'in its body',
      'POST /webhooks/purchases HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n',
      ' ',
    ],
  ])('ends a request that drips %s, although every byte comes in time', async (_where, head, more) => {
    const { port } = new URL((await started({ requestTimeoutMs: 1_000 })).url);
    const from = performance.now();
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
      const drips = setInterval(() => socket.write(more), 100);
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      // The server may close while a drop is under way.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(drips);
        resolve(text);
      });
    });
    expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
    // Node itself looks for slow requests every 30 s.
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  it('answers what it accepted before it closes', async () => {
    let commit: (outcome: AcceptOutcome) => void = () => undefined;
    let reached: () => void = () => undefined;
    const accepted = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const server = await started({
      accept: () =>
        new Promise((done) => {
          commit = done;
          reached();
        }),
    });
    const answer = send(server);
    await accepted;
    const closing = server.close();
    // Under way when the stop came: it is answered when it is stored, and not before.
    expect(await Promise.race([answer, new Promise((later) => setTimeout(later, 50, 'no answer yet'))])).toBe(
      'no answer yet',
    );
    commit('stored');
    expect((await answer).status).toBe(200);
    await closing;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('acknowledges nothing that could not be stored', async () => {
    const server = await started({ accept: () => Promise.reject(new Error('disk full: /var/lib/tieout.db')) });
    const answer = await send(server);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toBe('{"statusCode":503,"error":"try again later"}');
  });

  it('is not ready while the database cannot be used', async () => {
    const server = await started({ isReady: () => Promise.reject(new Error('locked')) });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('shows runs, limits and the circuit as metrics', async () => {
    const server = await started();
    await (await fetch(`${server.url}/metrics`)).text();
    const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n');
    for (const line of [
      'tieout_run_age_seconds{tieout_job="nightly"} 3600',
      'tieout_run_last_success_timestamp_seconds{tieout_job="nightly"} 1793592000',
      'tieout_run_records{tieout_job="nightly",verdict="break"} 3',
      'tieout_run_requests{tieout_job="nightly"} 120',
      'tieout_run_records_not_judged{tieout_job="nightly"} 4',
      'tieout_run_absent_fields{tieout_job="nightly",field="asset.type"} 2',
      'tieout_source_lines{tieout_job="nightly",source="app",outcome="accepted"} 7',
      'tieout_source_lines{tieout_job="nightly",source="app",outcome="rejected"} 2',
      'tieout_source_failures{tieout_job="nightly",source="app"} 1',
      'tieout_money_at_stake{currency="EUR",bearer="user"} 12.5',
      'tieout_records_awaiting_recheck 2',
      'tieout_circuit_trips{egress="office"} 2',
      'tieout_circuit_open{egress="office"} 1',
      'tieout_limit_used_requests{egress="office",per_seconds="60"} 37',
      'tieout_limit_allowed_requests{egress="office",per_seconds="60"} 100',
      'tieout_breaks_open{severity="critical"} 2',
      'tieout_database_ready 1',
      'tieout_status_changes{learned_from="fetch"} 4',
      // Counted once, though it was read twice.
      'tieout_requests_sent_total 5',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.filter((line) => line.includes('job="audit"'))).toEqual([]);
    // Without workers there is no queue, rather than an empty one.
    expect(lines.filter((line) => line.startsWith('tieout_queue'))).toEqual([]);
  });

  it('answers a quote by what became of it, and counts that', async () => {
    let outcome: 'added' | 'unchanged' | 'conflict' = 'added';
    const asked: unknown[] = [];
    const server = await started({
      intakeToken: 'a-token-of-the-app',
      readQuote: (text) => (text === '{}' ? { ok: false, problems: ['a', 'b'] } : ({ ok: true, text } as never)),
      addQuote: async (quote) => {
        asked.push(quote);
        return outcome;
      },
    });
    const quote = async (body: string) => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer a-token-of-the-app' };
      const answer = await fetch(`${server.url}/quotes`, { method: 'POST', headers, body });
      return [answer.status, await answer.text()];
    };
    expect(await quote('[1]')).toEqual([200, '{"outcome":"added"}']);
    outcome = 'unchanged';
    expect(await quote('[1]')).toEqual([200, '{"outcome":"unchanged"}']);
    outcome = 'conflict';
    expect(await quote('[1]')).toEqual([
      409,
      '{"statusCode":409,"error":"this id is stored with other content, which stays"}',
    ]);
    expect(await quote('{}')).toEqual([400, '{"statusCode":400,"error":"the body cannot be taken: a; b"}']);
    expect(asked).toHaveLength(3);
    const counted = (await (await fetch(`${server.url}/metrics`)).text()).match(/tieout_deliveries_total\{.*/g);
    expect(counted?.sort()).toEqual([
      'tieout_deliveries_total{kind="quote",result="conflict"} 1',
      'tieout_deliveries_total{kind="quote",result="malformed"} 1',
      'tieout_deliveries_total{kind="quote",result="repeated"} 1',
      'tieout_deliveries_total{kind="quote",result="stored"} 1',
    ]);
  });

  it('shows the queue, and how old its oldest batch is', async () => {
    const queue = { waiting: 12, active: 4, failed: 0, oldestWaitingMs: 90_500 };
    const server = await started({ figures: async () => ({ ...FIGURES, queue }) });
    const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n');
    for (const line of [
      'tieout_queue_batches{state="waiting"} 12',
      'tieout_queue_batches{state="active"} 4',
      'tieout_queue_batches{state="failed"} 0',
      'tieout_queue_oldest_waiting_seconds 90.5',
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('still answers while the database is away, with nothing that it does not know', async () => {
    const said: string[] = [];
    let away = false;
    const server = await started({
      figures: async () => {
        if (away) throw new Error('connection refused');
        return { ...FIGURES, queue: { waiting: 1, active: 0, failed: 0, oldestWaitingMs: 5 } };
      },
      log: { info: () => undefined, warn: () => undefined, error: (message) => void said.push(message) },
    });
    await send(server);
    await (await fetch(`${server.url}/metrics`)).text();
    away = true;
    const response = await fetch(`${server.url}/metrics`);
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(response.status).toBe(200);
    expect(lines.sort()).toEqual([
      'tieout_database_ready 0',
      'tieout_deliveries_total{kind="purchase",result="stored"} 1',
      'tieout_requests_sent_total 5',
    ]);
    expect(said).toEqual(['metrics: connection refused']);
    away = false;
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('tieout_queue_batches{state="waiting"} 1');
  });

  it('says which address it could not have', async () => {
    const server = await started();
    const port = Number(new URL(server.url).port);
    await expect(startIntakeServer(edges({ port }))).rejects.toThrow(ListenError);
    await expect(startIntakeServer(edges({ port }))).rejects.toThrow(/EADDRINUSE.*webhooks\.port/);
  });
});
