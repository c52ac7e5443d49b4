import { afterEach, describe, expect, it } from 'vitest';
import type { Figures, ServerEdges } from '../../../src/intake/server/contract.ts';
import { type IntakeServer, ListenError, startIntakeServer } from '../../../src/intake/server/server.ts';
import type { AcceptOutcome } from '../../../src/intake/webhooks/contract.ts';

const FIGURES: Figures = {
  now: Date.UTC(2026, 10, 2, 5),
  jobs: [
    {
      job: 'nightly',
      lastSuccessAt: Date.UTC(2026, 10, 2, 4),
      newest: { finishedAt: Date.UTC(2026, 10, 2, 4), requestsSent: 120, verdicts: { matched: 100, break: 3 } },
    },
    { job: 'audit', lastSuccessAt: null, newest: null },
  ],
  circuit: { open: true, trips: 2 },
  windows: [{ requests: 100, perMs: 60_000, used: 37 }],
  requestsSent: 5,
  learnedFrom: { fetch: 4, webhook: 9, event: 0, import: 0 },
  awaitingRecheck: 2,
};

const edges = (overrides: Partial<ServerEdges> = {}): ServerEdges => ({
  host: '127.0.0.1',
  port: 0,
  verify: null,
  intakeToken: null,
  readWebhook: (_bytes, kind) => ({
    outcome: 'record',
    delivered: {
      kind,
      id: 'p-1',
      token: 't',
      eventType: null,
      body: { sha256: 'x', evidence: '{}' },
      identity: 'x',
      state: { ok: false },
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
  ...overrides,
});

const servers: IntakeServer[] = [];
async function started(overrides: Partial<ServerEdges> = {}): Promise<IntakeServer> {
  const server = await startIntakeServer(edges(overrides));
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const send = (server: IntakeServer) =>
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
    // Whoever watches is not shut out with them.
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(server.url + path)).status).toBe(200);
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
      'tieout_run_age_seconds{job="nightly"} 3600',
      'tieout_run_last_success_timestamp_seconds{job="nightly"} 1793592000',
      'tieout_run_records{job="nightly",verdict="break"} 3',
      'tieout_run_requests{job="nightly"} 120',
      'tieout_circuit_open 1',
      'tieout_limit_used_requests{per_seconds="60"} 37',
      'tieout_status_changes{learned_from="fetch"} 4',
      // Counted once, though it was read twice.
      'tieout_requests_sent_total 5',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.filter((line) => line.includes('job="audit"'))).toEqual([]);
  });

  it('says which address it could not have', async () => {
    const server = await started();
    const port = Number(new URL(server.url).port);
    await expect(startIntakeServer(edges({ port }))).rejects.toThrow(ListenError);
    await expect(startIntakeServer(edges({ port }))).rejects.toThrow(/EADDRINUSE.*webhooks\.port/);
  });
});
