/**
 * A month as a finance team works it, in a real browser from the first sign-in to the review: every decision on the
 * pages is in what the next night publishes.
 */
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAccessLink, pagesEdges } from '../../src/app/pages.ts';
import type { Role } from '../../src/domain/actor.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { readCsv } from '../e2e/support/csv.ts';
import { type FrozenWorld, openFrozenWorld } from '../e2e/support/frozen-world.ts';
import { aQuoteLine } from '../e2e/support/quote-line.ts';
import { aPurchase } from '../service/bodies.ts';
import { CHROMIUM_FLAGS } from './support/chromium.ts';
import { oidcSettings, ROLES_OF_GROUPS, type StartedProvider, signInBy, startProvider } from './support/provider.ts';

const AUGUST = '"2026-08-31T10:00:00.000Z"';
const MONTH = '2026-08';
// One rule for each record: what else these bodies show is not what this is about.
const OFF = [
  'QUOTE_MISSING',
  'TOTAL_NOT_FOOTING',
  'FEE_BASE_DIFFERS',
  'STATUS_STUCK',
  'FIELD_CHANGED',
  'RATE_OUT_OF_LINE',
];

let world: FrozenWorld;
let provider: StartedProvider;
let browser: Browser;
let close: () => Promise<void>;
let url: string;

function answer(id: string, fields: Record<string, string | undefined>): void {
  const dates = { createdAt: AUGUST, updatedAt: AUGUST, purchaseViewToken: undefined };
  world.server.answers.set(id, { body: aPurchase({ id: `"${id}"`, ...dates, ...fields }) });
}

/** A fee above the quoted one on a purchase still under way, so that it may change without being a restatement. */
const fee = (id: string, applied: string) =>
  answer(id, { status: '"PAYMENT_STARTED"', appliedFee: applied, finalTxHash: 'null' });

async function night(date: string): Promise<void> {
  world.goTo(new Date(Date.parse(`${date}T04:15:00Z`) + 86_400_000).toISOString());
  await world.night(date);
}

beforeAll(async () => {
  world = await openFrozenWorld(Object.fromEntries(OFF.map((rule) => [`rules.${rule}`, 'off'])));
  await world.quote([aQuoteLine()]);
  const lines = ['a-hash', 'b-hash', 'c-hash', 'w-fee', 'x-fee'].map(
    (id) => `purchase,${id},token-of-${id},order-of-${id},${id.endsWith('fee') ? 'q-1' : ''}\n`,
  );
  await world.track(`kind,id,view_token,host_reference,quote_id\n${lines.join('')}`);
  for (const id of ['a-hash', 'b-hash', 'c-hash']) answer(id, { finalTxHash: 'null' });
  fee('w-fee', '6.26');
  // Money that moved can be claimed.
  answer('x-fee', { appliedFee: '9.76' });
  await night('2026-08-31');
  provider = await startProvider();
  const edges = pagesEdges(world.app);
  const settings = {
    ...edges.settings,
    provedPeriods: true,
    localLinks: 'proved' as const,
    oidc: oidcSettings(provider.issuer),
    roles: ROLES_OF_GROUPS,
  };
  const pages = await pagesServer({ ...edges, settings });
  url = await pages.listen({ host: '127.0.0.1', port: 0 });
  close = () => pages.close();
  provider.allow(`${url}/sign-in/oidc/return`);
  browser = await chromium.launch({ executablePath: process.env.TIEOUT_CHROMIUM, args: [...CHROMIUM_FLAGS] });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await close?.();
  provider?.server.close();
  await world?.close();
});

const byOidc = async (name: string): Promise<Page> => {
  const page = await signInBy(await browser.newContext(), url, name);
  await page.waitForURL(`${url}/breaks`);
  return page;
};

async function byLink(name: string, ...roles: Role[]): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto((await makeAccessLink(world.app, { name, roles, by: 'test', base: url })).url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/breaks`);
  return page;
}

/** What the page says after a form was sent. */
const said = async (page: Page): Promise<string> => page.locator('[role=status]').innerText();

async function search(page: Page, text: string): Promise<void> {
  await page.goto(`${url}/breaks`);
  await page.fill('input[name=text]', text);
  await page.getByRole('button', { name: 'Filter' }).click();
}

it('is worked, claimed, closed and reviewed, and the next nights publish these decisions', {
  timeout: 120_000,
}, async () => {
  const ann = await byOidc('ann');

  // A break that the Service puts right: acknowledged, then resolved by the night that finds the record without it.
  await search(ann, 'order-of-w');
  await ann.locator('[data-row] a[data-open]').click();
  await ann.selectOption('select[name=type]', 'acknowledged');
  await ann.fill('form[action$="/decide"] textarea', 'asked the Service, ticket 4711');
  await ann.getByRole('button', { name: 'Decide' }).click();
  expect(await said(ann)).toBe('The break is acknowledged.');

  // Three of one rule, waived after a preview.
  await ann.goto(`${url}/breaks?rule=RELEASED_WITHOUT_TX`);
  await ann.getByRole('link', { name: 'Decide about all 3 that match…' }).click();
  await ann.selectOption('select[name=type]', 'waived');
  await ann.fill('textarea[name=reason]', 'the hashes came by mail');
  await ann.getByRole('button', { name: 'Preview' }).click();
  expect(await ann.locator('main').innerText()).toContain('3 breaks will be waived until further notice');
  await ann.getByRole('button', { name: 'Do it for 3 breaks' }).click();
  expect(await said(ann)).toBe('3 breaks are waived.');

  // A ticked break is claimed, and its money comes back.
  await search(ann, 'order-of-x');
  await ann.getByRole('checkbox').check();
  await ann.getByRole('button', { name: 'Claim them from the Service…' }).click();
  await ann.fill('textarea[name=reason]', '5.00 EUR more than the quote');
  await ann.fill('input[name=title]', 'A fee above its quote');
  await ann.getByRole('button', { name: 'Open the claim' }).click();
  expect(await said(ann)).toContain('The claim is open.');
  for (const state of ['sent', 'accepted', 'recovered']) {
    await ann.selectOption('select[name=state]', state);
    if (state === 'recovered') await ann.locator('input[name^="recovered:"]').fill('5.00');
    await ann.fill('textarea[name=reason]', `now ${state}`);
    await ann.getByRole('button', { name: 'Record it' }).click();
    expect(await said(ann)).toBe(`The claim is ${state}.`);
  }
  const [claim] = await world.app.store.claims.list({ limit: 2 });

  fee('w-fee', '4.76');
  await night('2026-09-01');

  // The month: closed by one who proved who he is, refused to him as reviewer, reviewed by another.
  const carl = await byLink('Carl Closer', 'closer', 'reviewer');
  await carl.goto(`${url}/months/${MONTH}`);
  expect(await carl.locator('main').innerText()).toContain('1 break is open');
  await carl.fill('textarea[name=accept]', 'the claim is settled; two purchases are under way');
  await carl.getByRole('button', { name: `Close ${MONTH}` }).click();
  expect(await said(carl)).toBe(`${MONTH} is closed. Another person reviews it.`);
  await carl.getByRole('button', { name: /I have reviewed/ }).click();
  expect(await carl.locator('main').innerText()).toContain('another person has to review it');
  expect((await world.app.store.periods.get(MONTH))?.state).toBe('closed');
  const bob = await byOidc('bob');
  await bob.goto(`${url}/months/${MONTH}`);
  const [download] = await Promise.all([
    bob.waitForEvent('download'),
    bob.getByRole('link', { name: 'Download the month-end pack' }).click(),
  ]);
  expect(
    readFileSync(await download.path())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
  await bob.getByRole('button', { name: /I have reviewed/ }).click();
  expect(await said(bob)).toBe(`${MONTH} is reviewed.`);
  const reviewed = await world.app.store.periods.get(MONTH);
  expect([reviewed?.closedBy, reviewed?.reviewedBy]).toEqual(['Carl Closer', 'bob@example.com']);
  const acts = await world.app.store.access.acts({ subject: `/months/${MONTH}/review`, limit: 9 });
  expect(acts.map(({ name, outcome }) => [name, outcome])).toEqual([['Carl Closer', 'refused']]);

  // The nights published the decisions made on the pages.
  const states = (set: string) =>
    readCsv(world.file(set, 'breaks.csv').toString('utf8')).rows.map((row) => [row.record_id, row.state, row.claim_id]);
  const waived = ['a-hash', 'b-hash', 'c-hash'].map((id) => [id, 'waived', '']);
  expect(states('2026-09-01/nightly-r1')).toEqual([
    ...waived,
    ['w-fee', 'resolved', ''],
    ['x-fee', 'open', claim?.claimId],
  ]);
  await night('2026-09-02');
  expect(states('2026-09-02/nightly-r1')).toEqual([...waived, ['x-fee', 'open', claim?.claimId]]);
  // And the view of all of them as CSV says the same; the sessions of two days ago are over.
  const view = await (await byOidc('ann')).request.get(`${url}/breaks.csv?state=all`);
  const shown = readCsv(await view.text()).rows.map((row) => [row.record_id, row.state]);
  expect(shown.sort()).toEqual([...waived, ['w-fee', 'resolved'], ['x-fee', 'open']].map((row) => row.slice(0, 2)));
  const [recovered] = await world.app.store.claims.items(claim?.claimId ?? '');
  expect([recovered?.claimed.toString(), recovered?.recovered.toString()]).toEqual(['5', '5']);
});
