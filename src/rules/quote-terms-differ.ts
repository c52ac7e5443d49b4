import { assetIdentifier, sameAsset } from '../domain/asset.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { showQuote } from './wording/quote.ts';

/** Linked quotes only: a captured or fresh one was chosen by these very terms. */
export const quoteTermsDiffer: Rule = {
  code: 'QUOTE_TERMS_DIFFER',
  severity: 'medium',
  title: 'Asset, currency or payment method differ from the linked quote',
  why: 'The user was shown a price for something else, or the application links the wrong quote; fees cannot be judged by it.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || input.quote === null || input.quote.basis !== 'linked') return 'not-applicable';
    const findings = differingTerms(state, input.quote);
    return findings.length === 0 ? NOTHING_FOUND : findings;
  },
};

function differingTerms(state: RecordState, matched: MatchedQuote): RuleFinding[] {
  const { quote } = matched;
  const found: RuleFinding[] = [];
  if (!sameAsset(quote.asset, state.asset)) {
    found.push(differing('asset', 'for', assetIdentifier(quote.asset), assetIdentifier(state.asset), state, matched));
  }
  if (quote.fiatCurrency !== state.fiatCurrency) {
    found.push(differing('fiat_currency', 'in', quote.fiatCurrency, state.fiatCurrency, state, matched));
  }
  if (matched.method === null && state.paymentMethod !== null) {
    found.push(methodNotOffered(state, state.paymentMethod, matched));
  }
  return found;
}

function differing(
  field: string,
  preposition: string,
  quoted: string,
  actual: string,
  state: RecordState,
  matched: MatchedQuote,
): RuleFinding {
  return {
    field,
    expected: quoted,
    actual,
    explanation: `The ${state.kind} is ${preposition} ${actual}, but its linked ${showQuote(matched)} was ${preposition} ${quoted}.`,
  };
}

function methodNotOffered(state: RecordState, method: string, matched: MatchedQuote): RuleFinding {
  const offered = matched.quote.methods.map((quoted) => quoted.method);
  const instead = offered.length === 0 ? '' : `, only ${offered.join(', ')}`;
  return {
    field: 'payment_method',
    expected: offered.length === 0 ? null : offered.join(' '),
    actual: method,
    explanation: `The ${state.kind} was made by ${method}, which its linked ${showQuote(matched)} did not offer${instead}.`,
  };
}
