/** The month-end pack: one workbook and one page of a closed month, published and signed as a set in a folder of its own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REVENUE_REPORTS } from '../../reports/index.ts';
import {
  hostBridge,
  journal,
  movement,
  notVerified,
  PACK_VIEWS,
  REVENUE_VIEWS,
  signOff,
} from '../../reports/pack/index.ts';
import { bridgeSteps } from '../books/host-bridge.ts';
import { chartFor } from '../books/journal/accounts.ts';
import { type Instant, isoInstant } from '../domain/record.ts';
import { stakeAsJson } from '../domain/stake-tally.ts';
import { readFigures, retractedAsJson } from '../periods/figures.ts';
import { periodRange } from '../periods/month.ts';
import { movementOf } from '../periods/movement.ts';
import { namedRecords } from '../periods/named-records.ts';
import { factsOfMonth } from '../periods/publish.ts';
import { type PeriodOfSet, periodOfSet } from '../periods/sealed-states.ts';
import type { SignOff } from '../ports/period.ts';
import type { RowSink } from '../ports/report-definition.ts';
import type { SettledRevenue } from '../ports/settled.ts';
import { tableDecimals } from '../publish/profiles.ts';
import { Publication } from '../publish/publication.ts';
import { ReportRows } from '../publish/report-rows.ts';
import { PACKS, type RunSetName, setPath } from '../publish/set-path.ts';
import { signerFor } from '../publish/sign.ts';
import { zipOf } from '../publish/zip.ts';
import { runBook } from '../reconcile/run-book.ts';
import type { App } from './app.ts';
import { documentsFor } from './documents-for.ts';
import { hostShareOfSet } from './host-share.ts';
import { closedJournal, linesOf } from './period-journal.ts';
import { periodEdges } from './periods.ts';

interface PackOptions {
  /** The folder that packs are published to, apart from the published sets. */
  out: string;
  /** The out folder with the sealed set, which is verified first. */
  published: string;
}

interface Pack {
  folder: string;
  workbook: string;
  page: string;
  /** Whether the manifest of the pack is signed. */
  isSigned: boolean;
}

/** Where packs are published unless `--out` names another folder. */
export const packsIn = (published: string): string => join(published, PACKS);

/**
 * @throws UsageError; PeriodDamagedError (exit 1); ManifestKeyError; PublicationError (4)
 */
export async function packMonth(app: App, period: string, { out, published }: PackOptions): Promise<Pack> {
  const edges = periodEdges(app, published);
  const sealed = await periodOfSet(edges, period);
  const { close } = sealed;
  const { settings } = app;
  const { reports } = settings;
  const signer = signerFor(settings.publish.signingKeyFile);
  const revenue = await edges.revenue(close);
  const views = revenue === null ? PACK_VIEWS : [...PACK_VIEWS, ...REVENUE_VIEWS];
  const documents = await documentsFor(['xlsx', 'html'], null, reports.decimals, async () => views);
  const name = nextPack(out, periodRange(sealed.closed.period, close.timezone).last);
  const publication = new Publication({
    ...name,
    out,
    profile: reports.profile,
    decimals: tableDecimals(reports.decimals, reports.profile),
    suffix: edges.publication.suffix,
    ...(edges.publication.isGone === undefined ? {} : { isGone: edges.publication.isGone }),
    signer,
  });
  try {
    publication.open(signOff).write(signOffs(sealed));
    writeAll(publication.open(movement), await movementOf(edges, sealed.closed.period));
    writeAll(publication.open(hostBridge), (await hostShareOfSet(app, close)).flatMap(bridgeSteps));
    const chosen = { kind: null, currency: null, statistical: false };
    const { entries } = await closedJournal(app, sealed.closed.period, chosen, published);
    const chart = chartFor('generic', settings.books.accounts);
    const lines = entries.flatMap((entry) => linesOf(entry, chart));
    writeAll(publication.open(journal), lines);
    const sink = publication.open(notVerified);
    const records = namedRecords(edges, close, runBook(app.store.periods));
    // A record with an open break was verified: the movement lists it.
    for await (const record of records) if (record.verdict !== 'break') sink.write([record]);
    const facts = packFacts(sealed, name);
    const { stake } = readFigures(sealed.closed.figures);
    const figures = { breaks: null, stake, reporting: null };
    if (revenue !== null) writeRevenue(publication, revenue, facts);
    const names = { xlsx: `month-end-${sealed.closed.period}.xlsx`, html: `month-end-${sealed.closed.period}.html` };
    for (const document of documents) {
      const file = document.name.endsWith('.xlsx') ? names.xlsx : names.html;
      await publication.attach(file, document.pieces(publication.tablesFor(facts, figures)));
    }
    const folder = join(out, await publication.publish(facts));
    return { folder, workbook: join(folder, names.xlsx), page: join(folder, names.html), isSigned: signer !== null };
  } catch (error) {
    publication.discard();
    throw error;
  }
}

/** The files of a pack as one ZIP, made for this and left nowhere. @throws as `packMonth` */
export async function zippedPack(app: App, period: string): Promise<Buffer> {
  const out = mkdtempSync(join(tmpdir(), 'tieout-pack-'));
  try {
    const { folder } = await packMonth(app, period, { out, published: app.settings.out });
    const names = readdirSync(folder).sort();
    const { closedAt = 0 } = (await app.store.periods.get(period)) ?? {};
    return await zipOf(
      names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) })),
      closedAt,
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** A pack is made again after a review or a delta; the ones before stay. */
function nextPack(out: string, businessDate: string): RunSetName {
  for (let revision = 1; ; revision++) {
    const name = { businessDate, job: 'month-end', revision };
    if (!existsSync(join(out, setPath(name)))) return name;
  }
}

/** Who stated, accepted and reviewed what; a review that is missing is a line without a name. */
function signOffs({ closed, statements }: PeriodOfSet): readonly SignOff[] {
  const { closedBy, closedAt, acceptedOpen, reviewedBy, reviewedAt } = closed;
  const sets = statements.map((each) => ({
    what: each.type === 'close' ? 'closed' : `delta ${each.number} stated`,
    by: each.by,
    at: each.at,
    detail: each.folder,
    manifestSha256: each.manifestSha256,
  }));
  const reviewOf = (what: string, by: string | null, at: Instant | null) => ({
    what: by === null ? `${what}not reviewed yet` : `${what}reviewed`,
    by,
    at,
    detail: null,
    manifestSha256: null,
  });
  const accepted = { what: 'accepted as open', by: closedBy, at: closedAt, detail: acceptedOpen, manifestSha256: null };
  return [
    ...sets.slice(0, 1),
    ...(acceptedOpen === null ? [] : [accepted]),
    reviewOf('', reviewedBy, reviewedAt),
    ...statements.slice(1).flatMap(({ number, review }, i) => {
      const own = sets[i + 1];
      const reviewed = reviewOf(`delta ${number} `, review?.by ?? null, review?.at ?? null);
      return own === undefined ? [] : [own, reviewed];
    }),
  ];
}

/** As in a night's set; the rows name the pack. */
function writeRevenue(
  publication: Publication,
  revenue: Omit<SettledRevenue, 'run'>,
  { run_id: runId, business_date: businessDate, timezone }: ReturnType<typeof packFacts>,
): void {
  const run = { runId, businessDate, timezone };
  const rows = new ReportRows(REVENUE_REPORTS, run, publication);
  rows.write({ records: [], outside: [], revenue: { ...revenue, run } });
  rows.end();
}

function writeAll<Row>(sink: RowSink<Row>, rows: readonly Row[]): void {
  if (rows.length > 0) sink.write(rows);
}

/** The time of the pack is that of its newest sign-off: equal months give equal packs, whenever they are made. */
function packFacts({ closed, close, statements }: PeriodOfSet, { job, revision }: RunSetName) {
  const figures = readFigures(closed.figures);
  const newest = Math.max(closed.closedAt, closed.reviewedAt ?? 0, ...statements.map(({ at }) => at));
  const { verdicts } = figures;
  return {
    ...factsOfMonth(close, periodRange(closed.period, closed.timezone)),
    run_id: `${job}-${closed.period}-r${revision}`,
    job,
    revision,
    status: verdicts.unverified > 0 ? ('incomplete' as const) : ('complete' as const),
    started_at: isoInstant(closed.closedAt),
    finished_at: isoInstant(newest),
    population: figures.population,
    verdicts,
    breaks: figures.breaks,
    ...stakeAsJson(figures.stake),
    ...retractedAsJson(figures),
    sealed_set: { path: closed.folder, manifest_sha256: closed.manifestSha256 },
  };
}
