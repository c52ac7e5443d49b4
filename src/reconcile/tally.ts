/** Counts the records of a run page by page: for the summary, the exit code and the manifest. */

import { isOnRecord, isOpen } from '../domain/break.ts';
import { entryOf } from '../domain/entry-of.ts';
import { noVerdicts } from '../domain/finding.ts';
import { addPartial } from '../domain/partial-sums.ts';
import { isPromised } from '../domain/quote.ts';
import { addStake, emptyStake } from '../domain/stake-tally.ts';
import type { JudgedPage, SettledRecord, Tally } from '../ports/settled.ts';
import { FIRST_STATUS, webhookOf } from '../service/profile.ts';
import { isNotReached } from './verdict.ts';

export function emptyTally(): Tally {
  return {
    population: 0,
    verdicts: noVerdicts(),
    notReached: 0,
    notReachedBecause: new Map(),
    deferred: 0,
    breaks: { open: 0, opened: 0, reopened: 0, resolved: 0, waived: 0 },
    stake: emptyStake(),
    rules: new Map(),
    infos: new Map(),
    notApplicable: new Map(),
    notJudged: new Map(),
    recordsNotJudged: 0,
    lacking: new Map(),
    deliveries: new Map(),
    learnedByFetch: 0,
    webhooksMissed: 0,
    matchedWithoutQuote: 0,
    abandoned: 0,
  };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Adds the tally of a range of records. */
export function addTally(whole: Tally, part: Tally): void {
  Object.assign(whole, addPartial(whole, part));
}

/** Adds one page of a run. */
export function tallyPage(tally: Tally, { records, outside: rows, about }: JudgedPage): void {
  for (const record of records) tallyRecord(tally, record);
  if (about !== undefined) tallyBreaks(tally, about);
  const outside = rows.filter(({ kind }) => isOnRecord(kind));
  for (const { state } of outside) {
    if (state === 'waived') tally.breaks.waived++;
    else if (isOpen(state)) tally.breaks.open++;
  }
  for (const breaks of Map.groupBy(outside, ({ kind, recordId }) => `${kind} ${recordId}`).values())
    addStake(tally.stake, breaks);
}

function tallyRecord(tally: Tally, record: SettledRecord): void {
  tally.population++;
  tally.verdicts[record.verdict]++;
  if (record.verdict === 'matched' && !isPromised(record.quote)) tally.matchedWithoutQuote++;
  addStake(tally.stake, record.breaks);
  if (isNotReached(record.observation)) {
    tally.notReached++;
    count(tally.notReachedBecause, reasonOf(record.observation));
  }
  if (record.observation.outcome === 'deferred') tally.deferred++;
  if (isAbandoned(record)) tally.abandoned++;
  for (const finding of record.findings) if (finding.severity === 'info') count(tally.infos, finding.rule);
  for (const rule of record.notApplicable) count(tally.notApplicable, rule);
  if (record.notJudged !== undefined && record.notJudged.length > 0) {
    tally.recordsNotJudged++;
    for (const reason of record.notJudged) count(tally.notJudged, reason);
  }
  for (const field of record.state?.lacks ?? []) count(tally.lacking, field);
  if (record.expectation !== null) {
    const { chain, outcome } = record.expectation;
    entryOf(tally.deliveries, chain, () => ({ met: 0, late: 0, broken: 0, unverified: 0 }))[outcome]++;
  }
  for (const change of record.statusChanges) {
    if (change.learnedFrom !== 'fetch') continue;
    tally.learnedByFetch++;
    if (isMissedWebhook(record, change.to)) tally.webhooksMissed++;
  }
  tallyBreaks(tally, record);
}

function reasonOf(observation: SettledRecord['observation']): string {
  switch (observation.outcome) {
    case 'deferred':
      return observation.reason;
    case 'unreachable':
      return observation.httpStatus === null
        ? observation.reason
        : `${observation.reason} (HTTP ${observation.httpStatus})`;
    default:
      return observation.outcome;
  }
}

/** Never paid, and past its end: ordinary, as going back a step makes a new purchase, and so counted apart from what is stuck. */
function isAbandoned({ state, findings }: SettledRecord): boolean {
  return state?.status === FIRST_STATUS && findings.some(({ rule }) => rule === 'STATUS_STUCK');
}

/** Breaks that are open and waived, and what became of them. */
export function tallyBreaks(tally: Tally, { breaks, events }: Pick<SettledRecord, 'breaks' | 'events'>): void {
  if (breaks.length === 0 && events.length === 0) return;
  const fresh = new Set<string>();
  for (const event of events) {
    if (event.type === 'opened') tally.breaks.opened++;
    else if (event.type === 'reopened') tally.breaks.reopened++;
    else if (event.type === 'resolved') tally.breaks.resolved++;
    if (event.type === 'opened' || event.type === 'reopened') fresh.add(event.after.breakId);
  }
  for (const each of breaks) {
    if (each.state === 'waived') tally.breaks.waived++;
    if (!isOpen(each.state)) continue;
    tally.breaks.open++;
    const row = entryOf(tally.rules, each.rule, () => ({ severity: each.severity, open: 0, fresh: 0 }));
    row.open++;
    if (fresh.has(each.breakId)) row.fresh++;
  }
}

function isMissedWebhook({ kind, tracked }: SettledRecord, status: string): boolean {
  const event = webhookOf(kind, status);
  return event !== null && !tracked.webhookEvents.some(({ type }) => type === event);
}
