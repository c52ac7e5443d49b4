/** Prints months on the terminal and as JSON, with the names of manifests. */
import { type HostBridge, printedBridge } from '../../app/host-share.ts';
import { inMinorUnits, showMoney } from '../../domain/currency.ts';
import { isoInstant, kindsInWords } from '../../domain/record.ts';
import { verdictsInWords } from '../../domain/run.ts';
import { pendingInWords, stakeAsJson, stakeInWords, waivedInWords } from '../../domain/stake-tally.ts';
import { retractedAsJson } from '../../periods/figures.ts';
import type { ClosedPeriodStatus, PeriodStatus } from '../../periods/status.ts';
import type { NamedRecord, PeriodFigures } from '../../ports/period.ts';
import type { ClosedPeriod } from '../../ports/store/periods.ts';
import { count, counted } from '../../text/counts.ts';
import { type Output, snakeCase } from '../output.ts';

export function figuresAsJson(figures: PeriodFigures) {
  const { stake, retracted, currencies, ...counts } = figures;
  return {
    ...snakeCase(counts),
    ...stakeAsJson(stake),
    ...retractedAsJson(figures),
    currencies: currencies.map(({ currency, records, fiatValue, appliedFee, hostFeeCut }) => ({
      currency,
      records,
      fiat_value_total: fiatValue,
      applied_fee_total: appliedFee,
      host_fee_cut_total: hostFeeCut,
    })),
  };
}

export const closedAsJson = ({ figures, ...closed }: ClosedPeriod) => snakeCase(closed);

const recordAsJson = ({ lastLookRun, ...record }: NamedRecord) => ({ ...snakeCase(record), last_look: lastLookRun });

function bridgeAsJson({ unknown, rounding, journal, earnedBefore: createdBefore, ...bridge }: HostBridge) {
  const sums = { rounding: rounding.amount, journal: journal.amount };
  return snakeCase({ ...bridge, ...sums, createdBefore, releasedWithoutAny: unknown.length });
}

export function statusAsJson(status: PeriodStatus, hostShare: readonly HostBridge[]) {
  const days = { first_day: status.range.first, last_day: status.range.last };
  const host_share = hostShare.map(bridgeAsJson);
  const known = { ...figuresAsJson(status.figures), host_share, records: status.records.map(recordAsJson) };
  if (status.state === 'open') {
    const { period, state, isOver } = status;
    return { period, state, ...days, is_over: isOver, ...known };
  }
  return {
    ...closedAsJson(status.closed),
    ...days,
    ...known,
    sets: status.sets.map(({ type, folder, manifestSha256, by, at, review, problems }) => {
      const stated = { manifest_sha256: manifestSha256, stated_by: by, stated_at: isoInstant(at) };
      const reviewed = type === 'close' ? {} : { reviewed_by: review?.by ?? null };
      return { type, folder, ...stated, ...reviewed, problems };
    }),
    differs_since: status.since,
    not_carried_yet: status.uncarried,
  };
}

export async function printStatus(out: Output, status: PeriodStatus, hostShare: readonly HostBridge[]): Promise<void> {
  await out.line(`${out.paint('bold', status.period)}  ${status.state}`);
  if (status.state === 'open') {
    const { isOver, range, figures } = status;
    await out.pairs([
      ...figuresInWords(figures),
      ['ends', isOver ? null : `on ${range.last}; it cannot be closed before`],
    ]);
  } else await printClosed(out, status);
  await printTables(out, status.figures);
  await printHostShare(out, hostShare);
  await printRecords(out, status.records);
}

async function printClosed(
  out: Output,
  { closed, figures, sets, since, uncarried }: ClosedPeriodStatus,
): Promise<void> {
  const { reviewedBy, reviewedAt } = closed;
  await out.pairs([
    ['closed', `by ${closed.closedBy}, ${isoInstant(closed.closedAt)}`],
    ['accepted open', closed.acceptedOpen],
    [
      'reviewed',
      reviewedBy === null || reviewedAt === null ? 'not yet' : `by ${reviewedBy}, ${isoInstant(reviewedAt)}`,
    ],
    ...sets
      .filter(({ type }) => type === 'delta')
      .map(({ number, by, review }): [string, string] => [
        `delta ${number}`,
        `by ${by}, ${review === null ? 'not reviewed yet' : `reviewed by ${review.by}`}`,
      ]),
    ...figuresInWords(figures),
    ['differs since', changesInWords(since)],
    ['not carried yet', changesInWords(uncarried)],
  ]);
  for (const { folder, problems } of sets) await out.verified(folder, problems);
}

function changesInWords({ records, changes }: { records: number; changes: number }): string {
  return records === 0 ? 'nothing' : `${counted(changes, 'change')} on ${counted(records, 'record')}`;
}

function figuresInWords(figures: PeriodFigures): [string, string | null][] {
  const { verdicts, breaks } = figures;
  const of = (n: number, what: string) => (n === 0 ? null : `${count(n)} ${what}`);
  const unverified = [
    of(figures.neverVerified, 'never verified'),
    of(figures.deferred, 'deferred'),
    of(figures.unreachable, 'unreachable'),
  ].filter((part) => part !== null);
  return [
    ['population', counted(figures.population, 'record')],
    ['verdicts', verdictsInWords(verdicts)],
    ['unverified', unverified.length === 0 ? null : unverified.join(', ')],
    ['breaks', `${count(breaks.open)} open, ${count(breaks.waived)} waived`],
    ['money at stake', stakeInWords(figures.stake)],
    ['pending', pendingInWords(figures.stake)],
    ['waived', waivedInWords(figures.stake)],
    ['retracted', retractedInWords(figures)],
    ['dated otherwise', datedInWords(figures)],
  ];
}

function retractedInWords({ retracted }: PeriodFigures): string | null {
  if (retracted === null || retracted.purchase + retracted.sale === 0) return null;
  return `${kindsInWords(retracted)} out of the population by decision`;
}

function datedInWords({ datedByTold, datedByTracking }: PeriodFigures): string | null {
  if (datedByTold + datedByTracking === 0) return null;
  return `${count(datedByTold)} by the date that the application gave, ${count(datedByTracking)} by the time of tracking: the Service's date is unknown, or of another month`;
}

async function printTables(out: Output, { rules, currencies }: PeriodFigures): Promise<void> {
  if (rules.length > 0) await out.line();
  await out.table(
    [
      { title: 'rule', cell: ({ rule }) => rule },
      { title: 'severity', cell: ({ severity }) => severity },
      { title: 'open', cell: ({ open }) => count(open), align: 'right' },
      {
        title: 'differences',
        cell: ({ differences }) =>
          Object.entries(differences)
            .map(([currency, sum]) => showMoney(sum, currency))
            .join(', '),
      },
    ],
    rules,
  );
  if (currencies.length > 0) await out.line();
  await out.table(
    [
      { title: 'currency', cell: ({ currency }) => currency },
      { title: 'records', cell: ({ records }) => count(records), align: 'right' },
      { title: 'fiat value', cell: (row) => inMinorUnits(row.fiatValue, row.currency), align: 'right' },
      { title: 'applied fee', cell: (row) => inMinorUnits(row.appliedFee, row.currency), align: 'right' },
      { title: 'host fee cut', cell: (row) => inMinorUnits(row.hostFeeCut, row.currency), align: 'right' },
    ],
    currencies,
  );
}

/** The three figures of the host share, and the steps between them. */
async function printHostShare(out: Output, bridges: readonly HostBridge[]): Promise<void> {
  if (bridges.length === 0) return;
  await out.line();
  const part = (title: string, name: Exclude<keyof HostBridge, 'currency' | 'unknown'>) => ({
    title,
    cell: (bridge: HostBridge) => printedBridge(bridge).get(name) ?? '',
    align: 'right' as const,
  });
  await out.table(
    [
      { title: 'host share', cell: ({ currency }) => currency },
      part('every record', 'everyRecord'),
      part('− not released', 'notReleased'),
      part('= released', 'released'),
      part('+ from quotes', 'fromQuotes'),
      part('− earned later', 'earnedLater'),
      part('+ created before', 'earnedBefore'),
      part('− taken back', 'takenBack'),
      part('= revenue', 'revenue'),
      part('journal', 'journal'),
    ],
    bridges,
  );
  await out.line(
    'The journal books the revenue, rounded per entry; what only linked quotes promised is in it, and counted apart. Empty: no record states one.',
  );
}

/** Records that a terminal shows; `--json` has all of them. */
const NAMED = 50;

async function printRecords(out: Output, records: readonly NamedRecord[]): Promise<void> {
  if (records.length === 0) return;
  await out.line();
  await out.table(
    [
      { title: 'record', cell: ({ kind, recordId }) => `${kind} ${recordId}` },
      { title: 'host reference', cell: ({ hostReference }) => hostReference ?? '' },
      { title: 'verdict', cell: ({ verdict }) => verdict },
      { title: 'why', cell: ({ why }) => why },
      { title: 'last look', cell: ({ lastLookRun }) => lastLookRun ?? 'never' },
    ],
    records.slice(0, NAMED),
  );
  if (records.length > NAMED) await out.line(`${count(records.length - NAMED)} more; --json has all of them`);
}
