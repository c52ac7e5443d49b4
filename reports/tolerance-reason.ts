/** Why a row of fees.csv is within tolerance, outside it, or not compared. */

import type { ComparedPart } from '../src/domain/compare-promise.ts';
import { showMoney } from '../src/domain/currency.ts';
import type { FeeComparison } from '../src/domain/fees.ts';
import type { MatchedQuote } from '../src/domain/quote.ts';
import type { RecordState } from '../src/domain/snapshot.ts';

interface ComparedFees {
  state: RecordState;
  fees: FeeComparison;
  quote: MatchedQuote | null;
}

const PARTS = ['applied', 'base', 'network'] as const;
const NAMES = { applied: 'applied fee', base: 'base fee', network: 'network fee' } as const;

/** `shares of the value: the quote is for another amount; applied fee 12.00 EUR, expected 11.50 EUR: outside 0.10 EUR`. */
export function toleranceReason({ state, fees, quote }: ComparedFees): string {
  if (quote === null) return 'no quote belongs to the record';
  if (fees.quoted === null) return 'the quote is for another currency or asset, or lacks the payment method';
  const { fiatCurrency: currency } = state;
  const clauses = PARTS.flatMap((part) => partInWords(NAMES[part], fees[part], fees.comparedAs, currency));
  return [howCompared(fees, quote), ...clauses, ...unknownParts(fees)].join('; ');
}

function howCompared({ comparedAs, withinTolerance }: FeeComparison, quote: MatchedQuote): string {
  if (withinTolerance === null) return 'nothing could be compared';
  if (comparedAs === 'amount') return 'figure against figure';
  if (comparedAs === 'network') return 'the quote is for another amount: of its fees only the network fee is compared';
  const why = quote.basis === 'requoted' ? 'the quote is a fresh one' : 'the quote is for another amount';
  return `shares of the value: ${why}`;
}

/** Parts that agree figure against figure need no words: their columns say it. */
function partInWords(
  name: string,
  part: ComparedPart | null,
  comparedAs: FeeComparison['comparedAs'],
  currency: string,
): string[] {
  if (part === null || (part.agrees && comparedAs !== 'percent')) return [];
  const outcome = `${part.agrees ? 'within' : 'outside'} ${showMoney(part.allowed, currency)}`;
  return [`${name} ${showMoney(part.actual, currency)}, expected ${showMoney(part.expected, currency)}: ${outcome}`];
}

/** A part that one side does not state has no variance of its own: it is in the adjustment. */
function unknownParts({ actual, quoted }: FeeComparison): string[] {
  if (quoted === null) return [];
  const sidesWithout = (part: (typeof PARTS)[number]) =>
    [actual[part] === null ? ['record'] : [], quoted[part] === null ? ['quote'] : []].flat();
  if (actual.applied === null) return [`no applied fee on the ${sidesWithout('applied').join(' and the ')}`];
  return (['base', 'network'] as const).flatMap((part) => {
    const sides = sidesWithout(part);
    return sides.length === 0 ? [] : [`no ${NAMES[part]} on the ${sides.join(' and the ')}: it is in the adjustment`];
  });
}
