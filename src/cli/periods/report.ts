/** How months are told: on the terminal and as JSON, with the names that manifests use. */
import { isoInstant } from '../../domain/record.ts';
import { stakeAsJson, stakeInWords, waivedInWords } from '../../domain/stake-tally.ts';
import type { ClosedPeriodStatus, OpenPeriodStatus, PeriodStatus } from '../../periods/status.ts';
import type { PeriodFigures } from '../../ports/period.ts';
import type { ClosedPeriod } from '../../ports/store/periods.ts';
import { count, type Output, shown } from '../output.ts';

export function figuresAsJson(figures: PeriodFigures) {
  return {
    population: figures.population,
    verdicts: figures.verdicts,
    deferred: figures.deferred,
    unreachable: figures.unreachable,
    never_verified: figures.neverVerified,
    never_looked_at: figures.neverLookedAt,
    dated_by_told: figures.datedByTold,
    dated_by_tracking: figures.datedByTracking,
    breaks: figures.breaks,
    ...stakeAsJson(figures.stake),
    rules: figures.rules,
    currencies: figures.currencies.map(({ currency, records, fiatValue, appliedFee, hostFeeCut }) => ({
      currency,
      records,
      fiat_value_total: fiatValue,
      applied_fee_total: appliedFee,
      host_fee_cut_total: hostFeeCut,
    })),
  };
}

export function closedAsJson(closed: ClosedPeriod) {
  return {
    period: closed.period,
    timezone: closed.timezone,
    state: closed.state,
    closed_by: closed.closedBy,
    closed_at: isoInstant(closed.closedAt),
    accepted_open: closed.acceptedOpen,
    reviewed_by: closed.reviewedBy,
    reviewed_at: closed.reviewedAt === null ? null : isoInstant(closed.reviewedAt),
    folder: closed.folder,
    manifest_sha256: closed.manifestSha256,
  };
}

export function statusAsJson(status: PeriodStatus) {
  const { first, last } = status.range;
  if (status.state === 'open') {
    const { period, state, isOver, figures } = status;
    return { period, state, first_day: first, last_day: last, is_over: isOver, ...figuresAsJson(figures) };
  }
  return {
    ...closedAsJson(status.closed),
    first_day: first,
    last_day: last,
    ...figuresAsJson(status.figures),
    sets: status.sets.map(({ type, folder, manifestSha256, by, at, problems }) => {
      return { type, folder, manifest_sha256: manifestSha256, stated_by: by, stated_at: isoInstant(at), problems };
    }),
    differs_since: status.since,
    not_carried_yet: status.uncarried,
  };
}

export async function printStatus(out: Output, status: PeriodStatus): Promise<void> {
  await out.line(`${out.paint('bold', status.period)}  ${status.state}`);
  if (status.state === 'open') await printOpen(out, status);
  else await printClosed(out, status);
  await printTables(out, status.figures);
}

async function printOpen(out: Output, { isOver, range, figures }: OpenPeriodStatus): Promise<void> {
  await out.pairs([
    ...figuresInWords(figures),
    ['ends', isOver ? null : `on ${range.last}; it cannot be closed before`],
  ]);
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
    ...figuresInWords(figures),
    ['differs since', changesInWords(since)],
    ['not carried yet', changesInWords(uncarried)],
  ]);
  for (const { folder, problems } of sets) {
    if (problems.length === 0) await out.line(`${out.paint('green', 'holds')}  ${folder}`);
    else {
      await out.line(`${out.paint('red', 'FAILS')}  ${folder}`);
      for (const problem of problems) await out.line(`       ${problem}`);
    }
  }
}

function changesInWords({ records, changes }: { records: number; changes: number }): string {
  return records === 0 ? 'nothing' : `${count(changes)} changes on ${count(records)} records`;
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
    ['population', `${count(figures.population)} records`],
    [
      'verdicts',
      (Object.keys(verdicts) as (keyof typeof verdicts)[]).map((name) => `${count(verdicts[name])} ${name}`).join(', '),
    ],
    ['unverified', unverified.length === 0 ? null : unverified.join(', ')],
    ['breaks', `${count(breaks.open)} open, ${count(breaks.waived)} waived`],
    ['money at stake', stakeInWords(figures.stake)],
    ['waived', waivedInWords(figures.stake)],
    ['dated otherwise', datedInWords(figures)],
  ];
}

function datedInWords({ datedByTold, datedByTracking }: PeriodFigures): string | null {
  if (datedByTold + datedByTracking === 0) return null;
  return `${count(datedByTold)} by what the application told, ${count(datedByTracking)} by when they were tracked: the Service's date is unknown, or of another month`;
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
            .map(([currency, sum]) => `${sum} ${currency}`)
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
      { title: 'fiat value', cell: ({ fiatValue }) => shown(fiatValue), align: 'right' },
      { title: 'applied fee', cell: ({ appliedFee }) => shown(appliedFee), align: 'right' },
      { title: 'host fee cut', cell: ({ hostFeeCut }) => shown(hostFeeCut), align: 'right' },
    ],
    currencies,
  );
}
