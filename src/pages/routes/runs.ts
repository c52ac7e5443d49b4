/** Runs: the last nights, one run with its figures, its files to download, and the rows behind a figure. */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Run } from '../../domain/run.ts';
import { CsvReader } from '../../publish/csv-reader.ts';
import { streamOf } from '../../publish/file-system.ts';
import { MANIFEST, type Manifest, manifestIn } from '../../publish/manifest.ts';
import { profileOf } from '../../publish/profiles.ts';
import { parseSetPath } from '../../publish/set-path.ts';
import type { PagesEdges } from '../contract.ts';
import { fileAt, NotFoundError, param, queryOf, send, sendFile, UnknownFilterError } from '../request.ts';
import { type FoundRows, rowsHtml, runHtml, runsHtml, type Uncovered } from '../views/runs.ts';

const SHOWN = 60;
/** Rows of one page of a file. */
const ROWS = 100;

export function runRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const view = { config: { permission: 'view' as const } };
  app.get('/runs', view, async (request, reply) => {
    const runs = await edges.store.runs.list({ limit: SHOWN });
    return send(request, reply, { title: 'Runs', at: '/runs', body: runsHtml(runs) });
  });

  app.get('/runs/:run', view, async (request, reply) => {
    const run = await runIn(request, edges);
    const manifest = manifestOf(run, edges);
    const uncovered = manifest === null ? null : await uncoveredIn(run, manifest, edges);
    const allowed = allowedFor(run, edges.settings.rateLimits);
    return send(request, reply, {
      title: run.runId,
      at: '/runs',
      body: runHtml(run, { manifest, uncovered, allowed }),
    });
  });

  app.get('/runs/:run/files/:file', view, async (request, reply) => {
    const { path, name } = await fileIn(request, edges);
    // Sent as a download: report.html has styles of its own.
    return sendFile(reply, name, path);
  });

  app.get('/runs/:run/rows/:file', { config: { permission: 'view', query: 'own' } }, async (request, reply) => {
    const { path, name, manifest, run } = await fileIn(request, edges);
    if (!name.endsWith('.csv')) throw new NotFoundError('Only tables have rows.');
    const query = queryOf(request);
    const wanted = [...query].filter(([column]) => column !== 'from');
    const from = /^\d{1,9}$/.test(query.get('from') ?? '') ? Number(query.get('from')) : 0;
    const found = await rowsOf(fileAt(path), manifest.profile, wanted, from);
    const body = rowsHtml({ run, name, wanted, from, ...found });
    return send(request, reply, { title: `${name} of ${run.runId}`, at: '/runs', body });
  });
}

/** @throws NotFoundError */
async function runIn(request: FastifyRequest, { store }: PagesEdges): Promise<Run> {
  const id = param(request, 'run');
  const run = /^[A-Za-z0-9_-]{1,100}$/.test(id) ? await store.runs.get(id) : null;
  if (run === null) throw new NotFoundError('There is no such run.');
  return run;
}

/** Null where nothing was published, or the set is missing. */
function manifestOf({ publishedTo }: Run, { settings }: PagesEdges): Manifest | null {
  if (publishedTo === null || parseSetPath(publishedTo) === null) return null;
  return manifestIn(join(settings.out, publishedTo));
}

/** Only a file that the manifest names: its schema allows no path in a name. @throws NotFoundError */
async function fileIn(request: FastifyRequest, edges: PagesEdges) {
  const run = await runIn(request, edges);
  const manifest = manifestOf(run, edges);
  const wanted = param(request, 'file');
  const isManifest = wanted === MANIFEST;
  const name = isManifest ? MANIFEST : manifest?.files.find((each) => each.name === wanted)?.name;
  if (manifest === null || name === undefined || run.publishedTo === null)
    throw new NotFoundError('There is no such file.');
  return { run, manifest, name, path: join(edges.settings.out, run.publishedTo, name) };
}

const COVERAGE = 'coverage.csv';
/** Tables with more rows are not read for one page. */
const MOST_COVERAGE_ROWS = 100_000;

/** Records that were not verified, by outcome and reason, most first; null where the table is too long, or missing. */
async function uncoveredIn(
  { publishedTo }: Run,
  manifest: Manifest,
  { settings }: PagesEdges,
): Promise<Uncovered | null> {
  const rows = manifest.files.find(({ name }) => name === COVERAGE)?.rows ?? null;
  const file =
    rows === null || rows > MOST_COVERAGE_ROWS ? null : streamOf(join(settings.out, publishedTo ?? '', COVERAGE));
  if (file === null) return null;
  const counts = new Map<string, { outcome: string; reason: string; records: number }>();
  let at: readonly number[] | null = null;
  for await (const lines of linesIn(file, manifest.profile)) {
    for (const line of lines) {
      if (at === null) {
        const header = columnsOf(line);
        at = ['outcome', 'reason'].map((name) => header.indexOf(name));
        continue;
      }
      const [outcome = '', reason = ''] = at.map((column) => line[column] ?? '');
      if (outcome === 'verified') continue;
      const known = counts.get(`${outcome} ${reason}`) ?? { outcome, reason, records: 0 };
      counts.set(`${outcome} ${reason}`, { ...known, records: known.records + 1 });
    }
  }
  return [...counts.values()].sort((a, b) => b.records - a.records || (a.reason < b.reason ? -1 : 1));
}

/** Requests that the tightest limit lets through while the run lasted; null without limits, or before its end. */
function allowedFor({ startedAt, finishedAt }: Run, limits: PagesEdges['settings']['rateLimits']): number | null {
  if (finishedAt === null || limits.length === 0) return null;
  const lasted = Math.max(0, finishedAt - startedAt);
  return Math.min(...limits.map(({ requests, perMs }) => Math.floor(requests * Math.max(1, lasted / perMs))));
}

/** Reads the file as a stream until the page is full. A row matches where its texts in the named columns are equal. */
async function rowsOf(
  file: Readable,
  profile: Manifest['profile'],
  wanted: readonly (readonly [string, string])[],
  from: number,
): Promise<FoundRows> {
  let columns: string[] | null = null;
  let at = 0;
  const rows: string[][] = [];
  for await (const lines of linesIn(file, profile)) {
    for (const line of lines) {
      if (columns === null) {
        columns = columnsOf(line);
        for (const [column] of wanted) if (!columns.includes(column)) throw new UnknownFilterError(column, columns);
        continue;
      }
      const known = columns;
      if (!wanted.every(([column, value]) => line[known.indexOf(column)] === value)) continue;
      if (at++ < from) continue;
      if (rows.length === ROWS) return { columns, rows, next: from + ROWS };
      rows.push(line);
    }
  }
  return { columns: columns ?? [], rows, next: null };
}

/** The lines of a published table, a piece of the file at a time. */
async function* linesIn(file: Readable, profile: Manifest['profile']): AsyncGenerator<string[][]> {
  const reader = new CsvReader(profileOf(profile));
  for await (const piece of file.setEncoding('utf8')) yield reader.push(piece as string);
  yield reader.end();
}

const columnsOf = (header: readonly string[]) => header.map((name) => name.replace(/^\ufeff/, ''));
