import { showMoney } from '../domain/currency.ts';
import { Decimal } from '../domain/decimal.ts';
import type { OneSidedMarket } from '../domain/survey.ts';
import { count } from '../text/counts.ts';
import type { Rule, RuleFinding } from './rule.ts';

/** About a market: it looks at the moves of 30 days (src/domain/one-sided.ts), at no single record. */
export const slippageOneSided: Rule = {
  code: 'SLIPPAGE_ONE_SIDED',
  severity: 'medium',
  title: 'Small price moves that all lie on one side',
  why: 'On a fair market as many executions are better than the quote as are worse. Each of these moves is too small to be a break; together they are money that users lose.',
  action:
    'Ask the Service how it sets the execution price of this asset and currency, with the moves of `slippage.csv`.',
  settledBy: 'A night on which the moves of the last 30 days no longer lie on one side.',
  example:
    'Over 30 days 203 of 210 purchases of ETH_ETH for EUR, in 131 different hours, were executed against the user beyond the market: 0.302 % on average (99.9 % interval 0.241 to 0.363 %), 812.40 EUR in all.',
  note: 'One break for each asset, currency and direction. The sign test and the 99.9 % interval of the mean must agree, over at least ten different hours and one unit of money.',
  subject: 'market',
  check: () => 'not-applicable',
};

/** The sides are words: figures that move every night would end a waiver. */
export function oneSidedIn({ market, records, against, hours, mean, low, high, loss }: OneSidedMarket): RuleFinding {
  const [asset = '', currency = '', direction] = market.split('/');
  const noun = direction === 'onramp' ? 'purchases' : 'sales';
  const percent = (share: string) => Decimal.parse(share).times(Decimal.HUNDRED).rounded(3).toString();
  return {
    field: 'exchange_rate',
    expected: 'moves on both sides',
    actual: 'moves against the user',
    explanation:
      `Over 30 days ${count(against)} of ${count(records)} ${noun} of ${asset} for ${currency}, in ${count(hours)} different hours, were executed ` +
      `against the user beyond the market: ${percent(mean)} % on average (99.9 % interval ${percent(low)} to ${percent(high)} %), ` +
      `${showMoney(Decimal.parse(loss), currency)} in all.`,
  };
}
