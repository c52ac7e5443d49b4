/**
 * The loss of a record against the promise: once per record, for any number of breaks. Plus is the user's loss or what the host is
 * owed, minus the Service's loss, in the record's fiat currency. Pure.
 *
 * A rule that measures the loss puts it on its findings; the findings of one rule add up to what the rule explains of it. The rule
 * that explains most leads: the record's loss is that rule's figure, with those of the rules about its other parts, and stands on its
 * leading break alone. Whether it is at stake depends on what has moved, and on what people decided: money that was waived or claimed is
 * at stake on no break of the record.
 */
import { type Bearer, type Break, isOpen } from './break.ts';
import { minorUnitDigits } from './currency.ts';
import { Decimal, minDecimal } from './decimal.ts';
import { severityRank } from './finding.ts';
import type { Kind } from './record.ts';
import { FEE_RULES, TOTAL_RULE } from './rule-codes.ts';

/** What a user lost by a total that is `difference` higher: a purchase's user pays the total, a sale's receives it. */
export function lossByFiat(kind: Kind, difference: Decimal): Decimal {
  return kind === 'purchase' ? difference : difference.negated();
}

/**
 * What a user lost by a crypto amount that is `difference` tokens higher, at a price per token, to the currency's places: the
 * price is an approximation, and further digits would claim more than is known.
 */
export function lossByCrypto(kind: Kind, difference: Decimal, price: Decimal, currency: string): Decimal {
  const value = inPlacesOf(difference.times(price), currency);
  return kind === 'purchase' ? value.negated() : value;
}

/** A loss by prices, which are divisions: further digits than the currency has would claim more than is known. */
export function inPlacesOf(value: Decimal, currency: string): Decimal {
  return value.rounded(placesOf(currency));
}

/** Where a currency is not in ISO 4217, more places than any that is. */
const UNKNOWN_PLACES = 8;

function placesOf(currency: string | null): number {
  return (currency === null ? undefined : minorUnitDigits(currency)) ?? UNKNOWN_PLACES;
}

/**
 * A user loses at most what the record moved. A loss of this many times its total comes from wrong units or decimals, so the true loss is not
 * known. More is allowed for a sale: its total is the payout, which may itself be too small.
 */
const SLIP_OF_UNITS: Readonly<Record<Kind, Decimal>> = { purchase: Decimal.of(10n), sale: Decimal.of(1000n) };

export function isMeasurable(kind: Kind, loss: Decimal, total: Decimal): boolean {
  return total.isZero || !loss.abs().greaterThan(SLIP_OF_UNITS[kind].times(total.abs()));
}

type Staked = Pick<
  Break,
  'breakId' | 'kind' | 'rule' | 'field' | 'severity' | 'state' | 'unit' | 'loss' | 'recordCurrency'
>;

/** What one rule explains of a record's loss, or several of its parts. */
interface Explained<Each> {
  /** With its sign: plus is the user's loss, minus the Service's. */
  amount: Decimal;
  /** The amount's size at the currency's places: figures that print alike are equal. */
  size: Decimal;
  leading: Each;
  /** By part, the leading one first. */
  parts: readonly { leading: Each; amount: Decimal }[];
}

/**
 * The loss of one record; null where no standing break measures any. What people decided changes nothing of it: a waived break still
 * leads, so that its money does not come up again on the next one.
 * @param breaks of one record; resolved ones do not count.
 */
export function lossOf<Each extends Staked>(breaks: readonly Each[]): Explained<Each> | null {
  const standing = breaks.filter(({ state, loss }) => state !== 'resolved' && loss !== null);
  const explained = [...Map.groupBy(standing, ({ rule }) => rule).values()]
    .map((each) => explainedBy(each))
    .filter((each) => each !== null);
  explained.sort(
    (a, b) =>
      b.size.compare(a.size) ||
      severityRank(b.leading.severity) - severityRank(a.leading.severity) ||
      (a.leading.rule < b.leading.rule ? -1 : 1),
  );
  const [most = null] = explained;
  const inParts = sumOfParts(explained);
  return most === null || inParts === null || !inParts.size.greaterThan(most.size) ? most : inParts;
}

/**
 * Fee, price and residual have nothing in common (`decompose.ts`): a dearer fee at a price beyond the market is two losses. The rules of one part
 * measure the same, and any other rule the whole. What is another's loss, or was decided otherwise than the greatest of them, is not added.
 */
const PARTS: ReadonlyMap<string, string> = new Map([
  [FEE_RULES.applied, 'fee'],
  [FEE_RULES.network, 'fee'],
  ['SLIPPAGE', 'price'],
  [TOTAL_RULE, 'residual'],
]);

function sumOfParts<Each extends Staked>(explained: readonly Explained<Each>[]): Explained<Each> | null {
  const greatest = new Map<string, Explained<Each>>();
  for (const each of explained) {
    const part = PARTS.get(each.leading.rule);
    if (part !== undefined && !greatest.has(part)) greatest.set(part, each);
  }
  const [first = null, ...others] = greatest.values();
  if (first === null) return null;
  const { leading } = first;
  const added = others.filter(
    (each) =>
      each.amount.isNegative === first.amount.isNegative && isOpen(each.leading.state) === isOpen(leading.state),
  );
  const amount = added.reduce((sum, each) => sum.plus(each.amount), first.amount);
  const size = amount.rounded(placesOf(leading.recordCurrency)).abs();
  return { amount, size, leading, parts: [first, ...added] };
}

/** Null where the findings of the rule come to nothing. */
function explainedBy<Each extends Staked>(breaks: readonly Each[]): Explained<Each> | null {
  const amount = breaks.reduce((sum, { loss }) => (loss === null ? sum : sum.plus(loss)), Decimal.ZERO);
  const size = amount.rounded(placesOf(breaks[0]?.recordCurrency ?? null)).abs();
  if (size.isZero) return null;
  const towards = (each: Staked) =>
    amount.isNegative ? (each.loss ?? Decimal.ZERO).negated() : (each.loss ?? Decimal.ZERO);
  const [leading] = [...breaks].sort((a, b) => towards(b).compare(towards(a)) || (a.field < b.field ? -1 : 1));
  return leading === undefined ? null : { amount, size, leading, parts: [{ leading, amount }] };
}

/** Who loses: never netted against the losses of others. */
function bearerOf({ kind }: Pick<Break, 'kind'>, amount: Decimal): Bearer {
  if (amount.isNegative) return 'service';
  return kind === 'payout' ? 'host' : 'user';
}

/**
 * The breaks with the loss of their record on the leading one. Every standing break about an amount or a rate names the leading
 * break; one about a status or an address is no part of it.
 * @param breaks of one record.
 */
export function withStake<Each extends Break>(breaks: readonly Each[]): readonly Each[] {
  const loss = lossOf(breaks);
  const claimed = loss === null ? null : claimedOf(breaks, loss.amount);
  const left = loss === null ? null : leftOf(breaks, loss.amount, claimed);
  return breaks.map((each) => {
    const isPart = loss !== null && each.state !== 'resolved' && isMeasured(each);
    const moved = each.moneyMoved ?? 'yes';
    const isLeading = loss?.leading.breakId === each.breakId;
    const isAtStake = moved === 'yes' && isOpen(each.state);
    const amount = isLeading && moved !== 'no' ? loss.amount : null;
    const open = amount === null ? null : left;
    return {
      ...each,
      lossBearer: isPart && moved !== 'no' ? bearerOf(each, loss.amount) : null,
      moneyAtStake: isAtStake && open?.isZero === false ? open : null,
      moneyAside: amount !== null && claimed !== null ? claimed : isAtStake ? null : amount,
      leadingBreakId: isPart ? loss.leading.breakId : null,
    };
  });
}

/** What of a record's loss is in a claim, as the claim has it; null where nothing is. */
function claimedOf(breaks: readonly Break[], amount: Decimal): Decimal | null {
  // The Service's own loss is never claimed, though a claim may have caused it: a fee that was put right.
  if (amount.isNegative || breaks.every(({ claimId }) => claimId === undefined)) return null;
  const parts = breaks.flatMap(({ claimed }) => (claimed === undefined ? [] : [claimed]));
  if (parts.length === 0) return amount;
  const sum = parts.reduce((total, each) => total.plus(each), Decimal.ZERO);
  return minDecimal(sum, inPlaces(breaks, amount));
}

/** Evidence may prove a part alone: the rest stays at stake. What the rounding of a claim leaves is nothing that anyone can claim. */
function leftOf(breaks: readonly Break[], amount: Decimal, claimed: Decimal | null): Decimal {
  if (claimed === null) return amount;
  const left = amount.minus(claimed);
  return inPlaces(breaks, left).isPositive ? left : Decimal.ZERO;
}

const inPlaces = ([first]: readonly Break[], amount: Decimal) =>
  amount.rounded(placesOf(first?.recordCurrency ?? null));

function isMeasured({ unit }: Staked): boolean {
  return unit === 'money' || unit === 'crypto' || unit === 'rate';
}

/** Where the loss of a break is, if it is not at stake. */
export type Aside = 'pending' | 'waived' | 'claimed';

/** Null for a break without money aside; a claim counts before a waiver. */
export function asideOf({ moneyAside, state, moneyMoved, claimId }: Break): Aside | null {
  if (moneyAside === null) return null;
  if (claimId !== undefined) return 'claimed';
  const isMoved = (moneyMoved ?? 'yes') === 'yes';
  if (state === 'waived') return isMoved ? 'waived' : null;
  // Money that has moved and is not waived is aside only where another break of the record is in a claim.
  return isMoved ? 'claimed' : 'pending';
}

/** The loss of a break that is aside so; null for any other. */
export function moneyAside(each: Break, aside: Aside): Decimal | null {
  return asideOf(each) === aside ? each.moneyAside : null;
}
