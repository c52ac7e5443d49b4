/** A break of the work list as cells by column name, for the CSV files that list breaks outside a set. */
import type { Decimal } from '../domain/decimal.ts';
import { isPlainNumber } from '../domain/visible.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { exported, type Profile, pointed } from './profiles.ts';

/** Text from outside must not run as a formula in a spreadsheet. Unknown is empty. */
export function breakCells(each: CurrentBreak, profile: Profile) {
  const text = (value: string | null) => (value === null ? '' : exported(value, profile));
  const figure = (value: Decimal | null) => (value === null ? '' : pointed(value.toString(), profile));
  // As in `breaks.csv`: a side is a figure, or a status, an address, a method.
  const side = (value: string | null) =>
    value !== null && isPlainNumber(value) ? pointed(value, profile) : text(value);
  return {
    break_id: each.breakId,
    rule: each.rule,
    severity: each.severity,
    state: each.state,
    kind: each.kind,
    record_id: text(each.recordId),
    host_reference: text(each.hostReference),
    field: each.field,
    expected: side(each.expected),
    actual: side(each.actual),
    difference: figure(each.difference),
    currency: text(each.currency),
    tolerance: figure(each.tolerance),
    first_seen_date: each.firstSeenDate,
    last_seen_date: each.lastSeenDate,
    times_reopened: String(each.timesReopened),
    assignee: text(each.assignee),
    explanation: text(each.explanation),
    evidence_sha256: each.evidenceSha256 ?? '',
    unit: each.unit ?? '',
    money_at_stake: figure(each.moneyAtStake),
    leading_break_id: each.leadingBreakId ?? '',
    record_currency: text(each.recordCurrency),
    claim_id: each.claimId ?? '',
  };
}
