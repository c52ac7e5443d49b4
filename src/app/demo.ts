/** The demonstration's world: the embedded Service, a month of history, and clocks that stand where the story is. */

import { readFileSync, writeFileSync } from 'node:fs';
import { type LoadedSettings, loadSettings } from '../../config/load.ts';
import type { RawValue } from '../../config/raw.ts';
import { nightly } from '../../jobs/nightly.ts';
import { referenceData } from '../../jobs/reference-data.ts';
import { addDays, businessDateOf, startOfBusinessDate } from '../domain/calendar.ts';
import { payoutsIn } from '../domain/payout.ts';
import type { Instant } from '../domain/record.ts';
import { readStatement } from '../evidence/statements/read-statement.ts';
import { importQuotes, importTracked } from '../intake/import.ts';
import { readQuotes } from '../intake/read-quotes.ts';
import { readTrackedFile } from '../intake/read-tracked-file.ts';
import type { SystemClock } from '../runner/clock.ts';
import type { Releasers } from '../runner/releasers.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { parseQuoteLine } from '../service/quote-line.ts';
import { readText } from '../text/unreadable.ts';
import { type App, openApp } from './app.ts';
import { KNOWN_NAMES } from './known-names.ts';
import { importTransfers } from './treasury.ts';
import { WHOLE_JOB } from './wiring.ts';

interface DemoOptions {
  records: number;
  days: number;
  seed: number;
  defects: number;
  out: string;
  /** Deliveries on local chains, and endpoints that report them. */
  chain?: boolean;
  market?: 'on' | 'off';
  /** The contract's price list; without it, the defects that only a price list shows are left out. */
  priceList?: string;
  /**
   * Where the partner's statement is written and imported from; without it, the defects that only a statement shows are
   * left out.
   */
  statementFile?: string;
  /** The settings that the demonstration leaves for other commands; absent, the defaults. */
  configFile?: string;
  /** The sealing key of the environment, which those commands will use too; without it a key file is made. */
  secretKey?: Readonly<Record<string, string>>;
}

export type DemoWorld = Awaited<ReturnType<typeof openDemoWorld>>;

type Treasury = NonNullable<NonNullable<Sandbox['statement']>['treasury']>;

const DAY = 86_400_000;

export async function openDemoWorld(
  options: DemoOptions,
  edges: {
    clock: SystemClock;
    releasers: Releasers;
    signal: AbortSignal;
    onProgress: (observed: number, population: number) => void;
  },
) {
  const today = businessDateOf(edges.clock.wall.now(), 'UTC');
  // The second night is at the last midnight, the first a day before.
  const first = startOfBusinessDate(today, 'UTC') - DAY;
  const story = storyClock(edges.clock, first);
  const { records, days, seed, defects, chain = false, market = 'off' } = options;
  const sandbox = await createSandbox({
    clock: story.clock.wall.now,
    now: first,
    records,
    days,
    seed,
    defects,
    rateLimits: 'off',
    chains: chain,
    market,
    // The specification's sale names no transaction, so its deposit cannot be looked up.
    bodies: chain ? 'observed' : 'spec',
    contract: options.priceList !== undefined,
    payouts: options.statementFile !== undefined,
    skims: true,
  });
  edges.releasers.push('sandbox', () => sandbox.close());
  const loaded = demoSettings(options, sandbox);
  const app = await openApp({ ...edges, loaded, clock: story.clock, random: Math.random });
  return {
    sandbox,
    /** Over the demonstration's own settings and clock. */
    app,
    /** Imports what the app would have stored (ids with tokens, the quotes that users were shown), and the statement. */
    track: async () => ({
      ...(await track(app, sandbox)),
      payments: await importPayments(app, sandbox, options.statementFile, edges.signal),
    }),
    /** Captures reference data once a day, as an hourly job would have done through the month. */
    captureMonth: async (onDay: (done: number) => void) => {
      for (let day = days + 1; day >= 1; day--) {
        story.goTo(first - day * DAY);
        sandbox.setClock(first - day * DAY);
        await app.run(referenceData, WHOLE_JOB);
        onDay(days + 2 - day);
      }
      story.goTo(first);
      sandbox.setClock(first);
      return days + 1;
    },
    /** Opens the pages on a free port; `link` signs in once, with every role but the second person's. */
    serve: async () => {
      const { makeAccessLink, preparePages } = await import('./pages.ts');
      const served = await (await preparePages(app)).listen?.();
      if (served === undefined) throw new Error('the pages of a demonstration have a port of their own');
      edges.releasers.push('pages', () => served.close());
      const roles = ['analyst', 'closer', 'administrator'] as const;
      const link = await makeAccessLink(app, { name: 'Demo', roles, by: 'demo', base: served.url });
      return { url: served.url, link: link.url };
    },
    /** A nightly run for a business date, 1 or 2. */
    night: async (night: 1 | 2) => {
      if (night === 2) story.goTo(first + DAY);
      sandbox.setNight(night);
      const result = await app.run(nightly, { ...WHOLE_JOB, businessDate: addDays(today, night - 3) });
      if (result.outcome !== 'reconciled') throw new DOMException('The demonstration was stopped', 'AbortError');
      return result;
    },
  };
}

/** The system's clock, moved to the time of the story. */
function storyClock(real: SystemClock, start: Instant): { clock: SystemClock; goTo: (at: Instant) => void } {
  let offset = start - real.wall.now();
  return {
    clock: { ...real, wall: { now: () => real.wall.now() + offset, sleep: real.wall.sleep } },
    goTo: (at) => {
      offset = at - real.wall.now();
    },
  };
}

/** Two endpoints a chain, which must agree. */
function endpointsOf({ chain, type, chainId, genesis, url }: Sandbox['chains'][number]): RawValue {
  const settings = { batch: '100', trace: type === 'evm' ? 'debug' : 'off' };
  // JSON-RPC takes any path; the paths of REST are the endpoint's own.
  const endpoint = (name: string) => ({ name, url: type === 'bitcoin' ? url : `${url}/${name}`, ...settings });
  return {
    chain,
    type,
    ...(chainId === null ? {} : { chainId: String(chainId) }),
    ...(genesis === null ? {} : { genesis }),
    ...(type === 'bitcoin' ? { finality: '6' } : {}),
    quorum: '2',
    endpoints: [endpoint('first'), endpoint('second')],
  };
}

function treasuryOf({ chain, address, decimals, since: _since, ...asset }: Treasury): RawValue {
  return { chain, addresses: [address], assets: [{ ...asset, decimals: String(decimals) }] };
}

/** No settings of this machine but its key: a demonstration is the same everywhere. */
function demoSettings({ out, configFile, priceList, secretKey = {} }: DemoOptions, sandbox: Sandbox): LoadedSettings {
  const flag = (path: readonly string[], value: RawValue) => ({ flag: 'demo', path, value });
  return loadSettings({
    flags: [
      flag(['service', 'url'], sandbox.url),
      flag(['service', 'rateLimits'], 'off'),
      flag(['service', 'concurrency'], '16'),
      flag(['database', 'url'], `sqlite:${out}/tieout.db`),
      flag(['out'], out),
      flag(['pages', 'port'], '0'),
      ...(priceList === undefined ? [] : [flag(['prices', 'list'], priceList)]),
      ...(sandbox.statement === null
        ? []
        : [flag(['evidence', 'payouts', 'within'], `${sandbox.statement.paidWithinDays}d`)]),
      ...(sandbox.statement?.treasury
        ? [flag(['evidence', 'payouts', 'treasury'], [treasuryOf(sandbox.statement.treasury)])]
        : []),
      ...(sandbox.chains.length === 0 ? [] : [flag(['evidence', 'chains'], sandbox.chains.map(endpointsOf))]),
    ],
    configFile: configFile ?? null,
    env: secretKey,
    readFile: readText,
    known: KNOWN_NAMES,
  });
}

async function track(app: App, sandbox: Sandbox): Promise<{ tracked: number; quotes: number }> {
  const options = { now: app.clock.wall.now };
  const ids = readTrackedFile(await download(`${sandbox.origin}/sandbox/tracked?format=csv`), {
    name: 'tracked.csv',
    format: 'csv',
    kind: null,
  });
  await importTracked(ids, { ...options, tracked: app.store.tracked });
  const lines = readQuotes(await download(`${sandbox.origin}/sandbox/quotes`), 'quotes.ndjson', (text) =>
    parseQuoteLine(text, app.settings.service.identifierName),
  );
  await importQuotes(lines, { ...options, quotes: app.store.quotes });
  return { tracked: await app.store.tracked.count(), quotes: await app.store.quotes.count() };
}

/**
 * As `tieout payouts import` does, of the statement and of the chain. @returns the number of added payments; one
 * payment is in both
 */
async function importPayments(app: App, { statement }: Sandbox, file: string | undefined, signal: AbortSignal) {
  if (statement === null || file === undefined) return 0;
  const { store, clock, settings } = app;
  writeFileSync(file, statement.csv, { mode: 0o600 });
  const payouts = payoutsIn(
    readStatement(readFileSync(file, 'utf8'), 'csv', {
      asOf: clock.wall.now(),
      exchange: settings.evidence.payouts.exchange,
    }),
  );
  const added = await store.evidence.addPayouts(payouts, clock.wall.now());
  if (statement.treasury === null) return added;
  const { chain, since: from } = statement.treasury;
  const span = { from, to: clock.wall.now() };
  return added + (await importTransfers(app, { chain, span, named: [] }, signal)).added;
}

/** The sandbox's own exports, over HTTP like everything else. */
async function download(url: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url);
  if (!response.ok || response.body === null)
    throw new Error(`the sandbox answered HTTP ${response.status} for its export`);
  return response.body;
}
