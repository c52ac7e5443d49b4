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
import { addDays } from '../domain/calendar.ts';
import { isoInstant } from '../domain/record.ts';
import { stakeAsJson } from '../domain/stake-tally.ts';
import { readFigures, retractedAsJson } from '../periods/figures.ts';
import { periodRange } from '../periods/month.ts';
import { namedRecords } from '../periods/named-records.ts';
import { movementOf, signOffs } from '../periods/pack.ts';
import { type PeriodOfSet, periodOfSet } from '../periods/sealed-states.ts';
import type { RowSink } from '../ports/report-definition.ts';
import type { SettledRevenue } from '../ports/settled.ts';
import { tableDecimals } from '../publish/profiles.ts';
import { Publication } from '../publish/publication.ts';
import { ReportRows } from '../publish/report-rows.ts';
import { type RunSetName, setPath } from '../publish/set-path.ts';
import { signerFor } from '../publish/sign.ts';
import { zipOf } from '../publish/zip.ts';
import { frozenRules, RunBook } from '../reconcile/run-book.ts';
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

/**
 * @throws UsageError; PeriodDamagedError (exit 1); PackageMissingError; ManifestKeyError; PublicationError (4)
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
    const records = namedRecords(edges, close, new RunBook(app.store.periods));
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
function packFacts({ closed, statements }: PeriodOfSet, { businessDate, job, revision }: RunSetName) {
  const [close] = statements;
  const { first, last, period } = periodRange(closed.period, closed.timezone);
  const figures = readFigures(closed.figures);
  const newest = Math.max(closed.closedAt, closed.reviewedAt ?? 0, ...statements.map(({ at }) => at));
  const { verdicts } = figures;
  return {
    run_id: `${job}-${period}-r${revision}`,
    job,
    business_date: businessDate,
    revision,
    supersedes: null,
    status: verdicts.unverified > 0 ? ('incomplete' as const) : ('complete' as const),
    selection: { type: 'created' as const, from: first, to: addDays(last, 1), kind: null },
    timezone: closed.timezone,
    started_at: isoInstant(closed.closedAt),
    finished_at: isoInstant(newest),
    population: figures.population,
    verdicts,
    requests_sent: 0,
    rule_set: { rules: frozenRules(close?.terms ?? '{}'), sha256: close?.rulesHash ?? '' },
    configuration_sha256: close?.configHash ?? '',
    code_version: close?.codeVersion ?? '',
    breaks: figures.breaks,
    ...stakeAsJson(figures.stake),
    ...retractedAsJson(figures),
    sealed_set: { path: closed.folder, manifest_sha256: closed.manifestSha256 },
  };
}
