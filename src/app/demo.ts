/** The demonstration's world: the embedded Service, a month of history, and clocks that stand where the story is. */

import { createReadStream, readFileSync } from 'node:fs';
import { parse } from 'csv-parse';
import { type LoadedSettings, loadSettings } from '../../config/load.ts';
import type { RawValue } from '../../config/raw.ts';
import { nightly } from '../../jobs/nightly.ts';
import { referenceData } from '../../jobs/reference-data.ts';
import { addDays, businessDateOf, startOfBusinessDate } from '../domain/calendar.ts';
import { type Severity, severityRank } from '../domain/finding.ts';
import type { Instant } from '../domain/record.ts';
import { importQuotes, importTracked } from '../intake/import.ts';
import { readQuotes } from '../intake/read-quotes.ts';
import { readTrackedFile } from '../intake/read-tracked-file.ts';
import type { JobResult } from '../ports/job.ts';
import { RULES } from '../rules/index.ts';
import type { SystemClock } from '../runner/clock.ts';
import type { Releasers } from '../runner/releasers.ts';
import type { AnswerKeyEntry, DueFigures, Sandbox } from '../sandbox/contract.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { parseQuoteLine } from '../service/quote-line.ts';
import { type App, openApp } from './app.ts';

interface DemoOptions {
  records: number;
  days: number;
  seed: number;
  defects: number;
  out: string;
  /** Deliveries on local chains, and endpoints that tell of them. */
  chain?: boolean;
  /** The contract's price list; absent, none, and no defect that only it tells. */
  priceList?: string;
  /** The settings that the demonstration leaves for other commands; absent, the defaults. */
  configFile?: string;
}

export interface DemoWorld {
  sandbox: Sandbox;
  /** Over the demonstration's own settings and clock. */
  app: App;
  /** Imports what the app would have stored: ids with tokens, and the quotes that users were shown. */
  track: () => Promise<{ tracked: number; quotes: number }>;
  /** Captures reference data once a day, as an hourly job would have done through the month. */
  captureMonth: (onDay: (done: number) => void) => Promise<number>;
  /** A nightly run for a business date, 1 or 2. */
  night: (night: 1 | 2) => Promise<Extract<JobResult, { outcome: 'reconciled' }>>;
  /** Opens the pages on a free port; `link` signs in once, with every role but the second person's. */
  serve: () => Promise<{ url: string; link: string }>;
}

const DAY = 86_400_000;

export async function openDemoWorld(
  options: DemoOptions,
  edges: {
    clock: SystemClock;
    releasers: Releasers;
    signal: AbortSignal;
    onProgress: (observed: number, population: number) => void;
  },
): Promise<DemoWorld> {
  const today = businessDateOf(edges.clock.wall.now(), 'UTC');
  const midnight = startOfBusinessDate(today, 'UTC');
  const story = storyClock(edges.clock, midnight);
  const { records, days, seed, defects, chain = false } = options;
  const sandbox = await createSandbox({
    clock: story.clock.wall.now,
    now: midnight,
    records,
    days,
    seed,
    defects,
    rateLimits: 'off',
    chains: chain,
    // The specification's sale names no transaction: its deposit could not be looked for.
    bodies: chain ? 'observed' : 'spec',
    contract: options.priceList !== undefined,
  });
  edges.releasers.push('sandbox', () => sandbox.close());
  const loaded = demoSettings(options, sandbox);
  const app = await openApp({ ...edges, loaded, clock: story.clock, random: Math.random });
  return {
    sandbox,
    app,
    track: () => track(app, sandbox),
    captureMonth: async (onDay) => {
      for (let day = days + 1; day >= 1; day--) {
        story.goTo(midnight - day * DAY);
        sandbox.setClock(midnight - day * DAY);
        await app.run(referenceData, noOptions);
        onDay(days + 2 - day);
      }
      story.goTo(midnight);
      sandbox.setClock(midnight);
      return days + 1;
    },
    serve: async () => {
      const { makeAccessLink, preparePages } = await import('./pages.ts');
      const served = await (await preparePages(app)).listen?.();
      if (served === undefined) throw new Error('the pages of a demonstration have a port of their own');
      edges.releasers.push('pages', () => served.close());
      const roles = ['analyst', 'closer', 'administrator'] as const;
      const link = await makeAccessLink(app, { name: 'Demo', roles, by: 'demo', base: served.url });
      return { url: served.url, link: link.url };
    },
    night: async (night) => {
      sandbox.setNight(night);
      const result = await app.run(nightly, { ...noOptions, businessDate: addDays(today, night - 3) });
      if (result.outcome !== 'reconciled') throw new DOMException('The demonstration was stopped', 'AbortError');
      return result;
    },
  };
}

const noOptions = { businessDate: null, selection: null, resume: false, maxDurationMs: null, maxRequests: null };

/** Runs on from wherever the story was put. */
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

/** Nothing of this machine's settings: a demonstration is the same everywhere. */
function demoSettings({ out, configFile, priceList }: DemoOptions, sandbox: Sandbox): LoadedSettings {
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
      ...(sandbox.chains.length === 0 ? [] : [flag(['evidence', 'chains'], sandbox.chains.map(endpointsOf))]),
    ],
    configFile,
    env: {},
    readFile: (path) => {
      if (path === configFile) return readFileSync(path, 'utf8');
      throw Object.assign(new Error('a demonstration reads no other settings file'), { code: 'ENOENT' });
    },
    known: { rules: RULES.map(({ code }) => code) },
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

/** The sandbox's own exports, over HTTP like everything else. */
async function download(url: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(url);
  if (!response.ok || response.body === null)
    throw new Error(`the sandbox answered HTTP ${response.status} for its export`);
  return response.body;
}

interface ScoreRow {
  rule: string;
  severity: Severity;
  injected: number;
  /** With the figures of the answer key: expected, actual, difference, its sign, unit and money at stake. */
  found: number;
  /** Found with another figure. */
  wrong: number;
  falseAlarms: number;
}

export interface Score {
  rows: readonly ScoreRow[];
  injected: number;
  found: number;
  wrong: number;
  falseAlarms: number;
  /** Records just inside a tolerance, on which no break is due. */
  nearMisses: number;
  /** What is wrong with the figures, in words. */
  problems: readonly string[];
  /** One explanation per severity, the worst first: what a reader of the file would see. */
  examples: readonly { rule: string; record: string; explanation: string }[];
  /** The beginning of the id of the worst break; null where there is none. */
  firstBreak: string | null;
}

/** @param breaksFile a published `breaks.csv` of the standard profile */
export async function score(breaksFile: string, answers: Iterable<AnswerKeyEntry>): Promise<Score> {
  const due = new Map<string, { figures: DueFigures | null; stake: number | null }>();
  let nearMisses = 0;
  for (const { kind, id, codes, figures } of answers) {
    if (codes.length === 0) nearMisses++;
    for (const code of codes) {
      const own = figures.find((each) => each.code === code) ?? null;
      // Where several rules tell of one loss, one of them has the stake.
      const isAlone = figures.filter(({ loss }) => loss !== null).length === 1;
      due.set(keyOf(code, kind, id), { figures: own, stake: isAlone ? (own?.loss ?? null) : null });
    }
  }
  const found = new Set<string>();
  const problems = new Map<string, string>();
  const examples = new Map<string, Score['examples'][number]>();
  const ids = new Map<string, string>();
  const rows = createReadStream(breaksFile).pipe(parse({ columns: true })) as AsyncIterable<Record<string, string>>;
  for await (const row of rows) {
    const { break_id = '', rule = '', kind = '', record_id = '', state, explanation = '' } = row;
    if (state === 'resolved') continue;
    if (!ids.has(rule)) ids.set(rule, break_id);
    const key = keyOf(rule, kind, record_id);
    found.add(key);
    const { figures = null, stake = null } = due.get(key) ?? {};
    const problem = figures === null ? null : wrongFigure(row, figures, stake);
    if (problem !== null) problems.set(key, `${rule} of ${kind} ${record_id}: ${problem}`);
    if (!examples.has(rule)) examples.set(rule, { rule, record: `${kind} ${record_id}`, explanation });
  }
  const count = (keys: Iterable<string>, rule: string | null, counts: (key: string) => boolean) =>
    [...keys].filter((key) => (rule === null || key.startsWith(`${rule} `)) && counts(key)).length;
  const counted = (rule: string | null) => ({
    injected: count(due.keys(), rule, () => true),
    found: count(found, rule, (key) => due.has(key) && !problems.has(key)),
    wrong: count(problems.keys(), rule, () => true),
    falseAlarms: count(found, rule, (key) => !due.has(key)),
  });
  const table = RULES.map(({ code, severity }) => ({ rule: code, severity, ...counted(code) })).sort(
    (a, b) => severityRank(b.severity) - severityRank(a.severity) || (a.rule < b.rule ? -1 : 1),
  );
  return {
    rows: table,
    ...counted(null),
    nearMisses,
    problems: [...problems.values()],
    examples: table.flatMap(({ rule }) => examples.get(rule) ?? []),
    firstBreak: table.flatMap(({ rule }) => ids.get(rule) ?? [])[0]?.slice(0, 12) ?? null,
  };
}

/** The sandbox computes in doubles: figures agree to nine digits, differences to a millionth of a minor unit. */
const RELATIVE = 1e-9;
const ABSOLUTE = 1e-8;

/** Null where a row of `breaks.csv` says what the answer key says. */
function wrongFigure(row: Record<string, string>, due: DueFigures, stake: number | null): string | null {
  const said = (column: string) => (row[column] === '' || row[column] === undefined ? Number.NaN : Number(row[column]));
  const differs = (column: string, figure: number, slack: number) =>
    Math.abs(said(column) - figure) <= slack ? null : `${column} is ${row[column] || 'empty'} instead of ${figure}`;
  const { expected, actual, unit } = due;
  const slack = RELATIVE * Math.max(Math.abs(expected), Math.abs(actual)) + ABSOLUTE;
  return (
    differs('expected', expected, slack) ??
    differs('actual', actual, slack) ??
    differs('difference', actual - expected, slack) ??
    (row.unit === unit ? null : `unit is ${row.unit || 'empty'} instead of ${unit}`) ??
    (stake === null ? null : differs('money_at_stake', stake, slack))
  );
}

const keyOf = (rule: string, kind: string, id: string) => `${rule} ${kind} ${id}`;
