/** Rules that hold a record against its own past: FIELD_CHANGED against the first body, RESTATED against the final one. */
import { assetIdentifier } from '../../domain/asset.ts';
import { Decimal } from '../../domain/decimal.ts';
import { tokensOf } from '../../domain/fee-parts.ts';
import { isoInstant, showInstant } from '../../domain/record.ts';
import type { RecordState, Snapshot } from '../../domain/snapshot.ts';
import type { RuleInput } from '../../rules/rule.ts';
import {
  amount,
  compared,
  fact,
  figure,
  plainOutcome,
  relativeLine,
  type Worker,
  type Workings,
  wordsOnly,
  worked,
} from './lines.ts';

export const fieldChanged: Worker = (input, field) => changed(input, field, input.history.first, 'first seen');

export const restated: Worker = (input, field) => {
  const { firstTerminal } = input.history;
  const status = firstTerminal?.state.status ?? null;
  return changed(input, field, firstTerminal, status === null ? 'seen finished' : `seen as ${status}`);
};

function changed(input: RuleInput, field: string, earlier: Snapshot | null, how: string): Workings | null {
  const { observation } = input;
  if (earlier === null || observation.outcome !== 'verified') return null;
  const was = earlier.state;
  const { state: is, evidence } = observation.snapshot;
  const dates = [
    fact(how, showInstant(earlier.evidence.receivedAt)),
    fact('looked at again', showInstant(evidence.receivedAt)),
  ];
  const [then, now] = [figureOf(was, field), figureOf(is, field)];
  if (then === null) return inWords(dates, textOf(was, field), textOf(is, field));
  if (now === null || then.unit !== now.unit)
    return inWords(dates, withUnit(then), now === null ? null : withUnit(now));
  const { unit } = then;
  const before = [...dates, amount('then', then.value, unit), amount('now', now.value, unit)];
  const sides = { actual: now.value, expected: then.value, unit };
  const tolerance =
    field === 'crypto_amount'
      ? relativeLine(input.terms.tolerances.crypto.relative, then.value, unit)
      : { line: worked('tolerance', 'nothing may change here', Decimal.ZERO, unit), allowed: Decimal.ZERO };
  return compared(before, sides, tolerance);
}

function inWords(dates: readonly ReturnType<typeof fact>[], then: string | null, now: string | null): Workings {
  const show = (text: string | null) => text ?? 'nothing';
  return wordsOnly([
    ...dates,
    fact('then', show(then)),
    fact('now', show(now)),
    plainOutcome(then === now ? 'the same' : 'not the same', then !== now),
  ]);
}

function withUnit({ value, unit }: Figure): string {
  return unit === null ? value.toString() : `${figure(value, unit)} ${unit}`;
}

interface Figure {
  value: Decimal;
  unit: string | null;
}

/** The field as a number, or null where it is none, or is not there. */
function figureOf(state: RecordState, field: string): Figure | null {
  const of = (value: Decimal | null, unit: string | null): Figure | null => (value === null ? null : { value, unit });
  switch (field) {
    case 'fiat_value':
      return of(state.fiatValue, state.fiatCurrency);
    case 'crypto_amount':
      return of(tokensOf(state), assetIdentifier(state.asset));
    case 'applied_fee':
      return of(state.appliedFee, state.fiatCurrency);
    case 'base_fee':
      return of(state.baseFee, state.fiatCurrency);
    case 'network_fee':
      return of(state.networkFee, state.fiatCurrency);
    case 'host_fee_cut':
      return of(state.hostFeeCut, state.fiatCurrency);
    case 'exchange_rate':
      return of(state.exchangeRate, null);
    case 'exchange_rate_eur':
      return of(state.exchangeRateEur, null);
    case 'fiat_rate_eur':
      return of(state.fiatRateEur, null);
    default:
      return null;
  }
}

function textOf(state: RecordState, field: string): string | null {
  switch (field) {
    case 'receiver_address':
      return state.receiverAddress;
    case 'asset':
      return assetIdentifier(state.asset);
    case 'asset_address':
      return state.asset.address;
    case 'asset_decimals':
      return String(state.asset.decimals);
    case 'fiat_currency':
      return state.fiatCurrency;
    case 'created_at':
      return state.createdAt === null ? null : isoInstant(state.createdAt);
    case 'payment_method':
      return state.paymentMethod;
    case 'final_tx_hash':
      return state.finalTxHash;
    default:
      return null;
  }
}
