/**
 * The pages in a real browser, over a demonstration's database: sign-in by OpenID Connect, a break worked, a claim, a month
 * closed and reviewed by two people, and every page read by axe-core, light and dark, wide and narrow.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { type DemoWorld, openDemoWorld } from '../../src/app/demo.ts';
import { makeAccessLink, pagesEdges } from '../../src/app/pages.ts';
import type { Role } from '../../src/domain/actor.ts';
import { businessDateOf } from '../../src/domain/calendar.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { pagesServer } from '../../src/pages/server.ts';
import { createSystemClock } from '../../src/runner/clock.ts';
import { Releasers } from '../../src/runner/releasers.ts';
import { CHROMIUM_FLAGS } from './support/chromium.ts';
import { oidcSettings, ROLES_OF_GROUPS, signInBy, startProvider } from './support/provider.ts';

let browser: Browser;
let folder: string;
let app: App;
let url: string;
let provider: Server;
const releasers = new Releasers();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-pages-'));
  const world: DemoWorld = await openDemoWorld(
    { records: 250, days: 40, seed: 7, defects: 0.3, out: folder },
    { clock: createSystemClock(), releasers, signal: new AbortController().signal, onProgress: () => undefined },
  );
  await world.track();
  await world.night(1);
  app = world.app;
  const { server, issuer, allow } = await startProvider();
  provider = server;
  const edges = pagesEdges(app);
  const [oidc, roles] = [oidcSettings(issuer), ROLES_OF_GROUPS];
  const pages = await pagesServer({ ...edges, settings: { ...edges.settings, oidc, roles, localLinks: 'proved' } });
  url = await pages.listen({ host: '127.0.0.1', port: 0 });
  releasers.push('pages', () => pages.close());
  allow(`${url}/sign-in/oidc/return`);
  browser = await chromium.launch({ executablePath: process.env.TIEOUT_CHROMIUM, args: [...CHROMIUM_FLAGS] });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  provider?.close();
  await releasers.release();
  rmSync(folder, { recursive: true, force: true });
});

async function signedIn(name: string, ...roles: Role[]): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  const link = await makeAccessLink(app, { name, roles, by: 'test', base: url });
  await page.goto(link.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/breaks`);
  return page;
}

const byOidc = (context: BrowserContext, name: string) => signInBy(context, url, name);

describe('signing in by OpenID Connect', () => {
  it('leads back to the page that was asked for, with the name and the role of the claims', async () => {
    const page = await byOidc(await browser.newContext(), 'ann');
    await page.waitForURL(`${url}/breaks`);
    expect(await page.locator('.who').innerText()).toContain('ann@example.com (analyst)');
  });

  it('is refused to a person without a role, and the refusal is recorded', async () => {
    const page = await byOidc(await browser.newContext(), 'eve');
    expect(await page.locator('main').innerText()).toContain('no role is given to you');
    expect(
      (await app.store.access.acts({ limit: 5 })).some(
        ({ name, outcome }) => name === 'eve@example.com' && outcome === 'refused',
      ),
    ).toBe(true);
  });
});

describe('a person', () => {
  it('works a break with the keyboard, and the command line sees the same', async () => {
    const page = await signedIn('Ann Lee', 'analyst');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/breaks\/[0-9a-f]{64}/);
    const id = /breaks\/([0-9a-f]{64})/.exec(page.url())?.[1] ?? '';
    await page.selectOption('select[name=type]', 'acknowledged');
    await page.fill('textarea[name=reason]', 'asked the Service, ticket 4711');
    await page.getByRole('button', { name: 'Decide' }).click();
    await page.waitForSelector('[role=status]');
    expect(await app.store.breaks.get(id)).toMatchObject({ state: 'acknowledged' });
    expect((await app.store.breaks.events(id)).at(-1)).toMatchObject({ who: 'Ann Lee', proof: 'proved' });
  });

  it('waives all that match after a preview', async () => {
    const page = await signedIn('Ann Lee', 'analyst');
    await page.goto(`${url}/breaks?rule=STATUS_STUCK&rule=STATUS_UNKNOWN`);
    const before = await app.store.workList.count({ states: ['open'], rules: ['STATUS_STUCK', 'STATUS_UNKNOWN'] });
    expect(before).toBeGreaterThan(1);
    await page.getByRole('link', { name: /Decide about all/ }).click();
    await page.selectOption('select[name=type]', 'waived');
    await page.fill('textarea[name=reason]', 'known to the Service');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.locator('main').innerText()).toContain(`${before} breaks will be waived`);
    await page.getByRole('button', { name: /Do it for/ }).click();
    await page.waitForSelector('[role=status]');
    expect(await app.store.workList.count({ states: ['open'], rules: ['STATUS_STUCK', 'STATUS_UNKNOWN'] })).toBe(0);
  });

  it('claims a break, and records the recovered amount', async () => {
    const open = await app.store.workList.page(
      { states: ['open', 'acknowledged'], rules: ['FEE_APPLIED_DIFFERS'] },
      { sort: 'stake', limit: 50 },
    );
    const first = open.find(({ moneyAtStake }) => moneyAtStake?.greaterThan(Decimal.ZERO));
    const page = await signedIn('Ann Lee', 'analyst');
    const claim = await pagesEdges(app).openClaim([first?.breakId ?? ''], {
      title: 'Overcharged',
      reason: 'see the quote',
      actor: { name: 'Ann Lee', account: 'local:Ann Lee', proof: 'proved' },
    });
    for (const state of ['sent', 'accepted', 'recovered']) {
      await page.goto(`${url}/claims/${claim.claimId}`);
      await page.selectOption('select[name=state]', state);
      if (state === 'recovered') await page.locator('input[name^="recovered:"]').fill('0.01');
      await page.fill('textarea[name=reason]', `now ${state}`);
      await page.getByRole('button', { name: 'Record it' }).click();
      await page.waitForSelector('[role=status]');
    }
    const [item] = await app.store.claims.items(claim.claimId);
    expect([item?.breakId, item?.recovered.toString()]).toEqual([first?.breakId, '0.01']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the pack' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${claim.claimId}.zip`);
  });
});

describe('the pages that finish the work', () => {
  let page: Page;
  beforeAll(async () => {
    page = await signedIn('Ann Lee', 'analyst');
  });
  const press = async (name: string | RegExp) => {
    await page.getByRole('button', { name }).click();
    await page.waitForLoadState();
  };
  const upload = (name: string, text: string) =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });

  it('undo a decision of today, as an event of its own', async () => {
    const [standing] = await app.store.workList.page({ states: ['open'] }, { sort: 'age', limit: 1 });
    const at = `${url}/breaks/${standing?.breakId}`;
    await page.goto(at);
    await page.selectOption('select[name=type]', 'waived');
    await page.fill('form[action$="/decide"] textarea', 'the wrong row');
    await press('Decide');
    await page.goto(at);
    await page.getByText('Undo the last decision').click();
    await page.fill('form[action$="/undo"] input[name=reason]', 'it was another row');
    await press('Undo it');
    expect(await page.locator('[role=status]').innerText()).toBe('The decision is undone.');
    const events = await app.store.breaks.events(standing?.breakId ?? '');
    expect(events.slice(-2).map(({ type, after }) => [type, after.state])).toEqual([
      ['waived', 'waived'],
      ['undone', 'open'],
    ]);
  });

  it('find an amount as it is printed, and a rule by the beginning of its name', async () => {
    await page.goto(`${url}/breaks?state=all`);
    const printed = /\d{1,3},\d{3}\.\d{2}/.exec(await page.locator('tbody').innerText())?.[0] ?? '';
    const found = async (text: string) => {
      await page.fill('input[name=text]', text);
      await press('Filter');
      return page.locator('tr[data-row]').allInnerTexts();
    };
    const withAmount = await found(printed);
    expect(withAmount.length).toBeGreaterThan(0);
    for (const row of withAmount) expect(row).toContain(printed);
    const ofRule = await found('FEE_APP');
    expect(ofRule.length).toBeGreaterThan(0);
    for (const row of ofRule) expect(row).toContain('FEE_APPLIED_DIFFERS');
  });

  it('show a record by its id and by the reference of the host', async () => {
    const states = await app.store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, 50);
    const tracked = (await Promise.all(states.map(({ recordId }) => app.store.tracked.named(recordId)))).flat();
    const record = tracked.find(({ facts }) => facts.hostReference !== null);
    for (const wanted of [record?.id, record?.facts.hostReference]) {
      await page.goto(`${url}/records`);
      await page.fill('input[name=q]', wanted ?? '');
      await press('Find');
      await page.locator('main ul a').first().click();
      await page.waitForLoadState();
      expect(await page.locator('h1').innerText()).toContain(record?.id);
    }
  });

  it('store the payments of a statement after a preview, and once', async () => {
    const statement = 'date,amount,reference,currency\n2026-09-09,17.10,REV 2026-08,EUR\n2026-09-10,oops,REV,EUR\n';
    await page.goto(`${url}/revenue`);
    await upload('partner.csv', statement);
    await press('Preview');
    const before = (await app.store.evidence.payouts()).length;
    expect(await page.locator('.lead').innerText()).toBe(
      '1 payment would be added, 0 are stored already, 1 line is not taken.',
    );
    await press('Store 1 payment');
    expect(await page.locator('[role=status]').innerText()).toContain('1 added from partner.csv');
    expect((await app.store.evidence.payouts()).length).toBe(before + 1);
    await upload('partner.csv', statement);
    await press('Preview');
    expect(await page.locator('.lead').innerText()).toContain('0 payments would be added, 1 are stored already');
  });

  it('check a price list against a month', async () => {
    await page.goto(`${url}/prices`);
    await upload(
      'prices.yaml',
      'name: Ours\nversions:\n  - version: first\n    from: 2017-01-01\n    fees:\n      - { kind: purchase, percent: 1.99 }\n',
    );
    await press('Check it');
    expect(await page.locator('main').innerText()).toContain('No problem found.');
    await upload('prices.yaml', 'name: Ours\nversions: 1\n');
    await press('Check it');
    expect(await page.locator('[role=alert]').innerText()).toContain('versions');
  });
});

describe('a month', () => {
  it('is closed by one person and reviewed by another, and never by one as both', async () => {
    const month = businessDateOf(app.clock.wall.now() - 30 * 86_400_000, 'UTC').slice(0, 7);
    const carl = await signedIn('Carl Closer', 'closer', 'reviewer');
    await carl.goto(`${url}/months/${month}`);
    await carl.fill('textarea[name=accept]', 'open items are accepted for this test');
    await carl.getByRole('button', { name: `Close ${month}` }).click();
    await carl.waitForSelector('[role=status]');
    await carl.getByRole('button', { name: /I have reviewed/ }).click();
    expect(await carl.locator('main').innerText()).toContain('another person has to review it');
    expect((await app.store.periods.get(month))?.state).toBe('closed');
    const bob = await byOidc(await browser.newContext(), 'bob');
    await bob.waitForURL(`${url}/breaks`);
    await bob.goto(`${url}/months/${month}`);
    await bob.getByRole('button', { name: /I have reviewed/ }).click();
    await bob.waitForSelector('[role=status]');
    expect(await app.store.periods.get(month)).toMatchObject({
      state: 'reviewed',
      closedBy: 'Carl Closer',
      reviewedBy: 'bob@example.com',
    });
    const acts = await app.store.access.acts({ subject: month, limit: 10 });
    expect(acts.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('period.close done');
    await bob.selectOption('select[name=format]', 'hledger');
    const [journal] = await Promise.all([
      bob.waitForEvent('download'),
      bob.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(journal.suggestedFilename()).toContain(month);
  });
});

describe('every page', () => {
  it('fits on paper: A4, and the tables of many columns on its long side or as a name and a value a line', async () => {
    const page = await signedIn('Ann Lee', 'analyst', 'closer', 'administrator');
    await page.emulateMedia({ media: 'print' });
    const [run] = await app.store.runs.list({ job: 'nightly', limit: 1 });
    const rows = ['records', 'breaks', 'fees', 'totals'].map((name) => `/runs/${run?.runId}/rows/${name}.csv`);
    for (const path of ['/breaks', '/claims', '/revenue', `/months/${run?.businessDate.slice(0, 7)}`, ...rows]) {
      await page.goto(`${url}${path}`);
      // Pixels of A4 between its margins.
      const isBroad = await page.locator('table.broad').count();
      const width = isBroad > 0 ? 1032 : 688;
      await page.setViewportSize({ width, height: 900 });
      const cut = await page.evaluate(`[
        ...[...document.querySelectorAll('main table')].map((table) => table.getBoundingClientRect().right).filter((right) => right > ${width}),
        ...[...document.querySelectorAll('table.wide td')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
      ]`);
      expect([path, cut]).toEqual([path, []]);
      expect([path, await page.locator('.crumb a:visible').allInnerTexts()]).toEqual([path, []]);
    }
  });

  it.each([
    [1400, 'light', 'screen'],
    [1400, 'dark', 'screen'],
    [390, 'light', 'screen'],
    [390, 'dark', 'screen'],
    [1032, 'light', 'print'],
  ] as const)(
    'has no violation of axe-core at %d pixels, %s, on %s, and loads nothing from elsewhere',
    async (width, colorScheme, media) => {
      const page = await signedIn('Ann Lee', 'analyst', 'closer', 'administrator');
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, media });
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(url)) elsewhere.push(request.url());
      });
      const problems: string[] = [];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      const [first] = await app.store.workList.page({ states: ['open', 'acknowledged'] }, { sort: 'stake', limit: 1 });
      const [run] = await app.store.runs.list({ job: 'nightly', limit: 1 });
      const [claim] = await app.store.claims.list({ limit: 1 });
      const [record] = await app.store.tracked.latest({ kind: null, createdFrom: null, createdTo: null }, null, 1);
      const month = run?.businessDate.slice(0, 7);
      for (const path of [
        '/breaks',
        '/breaks?text=nothing-like-it',
        `/breaks/${first?.breakId}`,
        '/bulk',
        '/groups',
        '/claims',
        `/claims/${claim?.claimId}`,
        '/months',
        '/revenue',
        '/prices',
        `/months/${month}`,
        '/runs',
        `/runs/${run?.runId}`,
        `/runs/${run?.runId}/rows/breaks.csv?state=open`,
        '/records',
        `/records?q=${record?.recordId}`,
        `/records/${record?.kind}/${encodeURIComponent(record?.recordId ?? '')}`,
        '/claims/new',
        '/mentions',
        '/access',
        '/access?outcome=refused',
      ]) {
        const answer = await page.goto(`${url}${path}`);
        expect([path, answer?.status()]).toEqual([path, 200]);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect([path, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([path, []]);
        const isWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        expect([path, isWide]).toEqual([path, false]);
      }
      expect([elsewhere, problems]).toEqual([[], []]);
    },
    300_000,
  );
});
