/** Many people at once: each sees their own session, decisions are taken once, and the server keeps answering. */
import { expect, it, vi } from 'vitest';
import { nightWith } from '../store/support/break-nights.ts';
import { track } from '../store/support/scenario.ts';
import { aBreakEvent } from '../support/a-break.ts';
import { aSite } from './support/site.ts';

vi.setConfig({ testTimeout: 600_000 });

/** TIEOUT_ATTACKS=200 signs in as many. */
const PEOPLE = Number(process.env.TIEOUT_ATTACKS ?? 20);

it('two hundred signed-in browsers read and decide at once', async () => {
  await using site = await aSite();
  await track(site.store, ...Array.from({ length: 20 }, (_, n) => `r${n}`));
  await nightWith(site.store, ...Array.from({ length: 20 }, (_, n) => aBreakEvent({ recordId: `r${n}` })));
  const breaks = await site.store.breaks.list({ limit: 20, offset: 0 });
  const names = Array.from({ length: PEOPLE }, (_, n) => `Person ${n}`);
  const browsers = await Promise.all(names.map((name) => site.browser(name, 'analyst')));
  const statuses: Record<string, number> = {};
  const count = (status: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(
    browsers.map(async (browser, n) => {
      for (const path of ['/breaks', `/breaks/${breaks[n % 20]?.breakId}`, '/claims', '/nowhere']) {
        const page = await browser.get(path);
        count(page.statusCode);
        if (page.statusCode !== 200) continue;
        expect(page.body).toContain(names[n]);
      }
    }),
  );
  // All assign one break to themselves at the same moment, with the version that they read: one of them wins.
  const [first] = breaks;
  const page = `/breaks/${first?.breakId}`;
  const answers = await Promise.all(
    browsers.map((browser) =>
      browser.post(`${page}/decide`, { events: '1', type: 'assigned', assignee: 'Ann', reason: 'mine' }, page),
    ),
  );
  const events = await site.store.breaks.events(first?.breakId ?? '');
  if (process.env.TIEOUT_ATTACKS !== undefined)
    console.log(
      statuses,
      Object.groupBy(answers, ({ statusCode }) => String(statusCode)),
      events.length,
    );
  expect(Object.keys(statuses).sort()).toEqual(['200', '404']);
  expect(answers.every(({ statusCode }) => statusCode < 500)).toBe(true);
  // The finding of the night, and one decision.
  expect(events.length).toBe(2);
  // A cookie of one person with the form of another does nothing.
  const [ann, bo] = browsers;
  const form = await ann?.get(page);
  const token = /name="_csrf" value="([^"]+)"/.exec(form?.body ?? '')?.[1] ?? '';
  const crossed = await site.app.inject({
    method: 'POST',
    url: `${page}/decide`,
    headers: { cookie: bo?.cookie ?? '', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      _csrf: token,
      events: String(events.length),
      type: 'assigned',
      reason: 'x',
      assignee: 'x',
    }).toString(),
  });
  expect(crossed.statusCode).toBe(403);
  expect((await site.store.breaks.events(first?.breakId ?? '')).length).toBe(events.length);
});
