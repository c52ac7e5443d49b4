import { assetIdentifier, sameAsset } from '../domain/asset.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import { showQuote } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Linked quotes only: a captured or fresh one was chosen by these very terms. */
export const quoteTermsDiffer: Rule = {
  code: 'QUOTE_TERMS_DIFFER',
  severity: 'medium',
  title: 'Asset, currency or payment method differ from the linked quote',
  why: 'The user was shown a price for something else, or the application links the wrong quote; fees cannot be judged by it.',
  action: 'Check in the application which quote this user was shown, and why another one was linked.',
  settledBy: 'Only a waiver, as the first link is kept: waive it once the quote of this user is known.',
  example: 'The purchase is for ETH_USDC, but its linked quote q-731 (Google Pay, 10 min before) was for ETH_USDT.',
  note: 'Fees cannot be judged by a quote for something else.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || input.quote === null || input.quote.basis !== 'linked') return 'not-applicable';
    const findings = differingTerms(state, input.quote);
    return findings.length === 0 ? NOTHING_FOUND : findings;
  },
  working,
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

function working(input: RuleInput, field: string): Workings | null {
  const state = verifiedState(input);
  if (state === null || input.quote === null) return null;
  const { quote, method } = input.quote;
  const offered = quote.methods.map((each) => each.method).join(', ');
  const sides: Readonly<Record<string, { quoted: string; actual: string; agree: boolean }>> = {
    asset: {
      quoted: assetIdentifier(quote.asset),
      actual: assetIdentifier(state.asset),
      agree: sameAsset(quote.asset, state.asset),
    },
    fiat_currency: {
      quoted: quote.fiatCurrency,
      actual: state.fiatCurrency,
      agree: quote.fiatCurrency === state.fiatCurrency,
    },
    payment_method: {
      quoted: offered === '' ? 'not this method' : offered,
      actual: state.paymentMethod ?? 'none',
      agree: method !== null,
    },
  };
  const side = sides[field];
  if (side === undefined) return null;
  return wordsOnly([
    fact('linked quote', quote.quoteId),
    fact('quoted', side.quoted),
    fact('actual', side.actual),
    plainOutcome(side.agree ? 'the same' : 'not the same', !side.agree),
  ]);
}
