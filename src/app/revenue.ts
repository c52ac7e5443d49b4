/** The host's revenue in a night: accrued and paid amounts are fixed before the run is judged, and then compared. */
import { readFileSync } from 'node:fs';
import type { Settings } from '../../config/settings.ts';
import { accrue } from '../books/accrual.ts';
import { matchPayouts } from '../books/match-payouts.ts';
import { readPosted } from '../books/posted.ts';
import { accruedIn, addMonthly, type MonthlyAmounts } from '../books/revenue.ts';
import { revenueSubjects } from '../books/revenue-breaks.ts';
import { netPayouts } from '../books/standing-payouts.ts';
import { monthBefore } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import { isWholeNight, type JudgeableRun, type Run } from '../domain/run.ts';
import { addStake } from '../domain/stake-tally.ts';
import type { OutsideBreak, RunFacts, SettledRevenue } from '../ports/settled.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import type { Fence, Store } from '../ports/store/store.ts';
import type { JudgedPart } from '../reconcile/judged-parts.ts';
import { settle } from '../reconcile/settle.ts';
import { emptyTally, tallyBreaks } from '../reconcile/tally.ts';
import { createRuleSet, severityIn } from '../rules/rule-set.ts';
import { thawTerms } from '../rules/terms.ts';

/**
 * Fixes what the run knows of the revenue. Nothing where no payment is stored and none is expected by the settings, and for runs
 * that are no whole night: those look at single records.
 */
export async function keepRevenue(
  { store, settings }: { store: Store; settings: Settings },
  run: Run,
  fence: Fence,
): Promise<void> {
  const { expected, within, minimum, posted } = settings.evidence.payouts;
  if (expected === 'never' || !isWholeNight(run)) return;
  const payoutKey = await store.evidence.newestPayout();
  if (expected === 'auto' && payoutKey === 0) return;
  const last = monthBefore(run.businessDate);
  await store.evidence.keepRevenue(run.runId, fence, {
    accrued: await accruedUpTo({ store, settings }, last),
    posted: posted === null ? new Map() : postedIn(posted),
    payoutKey,
    dueDays: Math.round(within / DAY),
    minimum: new Map(minimum),
  });
}

const DAY = 86_400_000;

/** The current month is still earning. */
export async function accruedUpTo(edges: { store: Store; settings: Settings }, last: string): Promise<MonthlyAmounts> {
  const accrued: MonthlyAmounts = new Map();
  const { settings } = edges;
  const theirs = settings.evidence.payouts.timezone ?? settings.timezone;
  const own = { ...edges, settings: { ...settings, timezone: theirs } };
  for (const row of (await accrue(own, { kind: null, from: null, to: null })).rows()) {
    const total = accruedIn(row);
    if (total !== null && row.month <= last) addMonthly(accrued, row.month, row.currency, total);
  }
  return accrued;
}

/** @throws UsageError that names the file, and the line where there is one. */
export function postedIn(file: string): MonthlyAmounts {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  const read = readPosted(text);
  if ('problem' in read) throw new UsageError(`${file}:${read.line}: ${read.problem}`);
  return read.posted;
}

/**
 * The part of a run about the host's revenue; it comes before the records. Where the run knows nothing of it, the breaks of earlier
 * nights stand as they are.
 */
export async function* revenuePart(
  run: JudgeableRun,
  store: Pick<Store, 'breaks' | 'evidence'>,
): AsyncGenerator<JudgedPart> {
  if (!isWholeNight(run)) return;
  const standing = await store.breaks.statusOn('payout', run.watermarks.breakEvent);
  const known = run.watermarks.evidence?.revenue === true ? await store.evidence.revenueOf(run.runId) : null;
  if (known === null && standing.length === 0) return;
  const facts: RunFacts = { runId: run.runId, businessDate: run.businessDate, timezone: run.timezone };
  const asOutside = (breaks: readonly OutsideBreak[]) => breaks.filter(({ state }) => state !== 'resolved');
  if (known === null) {
    const breaks = asOutside(standing.map((each) => ({ ...each, hostReference: null, run: facts })));
    yield partOf(breaks, [], { records: [], outside: breaks });
    return;
  }
  const terms = thawTerms(run.terms);
  const ruleSet = createRuleSet(terms.rules);
  const { payouts, replaced } = netPayouts(await store.evidence.payouts(known.payoutKey));
  const matched = matchPayouts(payouts, { ...known, tolerances: terms.tolerances, today: run.businessDate });
  const subjects = revenueSubjects(matched, replaced, (code) => severityIn(ruleSet, code));
  const byId = Map.groupBy(standing, ({ recordId }) => recordId);
  const settled = subjects.map(({ recordId, currency, evidenceSha256, findings }) =>
    settle({
      kind: 'payout',
      recordId,
      findings,
      standing: byId.get(recordId) ?? [],
      verified: true,
      notApplicable: [],
      switchedOff: ruleSet.off,
      evidenceSha256,
      recordCurrency: currency,
      recordStatus: null,
      moneyMoved: 'yes',
      run: { runId: run.runId, businessDate: run.businessDate, at: run.asOf },
    }),
  );
  const dueDates = new Map(matched.legs.map(({ month, currency, dueDate }) => [`${month}-${currency}`, dueDate]));
  const dueOf = (dueDate: string | undefined) => (dueDate === undefined ? {} : { dueDate });
  // A month whose records have all left the population is not judged any more: its break stays until a person decides.
  const known_ = new Set(subjects.map(({ recordId }) => recordId));
  const left = standing.filter(({ recordId, state }) => !known_.has(recordId) && state !== 'resolved');
  const breaks = [...settled.flatMap((each) => each.breaks), ...left]
    .map((each) => ({ ...each, hostReference: null, run: facts, ...dueOf(dueDates.get(each.recordId)) }))
    .sort((a, b) => (a.recordId === b.recordId ? 0 : a.recordId < b.recordId ? -1 : 1));
  const events = settled.flatMap((each) => each.events).map((event) => ({ ...event, recordKey: null }));
  yield partOf(breaks, events, { records: [], outside: breaks, revenue: { run: facts, ...matched } });
}

/** What the newest night that a statement rests on knew of the month's revenue; null where none of its nights knew of payments. */
export async function statedRevenue(
  store: Pick<Store, 'evidence' | 'periods'>,
  { period, basis, terms }: Pick<MonthSet, 'period' | 'basis' | 'terms'>,
): Promise<Omit<SettledRevenue, 'run'> | null> {
  const runKey = await store.evidence.newestRevenue(basis.runs);
  if (runKey === null) return null;
  const { runId, businessDate } = await store.periods.run(runKey);
  const known = await store.evidence.revenueOf(runId);
  if (known === null) return null;
  const standing = netPayouts(await store.evidence.payouts(known.payoutKey));
  const { tolerances } = thawTerms(terms);
  const { legs, payouts } = matchPayouts(standing.payouts, { ...known, tolerances, today: businessDate });
  return {
    legs: legs.filter(({ month }) => month === period),
    payouts: payouts.filter(({ allocations }) => allocations.some(({ month }) => month === period)),
  };
}

/** A part without records. */
export function partOf(
  breaks: readonly OutsideBreak[],
  events: JudgedPart['events'],
  page: Parameters<Parameters<JudgedPart['writeTo']>[0]['write']>[0],
): JudgedPart {
  const tally = emptyTally();
  tallyBreaks(tally, { breaks, events });
  for (const each of Map.groupBy(breaks, ({ recordId }) => recordId).values()) addStake(tally.stake, each);
  return { tally, events, writeTo: (reports) => reports.write(page) };
}
