/** Composes the pages: the store, the story of a break, the month, the keys. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { JOURNAL_FORMATS } from '../books/journal/accounts.ts';
import { simulate } from '../books/prices/simulate.ts';
import type { Role } from '../domain/actor.ts';
import { monthAfter } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import { MAPPED_FIELDS } from '../evidence/statements/csv.ts';
import { readStatement } from '../evidence/statements/read-statement.ts';
import { closeAfterAnswers, listenOn } from '../intake/server/listen.ts';
import type { PagesEdges } from '../pages/contract.ts';
import { hashOf } from '../pages/people.ts';
import { periodRange } from '../periods/month.ts';
import type { App } from './app.ts';
import { openClaim, packClaim, updateClaim } from './claims.ts';
import { recordStoryOf, storyOf } from './explain.ts';
import { localLinksOf, waiverLimits } from './four-eyes.ts';
import { periodEdges } from './periods.ts';
import { priceListIn } from './prices.ts';
import { reportingOf } from './reporting.ts';
import { revenueNow } from './revenue.ts';

/** Cookies are sealed with a key of this process: after a restart people sign in again. */
const COOKIE_KEY_BYTES = 32;

export function pagesEdges(app: App): PagesEdges {
  const { store, settings, clock, log } = app;
  const { pages, fourEyes } = settings;
  return {
    store,
    settings: {
      url: pages.url,
      sessionMs: pages.sessionFor,
      timezone: settings.timezone,
      rateLimits: settings.service.rateLimits === 'off' ? [] : settings.service.rateLimits,
      out: settings.out,
      limits: waiverLimits(settings),
      localLinks: localLinksOf(settings),
      provedPeriods: fourEyes.periods,
      oidc: pages.oidc === null ? null : { ...pages.oidc, clientSecret: pages.oidcClientSecret },
      proxy: pages.proxy,
      roles: pages.roles,
    },
    cookieKey: pages.cookieKey ?? randomBytes(COOKIE_KEY_BYTES),
    now: () => clock.wall.now(),
    random: randomBytes,
    reporting: () => reportingOf(app, clock.wall.now()),
    story: (standing) => storyOf(app, standing),
    recordStory: (kind, recordId) => recordStoryOf(app, kind, recordId),
    periods: periodEdges(app),
    openClaim: (breakIds, opening) => openClaim(app, breakIds, opening),
    updateClaim: (claim, change, why) => updateClaim(app, claim, change, why),
    packBreak: async (standing) => (await import('./break-pack.ts')).packBreak(app, standing),
    packClaim: (claim) => packClaim(app, claim),
    packMonth: async (period) => (await import('./month-end-pack.ts')).zippedPack(app, period),
    journalFormats: JOURNAL_FORMATS,
    journal: async (period, { format: name, isClosed, corrections }) => {
      const format = JOURNAL_FORMATS.find((each) => each === name) ?? 'generic';
      const draft = { period: null, from: `${period}-01`, to: `${monthAfter(period)}-01` };
      const wanted = isClosed ? { period } : draft;
      const { writtenJournal } = await import('./period-journal.ts');
      const { files, leftOut } = await writtenJournal(app, { wanted, format, corrections });
      if (leftOut.size === 0) return files;
      const lines = [...leftOut].map(
        ([currency, why]) => `${currency} is left out: ${why}. Book ${currency} by hand.\n`,
      );
      return [...files, { name: 'LEFT-OUT.txt', content: Buffer.from(lines.join('')) }];
    },
    payments: {
      read: (text, { isLines, columns }) =>
        readStatement(text, isLines ? 'lines' : 'auto', {
          asOf: clock.wall.now(),
          exchange: settings.evidence.payouts.exchange,
          mapping: mappingIn(columns),
        }),
      known: async () => new Set((await store.evidence.payouts()).map(({ payoutId }) => payoutId)),
      add: (payouts) => store.evidence.addPayouts(payouts, clock.wall.now()),
      revenue: (more = []) => revenueNow(app, { more }),
    },
    comparePrices: async (text, file, period) => {
      const list = priceListIn(text, file);
      const { from, to } = periodRange(period, settings.timezone);
      const scope = { from, to, tolerances: settings.tolerances, inForce: app.terms.prices };
      return { list, rows: await simulate(store.tracked, list, scope) };
    },
    makeLink: (link) => makeAccessLink(app, { ...link, base: null }),
    log,
  };
}

/** Names of columns, as `date=Paid amount="Net sum"`. @throws UsageError */
function mappingIn(columns: string): Record<string, string> {
  const given = [...columns.matchAll(/(?<=^|\s)(?:(\w+)=(?:"([^"]+)"|(\S+))|(\S+))/g)];
  return Object.fromEntries(
    given.map(([text, name = '', quoted, plain]) => {
      if (!MAPPED_FIELDS.includes(name))
        throw new UsageError(`columns: ${text}: write them as date=Paid; known are ${MAPPED_FIELDS.join(', ')}`);
      return [name, quoted ?? plain ?? ''];
    }),
  );
}

interface PreparedPages {
  /** Adds them to the server of the webhooks; absent where they have a port of their own. */
  mount?: (server: FastifyInstance) => Promise<void>;
  listen?: () => Promise<{ url: string; close: () => Promise<void> }>;
}

/** The pages, as the settings place them. */
export async function preparePages(app: App): Promise<PreparedPages> {
  const { host, port } = app.settings.pages;
  const { pagesServer, registerPages } = await import('../pages/server.ts');
  const edges = pagesEdges(app);
  if (port === 'shared') return { mount: (server) => registerPages(server, edges) };
  return {
    listen: async () => {
      const server = await pagesServer(edges);
      const close = closeAfterAnswers(server);
      return { url: await listenOn(server, { host, port, setting: 'pages' }), close };
    },
  };
}

/** Makes a one-time link. @param base the address of the pages; null for that of the settings */
export async function makeAccessLink(
  app: App,
  { name, roles, by, base }: { name: string; roles: readonly Role[]; by: string; base: string | null },
): Promise<{ url: string; endsAt: number }> {
  const { pages, webhooks } = app.settings;
  const secret = randomBytes(COOKIE_KEY_BYTES).toString('base64url');
  const madeAt = app.clock.wall.now();
  const endsAt = madeAt + pages.linkFor;
  await app.store.access.addLink({ secretHash: hashOf(secret), name, roles, madeBy: by, madeAt, endsAt });
  const [host, port] = pages.port === 'shared' ? [webhooks.host, webhooks.port] : [pages.host, pages.port];
  const listening = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url: `${base ?? pages.url ?? listening}/sign-in/link/${secret}`, endsAt };
}
