import {
  type AssetIdentity,
  assetIdentifier,
  contractOf,
  contractsDiffer,
  sameName,
  tokenStandard,
} from '../domain/asset.ts';
import { showMoney } from '../domain/currency.ts';
import { type Decimal, minDecimal } from '../domain/decimal.ts';
import { serviceFee, valueConverted } from '../domain/fee-parts.ts';
import type { Severity } from '../domain/finding.ts';
import { type MatchedQuote, sameTerms } from '../domain/quote.ts';
import { sameAmount } from '../domain/quoted-amount.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { allowance, fiatTolerance } from '../domain/tolerance.ts';
import { bodyRule, figuresIn, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';
import { moneyApart, showQuote } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** A captured quote was chosen by name, currency and method: of those only its contract, decimals and type can differ. A fresh one promised nothing. */
export const quoteTermsDiffer = bodyRule({
  code: 'QUOTE_TERMS_DIFFER',
  severity: 'medium',
  title: 'Asset, currency or payment method differ from the quote',
  why: 'The user was shown a price for something else, or the application links the wrong quote; fees cannot be judged by it.',
  action: 'Check in the application which quote this user was shown, and why another one was linked.',
  settledBy: 'Only a waiver, as the first link is kept: waive it once the quote of this user is known.',
  example: 'The purchase is for ETH_USDC, but its linked quote q-731 (Google Pay, 10 min before) was for ETH_USDT.',
  note: 'Fees cannot be judged by a quote for something else. Another contract, or other decimals, is high: it is another asset. A share of the host (`host_fee_cut`) that is below the quoted one is a remark where the user paid so much less.',
  check(state, input) {
    const { quote } = input;
    if (quote === null || quote.basis === 'requoted') return 'not-applicable';
    return quote.basis === 'linked'
      ? [...differingTerms(state, quote), lessForHost(state, input)]
      : anotherToken(state, quote);
  },
  working,
});

function differingTerms(state: RecordState, matched: MatchedQuote): RuleFinding[] {
  const { quote } = matched;
  const found: RuleFinding[] = [];
  if (!sameName(quote.asset, state.asset)) {
    found.push(differing('asset', 'for', assetIdentifier(quote.asset), assetIdentifier(state.asset), state, matched));
  } else found.push(...anotherToken(state, matched));
  if (quote.fiatCurrency !== state.fiatCurrency)
    found.push(differing('fiat_currency', 'in', quote.fiatCurrency, state.fiatCurrency, state, matched));
  if (matched.method === null && state.paymentMethod !== null)
    found.push(methodNotOffered(state, state.paymentMethod, matched));
  return found;
}

/** What has a contract is a token, also where nothing names its standard (§2.10: v1). */
const typeOf = (asset: AssetIdentity) => tokenStandard(asset) ?? (contractOf(asset) === null ? null : 'token');

/** The one is a coin by its type, and the other a token. Standards have many names: two of them are no difference. */
function typesDiffer(a: AssetIdentity, b: AssetIdentity): boolean {
  const [ours, theirs] = [typeOf(a), typeOf(b)];
  return ours !== null && theirs !== null && (ours === 'NATIVE') !== (theirs === 'NATIVE');
}

/** The same name, and another token. */
function anotherToken(state: RecordState, matched: MatchedQuote): RuleFinding[] {
  const { asset } = matched.quote;
  const found: RuleFinding[] = [];
  const add = (field: string, what: string, quoted: string, actual: string, severity: Severity = 'high') => {
    const explanation = `The ${state.kind} is for ${assetIdentifier(state.asset)} with ${what} ${actual}, but its ${showQuote(matched)} was for one with ${quoted}.`;
    found.push({ ...plainFinding(field, actual, explanation, quoted), severity });
  };
  if (contractsDiffer(asset, state.asset)) {
    const [expected, actual] = [contractOf(asset) ?? '', contractOf(state.asset) ?? ''];
    add('contract_address', 'the contract', expected, actual);
  }
  if (asset.decimals !== state.asset.decimals)
    add('asset_decimals', 'decimals of', String(asset.decimals), String(state.asset.decimals));
  if (typesDiffer(asset, state.asset))
    add('asset_type', 'the type', typeOf(asset) ?? '', typeOf(state.asset) ?? '', 'medium');
  return found;
}

/**
 * The host's share as its linked quote promised it: that amount, or that share of the value that was converted. If the user paid less
 * by the missing amount (a campaign), it is a remark; if not, the Service kept it. No loss is counted here: the partner's payments show it.
 */
function lessForHost(state: RecordState, input: RuleInput): RuleFinding | null {
  const { quote: matched, fees, terms } = input;
  const [is, quoted, method] = [state.hostFeeCut, matched?.method?.hostFeeCut ?? null, matched?.method ?? null];
  const { actual, quoted: promised } = fees ?? {};
  if (matched === null || method === null || is === null || quoted === null || actual?.applied == null) return null;
  // One that was stated otherwise at the end is RESTATED's.
  const atEnd = input.history.firstTerminal?.state.hostFeeCut ?? is;
  if (!atEnd.equals(is)) return null;
  if (promised == null || !sameTerms(state, matched) || !sameAmount(state, method, terms.tolerances)) return null;
  const currency = state.fiatCurrency;
  const value = valueConverted(state.kind, state.fiatValue, actual.applied);
  const byValue = promised.cv.isPositive ? quoted.times(value).dividedBy(promised.cv, RATE_PLACES) : quoted;
  const expected = minDecimal(quoted, byValue);
  const allowed = allowance(fiatTolerance(terms.tolerances, currency, 'QUOTE_TERMS_DIFFER'), expected);
  const missing = expected.minus(is);
  if (!missing.greaterThan(allowed)) return null;
  const [isText, quotedText, apartBy] = moneyApart(is, expected, currency);
  const isSpared = !serviceFee(promised.applied, promised.network)
    .minus(serviceFee(actual.applied, actual.network))
    .plus(allowed)
    .lessThan(missing);
  return {
    field: 'host_fee_cut',
    ...(isSpared ? { severity: 'info' as const } : {}),
    ...figuresIn('money', { actual: is, expected, allowed, currency }),
    explanation: `The host's share of the fee is ${isText}; ${showQuote(matched)} promised ${quotedText}: ${apartBy}.`,
  };
}

const RATE_PLACES = 18;

function differing(
  field: string,
  preposition: string,
  quoted: string,
  actual: string,
  state: RecordState,
  matched: MatchedQuote,
): RuleFinding {
  const explanation = `The ${state.kind} is ${preposition} ${actual}, but its linked ${showQuote(matched)} was ${preposition} ${quoted}.`;
  return plainFinding(field, actual, explanation, quoted);
}

function methodNotOffered(state: RecordState, method: string, matched: MatchedQuote): RuleFinding {
  const offered = matched.quote.methods.map((quoted) => quoted.method);
  const instead = offered.length === 0 ? '' : `, only ${offered.join(', ')}`;
  const explanation = `The ${state.kind} was made by ${method}, which its linked ${showQuote(matched)} did not offer${instead}.`;
  return plainFinding('payment_method', method, explanation, offered.join(' ') || null);
}

function sharesOf(state: RecordState, input: RuleInput): readonly [quoted: string, actual: string, agree: boolean] {
  const quoted = input.quote?.method?.hostFeeCut ?? null;
  const show = (share: Decimal | null) => (share === null ? 'none' : showMoney(share, state.fiatCurrency));
  return [show(quoted), show(state.hostFeeCut), lessForHost(state, input) === null];
}

function working(state: RecordState, input: RuleInput, field: string): Workings | null {
  if (input.quote === null) return null;
  const { quote, method } = input.quote;
  const offered = quote.methods.map((each) => each.method).join(', ');
  const { asset } = state;
  const quotedText = offered === '' ? 'not this method' : offered;
  const sides: Readonly<Record<string, readonly [quoted: string, actual: string, agree: boolean]>> = {
    asset: [assetIdentifier(quote.asset), assetIdentifier(asset), sameName(quote.asset, asset)],
    contract_address: [
      contractOf(quote.asset) ?? 'none',
      contractOf(asset) ?? 'none',
      !contractsDiffer(quote.asset, asset),
    ],
    asset_decimals: [`${quote.asset.decimals}`, `${asset.decimals}`, quote.asset.decimals === asset.decimals],
    asset_type: [typeOf(quote.asset) ?? 'none', typeOf(asset) ?? 'none', !typesDiffer(quote.asset, asset)],
    fiat_currency: [quote.fiatCurrency, state.fiatCurrency, quote.fiatCurrency === state.fiatCurrency],
    payment_method: [quotedText, state.paymentMethod ?? 'none', method !== null],
  };
  const side = field === 'host_fee_cut' ? sharesOf(state, input) : sides[field];
  if (side === undefined) return null;
  const [quoted, actual, agree] = side;
  return wordsOnly([
    fact(input.quote.basis === 'linked' ? 'linked quote' : 'quote', quote.quoteId),
    fact('quoted', quoted),
    fact('actual', actual),
    plainOutcome(agree ? 'the same' : 'not the same', !agree),
  ]);
}
