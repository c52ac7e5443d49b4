import { sameHash } from '../domain/addresses/transactions.ts';
import type { Decimal } from '../domain/decimal.ts';
import { isExecuted, wasEstimate } from '../domain/execution.ts';
import { showInstant } from '../domain/record.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import { isResumed } from '../domain/status.ts';
import { type Before, changedFigure, changedText, sameFigure, workOutChange } from './changed.ts';
import { bodyRule, KEPT, type RuleInput } from './rule.ts';

/**
 * Fees, rates and the transaction of a finished record. Its amounts, asset and address must not change at any time and
 * are FIELD_CHANGED's; its status is STATUS_REGRESSED's: one change is reported once.
 */
export const restated = bodyRule({
  code: 'RESTATED',
  severity: 'high',
  title: 'A field changed after a terminal status',
  why: 'Figures that were already booked are different now: closed periods no longer agree with the Service.',
  action: 'Book the difference in the open period and ask the Service why a finished record was changed.',
  settledBy: KEPT,
  example:
    'The transaction hash was 0x8206a698ecfe25298dcc3f426b9c582ba816d721320bc7e2392a187deb7b6564 when the purchase was first seen as RELEASED (2026-11-22 00:00 UTC) and is 0x4656b7bed781a2932e7cb023127d618ab285c9b624f3ccd89252efce896a6028 now.',
  note: 'A closed month is never changed. A host fee cut that a later body does not state is a remark (`info`).',
  check(state, input) {
    const { firstTerminal } = input.history;
    if (firstTerminal === null) return 'not-applicable';
    // Of a purchase that expired and was paid late, rates and fees had been estimates.
    const isFloating = input.terms.binding.price === 'indicative';
    const isEstimate = isFloating && (!isExecuted(firstTerminal) || wasEstimate(firstTerminal, input));
    if (isEstimate && firstTerminal.state.finalTxHash === null) return null;
    // An expired purchase that was paid late after all gets its final figures then.
    if (isResumed(input.terms.statuses, state.kind, firstTerminal.state.status, state.status)) return null;
    return sameFigures(firstTerminal.state, state)
      ? null
      : differences(firstTerminal, state, hasPromisedFee(input, state));
  },
  working(_state, input, field) {
    const { firstTerminal } = input.history;
    const status = firstTerminal?.state.status ?? null;
    return workOutChange(input, field, firstTerminal, status === null ? 'seen finished' : `seen as ${status}`);
  },
});

function differences(terminal: Snapshot, is: RecordState, isPromised: boolean) {
  const was = terminal.state;
  // A sale may end without ever having had a status.
  const ended = was.status === null ? 'finished' : `as ${was.status}`;
  const before = `when the ${is.kind} was first seen ${ended} (${showInstant(terminal.evidence.receivedAt)})`;
  const found = FIXED.map(([name, field, label = `rate of ${is.fiatCurrency} in EUR`]) => {
    const isFee = !RATES.has(name);
    // In another currency every fee is another number; the currency itself is what changed, and FIELD_CHANGED says so.
    if (isFee && was.fiatCurrency !== is.fiatCurrency) return null;
    const currency = isFee ? is.fiatCurrency : null;
    const change = changedFigure(field, label, statedBefore(name, was, is), is[name], currency, before);
    // A field beyond the specification comes and goes with the form of the body; but it is the host's money.
    if (change !== null && name === 'hostFeeCut' && is[name] === null) return { ...change, severity: 'info' as const };
    // Of the fees, the applied one is what the user pays; the others are parts of it.
    return change === null || name !== 'appliedFee' || isPromised
      ? change
      : { ...change, loss: change.difference ?? null };
  });
  return [...found, changedHash(was, is, before)];
}

/**
 * A loss is measured against the promise: where a fee was quoted or shown, the rules that compare with it measure the loss. A fee
 * that was too high when the record ended, and is corrected to the promise, is no loss.
 */
function hasPromisedFee(input: RuleInput, state: RecordState): boolean {
  return (input.fees?.applied ?? null) !== null || (shownOf(input, state)?.fee ?? null) !== null;
}

function changedHash({ finalTxHash: was }: RecordState, { kind, finalTxHash: is }: RecordState, before: Before) {
  if (was === null || sameHash(was, is) || (kind === 'sale' && is === null)) return null;
  return changedText('final_tx_hash', 'transaction hash', was, is, before);
}

/** Names, fields and labels. */
const FIXED = [
  ['appliedFee', 'applied_fee', 'applied fee'],
  ['baseFee', 'base_fee', 'base fee'],
  ['networkFee', 'network_fee', 'network fee'],
  ['hostFeeCut', 'host_fee_cut', 'host fee cut'],
  ['exchangeRate', 'exchange_rate', 'exchange rate'],
  ['exchangeRateEur', 'exchange_rate_eur', 'exchange rate in EUR'],
  ['fiatRateEur', 'fiat_rate_eur'],
] as const;
type Fixed = (typeof FIXED)[number][0];
const RATES: ReadonlySet<Fixed> = new Set(['exchangeRate', 'exchangeRateEur', 'fiatRateEur']);

/** Bodies of purchases have rates in EUR or not, and bodies of sales any of these: one that does not state it any more restates nothing. */
function statedBefore(name: Fixed, was: RecordState, is: RecordState): Decimal | null {
  const isOptional = is.kind === 'sale' || name === 'exchangeRateEur' || name === 'fiatRateEur';
  return isOptional && is[name] === null ? null : was[name];
}

/** The answer for nearly every record, found without building a sentence. */
function sameFigures(was: RecordState, is: RecordState): boolean {
  if (was === is) return true;
  const isSame = (name: Fixed) => sameOrFilled(statedBefore(name, was, is), is[name]);
  return changedHash(was, is, '') === null && FIXED.every(([name]) => isSame(name));
}

function sameOrFilled(before: Decimal | null, now: Decimal | null): boolean {
  return before === null || (now !== null && sameFigure(before, now));
}
