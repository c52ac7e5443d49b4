/** The finding that the rules on fees and on shown amounts share: an amount is another than was promised. */

import type { ComparedPart } from '../domain/compare-promise.ts';
import type { Decimal } from '../domain/decimal.ts';
import { figuresIn, type RuleFinding } from './rule.ts';
import { moneyApart, showShareAfter } from './wording.ts';

interface Sides extends Pick<ComparedPart, 'actual' | 'expected' | 'allowed'> {
  field: string;
  currency: string;
  /** `The app showed a fee of`; the actual amount follows. */
  beginning: string;
  /** `quote q-17 promised`; the expected amount follows. */
  promise: string;
}

/** @param detail a clause for the end of the sentence; empty for none. */
export function promiseBroken(sides: Sides, detail = ''): RuleFinding & { difference: Decimal } {
  const { field, actual, expected, currency, beginning, promise } = sides;
  const figures = figuresIn('money', sides);
  const [actualText, expectedText, apartBy] = moneyApart(actual, expected, currency);
  return {
    field,
    ...figures,
    explanation:
      `${beginning} ${actualText}; ${promise} ${expectedText}: ` +
      `${apartBy}${showShareAfter(figures.difference, expected)}${detail}.`,
  };
}
