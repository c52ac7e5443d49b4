/**
 * Money at stake: the amount that a record's user paid too much, or received too little, against the promise; once
 * per record, for any number of breaks. Plus is the user's loss, minus the Service's, in the record's fiat currency.
 * Pure.
 *
 * A rule that measures the loss puts it on its findings; the findings of one rule add up to what the rule explains of it. The rule
 * that explains most leads: the record's money at stake is that rule's figure, and stands on its leading break alone.
 */
import { type Break, isOpen } from './break.ts';
import { minorUnitDigits } from './currency.ts';
import { Decimal } from './decimal.ts';
import { severityRank } from './finding.ts';
import type { Kind } from './record.ts';

/** What a user lost by a total that is `difference` higher: a purchase's user pays the total, a sale's receives it. */
export function lossByFiat(kind: Kind, difference: Decimal): Decimal {
  return kind === 'purchase' ? difference : difference.negated();
}

/**
 * What a user lost by a crypto amount that is `difference` tokens higher, at a price per token, to the currency's places: the
 * price is an approximation, and further digits would claim more than is known.
 */
export function lossByCrypto(kind: Kind, difference: Decimal, price: Decimal, currency: string): Decimal {
  const value = difference.times(price).rounded(placesOf(currency));
  return kind === 'purchase' ? value.negated() : value;
}

/** Where a currency is not in ISO 4217, more places than any that is. */
const UNKNOWN_PLACES = 8;

function placesOf(currency: string | null): number {
  return (currency === null ? undefined : minorUnitDigits(currency)) ?? UNKNOWN_PLACES;
}

type Staked = Pick<Break, 'breakId' | 'rule' | 'field' | 'severity' | 'state' | 'unit' | 'loss' | 'recordCurrency'>;

/** What one rule explains of a record's loss. */
interface Explained {
  amount: Decimal;
  /** The amount's size at the currency's places: figures that print alike are equal. */
  size: Decimal;
  leading: Staked;
  /** Whether a break of it still needs a person. */
  open: boolean;
}

/**
 * The stake of one record; null where no standing break measures a loss. A rule of which every break is waived leads only where
 * no other rule explains any.
 * @param breaks of one record; resolved ones do not count.
 */
export function stakeOf(breaks: readonly Staked[]): Pick<Explained, 'amount' | 'leading'> | null {
  const standing = breaks.filter(({ state, loss }) => state !== 'resolved' && loss !== null);
  const explained = [...Map.groupBy(standing, ({ rule }) => rule).values()]
    .map(explainedBy)
    .filter((each) => each !== null);
  explained.sort(
    (a, b) =>
      Number(b.open) - Number(a.open) ||
      b.size.compare(a.size) ||
      severityRank(b.leading.severity) - severityRank(a.leading.severity) ||
      (a.leading.rule < b.leading.rule ? -1 : 1),
  );
  const [most] = explained;
  return most ?? null;
}

/** Null where the findings of the rule come to nothing. */
function explainedBy(breaks: readonly Staked[]): Explained | null {
  const amount = breaks.reduce((sum, { loss }) => (loss === null ? sum : sum.plus(loss)), Decimal.ZERO);
  const size = amount.rounded(placesOf(breaks[0]?.recordCurrency ?? null)).abs();
  if (size.isZero) return null;
  const towards = (each: Staked) =>
    amount.isNegative ? (each.loss ?? Decimal.ZERO).negated() : (each.loss ?? Decimal.ZERO);
  const [leading] = [...breaks].sort(
    (a, b) =>
      Number(isOpen(b.state)) - Number(isOpen(a.state)) ||
      towards(b).compare(towards(a)) ||
      (a.field < b.field ? -1 : 1),
  );
  return leading === undefined ? null : { amount, size, leading, open: isOpen(leading.state) };
}

/**
 * The breaks with the stake of their record on the leading one. Every standing break about an amount or a rate names the leading
 * break; one about a status or an address is no part of it.
 * @param breaks of one record.
 */
export function withStake<Each extends Break>(breaks: readonly Each[]): readonly Each[] {
  const stake = stakeOf(breaks);
  return breaks.map((each) => {
    const isPart = stake !== null && each.state !== 'resolved' && isMeasured(each);
    const leadingBreakId = isPart ? stake.leading.breakId : null;
    const moneyAtStake = stake?.leading.breakId === each.breakId ? stake.amount : null;
    return { ...each, moneyAtStake, leadingBreakId };
  });
}

function isMeasured({ unit }: Staked): boolean {
  return unit === 'money' || unit === 'crypto' || unit === 'rate';
}
