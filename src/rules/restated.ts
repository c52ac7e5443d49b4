import { sameHash } from '../domain/addresses/transactions.ts';
import type { Decimal } from '../domain/decimal.ts';
import { isExecuted, wasEstimate } from '../domain/execution.ts';
import { showInstant } from '../domain/record.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import { isResumed } from '../domain/status.ts';
import { type Before, changedFigure, changedText, sameFigure, workOutChange } from './changed.ts';
import { KEPT, NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import type { Workings } from './working.ts';

/**
 * Fees, rates and the transaction of a finished record. Its amounts, asset and address must not change at any time and
 * are FIELD_CHANGED's; its status is STATUS_REGRESSED's: one change is reported once.
 */
export const restated: Rule = {
  code: 'RESTATED',
  severity: 'high',
  title: 'A field changed after a terminal status',
  why: 'Figures that were already booked are different now: closed periods no longer agree with the Service.',
  action: 'Book the difference in the open period and ask the Service why a finished record was changed.',
  settledBy: KEPT,
  example:
    'The transaction hash was 0x8206a698ecfe25298dcc3f426b9c582ba816d721320bc7e2392a187deb7b6564 when the purchase was first seen as RELEASED (2026-11-22 00:00 UTC) and is 0x4656b7bed781a2932e7cb023127d618ab285c9b624f3ccd89252efce896a6028 now.',
  note: 'A closed month is never changed.',
  check(input) {
    const state = verifiedState(input);
    const { firstTerminal } = input.history;
    if (state === null || firstTerminal === null) return 'not-applicable';
    // Of a purchase that expired and was paid late, rates and fees had been estimates.
    const isFloating = input.terms.binding.price === 'indicative';
    const isEstimate = isFloating && (!isExecuted(firstTerminal) || wasEstimate(firstTerminal, input));
    if (isEstimate && firstTerminal.state.finalTxHash === null) return NOTHING_FOUND;
    // An expired purchase that was paid late after all gets its final figures then.
    if (isResumed(input.terms.statuses, state.kind, firstTerminal.state.status, state.status)) return NOTHING_FOUND;
    return sameFigures(firstTerminal.state, state)
      ? NOTHING_FOUND
      : differences(firstTerminal, state, hasPromisedFee(input, state));
  },
  working,
};

function differences(terminal: Snapshot, is: RecordState, isPromised: boolean) {
  const was = terminal.state;
  // A sale may end without ever having had a status.
  const ended = was.status === null ? 'finished' : `as ${was.status}`;
  const before = `when the ${is.kind} was first seen ${ended} (${showInstant(terminal.evidence.receivedAt)})`;
  return [
    ...changedFees(was, is, isPromised, before),
    changedFigure('exchange_rate', 'exchange rate', was.exchangeRate, is.exchangeRate, null, before),
    changedFigure('exchange_rate_eur', 'exchange rate in EUR', was.exchangeRateEur, is.exchangeRateEur, null, before),
    changedFigure('fiat_rate_eur', `rate of ${is.fiatCurrency} in EUR`, was.fiatRateEur, is.fiatRateEur, null, before),
    changedHash(was.finalTxHash, is.finalTxHash, before),
  ].filter((finding) => finding !== null);
}

function changedFees(was: RecordState, is: RecordState, isPromised: boolean, before: Before) {
  const currency = is.fiatCurrency;
  // In another currency every fee is another number; the currency itself is what changed, and FIELD_CHANGED says so.
  if (was.fiatCurrency !== currency) return [];
  const applied = changedFigure('applied_fee', 'applied fee', was.appliedFee, is.appliedFee, currency, before);
  return [
    isPromised ? applied : withLoss(applied),
    changedFigure('base_fee', 'base fee', was.baseFee, is.baseFee, currency, before),
    changedFigure('network_fee', 'network fee', was.networkFee, is.networkFee, currency, before),
    changedFigure('host_fee_cut', 'host fee cut', was.hostFeeCut, is.hostFeeCut, currency, before),
  ];
}

/**
 * A loss is measured against the promise: where a fee was quoted or shown, the rules that compare with it measure the loss. A fee
 * that was too high when the record ended, and is corrected to the promise, is no loss.
 */
function hasPromisedFee(input: RuleInput, state: RecordState): boolean {
  return (input.fees?.applied ?? null) !== null || (shownOf(input, state)?.fee ?? null) !== null;
}

/** Of the fees, the applied one is what the user pays; the others are parts of it. */
function withLoss(finding: RuleFinding | null): RuleFinding | null {
  return finding === null ? null : { ...finding, loss: finding.difference ?? null };
}

function changedHash(was: string | null, is: string | null, before: Before) {
  return was === null || sameHash(was, is) ? null : changedText('final_tx_hash', 'transaction hash', was, is, before);
}

const FEES = ['appliedFee', 'baseFee', 'networkFee', 'hostFeeCut'] as const;
const FIXED = [...FEES, 'exchangeRate', 'exchangeRateEur', 'fiatRateEur'] as const;

/** The answer for nearly every record, found without building a sentence. */
function sameFigures(was: RecordState, is: RecordState): boolean {
  return (
    was === is ||
    (sameHash(was.finalTxHash, is.finalTxHash) && FIXED.every((name) => sameOrFilled(was[name], is[name])))
  );
}

function sameOrFilled(before: Decimal | null, now: Decimal | null): boolean {
  return before === null || (now !== null && sameFigure(before, now));
}

function working(input: RuleInput, field: string): Workings | null {
  const { firstTerminal } = input.history;
  const status = firstTerminal?.state.status ?? null;
  return workOutChange(input, field, firstTerminal, status === null ? 'seen finished' : `seen as ${status}`);
}
