/** The network fee of a purchase without a quote, held against those that the Service published around its execution. */
import { sameAsset } from '../domain/asset.ts';
import type { ExecutionWindow } from '../domain/case.ts';
import { showMoney } from '../domain/currency.ts';
import { Decimal, maxDecimal, minDecimal } from '../domain/decimal.ts';
import { rootOfHours, type Seen, SHORT_WINDOW, seenByAny, sourcesInWords, unseenOf } from '../domain/market.ts';
import { FEE_RULES } from '../domain/rule-codes.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { allowance, fiatTolerance } from '../domain/tolerance.ts';
import { listsAround, showLists } from './listings.ts';
import { type Found, figuresIn, type RuleInput } from './rule.ts';
import { moneyApart } from './wording.ts';
import { amount, compared, fact, type Workings, worked } from './working.ts';

interface PublishedFee {
  currency: string;
  /** The record's network fee, in `currency`. */
  actual: Decimal;
  /** The highest of the listings on both sides, and of what others saw during the execution. */
  expected: Decimal;
  /** The tolerance, wider with the root of the hours since the listing: the busier a chain, the more its fee moves. */
  share: Decimal;
  /** `share` of the expected fee, and a minor unit. */
  allowed: Decimal;
  /** In words: which lists, and of when. */
  lists: string;
}

function publishedFee(state: RecordState, input: RuleInput): PublishedFee | null {
  const window = input.executed;
  if (state.kind !== 'purchase' || state.networkFee === null || typeof window === 'string') return null;
  const lists = listsAround(input, 'assets').flatMap(({ asset, global, capturedAt }) => {
    const fee = asset?.networkFee ?? null;
    const isOurs = global?.currencyCode === state.fiatCurrency && asset !== null && sameAsset(asset, state.asset);
    return fee === null || !isOurs ? [] : [{ capturedAt, fee }];
  });
  const [nearest, next] = lists;
  const seen = seenThen(input, window);
  // One listing alone does not tell between which fees it lay, and none of a payment that came hours after both.
  if (nearest === undefined || next === undefined) return null;
  if (seen === null && window.to > next.capturedAt + SHORT_WINDOW) return null;
  const sinceLists = Math.max(Math.abs(window.to - nearest.capturedAt), Math.abs(window.from - nearest.capturedAt));
  const apartMs = seen === null ? sinceLists : Math.min(sinceLists, SHORT_WINDOW);
  const { tolerances } = input.terms;
  const share = tolerances.networkFee.times(Decimal.ONE.plus(rootOfHours(apartMs)));
  const listed = lists.map(({ fee }) => fee).reduce(maxDecimal);
  const isOfItsTime = seen?.high.greaterThan(listed) === true;
  const expected = isOfItsTime ? seen.high : listed;
  return {
    currency: state.fiatCurrency,
    actual: state.networkFee,
    expected,
    share,
    // The listed fee is not rounded to the minor unit, as the record's is.
    allowed: share
      .times(expected)
      .plus(allowance(fiatTolerance(tolerances, state.fiatCurrency, FEE_RULES.network), expected)),
    lists: isOfItsTime
      ? `${sourcesInWords(input.market.networkFees)} around its execution`
      : showLists(lists, state.createdAt),
  };
}

/** What others saw during the execution; null where more than two hours of it lack a fee. */
function seenThen({ market: { networkFees } }: RuleInput, { from, to }: ExecutionWindow): Seen | null {
  return unseenOf(networkFees, to - from) > SHORT_WINDOW ? null : seenByAny(networkFees);
}

/** Against the user only: a lower fee is a favour. */
export function judgePublishedFee(state: RecordState, input: RuleInput): Found {
  const found = publishedFee(state, input);
  if (found === null) return 'not-applicable';
  const { actual, expected, allowed, currency, lists } = found;
  const sides = figuresIn('money', found);
  if (!sides.difference.greaterThan(allowed)) return null;
  const [is, published, apartBy] = moneyApart(actual, expected, currency);
  // A discount that took the excess off again leaves no loss. Without a base fee the discount, and so the loss, is unknown.
  const adjustment = input.fees?.actual.adjustment ?? null;
  const loss = adjustment === null ? null : sides.difference.plus(minDecimal(adjustment, Decimal.ZERO));
  return {
    field: 'network_fee',
    ...sides,
    loss: loss?.isPositive === true ? loss : null,
    explanation:
      `The network fee is ${is}; ${lists} had at most ${published} for it: ${apartBy}, ` +
      `and ${showMoney(allowed, currency)} is allowed.`,
  };
}

export function workOutPublishedFee(state: RecordState, input: RuleInput): Workings | null {
  const found = publishedFee(state, input);
  if (found === null) return null;
  const { actual, expected, allowed, share, currency: unit, lists } = found;
  const before = [
    fact('published by', lists),
    amount('highest of them', expected, unit),
    amount('network fee', actual, unit),
  ];
  const line = worked('tolerance', `${share} × ${expected}, and a minor unit`, allowed, unit);
  return compared(before, { actual, expected, unit }, { line, allowed });
}
