/** Findings that say: this field was one thing before and is another now. What RESTATED and FIELD_CHANGED have in common. */
import { assetIdentifier } from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { isoInstant, showInstant } from '../domain/record.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import { agree } from '../domain/tolerance.ts';
import { apart, type RuleFinding, type RuleInput } from './rule.ts';
import { figuresApart, moneyApart, showFigure } from './wording.ts';
import {
  amount,
  compared,
  fact,
  figure,
  plainOutcome,
  relativeLine,
  type Workings,
  wordsOnly,
  worked,
} from './working.ts';

/** The half-sentence that dates the earlier value: `when it was first seen (2026-11-02 10:02 UTC)`. */
export type Before = string;

/** Figures come from doubles, which keep 15 digits: one that was worked out again may differ in the last. */
const NOISE = Decimal.of(1n, 12);

export function sameFigure(was: Decimal, is: Decimal): boolean {
  return was.equals(is) || agree(is, was, NOISE.times(was.abs()));
}

/**
 * A field filled in later is no change; one that is gone is. Amounts that are equal as numbers (`1.5`, `1.50`) are equal.
 * @param currency null for a rate, which has none of its own in a report
 * @returns null where nothing changed.
 */
export function changedFigure(
  field: string,
  label: string,
  was: Decimal | null,
  is: Decimal | null,
  currency: string | null,
  before: Before,
): RuleFinding | null {
  if (was === null || (is !== null && sameFigure(was, is))) return null;
  if (is === null) {
    const wasText = currency === null ? showFigure(was) : showMoney(was, currency);
    const explanation = `The ${label} was ${wasText} ${before} and is gone now.`;
    return { field, expected: was.toString(), actual: null, explanation };
  }
  const figures = { field, ...apart(is, was), tolerance: Decimal.ZERO };
  if (currency === null) {
    const [wasText, isText] = figuresApart(was, is);
    return { ...figures, unit: 'rate', explanation: `The ${label} was ${wasText} ${before} and is ${isText} now.` };
  }
  const [isText, wasText, apartBy] = moneyApart(is, was, currency);
  const explanation = `The ${label} was ${wasText} ${before} and is ${isText} now: ${apartBy}.`;
  return { ...figures, unit: 'money', currency, explanation };
}

/** The same for anything that is not a number. The caller knows what counts as equal. */
export function changedText(field: string, label: string, was: string, is: string | null, before: Before): RuleFinding {
  const now = is === null ? 'is gone now' : `is ${is} now`;
  return { field, expected: was, actual: is, explanation: `The ${label} was ${was} ${before} and ${now}.` };
}

/** The working lines of a change. `how` dates the earlier body: `first seen`, `seen as RELEASED`. */
export function workOutChange(input: RuleInput, field: string, earlier: Snapshot | null, how: string): Workings | null {
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
  /** A currency, or a word such as `units`; null for a bare number. */
  unit: string | null;
}

type Reader<T> = (state: RecordState) => T;

/** Fields that are numbers, with their units. */
const FIGURES = new Map<string, Reader<readonly [Decimal | null, string | null]>>([
  ['fiat_value', (state) => [state.fiatValue, state.fiatCurrency]],
  ['crypto_amount', (state) => [tokensOf(state), assetIdentifier(state.asset)]],
  ['applied_fee', (state) => [state.appliedFee, state.fiatCurrency]],
  ['base_fee', (state) => [state.baseFee, state.fiatCurrency]],
  ['network_fee', (state) => [state.networkFee, state.fiatCurrency]],
  ['host_fee_cut', (state) => [state.hostFeeCut, state.fiatCurrency]],
  ['exchange_rate', (state) => [state.exchangeRate, null]],
  ['exchange_rate_eur', (state) => [state.exchangeRateEur, null]],
  ['fiat_rate_eur', (state) => [state.fiatRateEur, null]],
]);

const TEXTS = new Map<string, Reader<string | null>>([
  ['receiver_address', (state) => state.receiverAddress],
  ['asset', (state) => assetIdentifier(state.asset)],
  ['asset_address', (state) => state.asset.address],
  ['asset_decimals', (state) => String(state.asset.decimals)],
  ['fiat_currency', (state) => state.fiatCurrency],
  ['created_at', (state) => (state.createdAt === null ? null : isoInstant(state.createdAt))],
  ['end_time', (state) => (state.endTime === null ? null : isoInstant(state.endTime))],
  ['payment_method', (state) => state.paymentMethod],
  ['final_tx_hash', (state) => state.finalTxHash],
]);

/** Null where the field is no number, or is not there. */
function figureOf(state: RecordState, field: string): Figure | null {
  const [value = null, unit = null] = FIGURES.get(field)?.(state) ?? [];
  return value === null ? null : { value, unit };
}

function textOf(state: RecordState, field: string): string | null {
  return TEXTS.get(field)?.(state) ?? null;
}
