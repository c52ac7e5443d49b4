/** Addresses that come from outside: in bodies, redirects, ids and headers. None of them is ever called. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { expect } from 'vitest';
import { until } from '../e2e/support/workspace.ts';
import { aPurchase, aSale } from '../service/bodies.ts';
import { listenLocally } from '../support/listen-locally.ts';
import type { Call, Meddling } from './harness/proxy.ts';
import { faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE, SCENE_SET, type Scene } from './harness/scene.ts';

const INTAKE_TOKEN = 'intake-token-0123456789';

faultRow(
  {
    number: 21,
    fault:
      'server-side request forgery: `apiUrl`, redirects, addresses in bodies, ids that are addresses, host headers',
    how: 'all data point to a listener on a private address: SDK events, webhooks, records, reference data, five kinds of redirect, imported ids, X-Forwarded-Host; runs, quotes and reports are made from them',
    mustHold: 'the listener gets no connection; every request goes to the configured base',
  },
  async (row) => {
    const calls: string[] = [];
    await using trap = await listening(
      createServer((request, response) => {
        calls.push(`${request.method} ${request.url}`);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      }),
      calls,
    );
    await using scene = await openScene({
      records: row.isShort ? 30 : 90,
      defects: 0,
      settings:
        'webhooks: { port: 0, requireSignature: false }\nreports: { formats: [csv, html] }\nquotes: { captureOnCreated: true }\n',
    });
    const { place, proxy } = scene;
    const asked = new Set<string>();
    let redirects = 0;
    proxy.meddle = (call) => {
      asked.add(`${call.method} ${call.path}`);
      const nth = call.recordId === null ? -1 : scene.ids.indexOf(call.recordId);
      if (nth >= 0 && nth % 3 === 0) {
        redirects++;
        return redirected(trap.origin, [301, 302, 303, 307, 308][(nth / 3) % 5] ?? 302)(call);
      }
      return withAddresses(trap.origin)(call);
    };
    const sent = await outsideIn(scene, trap.origin);
    for (const args of [
      ['run', 'reference-data'],
      ['run', '--date', SCENE_DATE],
      ['audit', '--from', '2026-01-01', '--to', '2027-01-01', '--requote'],
      ['doctor'],
      ['service', 'assets', '--json'],
    ]) {
      const { code, err } = await place.process(args);
      // Redirected records are quarantined and the rest is judged; nothing stops. `doctor` reads a record that was verified before.
      expect(code, `${args.join(' ')}: ${err}`).toBeOneOf(args[0] === 'doctor' ? [0] : [0, 1, 2, 3]);
    }
    const coverage = place.csv(SCENE_SET, 'coverage').rows;
    const quarantined = coverage.filter(({ reason }) => reason === 'REDIRECTED');
    const strange = [...asked].filter((each) => !/^(?:GET|POST) \/api\/host-api\/[\w/-]+$/.test(each));
    row.measured('addresses planted', sent);
    row.measured('redirects answered', redirects);
    row.measured('connections to the listener', calls.length);
    row.measured('requests to paths outside the API', strange.length);
    expect(quarantined.length).toBe(Math.ceil(scene.ids.length / 3));
    expect(strange).toEqual([]);
    expect(calls).toEqual([]);
  },
);

/** Counts connections too: a call that says nothing is a call. */
async function listening(server: Server, calls: string[]): Promise<AsyncDisposable & { origin: string }> {
  const port = await listenLocally(server);
  server.on('connection', () => calls.push('connection'));
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** The secret of the request's own query goes along, as a server that wants it would ask. */
const redirected =
  (origin: string, status: number): Meddling =>
  ({ response }: Call) =>
    void response
      .writeHead(status, {
        location: `${origin}${(response.req as IncomingMessage).url ?? ''}`,
        refresh: `0;url=${origin}`,
      })
      .end();

/** The Service's own answer with addresses in every place where clients have been known to follow one. */
const withAddresses =
  (origin: string): Meddling =>
  async (call) => {
    const { status, headers, body } = await call.real();
    const text = body
      .toString('utf8')
      .replaceAll(/"logoUrl":"[^"]*"/g, `"logoUrl":"${origin}/logo.svg"`)
      .replace(
        /^\{/,
        `{"apiUrl":"${origin}/api","url":"${origin}","next":"${origin}/next","actions":[{"url":"${origin}/act"}],"$ref":"${origin}/schema",`,
      );
    const links = { link: `<${origin}/next>; rel="next"`, 'content-location': origin, 'x-api-url': origin };
    call.response.writeHead(status, { ...headers, ...links }).end(text);
  };

/** What strangers and the app's own front end can bring: events, webhooks, quotes, ids. Answers how many. */
async function outsideIn({ place }: Scene, origin: string): Promise<number> {
  const serving = place.start(['serve', '--json'], { env: { TIEOUT_INTAKE_TOKEN: INTAKE_TOKEN } });
  let told = '';
  serving.child.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  await until('it listens', () => /http:\/\/127\.0\.0\.1:\d+/.test(told));
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(told)?.[0] ?? '';
  const bare = origin.replace('http://', '');
  const addresses = [
    origin,
    `${origin}/api`,
    `//${bare}`,
    `http://user:pass@${bare}/`,
    origin.replace('127.0.0.1', 'localhost'),
    origin.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_',
  ];
  let sent = 0;
  const post = async (path: string, body: string) => {
    const answer = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${INTAKE_TOKEN}`,
        'x-forwarded-host': bare,
        forwarded: `host=${bare}`,
        'x-original-url': origin,
        referer: origin,
      },
      body,
    });
    expect(answer.status, `${path}: ${await answer.text()}`).toBeOneOf([200, 400, 404, 409, 422]);
    sent++;
  };
  for (const [n, address] of addresses.entries()) {
    const url = JSON.stringify(address);
    const purchase = (id: string, more: Record<string, string> = {}) =>
      aPurchase({ id: JSON.stringify(id), status: '"INITIALIZED"', finalTxHash: undefined, apiUrl: url, ...more });
    const sale = aSale({ id: `"3f0c4f0e-6a51-4b5e-9a4f-0d3a2b1c9e${String(n).padStart(2, '0')}"`, apiUrl: url });
    await post(
      '/events',
      `{"type":"PURCHASE_CREATED","payload":{"purchase":${purchase(`event${n}`)},"purchaseViewToken":"tokentokentoken1","apiUrl":${url}},"widgetInstanceId":"1"}`,
    );
    await post(
      '/events',
      `{"type":"OFFRAMP_SALE_CREATED","payload":{"sale":${sale},"saleViewToken":"tokentokentoken1","apiUrl":${url}}}`,
    );
    await post(
      `/webhooks/purchases?apiUrl=${encodeURIComponent(address)}`,
      `{"type":"CREATED","apiUrl":${url},"purchase":${purchase(`hook${n}`)}}`,
    );
    await post('/webhooks/sales', `{"id":"1","type":"CREATED","mode":"OFFRAMP","apiUrl":${url},"payload":${sale}}`);
    await post('/webhooks/purchases', `{"type":"CREATED","purchase":${purchase(address)}}`);
    await post('/webhooks/purchases', `{"type":"CREATED","purchase":${purchase(`../../..//${bare}/x${n}`)}}`);
  }
  // What a CREATED webhook sets off is done before it stops.
  serving.child.kill('SIGTERM');
  await serving.done;
  const lines = addresses.map((address) =>
    JSON.stringify({ kind: 'purchase', id: address, view_token: 'tokentokentoken1' }),
  );
  const ids = [`@${bare}/`, `..%2f..%2f@${bare}`, `x?y=${origin}`, `x#${origin}`, '..', '.', '%2e%2e'];
  lines.push(...ids.map((id) => JSON.stringify({ kind: 'sale', id, view_token: 'tokentokentoken1' })));
  await place.process(['import', '-', '--format', 'ndjson', '-q'], { stdin: lines.join('\n') });
  return sent + lines.length;
}
