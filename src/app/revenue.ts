/** The parts of a run that are no records. The host's revenue: accrued and paid amounts are fixed before the run is judged, and then compared. */
import { type JudgedRevenue, judgeRevenue } from '../books/judge-revenue.ts';
import { accrue } from '../books/known-records.ts';
import { compareLines, type EarnedShare } from '../books/partner-lines.ts';
import { type AccrualRow, accruedIn } from '../books/revenue.ts';
import { revenueSubjects } from '../books/revenue-breaks.ts';
import { netPayouts } from '../books/standing-payouts.ts';
import type { BreakEvent } from '../domain/break.ts';
import { businessDateOf, monthBefore } from '../domain/calendar.ts';
import { Decimal } from '../domain/decimal.ts';
import { addMonthly, type MonthlyAmounts, type Payout, type RunRevenue, type Threshold } from '../domain/payout.ts';
import type { Instant } from '../domain/record.ts';
import { isWholeNight, type JudgeableRun, type Run } from '../domain/run.ts';
import { addStake } from '../domain/stake-tally.ts';
import type { OutsideBreak, RunFacts, SettledRevenue, Tally } from '../ports/settled.ts';
import type { MonthSet } from '../ports/store/periods.ts';
import type { Fence, Store } from '../ports/store/store.ts';
import type { JudgedPart } from '../reconcile/judged-parts.ts';
import { lapsedIn, thawRun } from '../reconcile/run-book.ts';
import { settleSubjects } from '../reconcile/settle.ts';
import { tallyBreaks } from '../reconcile/tally.ts';
import { judgeRun } from '../rules/judge-run.ts';
import { createRuleSet, severityIn } from '../rules/rule-set.ts';
import { thawTerms } from '../rules/terms.ts';
import { postingsOf, wholePostings } from './postings.ts';
import type { Wiring } from './wiring.ts';

type Kept = Pick<Wiring, 'store' | 'settings'>;

/**
 * Fixes what the run knows of the revenue. Nothing where no payment is stored and none is expected by the settings, and for runs
 * that are no whole night: those look at single records.
 */
export async function keepRevenue(
  { store, settings, clock }: Kept & Pick<Wiring, 'clock'>,
  run: Run,
  fence: Fence,
): Promise<void> {
  const { expected, posted } = settings.evidence.payouts;
  if (expected === 'never' || !isWholeNight(run)) return;
  const payoutKey = await store.evidence.newestPayout();
  if (expected === 'auto' && payoutKey === 0) return;
  const { lines } = netPayouts(await store.evidence.payouts(payoutKey));
  const known = await revenueUpTo({ store, settings }, run.businessDate, lines, run.asOf);
  await store.evidence.keepRevenue(run.runId, fence, {
    ...known,
    posted: postingsOf(posted, clock.wall.now()).posted,
    payoutKey,
  });
}

/**
 * Payments against what was earned, as they stand now, and not as a night has fixed them.
 * @param more payments that are not stored, with the stored ones
 */
export async function revenueNow(
  { store, settings, clock }: Kept & Pick<Wiring, 'clock'>,
  {
    today = businessDateOf(clock.wall.now(), settings.timezone),
    more = [],
    posted: file,
    terms = {},
  }: { today?: string; more?: readonly Payout[]; posted?: string | undefined; terms?: Partial<RunRevenue> } = {},
): Promise<JudgedRevenue> {
  const now = clock.wall.now();
  const stored = await store.evidence.payouts();
  const known = new Set(stored.map(({ payoutId }) => payoutId));
  const fresh = more.filter(({ payoutId }) => !known.has(payoutId));
  const added = [...stored, ...fresh.map((each) => ({ ...each, addedAt: now }))];
  const accrued = await revenueUpTo({ store, settings }, today, netPayouts(added).lines);
  const posted =
    file === undefined ? postingsOf(settings.evidence.payouts.posted, now).posted : wholePostings(file, now);
  return judgeRevenue(added, { ...accrued, posted, ...terms, tolerances: settings.tolerances, today });
}

const DAY = 86_400_000;

/**
 * The terms of the settings, and what was earned up to the month before a day: the month of the day is still earning.
 * @param asOf of a night, which is as of the end of its day: that of the last day of a month knows the whole month
 */
export async function revenueUpTo(
  edges: Kept,
  today: string,
  lines: readonly Payout[],
  asOf?: Instant,
): Promise<Omit<RunRevenue, 'posted' | 'payoutKey'>> {
  const { timezone, partner, ...payouts } = edges.settings.evidence.payouts;
  const settings = { ...edges.settings, timezone: timezone ?? edges.settings.timezone };
  const terms = termsOf(payouts);
  const shares: EarnedShare[] = [];
  const each = lines.length === 0 ? undefined : (share: EarnedShare) => void shares.push(share);
  const accrual = await accrue({ ...edges, settings }, { kind: null, from: null, to: null, each });
  const last = monthBefore(asOf === undefined ? today : businessDateOf(asOf, settings.timezone));
  const rows = accrual.rows().filter(({ month }) => month <= last);
  const monthly = (amountOf: (row: AccrualRow) => Decimal | null) => {
    const amounts: MonthlyAmounts = new Map();
    for (const row of rows) {
      const amount = amountOf(row);
      if (amount !== null) addMonthly(amounts, row.month, row.currency, amount);
    }
    return amounts;
  };
  return {
    ...terms,
    partner: partner ?? edges.settings.service.identifierName,
    accrued: monthly(accruedIn),
    takenBack: monthly(({ takenBack }) => takenBack.amount),
    unknown: monthly(({ unknown }) => (unknown.length === 0 ? null : Decimal.of(BigInt(unknown.length)))),
    estimated: monthly(({ estimated }) => estimated),
    eurRates: accrual.eurRates,
    lines: compareLines(lines, shares, { ...terms, today }),
  };
}

function termsOf(payouts: Omit<Kept['settings']['evidence']['payouts'], 'timezone' | 'partner'>) {
  const { within, week, minimum, below, terms, materiality, exchange } = payouts;
  const isPreset = terms === 'monthly-from-5000';
  return {
    dueDays: Math.round(within / DAY),
    payWeek: isPreset ? 4 : week,
    minimum: 'amount' in minimum ? new Map<string, Decimal>() : minimum,
    threshold: isPreset ? MONTHLY_FROM : 'amount' in minimum ? minimum : null,
    quarterly: isPreset || below === 'quarter',
    materiality,
    exchange,
  };
}

const MONTHLY_FROM: Threshold = { amount: Decimal.of(5000n), currency: 'EUR', scope: 'all' };

/**
 * The part of a run about the host's revenue; it comes before the records. Where the run knows nothing of it, the breaks of earlier
 * nights stand as they are.
 */
export async function* revenuePart(run: JudgeableRun, store: Store): AsyncGenerator<JudgedPart> {
  if (!isWholeNight(run)) return;
  const standing = await store.breaks.statusOn('payout', run.watermarks.breakEvent);
  const known = run.watermarks.evidence?.revenue === true ? await store.evidence.revenueOf(run.runId) : null;
  if (known === null && standing.length === 0) return;
  const unresolved = standing.filter(({ state }) => state !== 'resolved');
  if (known === null) {
    yield partOf(run, { breaks: unresolved, events: [] });
    return;
  }
  const terms = thawTerms(run.terms);
  const ruleSet = createRuleSet(terms.rules);
  const added = await store.evidence.payouts(known.payoutKey);
  const judged = judgeRevenue(added, { ...known, tolerances: terms.tolerances, today: run.businessDate });
  const subjects = revenueSubjects(judged, (code) => severityIn(ruleSet, code));
  const settled = settleSubjects('payout', subjects, { run, standing, lapsed: lapsedIn(terms, ruleSet) });
  const dueDates = new Map(judged.months.map(({ month, currency, dueDate }) => [`${month}-${currency}`, dueDate]));
  // A month whose records have all left the population is not judged any more: its break stays until a person decides.
  const judgedIds = new Set(subjects.map(({ recordId }) => recordId));
  const left = unresolved.filter(({ recordId }) => !judgedIds.has(recordId));
  const breaks = [...settled.breaks, ...left]
    .map((each) => ({ ...each, dueDate: dueDates.get(each.recordId) }))
    .sort((a, b) => (a.recordId === b.recordId ? 0 : a.recordId < b.recordId ? -1 : 1));
  yield partOf(run, { breaks, events: settled.events }, judged);
}

/** What the newest night that a statement rests on knew of the month's revenue; null where none of its nights knew of payments. */
export async function statedRevenue(
  store: Store,
  { period, basis, terms }: Pick<MonthSet, 'period' | 'basis' | 'terms'>,
): Promise<Omit<SettledRevenue, 'run'> | null> {
  const runKey = await store.evidence.newestRevenue(basis.runs);
  if (runKey === null) return null;
  const { runId, businessDate } = await store.periods.run(runKey);
  const known = await store.evidence.revenueOf(runId);
  if (known === null) return null;
  const { tolerances } = thawTerms(terms);
  const added = await store.evidence.payouts(known.payoutKey);
  const judged = judgeRevenue(added, { ...known, tolerances, today: businessDate });
  return {
    months: judged.months.filter(({ month }) => month === period),
    payouts: judged.payouts.filter(({ allocations }) => allocations.some(({ month }) => month === period)),
    lines: judged.lines.filter(({ month }) => month === period),
  };
}

/** A part without records: breaks that are about none. */
function partOf(
  { runId, businessDate, timezone }: JudgeableRun,
  settled: { breaks: readonly Omit<OutsideBreak, 'hostReference' | 'run'>[]; events: readonly BreakEvent[] },
  judged?: Omit<SettledRevenue, 'run'>,
): JudgedPart {
  const run: RunFacts = { runId, businessDate, timezone };
  const outside = settled.breaks.map((each): OutsideBreak => ({ ...each, hostReference: null, run }));
  const events = settled.events.map((event) => ({ ...event, recordKey: null }));
  const addTo = (tally: Tally) => {
    tallyBreaks(tally, { breaks: outside, events });
    for (const each of Map.groupBy(outside, ({ recordId }) => recordId).values()) addStake(tally.stake, each);
  };
  const page = { records: [], outside, ...(judged === undefined ? {} : { revenue: { run, ...judged } }) };
  return { addTo, events, writeTo: (reports) => reports.write(page) };
}

/** Nothing for a run over chosen records, whose moves are not those of 30 days. */
export async function* marketPart(run: JudgeableRun, store: Store): AsyncGenerator<JudgedPart> {
  const { survey, watermarks } = run;
  if (survey === null || survey.of === 'night') return;
  const standing = await store.breaks.statusOn('market', watermarks.breakEvent);
  const { severityOf, lapsed } = thawRun(run);
  const found = judgeRun(run, severityOf).filter(({ kind }) => kind === 'market');
  const findings = new Map(found.map(({ recordId, finding }) => [recordId, [finding]]));
  const markets = [...new Set([...findings.keys(), ...standing.map(({ recordId }) => recordId)])].sort();
  if (markets.length === 0) return;
  const subjects = markets.map((market) => ({ recordId: market, findings: findings.get(market) ?? [] }));
  yield partOf(run, settleSubjects('market', subjects, { run, standing, lapsed }));
}
