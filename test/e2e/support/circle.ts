/**
 * The circle closed: users buy and sell, webhooks arrive at `tieout serve`, quotes are asked for on the way, a nightly run
 * reconciles all of it, and one record that the Service changes afterwards is found. Everything is real but the money: the
 * sandbox over HTTP, `tieout` as processes, a database and reports on disk. Who orders is left to the caller: a browser in
 * the widget, or calls.
 */
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Row } from './csv.ts';
import { type Finished, openWorkspace, until, type Workspace } from './workspace.ts';

/** What each order needs to know: where the Service is, and where it shall call back. */
export interface OrderPlace {
  sandbox: Sandbox;
  purchasesWebhook: string;
  salesWebhook: string;
}

export interface CircleOptions {
  /** Makes purchases and sales; answers how many there are. */
  order: (place: OrderPlace) => Promise<number>;
  /** Receives progress messages for people. */
  say?: (text: string) => void | Promise<void>;
}

export interface Circle {
  ordered: number;
  deliveries: { state: string; type: string }[];
  nightly: Finished;
  verified: Finished;
  records: readonly Row[];
  breaksBefore: readonly Row[];
  tampered: string;
  audit: Finished;
  breaksAfter: readonly Row[];
  served: Finished;
  /** The view tokens and the integration key: what may stand nowhere. */
  secrets: readonly string[];
  metrics: string;
  workspace: Workspace;
  close(): Promise<void>;
}

/** Records end in a second and a half; their prices stand still, so that a quote asked for on CREATED is the one shown. */
const SPEED = 50;

export async function closeTheCircle({ order, say = () => undefined }: CircleOptions): Promise<Circle> {
  const sandbox = await createSandbox({
    bodies: 'observed',
    clock: () => Date.now(),
    records: 10,
    prices: 'still',
    speed: SPEED,
  });
  const workspace = openWorkspace(sandbox.url, { settings: 'webhooks: { port: 0 }\n' });
  const env = { TIEOUT_HOST_API_KEY: sandbox.hostApiKey, TIEOUT_WEBHOOK_PUBLIC_KEY: sandbox.webhookPublicKey };
  const serve = workspace.start(['serve', '--json'], { env });
  let listening = '';
  serve.child.stdout?.on('data', (chunk: Buffer) => {
    listening += chunk.toString();
  });
  let log = '';
  serve.child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const close = async () => {
    serve.child.kill('SIGTERM');
    await serve.done;
    await sandbox.close();
    workspace.remove();
  };
  try {
    await until('the receiver listens', () => listening.endsWith('\n'));
    const { url } = JSON.parse(listening) as { url: string };
    await say(`the Service is at ${sandbox.origin}, tieout serve at ${url}`);
    await mustEnd(workspace.tieout(['run', 'reference-data', '-q'], { env }), 0);
    await say('reference data captured: assets, methods, currencies, countries and limits as they are now');

    const ordered = await order({
      sandbox,
      purchasesWebhook: `${url}/webhooks/purchases?userId=42`,
      salesWebhook: `${url}/webhooks/sales?userId=43`,
    });
    // Two webhooks each: that it was made, and that it ended.
    await until('all webhooks are delivered', () => {
      const all = sandbox.live.deliveries();
      return all.length >= 2 * ordered && all.every(({ state }) => state === 'delivered');
    });
    const deliveries = sandbox.live.deliveries().map(({ state, type }) => ({ state, type }));
    await say(`${ordered} records made, ${deliveries.length} signed webhooks delivered`);
    await until('a quote is captured for each', () => quotesIn(log) >= ordered);
    await say('a quote was captured for each of them when it was made');

    const nightly = await workspace.tieout(['run', 'nightly', '--json'], { env });
    const set = folderOf(nightly);
    const records = workspace.csv(set, 'records').rows;
    const breaksBefore = workspace.csv(set, 'breaks').rows;
    await say(`nightly run: ${records.map(({ verdict }) => verdict).join(', ')}`);
    const verified = await workspace.tieout(['verify', workspace.path('out', set)]);

    const tampered = sandbox.live.records().find(({ kind }) => kind === 'purchase')?.id ?? '';
    const body = (await recordOf(sandbox, tampered)) as { appliedFee: number };
    // A euro more than was promised, and than was there an hour ago.
    sandbox.live.tamper(tampered, { appliedFee: Math.round(body.appliedFee * 100 + 100) / 100 });
    await say(`the Service now says something else of ${tampered}; an audit of today follows`);
    // Both ends stand a day off, lest midnight comes in between.
    const range = ['--from', daysFromNow(-1), '--to', daysFromNow(2)];
    const audit = await workspace.tieout(['audit', ...range, '--json'], { env });
    const breaksAfter = workspace.csv(folderOf(audit), 'breaks').rows;

    const metrics = await (await fetch(`${url}/metrics`)).text();
    serve.child.kill('SIGTERM');
    const served = await serve.done;
    return {
      ordered,
      deliveries,
      nightly,
      verified,
      records,
      breaksBefore,
      tampered,
      audit,
      breaksAfter,
      served,
      secrets: [sandbox.hostApiKey, ...sandbox.live.records().map((record) => record.view_token)],
      metrics,
      workspace,
      close,
    };
  } catch (error) {
    await close();
    throw new Error(`the circle is not closed; tieout serve said:\n${log}`, { cause: error });
  }
}

/** Orders as a user of the widget would, by calls: for machines without a browser. */
export async function orderByCalls({ sandbox, purchasesWebhook, salesWebhook }: OrderPlace): Promise<number> {
  const orders = [
    { kind: 'purchase', cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'EUR', fiatValue: 100, method: 'CARD_PAYMENT' },
    {
      kind: 'purchase',
      cryptoAssetSymbol: 'BTC_BTC',
      fiatCurrency: 'GBP',
      fiatValue: 250,
      method: 'MANUAL_BANK_TRANSFER',
    },
    { kind: 'purchase', cryptoAssetSymbol: 'ETH_ETH', fiatCurrency: 'USD', fiatValue: 75, method: 'APPLE_PAY' },
    {
      kind: 'sale',
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      cryptoAmount: '50000000000000000',
      method: 'SEPA',
    },
  ];
  for (const order of orders) {
    const webhookUrl = order.kind === 'purchase' ? purchasesWebhook : salesWebhook;
    const response = await fetch(`${sandbox.origin}/sandbox/live`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...order, webhookUrl }),
    });
    if (!response.ok) throw new Error(`the sandbox refused an order: ${await response.text()}`);
  }
  return orders.length;
}

/** The receiver asks for quotes in the background, and says in its log how many it got. */
function quotesIn(log: string): number {
  const lines = log.split('\n').filter((line) => line.includes('"quotes for created records"'));
  return lines.reduce((sum, line) => sum + (JSON.parse(line) as { captured: number }).captured, 0);
}

async function recordOf(sandbox: Sandbox, id: string): Promise<unknown> {
  const record = sandbox.live.records().find((each) => each.id === id);
  const path = record?.kind === 'sale' ? 'sale' : 'purchase';
  const response = await fetch(`${sandbox.url}/host-api/${path}/${id}?secret=${record?.view_token}`);
  return response.json();
}

async function mustEnd(running: Promise<Finished>, code: number): Promise<Finished> {
  const finished = await running;
  if (finished.code !== code) throw new Error(`expected exit code ${code}, got ${finished.code}: ${finished.err}`);
  return finished;
}

function folderOf(run: Finished): string {
  if (run.out === '') throw new Error(`a run ended with ${run.code}: ${run.err}`);
  const { folder } = JSON.parse(run.out) as { folder: string | null };
  if (folder === null) throw new Error(`published nothing: ${run.err}`);
  return folder.replace(/^out\//, '');
}

function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
