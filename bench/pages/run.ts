/**
 * The queue in a browser: time to the first byte and until it can be used, and what a page weighs, at a thousand, a hundred
 * thousand and a million open breaks on both engines.
 *
 *     node bench/pages/run.ts [sizes=1000,100000,1000000] [engines=sqlite,postgres]
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { chromium } from 'playwright-core';
import { Decimal } from '../../src/domain/decimal.ts';
import type { PagesEdges } from '../../src/pages/contract.ts';
import { hashOf } from '../../src/pages/people.ts';
import { pagesServer } from '../../src/pages/server.ts';
import type { PeriodEdges } from '../../src/periods/edges.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import { queueKeyOf, stakeKeyOf, wordsOf } from '../../src/store/schema/queue-order.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { CHROMIUM_FLAGS, findOrInstallChromium } from '../../test/browser/support/chromium.ts';
import { makeDatabase, onServer } from '../../test/store/postgres/database.ts';
import { setup } from '../../test/store/postgres/global-setup.ts';
import { machine, publishTable, round } from '../support/report.ts';

const CHUNK = 20_000;
const RULES = ['FEE_APPLIED_DIFFERS', 'AMOUNT_DIFFERS', 'STATUS_STUCK', 'RECORD_MISSING'];
const SEALER = createSealer([Buffer.alloc(32, 7).toString('base64')]);

/** Breaks of different ages, severities and amounts; one in a thousand is a RECORD_MISSING. */
async function fill(url: string, breaks: number): Promise<void> {
  const engine = await openEngine(url, { create: false });
  for (let from = 1; from <= breaks; from += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, breaks - from + 1) }, (_, i) => from + i);
    const rule = (n: number) => (n % 1000 === 0 ? 'RECORD_MISSING' : (RULES[n % 3] ?? ''));
    const amount = (n: number) => `${(n * 7919) % 100_000}.${String(n % 100).padStart(2, '0')}`;
    const idOf = (n: number) => hashOf(`break ${n}`);
    // Two years of records, the newest month nearly empty.
    const createdAt = (n: number) => Date.UTC(2026, 10, 2) - (n % 730) * 86_400_000;
    await engine.write(async (tx) => {
      await tx.insertMany(
        'tracked_records',
        [
          'kind',
          'record_id',
          'origin',
          'tracked_at',
          'key_id',
          'token',
          'token_fingerprint',
          'host_reference',
          'body_created_at',
        ],
        numbers.map((n) => [
          'purchase',
          idOf(n).slice(0, 15),
          'import',
          n,
          'key',
          randomBytes(16),
          randomBytes(16),
          `order-${n}`,
          createdAt(n),
        ]),
      );
      await tx.insertMany(
        'breaks',
        [
          'break_id',
          'record_key',
          'kind',
          'record_id',
          'rule',
          'field',
          'state',
          'first_seen_day',
          'events',
          'last_event_key',
          'severity_rank',
          'stake_key',
          'queue_key',
          'currency',
          'assignee',
          'created_at',
        ],
        numbers.map((n) => [
          idOf(n),
          n,
          'purchase',
          idOf(n).slice(0, 15),
          rule(n),
          'applied_fee',
          'open',
          20_000 + (n % 700),
          1,
          n,
          n % 5,
          stakeKeyOf(amount(n)),
          queueKeyOf({ lossBearer: 'user', recordCurrency: 'EUR', moneyAtStake: Decimal.parse(amount(n)) }),
          n % 5000 === 0 ? 'CHF' : 'EUR',
          n % 2500 === 0 ? 'Ann' : null,
          createdAt(n),
        ]),
      );
      await tx.insertMany(
        'break_events',
        [
          'break_key',
          'type',
          'at',
          'who',
          'severity',
          'state',
          'first_seen_day',
          'last_seen_day',
          'times_reopened',
          'explanation',
          'host_reference',
          'difference',
          'currency',
          'money_at_stake',
          'record_currency',
          'unit',
        ],
        numbers.map((n) => [
          n,
          'opened',
          n,
          'tieout',
          'high',
          'open',
          20_000 + (n % 700),
          20_700,
          0,
          `The user paid a fee of ${amount(n)} EUR more than quote q-${n} promised.`,
          `order-${n}`,
          amount(n),
          'EUR',
          amount(n),
          'EUR',
          'money',
        ]),
      );
    });
  }
  // As each settled run does it.
  for (let after = 0; after < breaks; after += CHUNK) {
    const rows = wordsOf(sql`e.event_key > ${after} and e.event_key <= ${after + CHUNK}`);
    await engine.write((tx) => engine.words.add(rows).execute(tx.db));
  }
  await engine.close();
}

function edgesOf(store: Store): PagesEdges {
  const none = async (): Promise<never> => {
    throw new Error('not measured');
  };
  return {
    store,
    settings: {
      url: null,
      sessionMs: 3_600_000,
      timezone: 'UTC',
      rateLimits: [],
      out: '.',
      limits: { above: new Map(), severities: [] },
      localLinks: 'proved',
      provedPeriods: false,
      oidc: null,
      proxy: null,
      roles: new Map(),
    },
    cookieKey: randomBytes(32),
    now: () => 1_790_000_000_000,
    random: randomBytes,
    story: none,
    reporting: async () => null,
    packBreak: none,
    recordStory: none,
    periods: {} as PeriodEdges,
    openClaim: none,
    updateClaim: none,
    packClaim: none,
    packMonth: none,
    journalFormats: [],
    journal: none,
    payments: { read: () => [], known: none, add: none, revenue: none },
    comparePrices: none,
    makeLink: none,
    log: { info: () => undefined, warn: () => undefined, error: (text) => console.error(text) },
  };
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

type Line = {
  engine: string;
  breaks: number;
  page: string;
  'first ms': number;
  'median ms': number;
};

async function measure(engine: string, url: string, breaks: number, lines: Line[]): Promise<void> {
  const { store } = await openStore({ url, sealer: SEALER });
  const edges = edgesOf(store);
  const app = await pagesServer(edges);
  const at = await app.listen({ host: '127.0.0.1', port: 0 });
  const now = edges.now();
  const link = {
    secretHash: hashOf('bench'),
    name: 'Ann',
    roles: ['analyst'],
    madeBy: 'bench',
    madeAt: now,
    endsAt: now + 1e6,
  } as const;
  await store.access.addLink(link);
  const cookieOf = (answer: Response) => (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  const opened = await fetch(`${at}/sign-in/link/bench`);
  const token = /name="_csrf" value="([^"]+)"/.exec(await opened.text())?.[1] ?? '';
  const signedIn = await fetch(`${at}/sign-in/link/bench`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(opened) },
    body: new URLSearchParams({ _csrf: token }),
  });
  const cookie = cookieOf(signedIn);
  const ttfb = async (path: string) => {
    const began = performance.now();
    const answer = await fetch(`${at}${path}`, { headers: { cookie }, redirect: 'manual' });
    const ms = performance.now() - began;
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    return { ms, body };
  };
  // The first of the process: everything is counted, nothing is remembered.
  const cold = round((await ttfb('/breaks')).ms, 0);
  lines.push({ engine, breaks, page: 'first of the process', 'first ms': cold, 'median ms': cold });
  const { body } = await ttfb('/assets/style.css');
  const weights = await Promise.all(
    ['/assets/keys.js', '/breaks'].map(async (path) => Buffer.byteLength((await ttfb(path)).body)),
  );
  const weight = weights.reduce((sum, each) => sum + each, Buffer.byteLength(body));
  const deep = (
    await store.workList.page(
      { states: ['open', 'acknowledged', 'reopened'] },
      { sort: 'stake', limit: Math.min(breaks, 500) },
    )
  ).at(-1)?.breakId;
  for (const [page, path] of [
    ['first page', '/breaks'],
    ['by age', '/breaks?sort=age'],
    ['by severity', '/breaks?sort=severity'],
    ['page 11', `/breaks?after=${deep}`],
    ['a rare rule', '/breaks?rule=RECORD_MISSING'],
    ['a rare rule by age', '/breaks?rule=RECORD_MISSING&sort=age'],
    ['a common rule by age', '/breaks?rule=STATUS_STUCK&sort=age'],
    ['a rare currency', '/breaks?currency=CHF'],
    ['an assignee', '/breaks?assignee=Ann'],
    ['two common filters', '/breaks?rule=STATUS_STUCK&severity=high'],
    ['two filters that nothing has together', '/breaks?rule=RECORD_MISSING&currency=CHF&severity=low'],
    ['a nearly empty month', '/breaks?month=2026-11'],
    ['a common month', '/breaks?month=2026-03'],
    ['a large amount', '/breaks?amount=99990&sort=age'],
    ['a host reference', '/breaks?host=order-77123'],
    ['a record', `/breaks?record=${hashOf('break 77123').slice(0, 15)}`],
    ['a rare text', '/breaks?text=order-77123'],
    ['a beginning of many texts', '/breaks?text=order-77'],
    ['a text that all have', '/breaks?text=promised'],
    ['all states', '/breaks?state=all'],
    ['all states by age', '/breaks?state=all&sort=age'],
    ['a common rule in all states by age', '/breaks?state=all&rule=STATUS_STUCK&sort=age'],
    ['a text that none has', '/breaks?text=nowhere'],
    ['a text that none of a rule has', '/breaks?text=order-77123&rule=RECORD_MISSING'],
  ] as const) {
    const first = (await ttfb(path)).ms;
    const times: number[] = [];
    for (let i = 0; i < 9; i++) times.push((await ttfb(path)).ms);
    lines.push({ engine, breaks, page, 'first ms': round(first, 0), 'median ms': round(median(times), 0) });
  }
  const found = findOrInstallChromium(process.env.TIEOUT_CHROMIUM, (text) => console.error(text));
  if ('path' in found) {
    const browser = await chromium.launch({ executablePath: found.path, args: [...CHROMIUM_FLAGS] });
    const context = await browser.newContext();
    await context.addCookies([
      { name: cookie.split('=')[0] ?? '', value: cookie.slice(cookie.indexOf('=') + 1), url: at },
    ]);
    const page = await context.newPage();
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      await page.goto(`${at}/breaks`);
      times.push(Number(await page.evaluate('performance.getEntriesByType("navigation")[0].domInteractive')));
    }
    lines.push({
      engine,
      breaks,
      page: 'interactive, in Chromium',
      'first ms': round(times[0] ?? 0, 0),
      'median ms': round(median(times), 0),
    });
    await browser.close();
  }
  console.log(
    `${engine}, ${breaks} breaks: a page weighs ${weight} bytes uncompressed with its style and scripts (${weights.join(' + ')} + ${Buffer.byteLength(body)})`,
  );
  await app.close();
  await store.close();
}

const [sizes = '1000,100000,1000000', engines = 'sqlite,postgres'] = process.argv.slice(2);
const lines: Line[] = [];
const down = setup();
try {
  console.log(machine());
  for (const breaks of sizes.split(',').map(Number)) {
    if (engines.includes('sqlite')) {
      const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-pages-'));
      const url = `sqlite:${join(folder, 'tieout.db')}`;
      await (await openStore({ url, sealer: SEALER })).store.close();
      await fill(url, breaks);
      await measure('SQLite', url, breaks, lines);
      publishTable('pages', lines);
      rmSync(folder, { recursive: true, force: true });
    }
    if (engines.includes('postgres')) {
      await using database = await makeDatabase();
      await (await openStore({ url: database.url, sealer: SEALER })).store.close();
      await fill(database.url, breaks);
      for (const table of ['tracked_records', 'breaks', 'break_events', 'break_words'])
        await onServer(database.url, `vacuum analyze ${table}`);
      await measure('PostgreSQL', database.url, breaks, lines);
      publishTable('pages', lines);
    }
  }
} finally {
  await down();
}
