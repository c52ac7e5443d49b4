/**
 * Every page and every download that a person with all roles can reach by links, over a month with a claim, attachments, notes
 * and a close: no link is dead, no token and no key is on any of them, and no text from outside is markup.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeAccessLink, pagesEdges } from '../../src/app/pages.ts';
import { ROLES } from '../../src/domain/actor.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { closePeriod } from '../../src/periods/close.ts';
import { type Browser, browserOf, claimOn, openLink } from '../pages/support/site.ts';
import { aPurchase } from '../service/bodies.ts';
import { readCsv } from './support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { unpacked } from './support/unpacked.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const KEY = randomBytes(32).toString('base64');
const API_KEY = 'api-key-of-the-host-4711';
const MARKUP = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
const TOKENS = ['a', 'b', 'c'].map((id) => `view-token-of-${id}`);
const AUGUST = '"2026-08-31T10:00:00.000Z"';

let world: FrozenWorld;
let person: Browser;
let pages: FastifyInstance;
let secret: string;
/** Open breaks by rule, as `ageing.csv` and as the queue count them. */
const counts = new Map<string, { published: number; shown: number }>();
const FOUND = ['b', 'order-b', ' order-b '].map((name) => `/records?q=${encodeURIComponent(name)}`);
const NONE = ['/records/purchase/z', '/records/sale/b', '/records/payout/b'];
const RECORDS = [...FOUND, ...NONE, '/records?q=order-z', '/records/purchase/b'];
const records = new Map<string, { statusCode: number; body: string }>();
const reached = new Map<string, { status: number; type: string; body: Buffer }>();

const BOOKS = [
  '/months/2026-08/journal?format=hledger',
  '/months/2026-07/records.csv',
  '/months/2026-08/journal?format=x',
];
let [preview, list] = ['', ''];
let payments: readonly number[] = [];
const previews: string[] = [];
/** Statuses where a pipe stands in the place of a published file. */
const pipes: number[] = [];

/** A form with a file, as a browser sends it. */
async function upload(url: string, fields: Record<string, string>, file: string) {
  const token = /name="_csrf" value="([^"]+)"/.exec((await person.get('/revenue')).body)?.[1] ?? '';
  const form = new FormData();
  for (const [name, value] of Object.entries({ _csrf: token, ...fields })) form.append(name, value);
  form.append('file', new File([file], 'st.csv'));
  const sent = new Response(form);
  const headers = { cookie: person.cookie, 'content-type': sent.headers.get('content-type') ?? '' };
  return pages.inject({ method: 'POST', url, headers, payload: Buffer.from(await sent.arrayBuffer()) });
}

async function crawl(from: string): Promise<void> {
  const waiting = [from];
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (reached.has(url) || reached.size > 400) continue;
    const answer = await person.get(url);
    const type = String(answer.headers['content-type']);
    reached.set(url, { status: answer.statusCode, type, body: answer.rawPayload });
    if (!type.startsWith('text/html')) continue;
    for (const [, href = ''] of answer.body.matchAll(/ (?:href|src)="([^"#]+)"/g)) {
      const to = href.replaceAll('&amp;', '&');
      if (!to.startsWith('/')) throw new Error(`${url} leads to ${to}`);
      if (to !== '/sign-out') waiting.push(to);
    }
  }
}

beforeAll(async () => {
  const settings = { 'rules.QUOTE_MISSING': 'off', 'reports.formats': ['csv', 'xlsx', 'html'] };
  world = await openFrozenWorld(settings, { TIEOUT_SECRET_KEY: KEY, TIEOUT_HOST_API_KEY: API_KEY });
  // As an app may have stored it: with its key in the request.
  await world.quote([aQuoteLine().replace('"fiatCurrency":"EUR"', `"fiatCurrency":"EUR","hostApiKey":"${API_KEY}"`)]);
  const rows = ['a', 'b', 'c'].map(
    (id, i) => `purchase,${id},${TOKENS[i]},"${i === 0 ? MARKUP.replaceAll('"', '""') : `order-${id}`}",q-1\n`,
  );
  await world.track(`kind,id,view_token,host_reference,quote_id\n${rows.join('')}`);
  for (const [i, id] of ['a', 'b', 'c'].entries()) {
    const purchaseViewToken = JSON.stringify(TOKENS[i]);
    const fields = { appliedFee: '9.76', paymentMethod: i === 0 ? JSON.stringify(MARKUP) : undefined };
    const body = { id: `"${id}"`, createdAt: AUGUST, updatedAt: AUGUST, purchaseViewToken };
    world.server.answers.set(id, {
      body: aPurchase(i === 0 ? { ...body, ...fields } : { ...body, appliedFee: '9.76' }),
    });
  }
  world.goTo('2026-09-01T04:15:00Z');
  await world.night('2026-08-31');
  const edges = pagesEdges(world.app);
  pages = await pagesServer(edges);
  const app = pages;
  const link = await makeAccessLink(world.app, { name: MARKUP, roles: ROLES, by: 'test', base: '' });
  secret = link.url.split('/').at(-1) ?? '';
  person = browserOf(app, '');
  await openLink(person, secret);
  const [first] = await world.app.store.workList.page({ states: ['open'] }, { sort: 'stake', limit: 1 });
  const id = first?.breakId ?? '';
  await person.post(`/breaks/${id}/notes`, { text: `@${MARKUP} ${MARKUP}` });
  await person.post(`/breaks/${id}/decide`, { events: String(first?.events), type: 'acknowledged', reason: MARKUP });
  const at = world.app.clock.wall.now();
  const file = { at, name: MARKUP, account: MARKUP, fileName: MARKUP, bytes: 3 };
  await world.app.store.workList.attach(id, file, Buffer.from('<b>'));
  expect((await claimOn(person, `break=${id}`, { title: MARKUP, reason: MARKUP })).statusCode).toBe(303);
  const [claim] = await world.app.store.claims.list({ limit: 1 });
  const change = { events: '1', state: 'sent', reference: MARKUP, remind: '2026-09-01', reason: MARKUP };
  expect((await person.post(`/claims/${claim?.claimId}`, change)).statusCode).toBe(303);
  await person.post('/views', {
    name: MARKUP.slice(0, 80),
    query: `text=${encodeURIComponent(MARKUP)}`,
    shared: 'yes',
  });
  await person.post('/claims', { query: MARKUP, version: MARKUP });
  await closePeriod(edges.periods, { period: '2026-08', by: MARKUP, acceptOpen: MARKUP });
  for (const { rule = '', open_count } of readCsv(world.file('2026-08-31/nightly-r1', 'ageing.csv').toString('utf8'))
    .rows) {
    const { body } = await person.get(`/breaks?rule=${rule}`);
    const shown = /<p class="lead">([\d,]+) break/.exec(body)?.[1] ?? '';
    const known = counts.get(rule) ?? { published: 0, shown: Number(shown) };
    counts.set(rule, { ...known, published: known.published + Number(open_count) });
  }
  await crawl('/breaks');
  await crawl('/breaks?state=all&sort=age&text=order');
  for (const url of [...RECORDS, ...BOOKS]) {
    const { statusCode, body } = await person.get(url);
    records.set(url, { statusCode, body });
  }
  const statement = 'Paid,Net,currency,reference\n2026-09-09,7.75,EUR,2026-08\nsoon,1,EUR,x\n';
  preview = (await upload('/revenue/preview', { columns: 'date=Paid amount=Net' }, statement)).body;
  const again = /name="statement" value="([^"]+)"/.exec(preview)?.[1] ?? '';
  const none = (await world.app.store.evidence.payouts()).length;
  const stored = await upload('/revenue', { columns: 'date=Paid amount=Net', name: 'st.csv', statement: again }, '');
  payments = [none, stored.statusCode, (await world.app.store.evidence.payouts()).length];
  const byLine = 'record_id,share,currency,date\nb,0.40,EUR,2026-08-20\nz,0.10,EUR,2026-08-21\n';
  const lines = { lines: 'yes', columns: '' };
  previews.push((await upload('/revenue/preview', lines, byLine)).body);
  await upload('/revenue', { ...lines, name: 'st.csv', statement: Buffer.from(byLine).toString('base64') }, '');
  previews.push((await upload('/revenue/preview', lines, byLine)).body);
  list = (await upload('/prices', { month: '2026-08' }, 'name: Own\nversions:\n  - version: 7\n')).body;
  // Last, as it takes files away.
  const run = '/runs/nightly-2026-08-31-r1';
  for (const file of ['2026-08-31/nightly-r1/coverage.csv', 'periods/2026-08/breaks.csv']) {
    rmSync(join(world.out, file));
    execFileSync('mkfifo', [join(world.out, file)]);
  }
  for (const url of [`${run}/files/coverage.csv`, `${run}/rows/coverage.csv`, run, '/months/2026-08/sets/0/breaks.csv'])
    pipes.push((await person.get(url)).statusCode);
  await app.close();
}, PATIENCE.hookTimeout);
afterAll(() => world?.close());

describe('what can be reached by links', () => {
  it('answers, on every kind of page and download', () => {
    const paths = [...reached.keys()].map((url) => url.replace(/\?.*/, ''));
    expect(
      [...reached].filter(([, { status }]) => status !== 200).map(([url, { status }]) => `${status} ${url}`),
    ).toEqual([]);
    for (const kind of [
      /^\/breaks\/[0-9a-f]{64}$/,
      /evidence\.json$/,
      /\/attachments\//,
      /^\/bulk$/,
      /^\/claims\/new$/,
      /^\/claims\/claim-[0-9a-f]+$/,
      /\/claims\/.*pack\.zip$/,
      /^\/months\/2026-08$/,
      /\/months\/2026-08\/pack\.zip$/,
      /\/months\/2026-08\/sets\/0\/manifest\.json$/,
      /\/runs\/.*\/files\/report\.html$/,
      /\/runs\/.*\/rows\/breaks\.csv$/,
      /^\/revenue$/,
      /^\/prices$/,
      /^\/records$/,
      /^\/records\/purchase\/a$/,
      /^\/mentions$/,
      /^\/access$/,
    ])
      expect([kind, paths.some((path) => kind.test(path))]).toEqual([kind, true]);
  });

  it('counts what the reports count, to the unit', () => {
    expect(counts.size).toBeGreaterThan(1);
    for (const [rule, { published, shown }] of counts) expect([rule, shown]).toEqual([rule, published]);
  });

  it('has no token, no key and no secret of a session', () => {
    const secrets = [...TOKENS, KEY, API_KEY, secret, decodeURIComponent(person.cookie)];
    for (const [url, { type, body }] of reached) {
      const parts = type === 'application/zip' || url.endsWith('.xlsx') ? [...unpacked(body).values()] : [body];
      for (const part of parts) {
        expect([url, secrets.filter((each) => part.includes(each))]).toEqual([url, []]);
      }
    }
  });

  it('has no markup from outside', () => {
    for (const [url, { type, body }] of reached) {
      if (type.startsWith('text/html'))
        expect([url, /<script>alert|<img src=x/.test(body.toString())]).toEqual([url, false]);
    }
  });

  it('weighs at most 100 KB a page, its style and script included', () => {
    const size = (url: string) => reached.get(url)?.body.length ?? 0;
    const shared = size('/assets/style.css') + size('/assets/keys.js');
    expect(shared).toBeGreaterThan(1000);
    for (const [url, { type, body }] of reached) {
      if (type.startsWith('text/html')) expect([url, body.length + shared < 100_000]).toEqual([url, true]);
    }
  });
});

it('a pipe in the place of a published file is no file, and holds no page', () => {
  expect(pipes).toEqual([404, 404, 200, 404]);
});

describe('the books', () => {
  it('show a statement before it is stored, and store it once it was seen', () => {
    for (const text of ['1 payment would be added', '1 line is not taken', 'date soon: write it as', '7.75'])
      expect(preview).toContain(text);
    expect(payments).toEqual([0, 303, 1]);
  });

  it('call what is compared and pays nothing a line, and know it when it comes again', () => {
    const [first = '', again = ''] = previews;
    for (const text of ['2 lines would be added, 0 are stored already', 'Lines of the statement', 'Store 2 lines'])
      expect(first).toContain(text);
    expect(again).toContain('0 lines would be added, 2 are stored already');
    for (const page of [first, again])
      expect(page.replace(/<title>.*<\/title>/, '')).not.toMatch(/[Pp]ayments? (?:of|would|in)/);
  });

  it('name every problem of a price list', () => {
    expect(list).toContain('st.csv:3: from: must be a date');
    expect(list).toContain('fees: must be a list');
  });

  it('write the journal of a month for a program, and refuse one that is not known', () => {
    const [journal, named, unknown] = BOOKS.map((url) => records.get(url));
    expect([journal?.statusCode, named?.statusCode, unknown?.statusCode]).toEqual([409, 200, 409]);
    expect(journal?.body).toContain('There is nothing to book for 2026-08');
    expect(named?.body).toBe('kind,record_id,host_reference,verdict,why\n');
    expect(unknown?.body).toContain('format: one of generic, xero,');
  });
});

describe('a record', () => {
  it('is found by its id and by its host reference', () => {
    for (const url of FOUND) {
      const links = [...(records.get(url)?.body ?? '').matchAll(/href="(\/records\/[^"]+)"/g)].map(([, path]) => path);
      expect([url, links]).toEqual([url, ['/records/purchase/b']]);
    }
    expect(records.get('/records?q=order-z')?.body).toContain('No tracked record has the id');
    expect(NONE.map((url) => records.get(url)?.statusCode)).toEqual([404, 404, 404]);
  });

  it('shows its amounts, its promise, its body without the token, its run and its breaks', () => {
    const body = records.get('/records/purchase/b')?.body;
    for (const text of ['RELEASED', 'order-b', 'Promised and recorded', 'Applied fee', 'nightly-2026-08-31-r1', 'FEE_'])
      expect(body).toContain(text);
    expect(body).toContain('&quot;appliedFee&quot;: 9.76');
    expect(body).not.toContain(TOKENS[1]);
  });
});
