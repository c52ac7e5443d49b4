/** The two rules on amounts that the app showed: a total and a fee, each compared with what it should be. */
import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import { promisingQuote, type ShownAmounts } from '../domain/quote.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { inPlacesOf, lossByFiat } from '../domain/stake.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { promiseBroken } from './promise-broken.ts';
import { bodyRule, RIGHTED, type Rule, type RuleInput } from './rule.ts';
import { feeRoom, floats, isTotalOfTokens, payoutLoss, payoutRoom, payoutUnjudged } from './shown-floats.ts';
import { showQuote } from './wording.ts';
import { amount, compared, toleranceLine, worked } from './working.ts';

const AMOUNTS = ['total', 'fee'] as const;

/** One amount; unknown where a side is null. */
interface ShownPair {
  field: `${'shown' | 'charged'}_${(typeof AMOUNTS)[number]}`;
  expected: Decimal | null;
  actual: Decimal | null;
  /** `The app showed a fee of`; the actual amount follows. */
  beginning: string;
  /** `quote q-17 promised`; the expected amount follows. */
  promise: string;
  /** Names of both sides, for the working lines. */
  sides: { expected: string; actual: string };
}

type Known = ShownPair & { expected: Decimal; actual: Decimal };

const isKnown = (pair: ShownPair): pair is Known => pair.expected !== null && pair.actual !== null;

interface Comparison {
  pairsOf: (input: RuleInput, state: RecordState) => readonly ShownPair[];
  /** What may differ beside the tolerance. */
  roomOf: (input: RuleInput, pair: Known, state: RecordState) => Decimal;
  /** Of the pairs that differ: what the user lost by each. */
  lossOf: (pair: Known, differing: readonly Known[], input: RuleInput, state: RecordState) => Decimal | null;
  /** Why a pair that is within its room was not judged; null where it was. */
  notJudged: (input: RuleInput, pair: Known, state: RecordState) => string | null;
}

function shownRule(
  about: Omit<Rule, 'check' | 'working' | 'subject'>,
  { pairsOf, roomOf, lossOf, notJudged }: Comparison,
): Rule {
  const knownIn = (input: RuleInput, state: RecordState) => pairsOf(input, state).filter(isKnown);
  return bodyRule({
    ...about,
    check(state, input) {
      const known = knownIn(input, state);
      if (known.length === 0) return 'not-applicable';
      const { fiatCurrency: currency } = state;
      const tolerance = fiatTolerance(input.terms.tolerances, currency, about.code);
      const allowed = (pair: Known) => allowance(tolerance, pair.expected).plus(roomOf(input, pair, state));
      const differing = known.filter((pair) => !agree(pair.actual, pair.expected, allowed(pair)));
      if (differing.length === 0) {
        const [why] = known.map((pair) => notJudged(input, pair, state)).filter((each) => each !== null);
        return why === undefined ? null : { notJudged: why };
      }
      return differing.map((pair) => {
        const room = roomOf(input, pair, state);
        const moved = room.isZero ? '' : `, of which ${showMoney(room, currency)} may be ${movedBy(pair, state)}`;
        const finding = promiseBroken({ ...pair, currency, allowed: allowed(pair) }, moved);
        const isFavour = isBetter(pair, input, state);
        const loss = lossOf(pair, differing, input, state);
        return { ...finding, loss, ...(isFavour ? { severity: 'info' as const } : {}) };
      });
    },
    working(state, input, field) {
      const pair = knownIn(input, state).find((each) => each.field === field);
      if (pair === undefined) return null;
      const { actual, expected, sides } = pair;
      const { fiatCurrency: unit } = state;
      const before = [amount(sides.expected, expected, unit), amount(sides.actual, actual, unit)];
      const tolerance = toleranceLine(fiatTolerance(input.terms.tolerances, unit, about.code), expected, unit);
      const room = roomOf(input, pair, state);
      if (room.isZero) return compared(before, { actual, expected, unit }, tolerance);
      const allowed = tolerance.allowed.plus(room);
      const moved = worked('tolerance', `${tolerance.allowed} + ${room}: ${movedBy(pair, state)}`, allowed, unit);
      return compared(before, { actual, expected, unit }, { line: moved, allowed });
    },
  });
}

/** The user's loss is the charge above the shown price, which CHARGED_DIFFERS_FROM_SHOWN reports: none is reported here. */
export const shownDiffersFromQuote = shownRule(
  {
    code: 'SHOWN_DIFFERS_FROM_QUOTE',
    severity: 'medium',
    title: 'The app showed another price than the quote',
    why: 'What the user saw is the promise: an app that shows something else than it was quoted promises on its own account.',
    action: 'Look for the screen that showed it: an old quote, another payment method, or a rounding of the app.',
    settledBy:
      'A night on which both agree. The shown amount never changes, so usually a waiver once the app is fixed.',
    example:
      'The app showed a fee of 11.35 EUR; quote q-1581 (automatic bank transfer, 7 min before) was for 14.19 EUR: 2.84 EUR less (20.0 %).',
  },
  { pairsOf: quotedPairs, roomOf: sinceCaptured, lossOf: () => null, notJudged: () => null },
);

/** A quote that nothing links may be another user's of the same half hour: then it shows what the app showed but for the move of price and network fee. */
function sinceCaptured(
  { quote, terms: { tolerances, binding } }: RuleInput,
  { field, expected }: Known,
  { kind }: RecordState,
): Decimal {
  if (quote === null || quote.basis === 'linked') return Decimal.ZERO;
  if (kind === 'sale') return binding.price === 'locked' ? Decimal.ZERO : expected.times(tolerances.rate.sinceQuote);
  const isFee = field === 'shown_fee' && binding.networkFee === 'indicative';
  return isFee ? tolerances.networkFee.times(quote.method?.networkFee ?? Decimal.ZERO) : Decimal.ZERO;
}

function quotedPairs(input: RuleInput, state: RecordState): readonly ShownPair[] {
  const shown = shownOf(input, state);
  const matched = promisingQuote(input.quote, state);
  if (shown === null || matched === null || matched.method === null) return [];
  const promise = `${showQuote(matched)} was for`;
  const quoted = { total: matched.method.fiatValue, fee: matched.method.appliedFee };
  return AMOUNTS.map((name) => ({
    field: `shown_${name}`,
    expected: quoted[name],
    actual: shown[name],
    beginning: `The app showed a ${name} of`,
    promise,
    sides: { expected: `quoted ${name}`, actual: `shown ${name}` },
  }));
}

export const chargedDiffersFromShown = shownRule(
  {
    code: 'CHARGED_DIFFERS_FROM_SHOWN',
    severity: 'high',
    title: 'The user was charged another price than the app showed',
    why: 'The promise is what the user saw on the screen; the user will hold you to it, not to the quote behind it.',
    action: 'Refund the difference, or claim it from the Service where the quote agrees with what was shown.',
    settledBy: RIGHTED,
    example: 'The user was charged a fee of 14.19 EUR; the app had shown 11.35 EUR: 2.84 EUR more (25.0 %).',
    note: 'Unless the settings lock prices, a payout may move with the market until the sale is executed, and a fee with the network fee.',
  },
  {
    pairsOf: chargedPairs,
    roomOf: moveOf,
    lossOf({ field, actual, expected }, differing, input, state) {
      const difference = actual.minus(expected);
      if (field === 'charged_total') {
        if (!floats(input, state)) return lossByFiat(state.kind, difference);
        return inPlacesOf(payoutLoss(input, state, shownWith(input, state, { total: expected })), state.fiatCurrency);
      }
      // A fee that differs is inside a total that differs: the loss is reported once.
      return differing.some((each) => each.field === 'charged_total') ? null : difference;
    },
    notJudged: (input, { field, actual, expected }, state) =>
      field === 'charged_total' && floats(input, state) && !actual.equals(expected)
        ? payoutUnjudged(input, state, shownWith(input, state, { total: expected }))
        : null,
  },
);

const shownWith = <T extends Partial<ShownAmounts>>(input: RuleInput, state: RecordState, known: T) => ({
  ...(shownOf(input, state) ?? { total: null, fee: null }),
  ...known,
});

/** A lower fee than shown, and a payout that is better than the market, are remarks, as they are by a quote. */
function isBetter({ field, actual, expected }: Known, { terms }: RuleInput, { kind }: RecordState): boolean {
  if (terms.binding.price === 'locked') return false;
  return field === 'charged_fee'
    ? actual.lessThan(expected)
    : field === 'charged_total' && kind === 'sale' && actual.greaterThan(expected);
}

/** What a market explains, in the places of the currency. The total of a purchase was asked for, unless its tokens were: it moves with nothing. */
function moveOf(input: RuleInput, { field, expected, actual }: Known, state: RecordState): Decimal {
  if (field === 'charged_total' && !floats(input, state))
    return isTotalOfTokens(input, state, expected) ? actual.minus(expected).abs() : Decimal.ZERO;
  const room =
    field === 'charged_fee'
      ? feeRoom(input, state, shownWith(input, state, { fee: expected }))
      : payoutRoom(input, state, shownWith(input, state, { total: expected }));
  return inPlacesOf(room, state.fiatCurrency);
}

function movedBy({ field }: Known, { kind }: RecordState): string {
  return field.endsWith('_total') || kind === 'sale' ? 'the move of the price' : 'the move of the network fee';
}

function chargedPairs(input: RuleInput, state: RecordState): readonly ShownPair[] {
  const shown = shownOf(input, state);
  if (shown === null) return [];
  const charged = input.moved === 'no' ? 'The user was offered' : 'The user was charged';
  const received = state.kind === 'sale' && input.moved !== 'no' ? 'The user received' : charged;
  const actual = { total: state.fiatValue, fee: state.appliedFee };
  return AMOUNTS.map((name) => ({
    field: `charged_${name}`,
    expected: shown[name],
    actual: actual[name],
    beginning: `${name === 'total' ? received : charged} a ${name} of`,
    promise: 'the app had shown',
    sides: { expected: `shown ${name}`, actual: `actual ${name}` },
  }));
}
