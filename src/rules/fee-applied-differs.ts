import { Decimal } from '../domain/decimal.ts';
import type { FeeComparison } from '../domain/fees.ts';
import { FEE_RULES } from '../domain/rule-codes.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { judgeFeePart, workOutFeePart } from './fee-part-differs.ts';
import { bodyRule, RIGHTED, type RuleInput } from './rule.ts';
import { placesOfApart, roundsToZero } from './wording.ts';
import { signed, type WorkingLine, type Workings } from './working.ts';

export const feeAppliedDiffers = bodyRule({
  code: FEE_RULES.applied,
  severity: 'high',
  proof: 'quote',
  title: 'The user paid another fee than quoted',
  why: 'The fee is the price of the service: a user who paid more than was promised is owed the difference and an answer.',
  action: 'Claim the difference from the Service, or refund the user; the parts say which fee it is in.',
  settledBy: RIGHTED,
  example:
    'The user paid a fee of 24.90 EUR; quote q-59 (automatic bank transfer, 3 min before) promised 11.17 EUR: 13.73 EUR more (122.9 %), all of it in the base fee.',
  note: '`was offered` instead of `paid`: the record ended, or still stands, without a payment. One cause often shows as three breaks (total, fee, base fee): work the fee, the others follow.',
  check(state, input) {
    const paid = input.moved === 'no' ? 'was offered' : 'paid';
    return judgeFeePart(state, input, 'applied', `The user ${paid} a fee of`, whereItIs);
  },
  working,
});

/** A part of the fee's difference. */
interface Share {
  part: 'base' | 'network' | 'adjustment' | 'other parts';
  amount: Decimal;
}

const PHRASE: Readonly<Record<Share['part'], string>> = {
  base: 'the base fee',
  network: 'the network fee',
  adjustment: 'the adjustment',
  'other parts': 'other parts',
};

/**
 * The parts of the difference; their sum is the difference. What base and network fee leave is the adjustment (discount,
 * host cut). Where one of the two is unknown, the rest may be in it too, so it is called `other parts`. Empty where both are.
 */
function sharesOf({ applied, base, network }: FeeComparison): readonly Share[] {
  if (applied === null || (base === null && network === null)) return [];
  const shares: Share[] = [];
  if (base !== null) shares.push({ part: 'base', amount: base.difference });
  if (network !== null) shares.push({ part: 'network', amount: network.difference });
  const rest = shares.reduce((left, share) => left.minus(share.amount), applied.difference);
  return [...shares, { part: shares.length === 2 ? 'adjustment' : 'other parts', amount: rest }];
}

/** Which part of the fee the difference is in, as a clause. */
function whereItIs(fees: FeeComparison, currency: string): string {
  const shares = sharesOf(fees).filter((share) => !roundsToZero(share.amount, currency));
  const { applied } = fees;
  if (applied === null || shares.length < 2) return inWords(shares, String);
  const places = placesOfApart(applied.actual, applied.expected, currency);
  const show = (amount: Decimal) => `${amount.abs().toPlaces(places)} ${currency}`;
  return inWords(asPrinted(shares, applied.difference.rounded(places), places), show);
}

/** At the places of the difference, and adding up to it as it is printed: the largest part takes what rounding leaves. */
function asPrinted(shares: readonly Share[], total: Decimal, places: number): readonly Share[] {
  const largest = shares.reduce((a, b) => (b.amount.abs().greaterThan(a.amount.abs()) ? b : a));
  const rounded = shares.map(({ part, amount }) => ({ part, amount: amount.rounded(places) }));
  const others = rounded.filter(({ part }) => part !== largest.part);
  const rest = others.reduce((left, { amount }) => left.minus(amount), total);
  return rounded.map((share) => (share.part === largest.part ? { ...share, amount: rest } : share));
}

function inWords(shares: readonly Share[], show: (amount: Decimal) => string): string {
  const [first] = shares;
  if (first === undefined) return '';
  if (shares.length === 1) return `, all of it in ${PHRASE[first.part]}`;
  const sameWay = shares.every((share) => share.amount.isNegative === first.amount.isNegative);
  const moreOrLess = ({ isNegative }: Decimal) => (isNegative ? 'less' : 'more');
  return sameWay
    ? `, ${listed(shares.map(({ part, amount }, i) => `${show(amount)} ${i === 0 ? 'of it ' : ''}in ${PHRASE[part]}`))}`
    : `, with ${listed(shares.map(({ part, amount }) => `${show(amount)} ${moreOrLess(amount)} in ${PHRASE[part]}`))}`;
}

/** `a and b`, `a, b and c`. */
function listed(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function working(state: RecordState, input: RuleInput): Workings | null {
  const workings = workOutFeePart(state, input, 'applied');
  const unit = state.fiatCurrency;
  const shares = input.fees === null ? [] : sharesOf(input.fees);
  if (workings === null || shares.length === 0) return workings;
  return { ...workings, lines: [...workings.lines, partsLine(shares, unit)] };
}

/** The parts of the difference and their sum, which is the difference. */
function partsLine(shares: readonly Share[], unit: string): WorkingLine {
  const sum = shares.reduce((total, { amount }) => total.plus(amount), Decimal.ZERO);
  const working = shares.map(({ part, amount }) => `${part} ${signed(amount, unit)}`).join(', ');
  return { label: 'parts', working, result: `sum ${signed(sum, unit)}`, unit };
}
