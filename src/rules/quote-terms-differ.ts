import { assetIdentifier, contractOf, contractsDiffer, sameName } from '../domain/asset.ts';
import type { MatchedQuote } from '../domain/quote.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { NOTHING_FOUND, type Rule, type RuleFinding, type RuleInput, verifiedState } from './rule.ts';
import { showQuote } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** A captured quote was chosen by name, currency and method: of those only its contract and decimals can differ. A fresh one promised nothing. */
export const quoteTermsDiffer: Rule = {
  code: 'QUOTE_TERMS_DIFFER',
  severity: 'medium',
  title: 'Asset, currency or payment method differ from the quote',
  why: 'The user was shown a price for something else, or the application links the wrong quote; fees cannot be judged by it.',
  action: 'Check in the application which quote this user was shown, and why another one was linked.',
  settledBy: 'Only a waiver, as the first link is kept: waive it once the quote of this user is known.',
  example: 'The purchase is for ETH_USDC, but its linked quote q-731 (Google Pay, 10 min before) was for ETH_USDT.',
  note: 'Fees cannot be judged by a quote for something else. Another contract, or other decimals, is high: it is another asset.',
  check(input) {
    const state = verifiedState(input);
    if (state === null || input.quote === null || input.quote.basis === 'requoted') return 'not-applicable';
    const findings =
      input.quote.basis === 'linked' ? differingTerms(state, input.quote) : anotherToken(state, input.quote);
    return findings.length === 0 ? NOTHING_FOUND : findings;
  },
  working,
};

function differingTerms(state: RecordState, matched: MatchedQuote): RuleFinding[] {
  const { quote } = matched;
  const found: RuleFinding[] = [];
  if (!sameName(quote.asset, state.asset)) {
    found.push(differing('asset', 'for', assetIdentifier(quote.asset), assetIdentifier(state.asset), state, matched));
  } else found.push(...anotherToken(state, matched));
  if (quote.fiatCurrency !== state.fiatCurrency) {
    found.push(differing('fiat_currency', 'in', quote.fiatCurrency, state.fiatCurrency, state, matched));
  }
  if (matched.method === null && state.paymentMethod !== null) {
    found.push(methodNotOffered(state, state.paymentMethod, matched));
  }
  return found;
}

/** The same name, and another token. */
function anotherToken(state: RecordState, matched: MatchedQuote): RuleFinding[] {
  const { asset } = matched.quote;
  const found: RuleFinding[] = [];
  const says = (what: string, quoted: string, actual: string) =>
    `The ${state.kind} is for ${assetIdentifier(state.asset)} with ${what} ${actual}, but its ${showQuote(matched)} was for one with ${quoted}.`;
  if (contractsDiffer(asset, state.asset)) {
    const [expected, actual] = [contractOf(asset) ?? '', contractOf(state.asset) ?? ''];
    const explanation = says('the contract', expected, actual);
    found.push({ field: 'contract_address', severity: 'high', expected, actual, explanation });
  }
  if (asset.decimals !== state.asset.decimals) {
    const [expected, actual] = [String(asset.decimals), String(state.asset.decimals)];
    const explanation = says('decimals of', expected, actual);
    found.push({ field: 'asset_decimals', severity: 'high', expected, actual, explanation });
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
      agree: sameName(quote.asset, state.asset),
    },
    contract_address: {
      quoted: contractOf(quote.asset) ?? 'none',
      actual: contractOf(state.asset) ?? 'none',
      agree: !contractsDiffer(quote.asset, state.asset),
    },
    asset_decimals: {
      quoted: String(quote.asset.decimals),
      actual: String(state.asset.decimals),
      agree: quote.asset.decimals === state.asset.decimals,
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
    fact(input.quote.basis === 'linked' ? 'linked quote' : 'quote', quote.quoteId),
    fact('quoted', side.quoted),
    fact('actual', side.actual),
    plainOutcome(side.agree ? 'the same' : 'not the same', !side.agree),
  ]);
}
