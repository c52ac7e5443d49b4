/** Renders a stored run into a separate folder, and compares the result with the published set. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ReportFormat } from '../../config/reports.ts';
import { UsageError } from '../domain/errors.ts';
import { type Run, whyIncomplete } from '../domain/run.ts';
import { carriedSets } from '../periods/close.ts';
import { publishPeriod } from '../periods/publish.ts';
import { periodOfSet } from '../periods/sealed-states.ts';
import type { ProfileName } from '../ports/report-definition.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import type { Report, Tally } from '../ports/settled.ts';
import { PlaceTakenError, PublicationError } from '../publish/errors.ts';
import { realFileSystem } from '../publish/file-system.ts';
import { readFolderMark } from '../publish/folder-mark.ts';
import { tableSettings } from '../publish/load-documents.ts';
import { manifestIn } from '../publish/manifest.ts';
import type { DecimalsChoice } from '../publish/profiles.ts';
import { piecesOf } from '../publish/read-back.ts';
import { openReportSet } from '../publish/report-set.ts';
import { replay } from '../reconcile/replay.ts';
import { frozenRules } from '../reconcile/run-book.ts';
import type { App, AppData } from './app.ts';
import { documentsFor } from './documents-for.ts';
import { judgeRun } from './judging-threads.ts';
import { periodEdges } from './periods.ts';
import { readBackApart } from './read-back-apart.ts';
import { reportingOfRun } from './reporting.ts';
import { reportsOf } from './reports-of-run.ts';

/** The profile and decimals of a run's published set, as the settings may have changed; null where the set is gone. */
export function spellingOf(
  published: string,
  { publishedTo }: Run,
): Pick<RenderOptions, 'profile' | 'decimals'> | null {
  return publishedTo === null ? null : manifestIn(join(published, publishedTo));
}

export interface RenderOptions {
  /** The folder to render into, apart from the published sets. */
  out: string;
  profile: ProfileName;
  decimals: DecimalsChoice;
  /** `json`, `xlsx` and `html` besides CSV, which is always written. */
  formats?: readonly ReportFormat[];
  /** Where earlier runs are that a page compares with; `app.settings.out` may be the folder to render into. */
  published?: string;
  /** All reports by default. */
  reports?: readonly Report[] | undefined;
}

/** The reports of a run of these names, in the order of a set. @throws UsageError */
export function reportsNamed(names: readonly string[], run: Run): readonly Report[] {
  const all = reportsOf(run);
  const known = all.map(({ definition }) => definition.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`--report ${unknown}: there is none; use ${known.join(', ')}`);
  return all.filter(({ definition }) => names.includes(definition.name));
}

/**
 * Where runs are published, and the folder of its own that `--out` names for a result. One that a database publishes to, as `run --out` made
 * it, is the former: published sets are never changed.
 */
export function outFolders(
  configured: string,
  flag: string | undefined,
): { published: string; own: string | undefined } {
  if (flag === undefined) return { published: configured, own: undefined };
  const isPublished = resolve(flag) === resolve(configured) || readFolderMark(flag, realFileSystem) !== null;
  return isPublished ? { published: flag, own: undefined } : { published: configured, own: flag };
}

/** The folder has another rendering of the same run or month, and none is replaced. */
export class OtherRenderingError extends UsageError {}

/** @throws OtherRenderingError */
async function keepingOthers<T>(out: string, of: string, render: () => Promise<T>): Promise<T> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof PublicationError && error.cause instanceof PlaceTakenError)) throw error;
    throw new OtherRenderingError(`${out} has another rendering of ${of}; name another folder with --out`);
  }
}

/**
 * The set appears as any publication does: whole, with a manifest, or not at all.
 * @throws OtherRenderingError; PublicationError
 */
export async function renderRun(
  app: AppData,
  run: Run,
  options: RenderOptions,
): Promise<{ folder: string; tally: Tally }> {
  return keepingOthers(options.out, run.runId, async () => {
    try {
      return await renderOnce(app, run, options, false);
    } catch (error) {
      if (error instanceof RecordNotPrintedError) return renderOnce(app, run, options, true);
      throw error;
    }
  });
}

async function renderOnce(
  app: AppData,
  run: Run,
  options: RenderOptions,
  eachIsPrinted: boolean,
): Promise<{ folder: string; tally: Tally }> {
  const { formats = ['csv'], reports = reportsOf(run) } = options;
  const documents = await documentsFor(formats, options.published ?? app.settings.out, options.decimals);
  const rendering = tableSettings({ ...options, formats });
  const set = openReportSet(run, {
    ...options,
    ...rendering,
    documents,
    reports,
    rules: frozenRules(run.terms),
    reporting: (of) => reportingOfRun(app, of),
    suffix: `replay-${process.pid}`,
    ...(app.settings.judging.threads === 1 ? {} : { readBackApart }),
  });
  try {
    const parts = judgeRun(run, {
      store: app.store,
      stages: false,
      eachIsPrinted,
      databaseUrl: app.settings.database.url,
      threads: app.settings.judging.threads,
      reports: reports.map(({ definition }) => definition.name),
      rendering,
    });
    const tally = await replay(parts, set);
    const folder = await set.publish(
      run,
      tally,
      whyIncomplete(run, tally.notReached).length > 0 ? 'incomplete' : 'complete',
    );
    return { folder: join(options.out, folder), tally };
  } catch (error) {
    await set.discard();
    throw error;
  }
}

/**
 * Renders the close of a month, as it was sealed, into a folder of its own.
 * @param options `published` has the sealed set, which is verified first
 * @returns the folder of the set
 * @throws UsageError, OtherRenderingError; PeriodDamagedError (exit 1); PublicationError (4)
 */
export async function renderClosedPeriod(
  app: App,
  period: string,
  options: Required<Omit<RenderOptions, 'reports'>>,
  signal: AbortSignal,
): Promise<string> {
  const { out, published, decimals, formats } = options;
  const publication = { ...tableSettings(options), out, suffix: `render-${process.pid}` };
  const edges = periodEdges(app, published);
  const { closed, close } = await periodOfSet(edges, period);
  const carried = await carriedSets(edges, closed.period, await edges.store.periods.list(), 'sealed');
  const { folder } = await keepingOthers(out, period, () =>
    publishPeriod({
      edges: { ...edges, publication, documents: () => documentsFor(formats, null, decimals) },
      statement: close,
      carried,
      deltaOf: null,
      fence: null,
      signal,
    }),
  );
  return join(out, folder);
}

/** The files that differ, in words; the manifest is left out, as its place in the chain is another one. */
export async function compareWithPublished(published: string, rendered: string): Promise<string[]> {
  if (!existsSync(published))
    return [`${published} is gone: restore it from a backup, or name the out folder it was published to with --out`];
  const differences: string[] = [];
  for (const name of readdirSync(rendered).filter((each) => each.endsWith('.csv'))) {
    const [before, now] = [await hashOf(join(published, name)), await hashOf(join(rendered, name))];
    if (before !== now) differences.push(`${name}: published ${before ?? 'nothing'}, now ${now}`);
  }
  return differences;
}

/** Piece by piece: a night's records may be a file of a gigabyte. Null where there is none. */
async function hashOf(path: string): Promise<string | null> {
  if (!existsSync(path)) return null;
  const hash = createHash('sha256');
  for await (const piece of piecesOf(path, realFileSystem)) hash.update(piece);
  return hash.digest('hex');
}
