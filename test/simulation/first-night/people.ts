/** Who bought and sold on the day: what each was quoted, when the money arrived, and what became of it. */
import Big from 'big.js';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Defect } from './defects.ts';
import { COINS, type Coin, CURRENCIES, type Currency, HOUR, type Market, MINUTE, RESTLESS } from './market.ts';
import { buy, type Deal, isBank, METHODS, PAYOUTS, sell, type Terms } from './pricing.ts';

/** How this deployment does things. */
export interface Habits {
  /** Digits that amounts are rounded to; null: doubles as they come. */
  rounds: boolean;
  /** `top`: a fee of 1 % of its own on two coins; `share`: a quarter of the base fee. */
  host: 'top' | 'share' | 'none';
  /** Bodies with `actions`, exchange rates and host's cut; otherwise only what the specification declares. */
  observed: boolean;
  /** `afterwards`: at a night itself, so that the first is younger than all its records. */
  listings: 'hourly' | 'nightly' | 'afterwards' | 'none';
  /** Releases come by webhook, as they must where no body says when. */
  webhooks: boolean;
  /** Share of the records whose quote was kept. */
  quoted: number;
  /** Abandoned, late, refused and returned purchases, renamed coins. */
  ordinaryDays: boolean;
  /** Currencies that move by some per cent in a day, and coins by ten. */
  restless?: true;
}

/** Statuses with the moment from which each holds. */
export type Course = readonly { status: string; from: number }[];

export interface Person {
  kind: 'purchase' | 'sale';
  id: string;
  coin: Coin;
  currency: Currency;
  method: string;
  createdAt: number;
  quotedAt: number;
  /** Null for a record without a quote. */
  quoted: Deal | null;
  api: 'v1' | 'v3';
  /** Whether the tracked record names the quote. */
  linked: boolean;
  /** The user took another amount than quoted. */
  changed: boolean;
  /** When the price is fixed; infinity for those that never pay. */
  executedAt: number;
  course: Course;
  endTime: number;
  /** The body as an estimate before the execution, and for good from it. */
  figures: (at: number) => Deal;
  defect: Defect | null;
}

const ENDED: readonly string[] = ['EXPIRED', 'REVIEW_REJECTED', 'FIAT_RETURNED', 'RELEASED'];

/** From then on no figure moves: the price is fixed, or the record has ended without one. */
function settledAt(executedAt: number, course: Course): number {
  const ended = course.find(({ status }) => ENDED.includes(status))?.from ?? Number.POSITIVE_INFINITY;
  return Math.min(executedAt, ended);
}

export class People {
  private readonly random: () => number;
  readonly market: Market;
  readonly habits: Habits;
  private readonly start: number;
  private readonly coins: readonly Coin[];
  private readonly currencies: readonly Currency[];

  constructor(seed: number, start: number, market: Market, habits: Habits) {
    this.random = seededRandom(seed * 31 + 5);
    this.market = market;
    this.habits = habits;
    this.start = start;
    const isThere = (name: string) => habits.restless === true || !RESTLESS.includes(name);
    this.coins = COINS.filter(({ symbol }) => isThere(symbol));
    this.currencies = CURRENCIES.filter(({ code }) => isThere(code));
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  between(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  private weighted<T extends { weight: number }>(items: readonly T[]): T {
    let rest = this.random() * items.reduce((sum, { weight }) => sum + weight, 0);
    const found = items.find(({ weight }) => {
      rest -= weight;
      return rest < 0;
    });
    return found ?? (items[0] as T);
  }

  private pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }

  terms(coin: Coin, currency: Currency, method: string, at: number, sizeEur: number, selling: boolean): Terms {
    const { market, habits } = this;
    const percents = (selling ? PAYOUTS : METHODS)[method]?.percents ?? [3.9, 3.9];
    const hosted = !selling && habits.host !== 'none' && (coin.symbol === 'BTC' || coin.symbol === 'SOL');
    return {
      coin,
      rate: new Big(market.price(coin, currency.code, at)).times(selling ? 0.9975 : 1.0025),
      percent: new Big(sizeEur < 500 ? percents[0] : percents[1]),
      minFee: selling ? new Big(0) : new Big(2.49).div(market.fiatEur(currency.code, at)),
      network: new Big(selling ? 0 : market.networkFee(coin, currency.code, at)),
      hostPercent: new Big(hosted ? 1 : 0),
      hostShare: habits.host === 'share' && hosted,
      places: habits.rounds ? currency.digits : null,
    };
  }

  purchase(n: number, defect: Defect | null): Person {
    const coin =
      defect?.dearNetwork === true ? this.pick(this.coins.filter((c) => c.networkEur > 1)) : this.weighted(this.coins);
    const possible = this.currencies.filter(({ code }) => defect === null || code !== 'JPY');
    const currency = this.weighted(possible);
    const method = this.pick(
      Object.keys(METHODS).filter(
        (name) => METHODS[name]?.currencies.includes(currency.code) && (defect === null || !isBank(name)),
      ),
    );
    const createdAt = this.start + this.between(defect === null ? 0.01 : 0.5, 23.9) * HOUR;
    const quotedAt = createdAt - this.between(0.2, 9) * MINUTE;
    // Small amounts are frequent, large ones are not.
    const eur = defect === null ? 25 * Math.exp(this.random() ** 1.5 * 5) : this.between(150, 480);
    const digits = currency.digits;
    const fiat = new Big(eur).div(currency.eur).round(this.chance(0.5) ? 0 : digits);
    const at = (when: number, size = eur) => this.terms(coin, currency, method, when, size, false);
    const quoted = defect !== null || this.chance(this.habits.quoted) ? buy(at(quotedAt), fiat) : null;
    const changed = defect === null && quoted !== null && this.chance(0.04);
    const factor = changed ? this.pick([0.5, 0.8, 0.9, 1.1, 1.5, 2.2]) : 1;
    const own = fiat.times(factor).round(digits);
    const { executedAt, course, endTime } = this.journey(method, createdAt, defect);
    const keepsNetworkFee = this.chance(0.4);
    const settled = settledAt(executedAt, course);
    const figures = (when: number): Deal => {
      const terms = at(Math.min(when, settled), eur * factor);
      // Some fees are those of the quote, some those of the moment.
      const network = keepsNetworkFee && quoted !== null ? quoted.network : terms.network;
      return buy({ ...terms, network }, own);
    };
    return {
      kind: 'purchase',
      id: `p${String(n).padStart(5, '0')}`,
      ...{ coin, currency, method, createdAt, quotedAt, quoted, changed, executedAt, course, endTime, figures, defect },
      api: this.chance(0.45) ? 'v1' : 'v3',
      linked: changed || defect !== null || this.chance(0.85),
    };
  }

  sale(n: number, defect: Defect | null): Person {
    const coin = this.weighted(this.coins);
    const currency = this.weighted(this.currencies.filter(({ sells }) => sells));
    const method = this.pick(Object.keys(PAYOUTS).filter((name) => PAYOUTS[name]?.currencies.includes(currency.code)));
    const createdAt = this.start + this.between(0.2, 22) * HOUR;
    const quotedAt = createdAt - this.between(0.2, 9) * MINUTE;
    const eur = defect === null ? 30 * Math.exp(this.random() ** 1.5 * 4.5) : this.between(200, 900);
    const price = this.market.price(coin, currency.code, quotedAt) * currency.eur;
    const units = new Big(eur / price).round(5).times(new Big(10).pow(coin.decimals)).round(0, 0);
    const at = (when: number) => this.terms(coin, currency, method, when, eur, true);
    const quoted = defect !== null || this.chance(this.habits.quoted) ? sell(at(quotedAt), units) : null;
    const changed = defect === null && quoted !== null && this.chance(0.04);
    const own = changed ? units.times(this.pick([0.5, 0.9, 1.3])).round(0, 0) : units;
    const executedAt = createdAt + this.between(3, this.chance(0.8) ? 40 : 110) * MINUTE;
    const endTime = createdAt + 72 * HOUR;
    const fate = this.habits.ordinaryDays && this.habits.observed && defect === null ? this.random() : 1;
    const course: Course =
      fate < 0.04
        ? [
            { status: 'CREATED', from: createdAt },
            { status: 'EXPIRED', from: createdAt + 12 * HOUR },
          ]
        : [
            { status: 'CREATED', from: createdAt },
            { status: 'RELEASED', from: executedAt + this.between(5, fate < 0.2 ? 1500 : 90) * MINUTE },
          ];
    const settled = settledAt(fate < 0.04 ? Number.POSITIVE_INFINITY : executedAt, course);
    return {
      kind: 'sale',
      id: `5a1e${String(n).padStart(4, '0')}-6a51-4b5e-9a4f-0d3a2b1c9e77`,
      ...{ coin, currency, method, createdAt, quotedAt, quoted, changed, course, endTime, defect },
      executedAt: fate < 0.04 ? Number.POSITIVE_INFINITY : executedAt,
      figures: (when: number) => sell(at(Math.min(when, settled)), own),
      api: 'v3',
      linked: changed || defect !== null || this.chance(0.85),
    };
  }

  private journey(method: string, createdAt: number, defect: Defect | null) {
    const bank = isBank(method);
    const endTime = createdAt + (this.chance(0.5) ? 72 : 120) * HOUR;
    const fate = this.habits.ordinaryDays && defect === null ? this.random() : 1;
    const started = { status: 'INITIALIZED', from: createdAt };
    const never = Number.POSITIVE_INFINITY;
    if (fate < 0.33) return { executedAt: never, endTime, course: [started, { status: 'EXPIRED', from: endTime }] };
    const paying = { status: 'PAYMENT_STARTED', from: createdAt + MINUTE };
    if (fate < 0.36)
      return {
        executedAt: never,
        endTime,
        course: [
          started,
          paying,
          { status: 'PAYMENT_FAILED', from: createdAt + 3 * MINUTE },
          { status: 'EXPIRED', from: endTime },
        ],
      };
    if (fate < 0.37)
      return {
        executedAt: never,
        endTime,
        course: [started, { status: 'REVIEW_REJECTED', from: createdAt + 20 * MINUTE }],
      };
    const arrives =
      defect?.unpaidOnFirstNight === true
        ? this.start + 36 * HOUR
        : createdAt + (bank ? this.between(0.3, this.chance(0.6) ? 10 : 40) * HOUR : this.between(1, 7) * MINUTE);
    if (fate < 0.38)
      return {
        executedAt: arrives,
        endTime,
        course: [
          started,
          { status: 'FIAT_PENDING', from: createdAt + 5 * MINUTE },
          { status: 'FIAT_RETURNED', from: arrives },
        ],
      };
    const released = arrives + this.between(1, 40) * MINUTE;
    const pending = fate < 0.5 && bank ? [{ status: 'FIAT_PENDING', from: createdAt + 5 * MINUTE }] : [];
    return {
      executedAt: arrives,
      endTime,
      course: [
        started,
        ...(bank ? pending : [paying]),
        { status: bank ? 'FIAT_RECEIVED' : 'PAYMENT_EXECUTED', from: arrives },
        { status: 'RELEASING', from: arrives + MINUTE / 2 },
        { status: 'RELEASED', from: released },
      ],
    };
  }
}
