/** The three rules on fees against the quote, figure against figure or share against share. */
import { Decimal, maxDecimal } from '../../domain/decimal.ts';
import { tokensOf } from '../../domain/fee-parts.ts';
import { sameAmount } from '../../domain/fees.ts';
import type { MatchedQuote, QuotedMethod } from '../../domain/quote.ts';
import type { RecordState } from '../../domain/snapshot.ts';
import { fiatTolerance } from '../../domain/tolerance.ts';
import type { RuleInput } from '../../rules/rule.ts';
import { verifiedState } from '../../rules/verified.ts';
import {
  amount,
  compared,
  fact,
  figure,
  signed,
  term,
  toleranceLine,
  type Worker,
  type WorkingLine,
  type Workings,
  worked,
} from './lines.ts';

type Part = 'applied' | 'base' | 'network';

const RULE: Readonly<Record<Part, string>> = {
  applied: 'FEE_APPLIED_DIFFERS',
  base: 'FEE_BASE_DIFFERS',
  network: 'FEE_NETWORK_DIFFERS',
};
const WORD: Readonly<Record<Part, string>> = { applied: 'fee', base: 'base fee', network: 'network fee' };

/** As many places as the comparison itself keeps where it divides. */
const PLACES = 18;
/** A converted network fee is only as good as its price list: one percent more room. */
const CONVERSION_ROOM = Decimal.of(1n, 2);

interface Sides {
  state: RecordState;
  matched: MatchedQuote;
  method: QuotedMethod;
}

export const appliedFee: Worker = (input) => {
  const workings = feePart(input, 'applied');
  return workings === null ? null : { ...workings, lines: [...workings.lines, ...parts(input)] };
};
export const baseFee: Worker = (input) => feePart(input, 'base');
export const networkFee: Worker = (input) => feePart(input, 'network');

function sidesOf(input: RuleInput): Sides | null {
  const state = verifiedState(input);
  const matched = input.quote;
  return state === null || matched === null || matched.method === null
    ? null
    : { state, matched, method: matched.method };
}

/** A fresh quote, or one for another amount, promises a share and no figure. */
function comparesShares({ state, matched, method }: Sides, input: RuleInput): boolean {
  return matched.basis === 'requoted' || !sameAmount(state, method, input.terms.tolerances);
}

const recorded = (state: RecordState, part: Part) =>
  ({ applied: state.appliedFee, base: state.baseFee, network: state.networkFee })[part];
const promised = (method: QuotedMethod, part: Part) =>
  ({ applied: method.appliedFee, base: method.baseFee, network: method.networkFee })[part];

function feePart(input: RuleInput, part: Part): Workings | null {
  const sides = sidesOf(input);
  if (sides === null) return null;
  const actual = recorded(sides.state, part);
  if (actual === null) return null;
  return comparesShares(sides, input) ? byShare(input, sides, part, actual) : byFigure(input, sides, part, actual);
}

function byFigure(input: RuleInput, { state, method }: Sides, part: Part, actual: Decimal): Workings | null {
  const unit = state.fiatCurrency;
  const expected = promised(method, part);
  if (expected === null) return null;
  const general = toleranceLine(fiatTolerance(input.terms.tolerances, unit, RULE[part]), expected, unit);
  const tolerance = part === 'network' && !method.networkFeeExact ? withRoom(general, expected, unit) : general;
  const before = [amount(`quoted ${WORD[part]}`, expected, unit), amount(`actual ${WORD[part]}`, actual, unit)];
  return compared(before, { actual, expected, unit }, tolerance);
}

function withRoom(general: { line: WorkingLine; allowed: Decimal }, expected: Decimal, unit: string) {
  const room = expected.abs().times(CONVERSION_ROOM);
  const allowed = general.allowed.plus(room);
  const working = `${general.line.working ?? ''}; plus 1 % of ${figure(expected.abs(), unit)}, as it was converted`;
  return { line: worked('tolerance', working, allowed, unit), allowed };
}

/** The value of the crypto on both sides, which shares are taken of. */
function values({ state, matched, method }: Sides): { quoted: Decimal; own: Decimal; lines: WorkingLine[] } | null {
  const unit = state.fiatCurrency;
  const isOnramp = matched.quote.direction === 'onramp';
  const quoted = isOnramp ? method.fiatValue.minus(method.appliedFee) : method.fiatValue.plus(method.appliedFee);
  const sign = isOnramp ? '−' : '+';
  const own = ownValue(state);
  if (own === null || !quoted.greaterThan(Decimal.ZERO)) return null;
  const working = `${term(method.fiatValue, unit)} ${sign} ${term(method.appliedFee, unit)}`;
  return { quoted, own: own.value, lines: [worked('quoted crypto value', working, quoted, unit), own.line] };
}

function ownValue(state: RecordState): { value: Decimal; line: WorkingLine } | null {
  const unit = state.fiatCurrency;
  const label = "this record's value";
  if (state.exchangeRate !== null) {
    const tokens = tokensOf(state);
    const value = tokens.times(state.exchangeRate);
    return { value, line: worked(label, `${tokens} × ${state.exchangeRate}`, value, unit) };
  }
  if (state.appliedFee === null) return null;
  const isPurchase = state.kind === 'purchase';
  const value = isPurchase ? state.fiatValue.minus(state.appliedFee) : state.fiatValue.plus(state.appliedFee);
  const working = `${term(state.fiatValue, unit)} ${isPurchase ? '−' : '+'} ${term(state.appliedFee, unit)}`;
  return { value, line: worked(label, working, value, unit) };
}

function byShare(input: RuleInput, sides: Sides, part: Part, actual: Decimal): Workings | null {
  const unit = sides.state.fiatCurrency;
  const value = values(sides);
  if (value === null) return null;
  const carried = carriedOver(sides.method, part, value, unit);
  if (carried === null) return null;
  const { tolerances } = input.terms;
  const general = toleranceLine(fiatTolerance(tolerances, unit, RULE[part]), carried.expected, unit);
  const { percentPoints } = tolerances.requoted;
  const points = percentPoints.times(value.own.abs()).times(Decimal.of(1n, 2));
  const allowed = maxDecimal(general.allowed, points);
  const working = `the larger of ${figure(general.allowed, unit)} and ${figure(points, unit)} (${percentPoints} % of ${figure(value.own.abs(), unit)})`;
  const tolerance = { line: worked('tolerance', working, allowed, unit), allowed };
  const why = sides.matched.basis === 'requoted' ? 'a fresh quote' : 'the quote is for another amount';
  const before = [
    fact('compared as', `shares of the crypto's value: ${why}`),
    ...value.lines,
    ...carried.lines,
    amount(`actual ${WORD[part]}`, actual, unit),
  ];
  return compared(before, { actual, expected: carried.expected, unit }, tolerance);
}

/** What the quoted figure comes to at this record's value. The network fee does not grow with the amount. */
function carriedOver(
  method: QuotedMethod,
  part: Part,
  value: { quoted: Decimal; own: Decimal },
  unit: string,
): { expected: Decimal; lines: WorkingLine[] } | null {
  const quoted = promised(method, part);
  if (quoted === null) return null;
  if (part === 'network') return { expected: quoted, lines: [amount('quoted network fee', quoted, unit)] };
  const network = part === 'applied' ? (method.networkFee ?? Decimal.ZERO) : Decimal.ZERO;
  const own = quoted.minus(network);
  const expected = own.times(value.own).dividedBy(value.quoted, PLACES).plus(network);
  const share = `${term(own, unit)} × ${term(value.own, unit)} ÷ ${term(value.quoted, unit)}`;
  const lines = [amount(`quoted ${WORD[part]}`, quoted, unit)];
  if (!network.isZero)
    lines.push(worked('of it the service fee', `${term(quoted, unit)} − ${term(network, unit)}`, own, unit));
  const working = network.isZero ? share : `${share} + ${term(network, unit)}`;
  lines.push(worked(`expected ${WORD[part]}`, working, expected, unit));
  return { expected, lines };
}

/** The parts of the difference and their sum, which is the difference: what base and network leave is the adjustment. */
function parts(input: RuleInput): WorkingLine[] {
  const { fees } = input;
  const unit = verifiedState(input)?.fiatCurrency ?? null;
  if (fees === null || fees.applied === null || (fees.base === null && fees.network === null)) return [];
  const total = fees.applied.difference;
  const [base, network] = [fees.base?.difference ?? null, fees.network?.difference ?? null];
  const rest = total.minus(base ?? Decimal.ZERO).minus(network ?? Decimal.ZERO);
  const named: [string, Decimal | null][] = [
    ['base', base],
    ['network', network],
    // Where one of the two is unknown, the rest may be in it too.
    [base === null || network === null ? 'other parts' : 'adjustment', rest],
  ];
  const known = named.filter((each): each is [string, Decimal] => each[1] !== null);
  const sum = known.reduce((left, [, share]) => left.plus(share), Decimal.ZERO);
  const working = known.map(([name, share]) => `${name} ${signed(share, unit)}`).join(', ');
  return [{ label: 'parts', working, result: `sum ${signed(sum, unit)}`, unit }];
}
