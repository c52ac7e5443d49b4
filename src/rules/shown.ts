/** What the two rules about shown amounts share: a total and a fee, each compared with what it should be. */
import { Decimal } from '../domain/decimal.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { promiseBroken } from './promise-broken.ts';
import { NOTHING_FOUND, type RuleInput, type RuleResult, verifiedState } from './rule.ts';
import { amount, compared, toleranceLine, type Workings, worked } from './working.ts';

/** One amount; unknown where a side is null. */
export interface ShownPair {
  field: 'shown_total' | 'shown_fee' | 'charged_total' | 'charged_fee';
  expected: Decimal | null;
  actual: Decimal | null;
  /** `The app showed a fee of`; the actual amount follows. */
  beginning: string;
  /** `quote q-17 promised`; the expected amount follows. */
  promise: string;
  /** Names of both sides, for the working lines. */
  sides: { expected: string; actual: string };
}

type PairsOf = (input: RuleInput, state: RecordState) => readonly ShownPair[];

type Known = ShownPair & { expected: Decimal; actual: Decimal };

const isKnown = (pair: ShownPair): pair is Known => pair.expected !== null && pair.actual !== null;

/** What may differ beside the tolerance. */
type RoomOf = (pair: Known) => Decimal;
export const NO_ROOM: RoomOf = () => Decimal.ZERO;

/** @param lossOf of the pairs that differ: what the user lost by each */
export function judgeShown(
  rule: string,
  input: RuleInput,
  pairsOf: PairsOf,
  roomOf: RoomOf = NO_ROOM,
  lossOf: (pair: Known, differing: readonly Known[], state: RecordState) => Decimal | null = () => null,
): RuleResult {
  const state = verifiedState(input);
  const known = state === null ? [] : pairsOf(input, state).filter(isKnown);
  if (state === null || known.length === 0) return 'not-applicable';
  const { fiatCurrency: currency } = state;
  const tolerance = fiatTolerance(input.terms.tolerances, currency, rule);
  const allowed = (pair: Known) => allowance(tolerance, pair.expected).plus(roomOf(pair));
  const differing = known.filter((pair) => !agree(pair.actual, pair.expected, allowed(pair)));
  if (differing.length === 0) return NOTHING_FOUND;
  return differing.map((pair) => ({
    ...promiseBroken({ ...pair, currency, allowed: allowed(pair) }),
    loss: lossOf(pair, differing, state),
  }));
}

export function workOutShown(
  rule: string,
  input: RuleInput,
  pairsOf: PairsOf,
  roomOf: RoomOf,
  field: string,
): Workings | null {
  const state = verifiedState(input);
  const pair =
    state === null
      ? undefined
      : pairsOf(input, state)
          .filter(isKnown)
          .find((each) => each.field === field);
  if (state === null || pair === undefined) return null;
  const { actual, expected, sides } = pair;
  const { fiatCurrency: unit } = state;
  const before = [amount(sides.expected, expected, unit), amount(sides.actual, actual, unit)];
  const tolerance = toleranceLine(fiatTolerance(input.terms.tolerances, unit, rule), expected, unit);
  const room = roomOf(pair);
  if (room.isZero) return compared(before, { actual, expected, unit }, tolerance);
  const allowed = tolerance.allowed.plus(room);
  const moved = worked('tolerance', `${tolerance.allowed} + ${room} as the network fee moved`, allowed, unit);
  return compared(before, { actual, expected, unit }, { line: moved, allowed });
}
