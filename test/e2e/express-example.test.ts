/** examples/express-with-postgresql: an order through its server, and a night that compares it with the quote that it showed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { makeDatabase, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { commandIn } from '../support/command-in.ts';
import { readCsv } from './support/csv.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const EXAMPLE = join(import.meta.dirname, '../../examples/express-with-postgresql');
const read = (name: string) => readFileSync(join(EXAMPLE, name), 'utf8');

describe.skipIf(isSwitchedOff())('the example with Express and PostgreSQL', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let pool: pg.Pool;
  let server: Server;
  let shop: string;
  const folder = mkdtempSync(join(tmpdir(), 'tieout-express-'));

  beforeAll(async () => {
    sandbox = await createSandbox({ clock: () => Date.now(), records: 1, rateLimits: 'off' });
    database = await makeDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    // A pool has ended before its connections have: the database is dropped under the last of them, which it reports here.
    pool.on('error', () => undefined);
    await pool.query(read('schema.sql'));
    const key = await (await fetch(`${sandbox.origin}/sandbox/webhook-key`)).text();
    const path = join(EXAMPLE, 'app.mjs');
    const { createApp } = (await import(path)) as { createApp: (edges: object) => Parameters<typeof createServer>[1] };
    const edges = { pool, service: sandbox.url, hostApiKey: 'sandbox-host-key', publicKeys: [key], verifyWebhook };
    server = createServer(createApp(edges)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server?.close();
    server?.closeAllConnections();
    await sandbox?.close();
    await pool?.end();
    await database?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (url: string, body: object) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const rows = async (query: string) => (await pool.query(query)).rows as Record<string, string>[];

  it('stores the quote that it shows and the webhook of the order; the night links them', async () => {
    const order = { cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 120 };
    const { quoteId } = (await (await post(`${shop}/quote`, order)).json()) as { quoteId: string };
    const webhookUrl = `${shop}/webhooks/purchases?order=42&quote=${quoteId}`;
    const bought = { ...order, kind: 'purchase', method: 'CARD_PAYMENT', webhookUrl };
    expect((await post(`${sandbox.origin}/sandbox/live`, bought)).status).toBeLessThan(300);
    await vi.waitFor(async () => expect(await rows('select * from crypto_orders')).toHaveLength(1), 120_000);
    expect(await rows('select kind, order_no, quote_id from crypto_orders')).toEqual([
      { kind: 'purchase', order_no: '42', quote_id: quoteId },
    ]);

    const settings = read('tieout.yaml')
      .replace('https://service.example/api', `${sandbox.url}\n  rateLimits: off`)
      .replace('postgres://reader@db.example/shop', database.url);
    writeFileSync(join(folder, 'tieout.yaml'), settings);
    writeFileSync(
      join(folder, 'quotes.ndjson'),
      (await rows('select line from quotes')).map(({ line }) => `${line}\n`).join(''),
    );
    const env = { PATH: process.env.PATH ?? '' };
    const imported = await commandIn(folder, ['quotes', 'import', 'quotes.ndjson'], { env });
    expect([imported.code, imported.err]).toEqual([0, imported.err]);
    const night = await commandIn(folder, ['run', '--fail-on', 'none'], { env });
    expect([night.code, night.err]).toEqual([0, night.err]);
    const [record] = readCsv(readFileSync(join(folder, 'out/latest/records.csv'), 'utf8')).rows;
    expect(record).toMatchObject({ host_reference: '42', quote_id: quoteId, quote_basis: 'linked' });
  });

  it('refuses a webhook that nobody signed', async () => {
    expect((await post(`${shop}/webhooks/purchases`, { id: 'x' })).status).toBe(401);
    expect(await rows("select * from crypto_orders where service_id = 'x'")).toEqual([]);
  });
});
