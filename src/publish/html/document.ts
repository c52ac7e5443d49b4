/**
 * `report.html`: what the set says, for people. Adds up while the finished CSV files stream past; what it keeps grows with
 * the number of rules, currencies and methods, not with records.
 */
import { z } from 'zod';
import type { View, ViewFacts, ViewFeed } from '../../ports/html-view.ts';
import { csvOf, type FinishedTables, type SetDocument, tableRows } from '../documents.ts';
import type { Draw } from './draw.ts';
import { pastRun, pastRuns } from './history.ts';
import { pageHtml } from './page.ts';

export interface PageOptions {
  views: readonly View[];
  draw: Draw;
  /** The out folder in which earlier runs are looked for; null for none. */
  history: string | null;
}

/** Runs that the drift is shown over, this one included. */
const RUNS = 30;

export function pageDocument(options: PageOptions): SetDocument {
  return { name: 'report.html', pieces: (tables) => pieces(tables, options) };
}

async function* pieces(tables: FinishedTables, { views, draw, history }: PageOptions): AsyncGenerator<Uint8Array> {
  const facts = viewFacts(tables, history);
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
    const places = new Map(definition.columns.map(({ name }, index) => [name, index]));
    const at = (column: string): number => {
      const place = places.get(column);
      if (place === undefined) throw new Error(`${definition.file} has no column ${column}`);
      return place;
    };
    const looks = feeds.map((feed) => feed.open(definition.name, at)).filter((look) => look !== null);
    if (looks.length === 0) continue;
    for await (const rows of tableRows(tables, definition)) {
      for (const row of rows) for (const look of looks) look(row);
    }
  }
}

const breakCounts = z.looseObject({
  open: z.int().min(0),
  opened: z.int().min(0),
  reopened: z.int().min(0),
  resolved: z.int().min(0),
  waived: z.int().min(0),
});

function viewFacts(tables: FinishedTables, history: string | null): ViewFacts {
  const { facts } = tables;
  const told: unknown = 'breaks' in facts ? facts.breaks : null;
  const counted = breakCounts.safeParse(told);
  const fees = tables.files.find(({ name }) => name === 'fees.csv');
  const past = pastRuns(history, { job: facts.job, until: facts.business_date, most: RUNS - 1 }, tables.fileSystem);
  return {
    set: facts,
    breaks: counted.success ? counted.data : null,
    history: [...past, pastRun(facts, fees?.totals ?? {}, told)],
  };
}
