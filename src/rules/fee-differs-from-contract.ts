import { shownOf } from '../domain/shown.ts';
import { agree, allowance, fiatTolerance } from '../domain/tolerance.ts';
import { bodyRule, figuresIn, RIGHTED, type RuleInput } from './rule.ts';
import { moneyApart, showShareAfter } from './wording.ts';
import { amount, compared, term, toleranceLine, worked } from './working.ts';

const CODE = 'FEE_DIFFERS_FROM_CONTRACT';

export const feeDiffersFromContract = bodyRule({
  code: CODE,
  severity: 'high',
  proof: 'contract',
  title: 'The fee is not the one in the contract',
  why: 'The contract says what the partner may charge: what is above it can be claimed. What is below it is a remark.',
  action: 'Look up the line of the price list that the sentence names; claim what was charged above it.',
  settledBy: RIGHTED,
  example:
    'The fee is 36.00 BRL; version first of the price list (line 7: 1.99 % of 1091.74 BRL, the network fee on top) allows 32.73 BRL: 3.28 BRL more (10.0 %).',
  note: 'Only where `prices.list` is configured. A record without a price in the list is not judged by this rule.',
  check(state, input) {
    const { price } = input;
    if (price === null) return 'not-applicable';
    const currency = state.fiatCurrency;
    const allowed = allowance(fiatTolerance(input.terms.tolerances, currency, CODE), price.fee);
    if (agree(price.charged, price.fee, allowed)) return null;
    const sides = figuresIn('money', { actual: price.charged, expected: price.fee, allowed, currency });
    const [charged, contract, apartBy] = moneyApart(price.charged, price.fee, currency);
    // The price list is the promise where nothing else promised a fee, or what did was kept.
    const isKept = input.fees?.applied?.agrees !== false && (shownOf(input, state)?.fee ?? null) === null;
    // A lower fee is a favour, as against a quote.
    const isRemark = input.terms.binding.price === 'indicative' && sides.difference.isNegative;
    return {
      field: 'applied_fee',
      ...sides,
      ...(isRemark ? { severity: 'info' as const } : {}),
      loss: isKept && !isRemark ? sides.difference : null,
      explanation:
        `The fee is ${charged}; version ${price.version} of the price list (line ${price.line.line}: ` +
        `${inWords(price, currency)}) allows ${contract}: ` +
        `${apartBy}${showShareAfter(sides.difference, price.fee)}.`,
    };
  },
  working(state, { price, terms }) {
    if (price === null) return null;
    const unit = state.fiatCurrency;
    const { line, cv, network, host } = price;
    const fees = [line.networkFee === 'on-top' ? network : null, host].filter((each) => each !== null);
    const onTop = fees.map((each) => ` + ${term(each, unit)}`).join('');
    const before = [
      amount("the crypto's value", cv, unit),
      worked(
        'contract fee',
        `${line.percent} % × ${term(cv, unit)} + ${line.fixed}${bounds(line)}${onTop}`,
        price.fee,
        unit,
      ),
      amount('actual fee', price.charged, unit),
    ];
    const tolerance = toleranceLine(fiatTolerance(terms.tolerances, unit, CODE), price.fee, unit);
    return compared(before, { actual: price.charged, expected: price.fee, unit }, tolerance);
  },
});

type Price = NonNullable<RuleInput['price']>;

function inWords({ line, cv, network, host }: Price, currency: string): string {
  const [value] = moneyApart(cv, cv, currency);
  const parts = [
    ...(line.percent.isZero ? [] : [`${line.percent} % of ${value}`]),
    ...(line.fixed.isZero ? [] : [`${line.fixed} ${currency}`]),
  ];
  const limits = [
    ...(line.minimum === null ? [] : [`at least ${line.minimum} ${currency}`]),
    ...(line.maximum === null ? [] : [`at most ${line.maximum} ${currency}`]),
  ];
  const ofNetwork = network === null ? [] : [`the network fee ${line.networkFee === 'on-top' ? 'on top' : 'inside'}`];
  const ofHost = host === null ? [] : ["the host's fee on top"];
  return [parts.join(' and ') || 'nothing', ...limits, ...ofNetwork, ...ofHost].join(', ');
}

function bounds({ minimum, maximum }: Price['line']): string {
  return `${minimum === null ? '' : `, at least ${minimum}`}${maximum === null ? '' : `, at most ${maximum}`}`;
}
