/**
 * Whether the price moves of one market that no other price explains lie on one side: against the users. Two tests must agree, each
 * at one in a thousand for either side: the sign test, and the 99.9 % interval of the mean (Student's t). Integers throughout: the same moves give the
 * same answer, to the digit, on every machine. Pure.
 *
 * Records of one hour share one market, so they are not independent: each hour counts once, with the mean of its records. A record whose
 * execution is known to a longer window only stands for all hours of it, and is left out where one of them is taken.
 */
import { Decimal } from './decimal.ts';

/** One record. Shares are of the quoted price, in parts of 10^12; plus is against the user. */
export interface UnexplainedMove {
  /** Hours since 1970, both included, in which its price may have been fixed. */
  fromHour: number;
  toHour: number;
  share: bigint;
  /** What the move cost the user, in the currency of the market; minus is in their favour. */
  loss: Decimal;
}

/** The outcome of both tests, with the figures that they rest on. */
export interface SideOfMoves {
  /** Records that counted, and how many of them moved against the user. */
  records: number;
  against: number;
  /** Hours, or longer windows, that they fall into. */
  hours: number;
  /** Of the hours, as shares of the quoted price, with the ends of its 99.9 % interval. */
  mean: Decimal;
  /** Both ends above zero: the moves are against the users. */
  low: Decimal;
  high: Decimal;
  /** What the moves cost the users in all. */
  loss: Decimal;
  isOneSided: boolean;
}

/** Digits of a share. */
export const SHARE_PLACES = 12;
/** Fewer say nothing, however they lie: and eleven must all lie on one side. */
const LEAST = 10;

interface Hour {
  records: number;
  shares: bigint;
}

/** Adds up the moves of one market; those of the shortest windows come first. In memory are at most the hours of its days. */
export class MovesOfMarket {
  readonly #hours: Hour[] = [];
  readonly #taken = new Map<number, Hour>();
  #against = 0;
  #records = 0;
  #loss = Decimal.ZERO;

  add({ fromHour, toHour, share, loss }: UnexplainedMove): void {
    const hour = this.#placeOf(fromHour, toHour);
    if (hour === null) return;
    hour.records++;
    hour.shares += share;
    this.#records++;
    if (share > 0n) this.#against++;
    this.#loss = this.#loss.plus(loss);
  }

  side(): SideOfMoves {
    const means = this.#hours.map(({ records, shares }) => shares / BigInt(records));
    const count = BigInt(means.length);
    const sum = means.reduce((all, each) => all + each, 0n);
    const squares = means.reduce((all, each) => all + each * each, 0n);
    // count² × (count − 1) times the variance of the mean; zero where all hours moved alike.
    const spread = squares * count - sum * sum;
    const square = studentSquared(means.length - 1);
    const mean = count === 0n ? 0n : sum / count;
    const radius = count < 2n ? 0n : squareRoot((square * spread) / (T_UNIT * count * count * (count - 1n)));
    const share = (parts: bigint) => Decimal.of(parts, SHARE_PLACES);
    return {
      records: this.#records,
      against: this.#against,
      hours: means.length,
      mean: share(mean),
      low: share(mean - radius),
      high: share(mean + radius),
      loss: this.#loss,
      isOneSided:
        means.length >= LEAST &&
        sum > 0n &&
        sum * sum * (count - 1n) * T_UNIT > square * spread &&
        isRareByChance(means) &&
        !this.#loss.lessThan(Decimal.ONE),
    };
  }

  /** Null where an hour of a longer window is taken. */
  #placeOf(from: number, to: number): Hour | null {
    const known = this.#taken.get(from);
    if (from === to && known !== undefined) return known;
    for (let hour = from; hour <= to; hour++) if (this.#taken.has(hour)) return null;
    const fresh: Hour = { records: 0, shares: 0n };
    this.#hours.push(fresh);
    for (let hour = from; hour <= to; hour++) this.#taken.set(hour, fresh);
    return fresh;
  }
}

/** The sign test: that so many of them, or more, are above zero has on a fair market a chance of at most one in two thousand, or one in a thousand for either side. */
function isRareByChance(means: readonly bigint[]): boolean {
  const moved = means.filter((each) => each !== 0n).length;
  const above = means.filter((each) => each > 0n).length;
  // Binomial coefficients from the top: C(n, n), C(n, n − 1), …
  let ways = 1n;
  let atLeast = 0n;
  for (let k = moved; k >= above; k--) {
    atLeast += ways;
    ways = (ways * BigInt(k)) / BigInt(moved - k + 1);
  }
  return atLeast * 2000n <= 2n ** BigInt(moved);
}

const T_UNIT = 1_000_000n;

/** Student's t at 99.95 %, in thousandths, by degrees of freedom; a number between two rows takes the lower one, which asks for more. */
const STUDENT: readonly (readonly [degrees: number, t: bigint])[] = [
  [9, 4781n],
  [10, 4587n],
  [11, 4437n],
  [12, 4318n],
  [13, 4221n],
  [14, 4140n],
  [15, 4073n],
  [16, 4015n],
  [18, 3922n],
  [20, 3850n],
  [25, 3725n],
  [30, 3646n],
  [40, 3551n],
  [60, 3460n],
  [120, 3373n],
  [400, 3315n],
];

/** In millionths. Below the first row there is no decision, and the interval is shown as that of the first. */
function studentSquared(degrees: number): bigint {
  const [, t] = STUDENT.findLast(([least]) => degrees >= least) ?? [9, 4781n];
  return t * t;
}

/** Rounded down, by Newton's method. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
