/** What the three rules on fees against the quote have in common: the finding for one compared part. */
import type { Decimal } from '../domain/decimal.ts';
import type { ComparedPart, FeeComparison } from '../domain/fees.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import type { RuleAnswer, RuleFinding, RuleInput } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { moneyApart, showMoreOrLess, showShare } from './wording/money.ts';
import { showQuote } from './wording/quote.ts';

/**
 * Answers for one part of the fee: not applicable where record or quote does not know it, nothing where they agree.
 * @param fact how the sentence begins, the amount following: `The base fee is`.
 * @param detail a clause for the end of the sentence, asked for only where the part differs; empty for none.
 */
export function judgeFeePart(
  input: RuleInput,
  part: 'applied' | 'base' | 'network',
  fact: string,
  detail: (difference: Decimal, fees: FeeComparison, currency: string) => string,
): RuleAnswer {
  const state = verifiedState(input);
  const { fees, quote } = input;
  if (state === null || fees === null || quote === null) return 'not-applicable';
  const compared = fees[part];
  if (compared === null) return 'not-applicable';
  if (compared.agrees) return NOTHING_FOUND;
  const promise = fees.comparedAs === 'percent' ? percentPromise(quote) : amountPromise(quote);
  const currency = state.fiatCurrency;
  return [differing(compared, `${part}_fee`, currency, fact, promise, detail(compared.difference, fees, currency))];
}

/** Both promises are followed by the expected amount. */
type Promise = { quote: string; verb: string };

function amountPromise(matched: MatchedQuote): Promise {
  return { quote: showQuote(matched), verb: 'promised' };
}

/** The figure is then not the quote's own: it is the quoted share of the crypto's value, taken of this record's. */
function percentPromise(matched: MatchedQuote): Promise {
  const why = matched.basis === 'requoted' ? 'was asked for afterwards' : 'is for another amount';
  return { quote: `${showQuote(matched)} ${why}`, verb: 'and its percentage comes to' };
}

function differing(
  compared: ComparedPart,
  field: string,
  currency: string,
  fact: string,
  promise: Promise,
  detail: string,
): RuleFinding {
  const { actual, expected, difference } = compared;
  const [actualText, expectedText] = moneyApart(actual, expected, currency);
  const share = showShare(difference, expected);
  return {
    field,
    expected: expected.toString(),
    actual: actual.toString(),
    difference,
    currency,
    tolerance: compared.allowed,
    explanation:
      `${fact} ${actualText}; ${promise.quote} ${promise.verb} ${expectedText}: ` +
      `${showMoreOrLess(difference, currency)}${share === null ? '' : ` (${share})`}${detail}.`,
  };
}
