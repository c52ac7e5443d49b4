import type { Decimal } from '../domain/decimal.ts';
import type { FeeComparison } from '../domain/fees.ts';
import { judgeFeePart } from './fee-part-differs.ts';
import type { Rule } from './rule.ts';
import { isBelowSight, showMoreOrLess, showSize } from './wording/money.ts';

export const feeAppliedDiffers: Rule = {
  code: 'FEE_APPLIED_DIFFERS',
  severity: 'high',
  title: 'The user paid another fee than quoted',
  why: 'The fee is the price of the service: a user who paid more than was promised is owed the difference and an answer.',
  check: (input) => judgeFeePart(input, 'applied', 'The user paid a fee of', whereItIs),
};

interface Share {
  part: string;
  amount: Decimal;
}

/**
 * Which part of the fee the difference is in. What base and network fee leave is the adjustment (discount, host cut);
 * where one of the two is unknown it might be in that one too, so it is not given a name it may not deserve.
 */
function whereItIs(difference: Decimal, fees: FeeComparison, currency: string): string {
  const shares: Share[] = [];
  if (fees.base !== null) shares.push({ part: 'the base fee', amount: fees.base.difference });
  if (fees.network !== null) shares.push({ part: 'the network fee', amount: fees.network.difference });
  if (shares.length === 0) return '';
  const rest = shares.reduce((left, share) => left.minus(share.amount), difference);
  shares.push({ part: shares.length === 2 ? 'the adjustment' : 'other parts', amount: rest });
  return inWords(
    shares.filter((share) => !isBelowSight(share.amount, currency)),
    currency,
  );
}

function inWords(shares: readonly Share[], currency: string): string {
  const [first] = shares;
  if (first === undefined) return '';
  if (shares.length === 1) return `, all of it in ${first.part}`;
  const sameWay = shares.every((share) => share.amount.isNegative === first.amount.isNegative);
  return sameWay
    ? `, ${listed(shares.map((share, i) => `${showSize(share.amount, currency)} ${i === 0 ? 'of it ' : ''}in ${share.part}`))}`
    : `, with ${listed(shares.map((share) => `${showMoreOrLess(share.amount, currency)} in ${share.part}`))}`;
}

/** `a and b`, `a, b and c`. */
function listed(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
