/**
 * Settling compares tonight's findings of a record with the breaks that stand on it. Pure. A new finding opens, a
 * standing one ages, one that is gone because the record was verified without it resolves, and a break whose record
 * could not be verified stays as it is.
 */
import { type Break, type BreakEvent, type BreakEventType, breakId, isOpen } from '../domain/break.ts';
import type { Finding } from '../domain/finding.ts';
import type { BusinessDate, Instant } from '../domain/record.ts';
import { AGAINST_QUOTE } from '../domain/rule-codes.ts';
import type { Run } from '../domain/run.ts';
import { withStake } from '../domain/stake.ts';
import type { MoneyMoved } from '../domain/status.ts';
import type { SubjectFindings } from '../ports/settled.ts';

/** A record's findings of tonight beside the breaks that it has. */
export interface SettleInput extends Pick<Break, 'kind' | 'recordId' | 'evidenceSha256' | 'recordCurrency'> {
  /** Of this run, those of severity info included: they open no break, and resolve one that has become info. */
  findings: readonly Finding[];
  /** Every break ever opened on the record, as it stood before tonight. */
  standing: readonly Break[];
  verified: boolean;
  /** Rules that had nothing to compare with: their breaks stay as they are. */
  notApplicable: readonly string[];
  /** Rules that judge nothing by the settings, and why: their breaks resolve. */
  lapsed: ReadonlyMap<string, string>;
  /** The quote that belongs to the record tonight; null for none. */
  quoteId: string | null;
  /** Of the record as it was read tonight; breaks of one that was not keep what they have. */
  recordStatus: string | null;
  moneyMoved: MoneyMoved;
  run: { runId: string; businessDate: BusinessDate; at: Instant };
}

interface Settled {
  events: readonly BreakEvent[];
  /** Breaks that stand afterwards, and those resolved tonight; sorted by rule, field. */
  breaks: readonly Break[];
}

const NOTHING: Settled = { events: [], breaks: [] };

/**
 * Settles markets, payments of revenue, or directions of the run itself, in the order in which they are given.
 * @param standing every break ever opened on subjects of that kind
 */
export function settleSubjects(
  kind: Break['kind'],
  subjects: readonly SubjectFindings[],
  { run, standing, lapsed }: { run: Run; standing: readonly Break[] } & Pick<SettleInput, 'lapsed'>,
): Settled {
  const byId = Map.groupBy(standing, ({ recordId }) => recordId);
  const { runId, businessDate, asOf } = run;
  const settled = subjects.map(({ recordId, findings, verified = true, evidenceSha256 = null, currency = null }) =>
    settle({
      ...{ kind, recordId, findings, verified, evidenceSha256, lapsed },
      standing: byId.get(recordId) ?? [],
      notApplicable: [],
      quoteId: null,
      recordCurrency: currency,
      recordStatus: null,
      moneyMoved: 'yes',
      run: { runId, businessDate, at: asOf },
    }),
  );
  return { events: settled.flatMap(({ events }) => events), breaks: settled.flatMap(({ breaks }) => breaks) };
}

export function settle(input: SettleInput): Settled {
  const findings = input.findings.filter((finding) => finding.severity !== 'info');
  if (findings.length === 0 && input.standing.length === 0) return NOTHING;
  const standing = new Map(input.standing.map((each) => [each.breakId, each]));
  const events: BreakEvent[] = [];
  const breaks: Break[] = [];
  for (const finding of findings) {
    const id = breakId(input.kind, input.recordId, finding.rule, finding.field);
    const event = found(finding, id, standing.get(id), input);
    standing.delete(id);
    events.push(event);
    breaks.push(event.after);
  }
  for (const before of standing.values()) {
    if (before.state === 'resolved') continue;
    const event = gone(before, input);
    if (event !== null) events.push(event);
    const { recordStatus, moneyMoved } = input.verified ? input : before;
    breaks.push(event?.after ?? { ...before, recordStatus, moneyMoved });
  }
  breaks.sort((a, b) => compareText(a.rule, b.rule) || compareText(a.field, b.field));
  return staked(events, breaks, input);
}

/** The events carry the stake too, so that the work list has it. A break that only its record's money has changed gets an event. */
function staked(events: readonly BreakEvent[], breaks: readonly Break[], input: SettleInput): Settled {
  const settled = withStake(breaks);
  const byId = new Map(settled.map((each) => [each.breakId, each]));
  const told = new Set(events.map(({ after }) => after.breakId));
  const before = new Map(input.standing.map((each) => [each.breakId, each]));
  const others = settled.filter((each) => !told.has(each.breakId) && hasOtherMoney(each, before.get(each.breakId)));
  return {
    breaks: settled,
    events: [
      ...events.map((event) => ({ ...event, after: byId.get(event.after.breakId) ?? event.after })),
      ...others.map((after) => eventOf('seen', after, 'the money of its record has changed', input)),
    ],
  };
}

function hasOtherMoney(now: Break, before: Break | undefined): boolean {
  return (
    before !== undefined &&
    (now.leadingBreakId !== before.leadingBreakId ||
      now.moneyMoved !== before.moneyMoved ||
      now.moneyAtStake?.toString() !== before.moneyAtStake?.toString() ||
      now.moneyAside?.toString() !== before.moneyAside?.toString())
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function eventOf(type: BreakEventType, after: Break, reason: string | null, input: SettleInput): BreakEvent {
  return { type, at: input.run.at, runId: input.run.runId, who: 'tieout', reason, after };
}

function found(finding: Finding, id: string, standing: Break | undefined, input: SettleInput): BreakEvent {
  const before = standing === undefined ? undefined : withoutQuote(standing);
  const date = input.run.businessDate;
  const tonight = {
    severity: finding.severity,
    expected: finding.expected,
    actual: finding.actual,
    difference: finding.difference,
    unit: finding.unit,
    loss: finding.loss,
    recordCurrency: input.recordCurrency ?? before?.recordCurrency ?? null,
    recordStatus: input.verified ? input.recordStatus : (before?.recordStatus ?? null),
    moneyMoved: input.verified ? input.moneyMoved : (before?.moneyMoved ?? input.moneyMoved),
    lossBearer: null,
    moneyAtStake: null,
    moneyAside: null,
    leadingBreakId: null,
    currency: finding.currency,
    tolerance: finding.tolerance,
    explanation: finding.explanation,
    evidenceSha256: input.evidenceSha256,
    ...(AGAINST_QUOTE.has(finding.rule) && input.quoteId !== null ? { quoteId: input.quoteId } : {}),
    // A late run for an earlier date must not move the date back.
    lastSeenDate: before !== undefined && before.lastSeenDate > date ? before.lastSeenDate : date,
  };
  if (before === undefined) {
    const opened: Break = {
      breakId: id,
      kind: input.kind,
      recordId: input.recordId,
      rule: finding.rule,
      field: finding.field,
      state: 'open',
      firstSeenDate: date,
      timesReopened: 0,
      assignee: null,
      waiver: null,
      ...tonight,
    };
    return eventOf('opened', opened, null, input);
  }
  const reopens = reasonToReopen(before, finding, date);
  if (reopens === null) return eventOf('seen', { ...before, ...tonight }, null, input);
  const timesReopened = before.timesReopened + 1;
  return eventOf('reopened', { ...before, ...tonight, state: 'reopened', timesReopened, waiver: null }, reopens, input);
}

function withoutQuote({ quoteId: _, ...before }: Break): Break {
  return before;
}

function reasonToReopen(before: Break, finding: Finding, date: BusinessDate): string | null {
  if (before.state === 'resolved') return `found again after it was resolved on or after ${before.lastSeenDate}`;
  // Only a waived break has a waiver.
  if (before.waiver === null) return null;
  const { until, difference, actual } = before.waiver;
  if (until !== null && date > until) return `the waiver ended on ${until}`;
  if (difference !== null && finding.difference !== null) {
    if (difference.equals(finding.difference)) return null;
    return `waived for a difference of ${difference}, now ${finding.difference}`;
  }
  return actual === finding.actual
    ? null
    : `waived for ${actual ?? 'nothing found'}, now ${finding.actual ?? 'nothing found'}`;
}

/** A break without a finding tonight. Null leaves it as it stands: nothing resolves without verification. */
function gone(before: Break, input: SettleInput): BreakEvent | null {
  if (!input.verified) return null;
  const ended = input.lapsed.get(before.rule) ?? otherPromise(before, input);
  if (ended === null && input.notApplicable.includes(before.rule)) return null;
  const why = ended ?? 'the record was verified without it';
  return eventOf('resolved', { ...before, state: 'resolved', waiver: null }, why, input);
}

/** The app may name the record's quote days after the record: what differed from another one is no difference from its promise. */
function otherPromise({ quoteId }: Break, { quoteId: tonight }: SettleInput): string | null {
  if (quoteId === undefined || tonight === null || quoteId === tonight) return null;
  return `found against quote ${quoteId}, and the record's quote is ${tonight}`;
}

/** How many of a record's breaks are open. */
export function countOpen(breaks: readonly Break[]): number {
  let open = 0;
  for (const each of breaks) if (isOpen(each.state)) open++;
  return open;
}
