/** What the three rules on fees against the quote have in common: the finding for one compared part, and its working lines. */

import { acceptedNetworkFee, type ComparedPart } from '../domain/compare-promise.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { isExecuted } from '../domain/execution.ts';
import { serviceFee, tokensOf, valueOfRecord } from '../domain/fee-parts.ts';
import { type FeeComparison, shareRoom } from '../domain/fees.ts';
import { sourcesInWords } from '../domain/market.ts';
import type { MatchedQuote, QuoteAt, QuotedMethod, QuotesAround } from '../domain/quote.ts';
import { FEE_RULES } from '../domain/rule-codes.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, fiatTolerance } from '../domain/tolerance.ts';
import { promiseBroken } from './promise-broken.ts';
import type { Found, RuleInput } from './rule.ts';
import { showQuote } from './wording.ts';
import {
  amount,
  compared,
  fact,
  figure,
  term,
  toleranceLine,
  type WorkingLine,
  type Workings,
  worked,
} from './working.ts';

type Part = keyof typeof FEE_RULES;

const ANOTHER_AMOUNT = 'the quote is for another amount';
const FEE_UNKNOWN = 'no network fee of its hours is known';

/** Both sides are known and the price is fixed, and still they could not be compared. */
function isUnseen({ observation }: RuleInput, { actual, quoted }: FeeComparison): boolean {
  const isKnown = actual.network !== null && quoted?.network != null;
  return isKnown && observation.outcome === 'verified' && isExecuted(observation.snapshot);
}

/**
 * Answers for one part of the fee: not applicable where record or quote does not know it, nothing where they agree.
 * @param beginning how the sentence begins, the amount following: `The base fee is`.
 * @param detail a clause for the end of the sentence, asked for only where the part differs; empty for none.
 */
export function judgeFeePart(
  state: RecordState,
  input: RuleInput,
  part: Part,
  beginning: string,
  detail: (fees: FeeComparison, currency: string) => string,
): Found {
  const { fees, quote } = input;
  if (fees === null || quote === null) return 'not-applicable';
  const sides = fees[part];
  if (sides === null) {
    if (part === 'network') return isUnseen(input, fees) ? { notJudged: FEE_UNKNOWN } : 'not-applicable';
    return fees.comparedAs === 'network' ? { notJudged: ANOTHER_AMOUNT } : 'not-applicable';
  }
  if (sides.agrees) return null;
  const currency = state.fiatCurrency;
  const promise = promiseOf(input, part, sides, fees, quote);
  const finding = promiseBroken(
    { ...sides, field: `${part}_fee`, currency, beginning, promise },
    detail(fees, currency),
  );
  const { price, networkFee } = input.terms.binding;
  const isIndicative = (part === 'network' ? networkFee : price) === 'indicative';
  // A lower fee than promised is a remark.
  if (isIndicative && sides.difference.isNegative) return { ...finding, severity: 'info' };
  return isMeasured(input, part, sides, fees, state) ? { ...finding, loss: sides.difference } : finding;
}

/**
 * Whether the part's difference is the user's loss. The parts are inside the applied fee: the base fee costs nothing more, and of the
 * network fee and the applied one it is the network fee's where that explains the other. Against a fee that was shown,
 * CHARGED_DIFFERS_FROM_SHOWN measures the loss.
 */
function isMeasured(
  input: RuleInput,
  part: Part,
  sides: ComparedPart,
  fees: FeeComparison,
  state: RecordState,
): boolean {
  if (part === 'base' || (shownOf(input, state)?.fee ?? null) !== null) return false;
  const isNetworkMeasured = input.terms.binding.networkFee === 'indicative';
  if (part === 'network') return isNetworkMeasured;
  const { network } = fees;
  const isExplained = network !== null && !network.agrees && agree(sides.difference, network.difference, sides.allowed);
  return !(isNetworkMeasured && isExplained);
}

/** What stands before the expected figure. */
function promiseOf(
  input: RuleInput,
  part: Part,
  { expected, difference }: ComparedPart,
  { comparedAs, quoted }: FeeComparison,
  quote: MatchedQuote,
): string {
  if (comparedAs === 'percent') return percentPromise(quote);
  const asQuoted = quoted?.[part];
  if (asQuoted == null || expected.equals(asQuoted)) return `${showQuote(quote)} promised`;
  if (part !== 'network' && quote.around !== undefined) {
    const { below, above } = quote.around;
    const unit = quote.quote.fiatCurrency;
    const each = ({ quoteId, fiatValue }: QuoteAt) => `${quoteId} of ${showMoney(fiatValue, unit)}`;
    const bound = difference.isNegative ? 'at least' : 'at most';
    return `${showQuote(quote)} is for another amount, and by the quotes ${each(below)} and ${each(above)} it is ${bound}`;
  }
  if (part !== 'network') return `by ${showQuote(quote)}, at the value of this record, it should be`;
  return `${sourcesInWords(input.market.networkFees)} around then had`;
}

/** The figure is then not the quote's own: it is the quoted share of the crypto's value, taken of this record's. */
function percentPromise(matched: MatchedQuote): string {
  const why = matched.basis === 'requoted' ? 'was asked for afterwards' : 'is for another amount';
  return `${showQuote(matched)} ${why}, and its percentage of this amount is`;
}

const WORD: Readonly<Record<Part, string>> = { applied: 'fee', base: 'base fee', network: 'network fee' };

/** A compared part with everything that its working lines name. */
interface Subject extends ComparedPart {
  part: Part;
  state: RecordState;
  matched: MatchedQuote;
  method: QuotedMethod;
  /** As quoted, before it is carried over to another amount. */
  quoted: Decimal;
}

/** The working lines of one part: figure against figure, or share against share. */
export function workOutFeePart(state: RecordState, input: RuleInput, part: Part): Workings | null {
  const { fees, quote: matched } = input;
  const sides = fees?.[part] ?? null;
  const quoted = fees?.quoted?.[part] ?? null;
  if (fees === null || sides === null || quoted === null) return null;
  if (matched === null || matched.method === null) return null;
  const { method } = matched;
  const subject: Subject = { ...sides, part, state, matched, method, quoted };
  return fees.comparedAs === 'percent' ? byShare(input, subject, fees) : byFigure(input, subject, fees);
}

function byFigure(input: RuleInput, subject: Subject, fees: FeeComparison): Workings {
  const { part, state, actual, expected, quoted, allowed } = subject;
  const unit = state.fiatCurrency;
  const { tolerances, binding } = input.terms;
  const general = toleranceLine(fiatTolerance(tolerances, unit, FEE_RULES[part]), expected, unit);
  const { networkFee: share } = tolerances;
  const isMoving = part === 'network' && binding.networkFee === 'indicative';
  const room = isMoving
    ? `the larger of ${figure(general.allowed, unit)} and ${figure(share.times(expected.abs()), unit)} (${share} × ${figure(expected, unit)})`
    : `${general.line.working ?? ''}; plus ${figure(allowed.minus(general.allowed), unit)}, as parts are rounded or converted`;
  const line = allowed.equals(general.allowed) ? general.line : worked('tolerance', room, allowed, unit);
  const before = [
    amount(`quoted ${WORD[part]}`, quoted, unit),
    ...(expected.equals(quoted) ? [] : expectedLines(input, subject, fees)),
    amount(`actual ${WORD[part]}`, actual, unit),
  ];
  return compared(before, { actual, expected, unit }, { line, allowed });
}

/** How an expected figure comes about that is not the quoted one: by another value, or another network fee of the hour. */
function expectedLines(
  input: RuleInput,
  { part, state, matched, expected, quoted }: Subject,
  fees: FeeComparison,
): WorkingLine[] {
  const unit = state.fiatCurrency;
  const { quoted: promised, network, actual } = fees;
  if (part === 'network') {
    const seen = sourcesInWords(input.market.networkFees);
    return [worked('nearest network fee of the hour', seen, expected, unit)];
  }
  const accepted = part === 'applied' ? acceptedNetworkFee(network, input.terms.binding) : null;
  const own = expected.minus(accepted ?? Decimal.ZERO);
  const quotedOwn = serviceFee(quoted, accepted === null ? null : (promised?.network ?? null));
  const value = valueOfRecord(state, actual) ?? state.fiatValue;
  const share = `${term(quotedOwn, unit)} × ${term(value, unit)} ÷ ${term(promised?.cv ?? value, unit)}`;
  const ownWorking =
    matched.around !== undefined
      ? shareBetween(matched.around, part === 'base' ? 'base' : 'own', own, value, unit)
      : own.equals(quotedOwn)
        ? 'as quoted'
        : share;
  if (accepted === null) return [worked(`expected ${WORD[part]}`, ownWorking, own, unit)];
  return [
    worked('expected of it without the network fee', ownWorking, own, unit),
    worked(`expected ${WORD[part]}`, `${term(own, unit)} + ${term(accepted, unit)} network fee`, expected, unit),
  ];
}

/** `0.0249 to 0.0291 (q-2 of 140, q-3 of 160) × 150.00 EUR`. */
function shareBetween(
  { below, above }: QuotesAround,
  part: 'own' | 'base',
  own: Decimal,
  value: Decimal,
  unit: string,
): string {
  if (below[part]?.fee.equals(own) === true) return `as by ${below.quoteId} of ${term(below.fiatValue, unit)}`;
  const each = (at: QuoteAt) =>
    `${at[part]?.share.toPlaces(6) ?? 'unknown'} by ${at.quoteId} of ${term(at.fiatValue, unit)}`;
  return `the nearest of the shares from ${each(below)} to ${each(above)}, × ${term(value, unit)}`;
}

function byShare(input: RuleInput, subject: Subject, { actual: parts, quoted }: FeeComparison): Workings | null {
  const { part, state, matched, actual, expected, allowed } = subject;
  const unit = state.fiatCurrency;
  if (parts.cv === null || quoted === null) return null;
  const { tolerances } = input.terms;
  const general = toleranceLine(fiatTolerance(tolerances, unit, FEE_RULES[part]), expected, unit);
  const room = shareRoom(tolerances, matched.basis, parts.cv, subject.quoted, expected);
  const change = expected.minus(subject.quoted).abs();
  const points = `${tolerances.requoted.percentPoints} % of ${figure(parts.cv.abs(), unit)}`;
  const working =
    `the larger of ${figure(general.allowed, unit)} and ${figure(room, unit)} ` +
    `(${room.equals(change) ? 'the change with the amount' : points})`;
  const why = matched.basis === 'requoted' ? 'a fresh quote' : 'the quote is for another amount';
  const before = [
    fact('compared as', `shares of the crypto's value: ${why}`),
    quotedValue(subject, quoted.cv),
    cryptoValueLine("this record's value", state, parts.cv),
    ...carriedOver(subject, parts.cv, quoted.cv),
    amount(`actual ${WORD[part]}`, actual, unit),
  ];
  return compared(before, { actual, expected, unit }, { line: worked('tolerance', working, allowed, unit), allowed });
}

/** The value of the crypto on the side of the quote, which shares are taken of. */
function quotedValue({ state, matched, method }: Subject, value: Decimal): WorkingLine {
  const unit = state.fiatCurrency;
  const sign = matched.quote.direction === 'onramp' ? '−' : '+';
  const working = `${term(method.fiatValue, unit)} ${sign} ${term(method.appliedFee, unit)}`;
  return worked('quoted crypto value', working, value, unit);
}

/** The value of a record's crypto: at its rate, or from its total and its fee where it has no rate. */
export function cryptoValueLine(label: string, state: RecordState, value: Decimal): WorkingLine {
  const unit = state.fiatCurrency;
  const { exchangeRate, appliedFee, fiatValue, kind } = state;
  const sum = [fiatValue, appliedFee].filter((each) => each !== null).map((each) => term(each, unit));
  const working =
    exchangeRate === null ? sum.join(kind === 'purchase' ? ' − ' : ' + ') : `${tokensOf(state)} × ${exchangeRate}`;
  return worked(label, working, value, unit);
}

/** What the quoted figure comes to at this record's value. The network fee does not grow with the amount. */
function carriedOver(
  { part, state, method, quoted, expected }: Subject,
  cv: Decimal,
  quotedCv: Decimal,
): WorkingLine[] {
  const unit = state.fiatCurrency;
  const lines = [amount(`quoted ${WORD[part]}`, quoted, unit)];
  if (part === 'network') return lines;
  const network = part === 'applied' && method.networkFee?.isZero === false ? method.networkFee : null;
  const own = serviceFee(quoted, network);
  const share = `${term(own, unit)} × ${term(cv, unit)} ÷ ${term(quotedCv, unit)}`;
  if (network !== null)
    lines.push(worked('of it the service fee', `${term(quoted, unit)} − ${term(network, unit)}`, own, unit));
  const working = network === null ? share : `${share} + ${term(network, unit)}`;
  return [...lines, worked(`expected ${WORD[part]}`, working, expected, unit)];
}
