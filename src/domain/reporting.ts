/** Stakes of several currencies in the one of the settings `reports.currency`: beside the currencies, never instead of them. */
import type { Bearer } from './break.ts';
import { showMoney } from './currency.ts';
import { Decimal } from './decimal.ts';
import { inPlacesOf } from './stake.ts';
import { BEARER_WORDS, BEARERS, type StakeFigures } from './stake-tally.ts';

/** A rate of a currency in the reporting currency, with its source: for orders and sums of a report, never for a rule. */
export interface ReportingRate {
  /** Units of the reporting currency for one unit. */
  rate: Decimal;
  /** A file's name, or `published prices`. */
  source: string;
  /** The day of the rate. */
  date: string;
}

/** Rates by currency; that of the reporting currency itself is not among them. */
export interface Reporting {
  currency: string;
  rates: ReadonlyMap<string, ReportingRate>;
}

/** Exact; null for a currency without a rate. */
export function converted(amount: Decimal, currency: string, reporting: Reporting): Decimal | null {
  if (currency === reporting.currency) return amount;
  const rate = reporting.rates.get(currency)?.rate;
  return rate === undefined ? null : amount.times(rate);
}

export interface Amount {
  amount: Decimal;
  currency: string;
}

/**
 * Orders amounts without their sign, the largest first: by the reporting currency those that have a rate, then the others by currency.
 * Amounts of two currencies cannot be compared without rates.
 */
export function largestFirst(a: Amount, b: Amount, reporting: Reporting | null): number {
  const [one, other] = [a, b].map(({ amount, currency }) =>
    reporting === null ? null : converted(amount, currency, reporting),
  );
  if (one != null && other != null) return other.abs().compare(one.abs()) || inLetters(a.currency, b.currency);
  if (one != null || other != null) return one != null ? -1 : 1;
  return inLetters(a.currency, b.currency) || b.amount.abs().compare(a.amount.abs());
}

const inLetters = (a: string, b: string) => (a < b ? -1 : Number(a > b));

interface ReportedStake {
  currency: string;
  /** What is at stake, each with the sign of its bearer, rounded once to the places of the currency. */
  totals: readonly { bearer: Bearer; total: Decimal }[];
  /** Those that were used. */
  rates: readonly ({ currency: string } & ReportingRate)[];
  /** Currencies at stake that have no rate, and are in no total. */
  without: readonly string[];
}

export function reportedStake({ open }: StakeFigures, reporting: Reporting): ReportedStake {
  const atStake = open.filter(({ records }) => records > 0);
  const codes = [...new Set(atStake.map(({ currency }) => currency))].sort();
  const totals = BEARERS.flatMap((bearer) => {
    const amounts = atStake
      .filter((row) => row.bearer === bearer)
      .map(({ total, currency }) => converted(total, currency, reporting))
      .filter((each) => each !== null);
    if (amounts.length === 0) return [];
    const sum = amounts.reduce((all, each) => all.plus(each), Decimal.ZERO);
    return [{ bearer, total: inPlacesOf(sum, reporting.currency) }];
  });
  return {
    currency: reporting.currency,
    totals,
    rates: codes.flatMap((currency) => {
      const rate = reporting.rates.get(currency);
      return rate === undefined || currency === reporting.currency ? [] : [{ currency, ...rate }];
    }),
    without: codes.filter((code) => converted(Decimal.ONE, code, reporting) === null),
  };
}

/** `182.87 EUR owed to you; 30.20 EUR lost by users (at 1 USD = 0.92 EUR of 2026-11-22, rates.csv; without JPY, which has no rate)`. */
export function reportedInWords(stake: StakeFigures, reporting: Reporting | null): string | null {
  if (reporting === null) return null;
  const { currency, totals, rates, without } = reportedStake(stake, reporting);
  if (totals.length === 0) return null;
  const sums = totals.map(({ bearer, total }) => `${showMoney(total.abs(), currency)} ${BEARER_WORDS[bearer]}`);
  const how = [
    ...(rates.length === 0 ? [] : [`at ${rates.map((each) => rateInWords(each, currency)).join(', ')}`]),
    ...(without.length === 0 ? [] : [`without ${without.join(', ')}: no rate`]),
  ];
  return `${sums.join('; ')}${how.length === 0 ? '' : ` (${how.join('; ')})`}`;
}

function rateInWords({ currency, rate, source, date }: ReportedStake['rates'][number], reporting: string): string {
  return `1 ${currency} = ${rate.toString()} ${reporting} of ${date}, ${source}`;
}

/** As manifests and JSON have it. */
export function reportedAsJson(stake: StakeFigures, reporting: Reporting | null) {
  if (reporting === null) return {};
  const { currency, totals, rates, without } = reportedStake(stake, reporting);
  return {
    reporting: {
      currency,
      money_at_stake: totals.map(({ bearer, total }) => ({ bearer, total: total.toString() })),
      rates: rates.map(({ rate, ...each }) => ({ ...each, rate: rate.toString() })),
      without_rate: without,
    },
  };
}
