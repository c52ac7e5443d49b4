import { assetIdentifier } from '../domain/asset.ts';
import { Decimal } from '../domain/decimal.ts';
import { effectsOf } from '../domain/decompose.ts';
import { SHORT_WINDOW } from '../domain/market.ts';
import { showInstant } from '../domain/record.ts';
import { type Slippage, slippageBeyond, slippageOf } from '../domain/slippage.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { inPlacesOf } from '../domain/stake.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleInput } from './rule.ts';
import { figuresApart, percentsApart, showDuration, showFigure, showPercent, showQuote, showSize } from './wording.ts';
import { amount, compared, fact, type Workings, worked } from './working.ts';

/** Prices float between quote and execution; what no other price of those hours explains is the user's loss. */
export const slippage = bodyRule({
  code: 'SLIPPAGE',
  severity: 'medium',
  proof: 'quote',
  title: 'The executed price lies outside the market, against the user',
  why: 'A price floats until the payment arrives, but it follows the market: beyond that, the user paid for something else.',
  action:
    'Ask the Service at which time and price it executed; claim what lies outside the range of prices of those hours.',
  settledBy: RIGHTED,
  example:
    'The price was 2650 EUR per ETH_ETH; others saw 2490 to 2510 EUR while it was executed (4 quotes, 1 listing), and quote q-59 (card, 3 min before) had 2500 EUR: 5.6 % against the user, 1.5 % is allowed, 5.28 EUR outside the range.',
  note: 'A price better than the market is only a remark (`info`). Where no market price is known, the quoted price is the market.',
  lapses: ({ binding }) =>
    binding.price === 'locked' ? 'the settings lock prices, so that none is judged by the market' : null,
  check(state, input) {
    if (input.terms.binding.price === 'locked') return 'not-applicable';
    const found = slippageBeyond(input);
    if (found === null) return null;
    // Nothing is lacking of a record whose price is not fixed yet, or never will be.
    if (found === 'not executed yet') return 'not-applicable';
    if (typeof found === 'string') return { notJudged: found };
    const { against, allowed } = found;
    return against.abs().greaterThan(allowed) ? finding(state, input, found) : null;
  },
  working,
});

function finding(state: RecordState, input: RuleInput, found: Slippage) {
  const { prices, nearest, range, source, margin, against, allowed, atStake, window } = found;
  const currency = state.fiatCurrency;
  const asset = assetIdentifier(state.asset);
  const [executed, edge] = figuresApart(prices.executed, nearest);
  // Prices that are quotients differ in digits that mean nothing.
  const [low, high] = [showFigure(range.low), showFigure(range.high)];
  const seen =
    source === 'none'
      ? 'no other price of those hours is known'
      : `others saw ${low === high ? edge : `${low} to ${high}`} ${currency} while it was executed (${source}${marginInWords(margin)})`;
  const long =
    window.to - window.from > SHORT_WINDOW ? ` at some moment within ${showDuration(window.to - window.from)}` : '';
  const quoted =
    input.quote === null ? '' : `, and ${showQuote(input.quote)} had ${showFigure(prices.quoted)} ${currency}`;
  const isAgainst = !against.isNegative;
  const [apartBy, allowedBy] = percentsApart(against.abs().times(Decimal.HUNDRED), allowed.times(Decimal.HUNDRED));
  return {
    field: 'exchange_rate',
    ...figuresIn('rate', { actual: prices.executed, expected: nearest, allowed: allowed.times(nearest), currency }),
    loss: inPlacesOf(atStake, currency),
    ...(isAgainst ? {} : { severity: 'info' as const }),
    explanation:
      `The price was ${executed} ${currency} per ${asset}${long}; ${seen}${quoted}: ` +
      `${apartBy} ${isAgainst ? 'against' : 'for'} the user, ${allowedBy} is allowed, ${showSize(atStake, currency)} outside the range.`,
  };
}

const marginInWords = (margin: Decimal | null) =>
  margin === null ? '' : `, with the usual margin of ${showPercent(margin.times(Decimal.HUNDRED))}`;

function working(state: RecordState, input: RuleInput): Workings | null {
  const found = slippageOf(input);
  if (typeof found === 'string') return null;
  const { prices, nearest, range, source, margin, allowed, atStake, window, converted } = found;
  const unit = state.fiatCurrency;
  const sign = state.kind === 'purchase' ? [prices.executed, nearest] : [nearest, prices.executed];
  const before = [
    fact('executed between', `${showInstant(window.from)} and ${showInstant(window.to)}`),
    fact('seen by others', `${source}${marginInWords(margin)}`),
    amount('quoted price', prices.quoted, unit),
    fact('range of prices', `${range.low} to ${range.high}`),
    amount('nearest price of the range', nearest, unit),
    amount('executed price', prices.executed, unit),
    amount('price effect against the quote', effectsOf(found).price, unit),
    worked('of it outside the range', `${converted} × (${sign[0]} − ${sign[1]}) ÷ ${prices.executed}`, atStake, unit),
  ];
  const tolerance = allowed.times(nearest);
  const line = worked('tolerance', `${allowed} × ${nearest}`, tolerance, unit);
  return compared(before, { actual: prices.executed, expected: nearest, unit }, { line, allowed: tolerance });
}
