/**
 * `report.html`: what the set says, for people. Adds up while the finished CSV files stream past; what it keeps grows with
 * the number of rules, currencies and methods, not with records.
 */

import { join } from 'node:path';
import { z } from 'zod';
import { Decimal } from '../../domain/decimal.ts';
import type { PastRun, SetFacts, View, ViewFacts, ViewFeed } from '../../ports/html-view.ts';
import type { Totals } from '../../ports/report-definition.ts';
import { csvOf, type FinishedTables, roundedRows, type SetDocument, tableRows } from '../documents.ts';
import type { FileSystem } from '../file-system.ts';
import { manifestIn } from '../manifest.ts';
import { parseSetPath, setPaths } from '../set-path.ts';
import { fileOf } from '../table-file.ts';
import type { Draw } from './draw.ts';
import { pageHtml } from './page.ts';

interface PageOptions {
  views: readonly View[];
  draw: Draw;
  /** Rule code → what to do about such a break. */
  actions: ReadonlyMap<string, string>;
  /** The out folder in which earlier runs are looked for; null for none. */
  history: string | null;
}

/** Runs that the drift is shown over, this one included. */
const RUNS = 30;

export function pageDocument(options: PageOptions): SetDocument {
  return { name: 'report.html', pieces: (tables) => pieces(tables, options) };
}

async function* pieces(
  tables: FinishedTables,
  { views, draw, history, actions }: PageOptions,
): AsyncGenerator<Uint8Array> {
  const facts = viewFacts(tables, history, actions);
  const feeds = views.map((view) => view.start(facts));
  await readTables(tables, feeds);
  const sections = feeds.flatMap((feed) => feed.sections());
  const files = tables.files.filter(({ name }) => name.endsWith('.csv'));
  for (const piece of pageHtml({ facts, sections, files, draw })) yield Buffer.from(piece);
}

/** Each table is read once, for all views that need it; one that none needs is not read. */
async function readTables(tables: FinishedTables, feeds: readonly ViewFeed[]): Promise<void> {
  for (const definition of tables.definitions) {
    if (csvOf(tables, definition) === undefined) continue;
    const own = feeds.filter(({ rows }) => rows[definition.name] !== undefined);
    if (own.length === 0) continue;
    const readers = own.flatMap(({ rows }) => rows[definition.name] ?? []);
    const isRounded = tables.decimals === 'exact' && own.every(({ printsRows }) => printsRows === true);
    const places = new Map(definition.columns.map(({ name }, index) => [name, index]));
    let row: readonly string[] = [];
    const cell = (column: string): string => {
      const place = places.get(column);
      if (place === undefined) throw new Error(`${fileOf(definition)} has no column ${column}`);
      return row[place] ?? '';
    };
    for await (const rows of isRounded ? roundedRows(tables, definition).rows : tableRows(tables, definition))
      for (row of rows) for (const read of readers) read(cell);
  }
}

function viewFacts(tables: FinishedTables, history: string | null, actions: ReadonlyMap<string, string>): ViewFacts {
  const { facts, figures } = tables;
  const breaks: unknown = 'breaks' in facts ? facts.breaks : null;
  const totals = tables.files.find(({ name }) => name === 'totals.csv');
  const past = pastRuns(history, { job: facts.job, until: facts.business_date, most: RUNS - 1 }, tables.fileSystem);
  return {
    ...figures,
    set: facts,
    actions,
    history: [...past, pastRun(facts, totals?.totals ?? {}, breaks)],
  };
}

const openBreaks = z.looseObject({ open: z.int().min(0) });

/**
 * The last revision of each business date before `until`, of one job, oldest first. A manifest that cannot be read is
 * left out: to find it is what verification is for. * @param out the folder with the published sets; null where there
 * is none.
 */
function pastRuns(
  out: string | null,
  { job, until, most }: { job: string; until: string; most: number },
  fileSystem: FileSystem,
): PastRun[] {
  if (out === null) return [];
  const newest = new Map<string, { path: string; revision: number }>();
  for (const path of setPaths(out, fileSystem)) {
    const name = parseSetPath(path);
    if (name === null || 'period' in name || name.job !== job || name.businessDate >= until) continue;
    const known = newest.get(name.businessDate);
    if (known === undefined || known.revision < name.revision) newest.set(name.businessDate, { path, ...name });
  }
  const dates = [...newest.keys()].sort().slice(-most);
  return dates.flatMap((date) => {
    const manifest = manifestIn(join(out, newest.get(date)?.path ?? ''), fileSystem);
    if (manifest === null) return [];
    const totals = manifest.files.find(({ name }) => name === 'totals.csv');
    return [pastRun(manifest, totals?.totals ?? {}, manifest.breaks)];
  });
}

/**
 * The fees are those of compared records, as in the rest of the page; sets from before the compared ones were counted
 * have none. @param totals of `totals.csv`. @param breaks what the manifest says of the work list, if anything.
 */
function pastRun(facts: SetFacts, totals: Totals, breaks: unknown): PastRun {
  const counted = openBreaks.safeParse(breaks);
  const fees = new Map<string, { quoted: Decimal; variance: Decimal }>();
  for (const [currency, columns] of Object.entries(totals)) {
    const { compared_applied_fee_total: applied, applied_fee_variance_total: variance } = columns;
    if (applied === undefined || variance === undefined) continue;
    const differs = Decimal.fromPrinted(variance);
    fees.set(currency, { quoted: Decimal.fromPrinted(applied).minus(differs), variance: differs });
  }
  return {
    runId: facts.run_id,
    businessDate: facts.business_date,
    population: facts.population,
    verdicts: facts.verdicts,
    openBreaks: counted.success ? counted.data.open : null,
    fees,
  };
}
