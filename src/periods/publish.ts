/**
 * Publishes a staged statement of a month: reports over its records, the differences, and a manifest with names and
 * times.
 */
import { join } from 'node:path';
import { addDays } from '../domain/calendar.ts';
import { noVerdicts } from '../domain/finding.ts';
import { isoInstant } from '../domain/record.ts';
import { addStake, emptyStake, stakeAsJson, stakeFigures } from '../domain/stake-tally.ts';
import type { SetFacts } from '../ports/html-view.ts';
import type { EarlierShare, PeriodChange } from '../ports/period.ts';
import type { RowSink } from '../ports/report-definition.ts';
import { RecordNotPrintedError } from '../ports/report-set.ts';
import type { RunFacts, SettledRecord, Tally } from '../ports/settled.ts';
import type { MonthSet, MonthSetRecord } from '../ports/store/periods.ts';
import type { Fence } from '../ports/store/store.ts';
import { orNull, realFileSystem } from '../publish/file-system.ts';
import { MANIFEST, type ManifestFacts, sha256Of } from '../publish/manifest.ts';
import { Publication } from '../publish/publication.ts';
import { printingToNowhere } from '../publish/rendered-range.ts';
import { ReportRows } from '../publish/report-rows.ts';
import { setPath } from '../publish/set-path.ts';
import { frozenRules, runBook } from '../reconcile/run-book.ts';
import type { TryPrinting } from '../reconcile/set-aside.ts';
import { countOpen } from '../reconcile/settle.ts';
import { isNotReached } from '../reconcile/verdict.ts';
import { comparePositions } from './baseline.ts';
import type { PeriodEdges } from './edges.ts';
import { earlierOf, readFigures, retractedAsJson } from './figures.ts';
import { type PeriodRange, periodRange } from './month.ts';
import { statedPages, statedRecords } from './named-records.ts';
import { periodPage } from './pages.ts';
import { revenueBreaks } from './standing.ts';

/**
 * A delta lists only the records that differ; totals over those would be mistaken for the month's. Its payments and the legs of its
 * revenue are the month's, as they are known by then.
 */
const OF_A_DELTA: readonly string[] = [
  'records',
  'breaks',
  'fees',
  'deliveries',
  'payouts',
  'revenue_legs',
  'revenue_reconciliation',
  'payout_lines',
];

/** Coverage lists observations; every other report lists what is known. */
const OF_LOOKS: readonly string[] = ['coverage'];

interface PeriodPublication {
  edges: PeriodEdges;
  /** The close, or the delta. */
  statement: MonthSet;
  /** With a close: what it carries of earlier months. */
  carried: readonly MonthSet[];
  /** Of a delta: what it is a delta to. */
  deltaOf: { path: string; manifestSha256: string } | null;
  /** Of the lock that closes and deltas are made under; null for a rendering apart, which is neither fenced nor signed. */
  fence: Fence | null;
  signal: AbortSignal;
}

/** Idempotent: a statement always gives the same bytes. After a crash between the rename and `seal`, it is published again. */
export async function publishPeriod(input: PeriodPublication): Promise<{ folder: string; manifestSha256: string }> {
  try {
    return await publishOnce(input, false);
  } catch (error) {
    if (error instanceof RecordNotPrintedError) return publishOnce(input, true);
    throw error;
  }
}

async function publishOnce(
  input: PeriodPublication,
  eachIsPrinted: boolean,
): Promise<{ folder: string; manifestSha256: string }> {
  const { edges, statement } = input;
  const range = periodRange(statement.period, statement.timezone);
  const { changes, priorPeriod } = edges.reports;
  const isDelta = statement.type === 'delta';
  const revenue = await edges.revenue(statement);
  const ofRun = edges.reports.ofRun({
    terms: statement.terms,
    watermarks: { evidence: { revenue: revenue !== null } },
  });
  const name = { period: range.period, delta: statement.number };
  const facts: RunFacts = { runId: runIdOf(statement), businessDate: range.last, timezone: statement.timezone };
  const reports = isDelta ? ofRun.filter(({ definition }) => OF_A_DELTA.includes(definition.name)) : ofRun;
  const { profile, decimals, formats = ['csv'] } = edges.publication;
  const tryPrinting = eachIsPrinted ? printingToNowhere(reports, facts, { profile, decimals, formats }) : null;
  const settings = {
    ...edges.publication,
    ...(input.fence === null
      ? {}
      : { signer: edges.readSigner(), right: await edges.right(statement.key, input.fence) }),
  };
  const documents = await edges.documents();
  const publication = new Publication({ ...settings, ...name });
  const { known = [], looks = [] } = Object.groupBy(reports, ({ definition }) =>
    OF_LOOKS.includes(definition.name) ? 'looks' : 'known',
  );
  try {
    const ofKnown = new ReportRows(known, facts, publication);
    const ofLooks = new ReportRows(looks, facts, publication);
    const differing = publication.open(isDelta ? changes : priorPeriod);
    const owed = isDelta ? [] : await revenueBreaks(edges.store.breaks, range.period, statement.basis.breakEvent);
    ofKnown.write({
      records: [],
      outside: owed.map((each) => ({ ...each, hostReference: null, run: facts })),
      ...(revenue === null ? {} : { revenue: { ...revenue, run: facts } }),
    });
    const counts = await writeRecords(input, facts, tryPrinting, (records) => {
      ofKnown.write({ records: records.map(({ settled }) => settled), outside: [] });
      ofLooks.write({ records: records.map(({ looked }) => looked), outside: [] });
    });
    counts.breaks.open += countOpen(owed);
    counts.breaks.waived += owed.length - countOpen(owed);
    addStake(counts.stake, owed);
    await writeChanges(input, differing);
    ofKnown.end();
    ofLooks.end();
    const manifest = manifestFacts(input, range, counts);
    const figures = { breaks: null, stake: stakeFigures(counts.stake), reporting: null };
    for (const document of documents)
      await publication.attach(document.name, document.pieces(publication.tablesFor(manifest, figures)));
    const folder = await publication.publish(manifest);
    const bytes = (settings.fileSystem ?? realFileSystem).readFile(join(settings.out, folder, MANIFEST));
    return { folder, manifestSha256: sha256Of(bytes) };
  } catch (error) {
    publication.discard();
    throw error;
  }
}

/** Whether the set of a statement is in place. From then on the statement counts, even if the store could not record it. */
export function isInPlace(
  { publication }: PeriodEdges,
  { period, number }: Pick<MonthSet, 'period' | 'number'>,
): boolean {
  const manifest = join(publication.out, setPath({ period, delta: number }), MANIFEST);
  return orNull(() => realFileSystem.readFile(manifest)) !== null;
}

/** `period-2026-10`, `period-2026-10-delta-001`: as the folder, so that a row names its set. */
function runIdOf({ period, number }: MonthSet): string {
  return setPath({ period, delta: number }).replace('periods/', 'period-');
}

interface Counts extends Pick<Tally, 'population' | 'verdicts' | 'notReached' | 'stake'> {
  breaks: Pick<Tally['breaks'], 'open' | 'waived'>;
}

async function writeRecords(
  { edges, statement, signal }: PeriodPublication,
  facts: RunFacts,
  tryPrinting: TryPrinting | null,
  write: (records: Awaited<ReturnType<typeof periodPage>>) => void,
): Promise<Counts> {
  const book = runBook(edges.store.periods);
  const counts: Counts = {
    population: 0,
    verdicts: noVerdicts(),
    notReached: 0,
    breaks: { open: 0, waived: 0 },
    stake: emptyStake(),
  };
  for await (const page of statedPages(edges.store.periods, statement.key)) {
    signal.throwIfAborted();
    // A record that has left the month is listed as a change only.
    const present = page.filter((record) => record.present);
    const records = await periodPage(edges.store, book, facts, statement.basis, present, tryPrinting);
    for (const { settled, looked } of records) count(counts, settled, looked);
    write(records);
  }
  return counts;
}

function count(counts: Counts, settled: SettledRecord, looked: SettledRecord): void {
  counts.population++;
  counts.verdicts[settled.verdict]++;
  if (isNotReached(looked.observation)) counts.notReached++;
  counts.breaks.open += settled.openBreaks;
  addStake(counts.stake, settled.breaks);
  counts.breaks.waived += settled.breaks.length - settled.openBreaks;
}

/** Merges the changes of several months in the order kind, record id, month. */
async function writeChanges(
  { edges, statement, carried, signal }: PeriodPublication,
  table: RowSink<PeriodChange>,
): Promise<void> {
  const sources = statement.type === 'delta' ? [statement] : carried;
  const streams = sources.map(({ key }) => statedRecords(edges.store.periods, key));
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    signal.throwIfAborted();
    let least: { at: number; record: MonthSetRecord } | null = null;
    for (const [at, head] of heads.entries()) {
      if (head.done === true) continue;
      if (least === null || comparePositions(head.value, least.record) < 0) least = { at, record: head.value };
    }
    if (least === null) return;
    if (least.record.changes.length > 0) table.write(least.record.changes);
    const stream = streams[least.at];
    if (stream !== undefined) heads[least.at] = await stream.next();
  }
}

const earlierAsJson = ({ kind, recordId, fiatCurrency, sign, share, source }: EarlierShare) => {
  return {
    kind,
    record_id: recordId,
    currency: fiatCurrency,
    share: sign === 1 ? share : (share?.negated() ?? null),
    source,
  };
};

/** What the manifests of a month and of its pack say alike. */
export function factsOfMonth({ timezone, terms, rulesHash, configHash, codeVersion }: MonthSet, range: PeriodRange) {
  return {
    business_date: range.last,
    supersedes: null,
    // Half-open, as every range.
    selection: { type: 'created', from: range.first, to: addDays(range.last, 1), kind: null },
    timezone,
    requests_sent: 0,
    rule_set: { rules: frozenRules(terms), sha256: rulesHash },
    configuration_sha256: configHash,
    code_version: codeVersion,
  };
}

function manifestFacts(
  { statement, carried, deltaOf }: PeriodPublication,
  range: PeriodRange,
  counts: Counts,
): ManifestFacts & SetFacts {
  const earlier = earlierOf(statement);
  const at = isoInstant(statement.at);
  return {
    ...factsOfMonth(statement, range),
    run_id: runIdOf(statement),
    job: 'period',
    revision: statement.number + 1,
    status: counts.notReached > 0 ? 'incomplete' : 'complete',
    started_at: at,
    finished_at: at,
    population: counts.population,
    verdicts: counts.verdicts,
    breaks: counts.breaks,
    ...stakeAsJson(stakeFigures(counts.stake)),
    ...(statement.type === 'close' && statement.figures !== null
      ? retractedAsJson(readFigures(statement.figures))
      : {}),
    period: {
      name: range.period,
      statement: statement.type,
      stated_by: statement.by,
      stated_at: at,
      accepted_open: statement.acceptedOpen,
      ...(earlier === null ? {} : { earned_before: earlier.map(earlierAsJson) }),
      carried: carried.map(({ period, figures }) => ({ period, ...JSON.parse(figures ?? '{}') })),
    },
    ...(deltaOf === null ? {} : { delta_of: { path: deltaOf.path, manifest_sha256: deltaOf.manifestSha256 } }),
  };
}
