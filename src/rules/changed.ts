/** Findings that say: this field was one thing before and is another now. What RESTATED and FIELD_CHANGED have in common. */
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { RuleFinding } from './rule.ts';
import { figuresApart, moneyApart, showFigure, showMoreOrLess } from './wording/money.ts';

/** The half-sentence that dates the earlier value: `when it was first seen (2026-11-02 10:02 UTC)`. */
export type Before = string;

/**
 * A field filled in later is no change; one that is gone is. Amounts that are equal as numbers (`1.5`, `1.50`) are equal.
 * @returns null where nothing changed.
 */
export function changedMoney(
  field: string,
  label: string,
  was: Decimal | null,
  is: Decimal | null,
  currency: string,
  before: Before,
): RuleFinding | null {
  if (was === null || (is !== null && was.equals(is))) return null;
  if (is === null) return gone(field, label, was, showMoney(was, currency), before);
  const [wasText, isText] = moneyApart(was, is, currency);
  const difference = is.minus(was);
  return {
    field,
    expected: was.toString(),
    actual: is.toString(),
    difference,
    currency,
    tolerance: Decimal.ZERO,
    explanation: `The ${label} was ${wasText} ${before} and is ${isText} now: ${showMoreOrLess(difference, currency)}.`,
  };
}

/** The same for a rate, which has no currency of its own in a report. */
export function changedRate(
  field: string,
  label: string,
  was: Decimal | null,
  is: Decimal | null,
  before: Before,
): RuleFinding | null {
  if (was === null || (is !== null && was.equals(is))) return null;
  if (is === null) return gone(field, label, was, showFigure(was), before);
  const [wasText, isText] = figuresApart(was, is);
  return {
    field,
    expected: was.toString(),
    actual: is.toString(),
    difference: is.minus(was),
    tolerance: Decimal.ZERO,
    explanation: `The ${label} was ${wasText} ${before} and is ${isText} now.`,
  };
}

/** The same for anything that is not a number. The caller knows what counts as equal. */
export function changedText(field: string, label: string, was: string, is: string | null, before: Before): RuleFinding {
  const now = is === null ? 'is gone now' : `is ${is} now`;
  return { field, expected: was, actual: is, explanation: `The ${label} was ${was} ${before} and ${now}.` };
}

function gone(field: string, label: string, was: Decimal, wasText: string, before: Before): RuleFinding {
  const explanation = `The ${label} was ${wasText} ${before} and is gone now.`;
  return { field, expected: was.toString(), actual: null, explanation };
}
