import { Decimal } from '../domain/decimal.ts';
import { shownOf } from '../domain/shown.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { lossByFiat } from '../domain/stake.ts';
import { RIGHTED, type Rule, type RuleInput } from './rule.ts';
import { judgeShown, type ShownPair, workOutShown } from './shown.ts';

const CODE = 'CHARGED_DIFFERS_FROM_SHOWN';

export const chargedDiffersFromShown: Rule = {
  code: CODE,
  severity: 'high',
  title: 'The user was charged another price than the app showed',
  why: 'The promise is what the user saw on the screen; the user will hold you to it, not to the quote behind it.',
  action: 'Refund the difference, or claim it from the Service where the quote agrees with what was shown.',
  settledBy: RIGHTED,
  example: 'The user was charged a fee of 14.19 EUR; the app had shown 11.35 EUR: 2.84 EUR more (25.0 %).',
  check: (input) =>
    judgeShown(CODE, input, pairsOf, feeMove(input), ({ field, actual, expected }, differing, { kind }) => {
      const difference = actual.minus(expected);
      if (field === 'charged_total') return lossByFiat(kind, difference);
      // A fee that differs is inside a total that differs: the loss is reported once.
      return differing.some((each) => each.field === 'charged_total') ? null : difference;
    }),
  working: (input, field) => workOutShown(CODE, input, pairsOf, feeMove(input), field),
};

/** What an allowed move of the network fee explains of a shown fee. A total was asked for: it may not move with a fee. */
const feeMove =
  ({ fees }: RuleInput) =>
  ({ field, actual, expected }: ShownPair & Record<'actual' | 'expected', Decimal>) => {
    const { network, quoted } = fees ?? {};
    if (field !== 'charged_fee' || network?.agrees !== true || quoted?.network == null) return Decimal.ZERO;
    const move = network.actual.minus(quoted.network);
    return move.isNegative === actual.lessThan(expected) ? move.abs() : Decimal.ZERO;
  };

function pairsOf(input: RuleInput, state: RecordState): readonly ShownPair[] {
  const shown = shownOf(input, state);
  if (shown === null) return [];
  const charged = input.moved === 'no' ? 'The user was offered' : 'The user was charged';
  const total = state.kind === 'sale' && input.moved !== 'no' ? 'The user received' : charged;
  return [
    {
      field: 'charged_total',
      expected: shown.total,
      actual: state.fiatValue,
      beginning: `${total} a total of`,
      promise: 'the app had shown',
      sides: { expected: 'shown total', actual: 'actual total' },
    },
    {
      field: 'charged_fee',
      expected: shown.fee,
      actual: state.appliedFee,
      beginning: `${charged} a fee of`,
      promise: 'the app had shown',
      sides: { expected: 'shown fee', actual: 'actual fee' },
    },
  ];
}
