/** What the three rules on fees against the quote have in common: the finding for one compared part, and its working lines. */
import type { Decimal } from '../domain/decimal.ts';
import { serviceFee, tokensOf } from '../domain/fee-parts.ts';
import { type ComparedPart, conversionRoom, type FeeComparison, shareRoom } from '../domain/fees.ts';
import type { MatchedQuote, QuotedMethod } from '../domain/quote.ts';
import { FEE_RULES } from '../domain/rule-codes.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { fiatTolerance } from '../domain/tolerance.ts';
import { promiseBroken } from './promise-broken.ts';
import { NOTHING_FOUND, type RuleAnswer, type RuleInput, verifiedState } from './rule.ts';
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

/**
 * Answers for one part of the fee: not applicable where record or quote does not know it, nothing where they agree.
 * @param beginning how the sentence begins, the amount following: `The base fee is`.
 * @param detail a clause for the end of the sentence, asked for only where the part differs; empty for none.
 */
export function judgeFeePart(
  input: RuleInput,
  part: Part,
  beginning: string,
  detail: (fees: FeeComparison, currency: string) => string,
): RuleAnswer {
  const state = verifiedState(input);
  const { fees, quote } = input;
  if (state === null || fees === null || quote === null) return 'not-applicable';
  const sides = fees[part];
  if (sides === null) return 'not-applicable';
  if (sides.agrees) return NOTHING_FOUND;
  const promise = fees.comparedAs === 'percent' ? percentPromise(quote) : `${showQuote(quote)} promised`;
  const currency = state.fiatCurrency;
  const finding = promiseBroken(
    { ...sides, field: `${part}_fee`, currency, beginning, promise },
    detail(fees, currency),
  );
  // The parts are inside the applied fee: by them the user loses nothing more. Against a fee that was shown, CHARGED_DIFFERS_FROM_SHOWN
  // measures the loss.
  const isMeasured = part === 'applied' && (shownOf(input, state)?.fee ?? null) === null;
  return [isMeasured ? { ...finding, loss: sides.difference } : finding];
}

/** The figure is then not the quote's own: it is the quoted share of the crypto's value, taken of this record's. */
function percentPromise(matched: MatchedQuote): string {
  const why = matched.basis === 'requoted' ? 'was asked for afterwards' : 'is for another amount';
  return `${showQuote(matched)} ${why} and its percentage comes to`;
}

const WORD: Readonly<Record<Part, string>> = { applied: 'fee', base: 'base fee', network: 'network fee' };

/** A compared part with everything that its working lines name. */
interface Compared extends ComparedPart {
  part: Part;
  state: RecordState;
  matched: MatchedQuote;
  method: QuotedMethod;
  /** As quoted, before it is carried over to another amount. */
  quoted: Decimal;
}

/** The working lines of one part: figure against figure, or share against share. */
export function workOutFeePart(input: RuleInput, part: Part): Workings | null {
  const state = verifiedState(input);
  const { fees, quote: matched } = input;
  const sides = fees?.[part] ?? null;
  const quoted = fees?.quoted?.[part] ?? null;
  if (state === null || fees === null || sides === null || quoted === null) return null;
  if (matched === null || matched.method === null) return null;
  const { method } = matched;
  const subject: Compared = { ...sides, part, state, matched, method, quoted };
  return fees.comparedAs === 'percent' ? byShare(input, subject, fees) : byFigure(input, subject);
}

function byFigure(input: RuleInput, { part, state, method, actual, expected, allowed }: Compared): Workings {
  const unit = state.fiatCurrency;
  const general = toleranceLine(fiatTolerance(input.terms.tolerances, unit, FEE_RULES[part]), expected, unit);
  const isConverted = part === 'network' && !method.networkFeeExact;
  const room = `${general.line.working ?? ''}; plus 1 % of ${figure(expected.abs(), unit)}, as it was converted`;
  const line = isConverted
    ? worked('tolerance', room, general.allowed.plus(conversionRoom(expected)), unit)
    : general.line;
  const before = [amount(`quoted ${WORD[part]}`, expected, unit), amount(`actual ${WORD[part]}`, actual, unit)];
  return compared(before, { actual, expected, unit }, { line, allowed });
}

function byShare(input: RuleInput, subject: Compared, { actual: parts, quoted }: FeeComparison): Workings | null {
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
function quotedValue({ state, matched, method }: Compared, value: Decimal): WorkingLine {
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
  { part, state, method, quoted, expected }: Compared,
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
