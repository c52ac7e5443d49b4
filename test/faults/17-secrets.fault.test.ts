/** Tokens and keys, carried through everything that can go wrong: afterwards they are nowhere but where they belong. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync, inflateSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { type Finished, until, type Workspace } from '../e2e/support/workspace.ts';
import { unzip } from '../publish/support/unzip.ts';
import { aPurchase } from '../service/bodies.ts';
import { temporaryFolder } from './harness/folder.ts';
import { heapTo, namesInHeap } from './harness/heap.ts';
import type { Call, Meddling } from './harness/proxy.ts';
import { faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE } from './harness/scene.ts';
import * as trouble from './harness/troubles.ts';

/** Long enough that none of them is found by chance. */
const canary = (name: string) => `${name}${randomBytes(12).toString('hex')}`;

const tokenOf = (call: Call) => new URL(call.response.req.url ?? '/', 'http://x').searchParams.get('secret') ?? '';

/** Sends the secret back in every place that a careless client would log or keep. */
const echo =
  (status: number, wrap: (token: string) => string, type = 'application/json'): Meddling =>
  (call) => {
    const token = tokenOf(call);
    call.response
      .writeHead(status, { 'content-type': type, 'x-echo': token, 'set-cookie': `t=${token}` })
      .end(wrap(token));
  };

const FAULTS: readonly Meddling[] = [
  echo(403, (token) => `{"code":"BAD_SECRET_${token}","message":"the secret ${token} is wrong"}`),
  echo(404, (token) => `{"code":"NOT_FOUND","secret":"${token}","statusCode":404}`),
  echo(400, (token) => `{"message":["secret ${token} must be a UUID"],"error":"${token}"}`),
  echo(500, (token) => `{"message":"boom at ?secret=${token}"}`),
  echo(200, (token) => `<html>${token}</html>`, 'text/html'),
  echo(200, (token) => `{"id":"${token}","appliedFee":"${token}"}`),
  echo(200, (token) => `{"secret":"${token}","secret":"twice"}`),
  echo(200, (token) => `{"purchaseViewToken":"${token}","note":"${token}`),
  echo(200, (token) => `{"more":{"deep":["${encodeURIComponent(token)}"]},"${token}":1}`),
  trouble.resetMidBody,
  trouble.shorterThanAnnounced,
  trouble.redirectTo('http://127.0.0.1:9'),
  trouble.gzipBomb,
];

faultRow(
  {
    number: 17,
    fault: 'secrets echoed, or in memory during every other fault',
    how: 'a Service that echoes the secret in errors, headers, pages, names and broken bodies; resets, redirects, bombs; runs killed, resumed, verbose and on trace level; webhooks refused and stored; then all files and output are searched, compressed ones unpacked',
    mustHold:
      'no secret is in logs, output, process lists, reports, workbooks, database, WAL, evidence, or the names in a heap snapshot',
  },
  async (row) => {
    const keys = {
      TIEOUT_HOST_API_KEY: canary('hostkey'),
      TIEOUT_INTAKE_TOKEN: canary('intake'),
    };
    await using scene = await openScene({
      records: row.isShort ? 40 : 120,
      settings: 'reports: { formats: [csv, xlsx, html, json] }\nwebhooks: { port: 0, requireSignature: false }\n',
    });
    const { proxy, sandbox } = scene;
    const { place } = scene;
    const lines = [...sandbox.trackedLines()];
    const tokens = lines.map(({ view_token }) => view_token);
    const printed: string[] = [];
    const processes: string[] = [];
    const env = { TIEOUT_HOST_API_KEY: keys.TIEOUT_HOST_API_KEY, TIEOUT_INTAKE_TOKEN: keys.TIEOUT_INTAKE_TOKEN };
    const keep = ({ out, err }: Finished) => void printed.push(out, err);
    const tieout = async (args: readonly string[], stdin = '', more: Record<string, string> = {}) => {
      const running = place.start([...args, '-v', '--log-level', 'trace'], { env: { ...env, ...more }, stdin });
      processes.push(commandLineOf(running.child.pid));
      keep(await running.done);
      row.say(args.join(' '));
    };
    // A duplicate with another token, a broken line, one in the wrong field: rejected lines are reported, without tokens.
    const [first, second] = lines;
    const rejected = [
      { ...first, view_token: canary('other') },
      { ...second, id: `${second?.view_token} x` },
    ];
    tokens.push(String(rejected[0]?.view_token));
    await tieout(
      ['import', '-', '--format', 'ndjson', '--rejects', 'rejects/rejected.ndjson'],
      rejected.map((each) => JSON.stringify(each)).join('\n'),
    );
    proxy.meddle = (call) => {
      const nth = call.recordId === null ? -1 : scene.ids.indexOf(call.recordId);
      const fault = nth >= 0 && nth % 2 === 0 ? FAULTS[(nth / 2) % FAULTS.length] : undefined;
      return fault === undefined ? call.pass() : fault(call);
    };
    const before = proxy.arrivals.length;
    const killed = place.start(['run', '--date', SCENE_DATE, '-v', '--log-level', 'trace'], { env });
    await until('it is under way', () => proxy.arrivals.length > before + 10);
    processes.push(commandLineOf(killed.child.pid));
    killed.child.kill('SIGKILL');
    keep(await killed.done);
    using heaps = temporaryFolder();
    const heap = join(heaps.path, 'run.heapsnapshot');
    await tieout(['run', '--resume'], '', heapTo(heap));
    const names = [...namesInHeap(heap)];
    await tieout(['run', '--date', SCENE_DATE]);
    await tieout(['audit', '--from', '2026-01-01', '--to', '2027-01-01', '--requote']);
    const some = scene.ids.slice(0, 3);
    for (const args of [
      ['doctor'],
      ['config', 'check'],
      ['plan'],
      ['runs', 'list'],
      ['breaks', 'list', '--json'],
      ['breaks', 'show', some[0] ?? ''],
      ['evidence', some[0] ?? ''],
      ['service', 'purchase', some[1] ?? ''],
      ['db', 'backup', 'copy.db'],
    ])
      await tieout(args);
    const hooked = canary('webhook');
    tokens.push(hooked);
    keep(await receive(place, env, hooked));
    const secrets = [...tokens, ...Object.values(keys), place.read('var/tieout.db.key').trim()];
    const searched = searchable(place);
    const hits = [
      ...searched,
      ['printed', printed.join('\n')],
      ['processes', processes.join('\n')],
      ['names in the heap', names.join('\n')],
    ].filter(([, text = '']) => secrets.some((secret) => written(secret).some((form) => text.includes(form))));
    row.measured('secrets', secrets.length);
    row.measured('texts searched', searched.length + printed.length + processes.length);
    row.measured('characters printed', printed.join('').length);
    row.measured('names in a heap snapshot', names.length);
    row.measured('secrets found', hits.length);
    expect(hits.map(([name, text = '']) => `${name}: ${around(text, secrets)}`)).toEqual([]);
    expect(processes.join('')).toContain('tieout.js');
    expect(names).toContain('fetchRecords');
    expect(printed.join('').length).toBeGreaterThan(2_000);
  },
);

/** Unchanged, and as encoded in addresses, nested JSON, base64 and hexadecimal. */
function written(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
  ];
}

function around(text: string, secrets: readonly string[]): string {
  const at = Math.min(
    ...secrets
      .flatMap(written)
      .map((form) => text.indexOf(form))
      .filter((each) => each >= 0),
  );
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 4));
}

function commandLineOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Every file below the folder but the settings and the key file, as bytes; packed ones unpacked as well. */
function searchable({ folder }: Workspace): [name: string, text: string][] {
  const found: [string, string][] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.key')) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    found.push([path, bytes.toString('latin1')]);
    if (entry.name.endsWith('.xlsx')) for (const [name, part] of unzip(bytes)) found.push([`${path}/${name}`, part]);
    if (entry.name.endsWith('.db')) found.push(...bodiesIn(path));
  }
  return found;
}

/** Evidence is packed in the database, where a search of its bytes would not see it. */
function bodiesIn(path: string): [string, string][] {
  const db = new Database(path, { readonly: true });
  const texts = db.prepare('select deflated from bodies').pluck().all() as Buffer[];
  db.close();
  expect(texts.length).toBeGreaterThan(0);
  return texts.map((packed, n) => [`${path}: body ${n}`, unpacked(packed)]);
}

function unpacked(packed: Buffer): string {
  for (const unpack of [inflateRawSync, inflateSync]) {
    try {
      return unpack(packed).toString('utf8');
    } catch {
      // The other way, then.
    }
  }
  throw new Error('the evidence is packed in a way that this row does not know');
}

async function receive(place: Workspace, env: Record<string, string>, token: string): Promise<Finished> {
  const serving = place.start(['serve', '-v', '--log-level', 'trace'], { env });
  let told = '';
  for (const stream of [serving.child.stdout, serving.child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
  await until('it listens', () => /http:\/\/127\.0\.0\.1:\d+/.test(told));
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(told)?.[0] ?? '';
  const body = (more: string) =>
    `{"type":"CREATED","purchase":${aPurchase({ id: '"canary1"', purchaseViewToken: `"${token}"`, appliedFee: more })}}`;
  for (const [path, text] of [
    ['/webhooks/purchases', body('4.76')],
    ['/webhooks/purchases', body('"unreadable"')],
    ['/webhooks/purchases', body('4.76').slice(0, -9)],
    [`/webhooks/purchases?secret=${token}&userId=1`, body('4.77')],
    ['/webhooks/sales', body('4.76')],
    ['/events', `{"type":"PURCHASE_CREATED","payload":{"purchaseViewToken":"${token}"}}`],
    [`/nowhere/${token}`, '{}'],
  ] as const)
    await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: text,
    });
  for (const path of ['/metrics', '/healthz', '/readyz']) told += await (await fetch(base + path)).text();
  serving.child.kill('SIGTERM');
  const { code, out, err } = await serving.done;
  return { code, out: out + told, err };
}
