/** Breaks as `--json` prints them: the columns of breaks.csv, and what only the store knows. */
import type { BreakEvent } from '../domain/break.ts';
import { isoInstant } from '../domain/record.ts';
import type { CurrentBreak } from '../ports/store/store.ts';

export function breakAsJson(each: CurrentBreak) {
  return {
    break_id: each.breakId,
    rule: each.rule,
    severity: each.severity,
    state: each.state,
    kind: each.kind,
    record_id: each.recordId,
    host_reference: each.hostReference,
    field: each.field,
    expected: each.expected,
    actual: each.actual,
    difference: each.difference,
    currency: each.currency,
    tolerance: each.tolerance,
    first_seen_date: each.firstSeenDate,
    last_seen_date: each.lastSeenDate,
    times_reopened: each.timesReopened,
    assignee: each.assignee,
    waiver: each.waiver,
    explanation: each.explanation,
    evidence_sha256: each.evidenceSha256,
  };
}

export function eventAsJson(event: BreakEvent) {
  return {
    type: event.type,
    at: isoInstant(event.at),
    run_id: event.runId,
    who: event.who,
    reason: event.reason,
    state: event.after.state,
    expected: event.after.expected,
    actual: event.after.actual,
    difference: event.after.difference,
  };
}
