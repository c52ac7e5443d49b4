/**
 * How quotes with floating prices are judged. The quote: 104.76 EUR with fees of 4.76 EUR (base 3.90, network 0.86) for 0.04 ETH at
 * 2,500 EUR. Prices and amounts below are worked out by hand.
 */
import { describe, expect, test } from 'vitest';
import type { Case } from '../../src/domain/case.ts';
import { executionOf } from '../../src/domain/execution.ts';
import type { Market, Seen } from '../../src/domain/market.ts';
import { judgeCase } from '../../src/rules/judge-case.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { slippage } from '../../src/rules/slippage.ts';
import { workedOut } from '../explain/work-out.ts';
import { someRunTerms } from '../reconcile/support/judging.ts';
import {
  aCase,
  aMatchedQuote,
  aPurchase,
  aSale,
  aSnapshot,
  at,
  type CaseOverrides,
  dec,
  HOURS,
  LOCKED,
  NO_REFERENCE,
  type StateOverrides,
  someAssetTerms,
  someGlobalTerms,
  someReference,
  someTerms,
  someTolerances,
} from '../support/builders.ts';
import { ask } from './ask.ts';

const RULES = createRuleSet();
/** As in the default settings. */
const EXACT = someTolerances({ fiat: { absolute: 'minor-unit', relative: dec('0') } });
const TERMS = someTerms({ tolerances: EXACT });
const OF_PROMISES = /^(AMOUNT_DIFFERS|SLIPPAGE|FEE_(APPLIED|BASE|NETWORK)_DIFFERS|FIELD_CHANGED|RESTATED|TOTAL_NOT)/;

/** `RULE field severity loss` of what the promise rules say. */
function found(subject: Case, terms = TERMS): string[] {
  return judgeCase(subject, terms, RULES)
    .findings.filter(({ rule }) => OF_PROMISES.test(rule))
    .map(({ rule, field, severity, loss }) => [rule, field, severity, ...(loss === null ? [] : [loss])].join(' '));
}

const seen = (low: string, high = low, count = 3): Seen => ({ low: dec(low), high: dec(high), count });
const market = (quotes: Seen | null, listings: Seen | null = null): Market => ({
  prices: { quotes, listings },
  networkFees: { quotes: null, listings: null },
  past: [],
});
const purchase = (state: StateOverrides, rest: CaseOverrides = {}) => aCase({ state: aPurchase(state), ...rest });

/** 100 EUR after fees at another price. */
const at2600: StateOverrides = { exchangeRate: '2600', exchangeRateEur: '2600', cryptoUnits: 38_461_538_461_538_461n };
const at2510: StateOverrides = { exchangeRate: '2510', exchangeRateEur: '2510', cryptoUnits: 39_840_637_450_199_203n };
const at2400: StateOverrides = { exchangeRate: '2400', exchangeRateEur: '2400', cryptoUnits: 41_666_666_666_666_666n };

describe('the price', () => {
  test.each<[string, Case, string[]]>([
    ['as quoted', purchase({}), []],
    ['0.4 % against the user', purchase(at2510), []],
    [
      '4 % against the user in a market that stood still',
      purchase(at2600, { market: market(seen('2500')) }),
      ['SLIPPAGE exchange_rate medium 3.85'],
    ],
    ['4 % against the user, as nobody else saw any price', purchase(at2600), ['SLIPPAGE exchange_rate medium 3.85']],
    ['4 % against the user, as the market rose by 3 %', purchase(at2600, { market: market(seen('2490', '2575')) }), []],
    ['4 % against the user, as the listings rose', purchase(at2600, { market: market(null, seen('2575')) }), []],
    [
      '4 % against the user, as the market fell',
      purchase(at2600, { market: market(seen('2300')) }),
      ['SLIPPAGE exchange_rate medium 3.85'],
    ],
    ['4 % for the user', purchase(at2400), ['SLIPPAGE exchange_rate info -4.17']],
    ['an unpaid purchase is an estimate', purchase({ ...at2600, status: 'INITIALIZED' }), []],
  ])('%s', (_what, subject, expected) => {
    expect(found(subject)).toEqual(expected);
  });

  test('a locked price is held to the last token', () => {
    expect(found(purchase(at2510), someTerms({ binding: LOCKED, tolerances: EXACT }))).toEqual([
      'AMOUNT_DIFFERS crypto_amount medium 0.4',
    ]);
  });

  test('a sale without a rate: the payout is judged as a price', () => {
    const quote = aMatchedQuote({
      quote: { direction: 'offramp' },
      method: { fiatValue: '200', appliedFee: '3', baseFee: null, networkFee: null, cryptoUnits: 10n ** 17n },
    });
    const paid = (fiatValue: string) =>
      aCase({ state: aSale({ fiatValue }), quote, receivedAt: at('2026-11-01 11:00') });
    expect(found(paid('199'))).toEqual([]);
    expect(found(paid('190'))).toEqual(['SLIPPAGE exchange_rate medium 10']);
    expect(found(paid('212'))).toEqual(['SLIPPAGE exchange_rate info -12']);
  });

  test('says what others saw, and is worked out to the digit', () => {
    const subject = purchase(at2600, { market: market(seen('2500', '2510', 4), seen('2490', '2490', 1)) });
    const [finding] = judgeCase(subject, TERMS, RULES).findings;
    expect(finding?.explanation).toBe(
      'The price was 2600 EUR per ETH_ETH; others saw 2490 to 2510 EUR while it was executed (4 quotes, 1 listing), and quote q-17 ' +
        '(card, 4 min before) had 2500 EUR: 3.6 % against the user, 1.5 % is allowed, 3.46 EUR outside the range.',
    );
    expect(workedOut(subject, 'SLIPPAGE', 'exchange_rate').slice(-6)).toEqual([
      'executed price: 2600.00 EUR',
      'price effect against the quote: 3.846153846153846154 EUR',
      'of it outside the range: 100 × (2600 − 2510) ÷ 2600 = 3.461538461538461538 EUR',
      'difference: 2600.00 − 2510.00 = +90.00 EUR',
      'tolerance: 0.015 × 2510 = 37.65 EUR',
      'outcome: 90.00 > 37.65: a break',
    ]);
  });

  test('prices that differ only in the noise of a division are one price', () => {
    const subject = purchase(at2600, { market: market(seen('2499.9999999999999999', '2500', 4)) });
    const [finding] = judgeCase(subject, TERMS, RULES).findings;
    expect(finding?.explanation).toContain('others saw 2500 EUR while it was executed');
  });
});

describe('a price of which nothing is known', () => {
  const late = { updatedAt: at('2026-11-03 10:00') };
  const past = (...prices: string[]): Market => ({
    ...market(null),
    past: prices.map((price, i) => ({ at: at('2026-10-30 00:00') + i * HOURS, price: dec(price), networkFee: null })),
  });
  const moving = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? '2500' : '2510'));
  const bank = (state: StateOverrides, around: Market) =>
    purchase({ ...state, ...late }, { market: around, receivedAt: at('2026-11-03 12:00') });

  test('days after its quote, it is not judged, and says so', () => {
    const { findings, notJudged } = judgeCase(bank(at2600, market(null)), TERMS, RULES);
    expect(findings.filter(({ rule }) => rule === 'SLIPPAGE')).toEqual([]);
    expect(notJudged).toContain('SLIPPAGE: no market price of its hours is known');
    // Two days may bring a coin as far, and then its quote's price is no market's either.
    const at3000 = { exchangeRate: '3000', exchangeRateEur: '3000', cryptoUnits: 33_333_333_333_333_333n };
    expect(judgeCase(bank(at3000, market(null)), TERMS, RULES).findings).toEqual([]);
  });

  test('an hour after its quote, a volatile coin may have moved by more than the tolerance', () => {
    const hour = (state: StateOverrides) =>
      purchase(
        { ...state, updatedAt: at('2026-11-01 11:00') },
        { receivedAt: at('2026-11-01 12:00'), market: market(null) },
      );
    const atPrice = (exchangeRate: string) => ({
      exchangeRate,
      exchangeRateEur: exchangeRate,
      cryptoUnits: dec('100').dividedBy(dec(exchangeRate), 18).unscaled,
    });
    const { findings, notJudged } = judgeCase(hour(atPrice('2560')), TERMS, RULES);
    expect(findings.filter(({ rule }) => rule === 'SLIPPAGE')).toEqual([]);
    expect(notJudged).toContain('SLIPPAGE: no market price of its hours is known');
    expect(found(hour(atPrice('2650')))).toEqual(['SLIPPAGE exchange_rate medium 5.66']);
  });

  test('one price of two hours says little of the other hour, and two prices say it all', () => {
    const twoHours = (state: StateOverrides, count: number) =>
      purchase(
        { ...state, updatedAt: at('2026-11-01 12:00') },
        { receivedAt: at('2026-11-01 13:00'), market: market(null, seen('2500', '2500', count)) },
      );
    const twoPercent = { exchangeRate: '2550', exchangeRateEur: '2550', cryptoUnits: 39_215_686_274_509_803n };
    expect(found(twoHours(twoPercent, 1))).toEqual([]);
    expect(found(twoHours(twoPercent, 2))).toEqual(['SLIPPAGE exchange_rate medium 1.96']);
    expect(found(twoHours(at2600, 1))).toEqual(['SLIPPAGE exchange_rate medium 3.85']);
  });

  test('between two lists of three hours it is as well known as for half of that time', () => {
    // 0.4 % up and down each hour: four deviations over two days are 11 %, over an hour and a half 2 %.
    const around = { ...market(null, seen('2500', '2500', 16)), past: past(...moving).past };
    expect(found(bank(at2600, around))).toEqual([]);
    expect(found(bank(at2600, { ...around, unlisted: 1.5 * HOURS }))).toEqual(['SLIPPAGE exchange_rate medium 3.85']);
    expect(found(bank(at2600, { ...around, unlisted: 1.5 * HOURS, away: 6 * HOURS }))).toEqual([]);
  });

  test('a price that no coin reaches in that time is found all the same', () => {
    const half = { cryptoUnits: 20_000_000_000_000_000n, exchangeRate: '5000' };
    const { findings } = judgeCase(bank({ ...at2600, ...half }, market(null)), TERMS, RULES);
    expect(findings.map(({ rule }) => rule)).toContain('SLIPPAGE');
  });

  test('a few moves tell less of how a price moves than many', () => {
    // 0.07 % up and down each hour: four deviations over two days are 2 %, and by three moves 5.3 %.
    const moving = (count: number) =>
      past(...Array.from({ length: count }, (_, i) => (i % 2 === 0 ? '2500' : '2501.75')));
    expect(found(bank(at2600, moving(4)))).toEqual([]);
    expect(found(bank(at2600, moving(40)))).toEqual(['SLIPPAGE exchange_rate medium 3.85']);
  });

  test('published prices lack the margin that quotes of the asset have', () => {
    const withMargins = (margins: Record<string, string>) => someTerms({ tolerances: EXACT, common: { margins } });
    const withMargin = (margin: string) => withMargins({ 'ETH_ETH/onramp': margin });
    // Published were 2,532 EUR; with 2.5 % on top of it, as in the quotes of the night, they are 2,595.30 EUR.
    const rose = purchase(at2600, { market: market(null, seen('2532', '2532', 1)) });
    expect(found(rose)).toEqual(['SLIPPAGE exchange_rate medium 2.62']);
    expect(found(rose, withMargin('0.025'))).toEqual([]);
    expect(found(rose, withMargin('0'))).toEqual(['SLIPPAGE exchange_rate medium 2.62']);
    // Too few quotes tell that of the asset.
    expect(found(rose, withMargins({ onramp: '0.025' }))).toEqual([]);
    expect(found(rose, withMargins({ offramp: '0.025' }))).toHaveLength(1);
    expect(found(rose, withMargins({ onramp: '0.025', 'ETH_ETH/onramp': '0' }))).toHaveLength(1);
    const beyond = purchase(at2600, { market: market(null, seen('2480', '2480', 1)) });
    const range = 'others saw 2480 to 2542 EUR while it was executed (1 listing, with the usual margin of 2.5 %)';
    expect(ask(slippage, beyond, withMargin('0.025'))).toMatchObject([{ explanation: expect.stringContaining(range) }]);
    // The other quotes have it.
    expect(found(purchase(at2600, { market: market(seen('2532')) }), withMargin('0.025'))).toHaveLength(1);
  });

  test('it may have moved as it used to move', () => {
    // 1 % up and down each hour: four deviations over two days are 28 %.
    expect(found(bank(at2600, past('2500', '2525', '2500', '2525')))).toEqual([]);
    // So far from the published price of the creation it is no other break.
    const at3000 = { exchangeRate: '3000', exchangeRateEur: '3000', cryptoUnits: 33_333_333_333_333_333n };
    const rules = (around: Market) => judgeCase(bank(at3000, around), TERMS, RULES).findings.map(({ rule }) => rule);
    expect(rules(past('2500', '2525', '2500', '2525'))).toEqual([]);
    expect(rules(past('2500', '2500.25', '2500', '2500.25'))).toEqual(['SLIPPAGE', 'RATE_OUT_OF_LINE']);
    // A stable coin: a hundredth of a per cent an hour.
    expect(found(bank(at2600, past('2500', '2500.25', '2500', '2500.25')))).toEqual([
      'SLIPPAGE exchange_rate medium 3.85',
    ]);
  });
});

describe('the moment of the execution', () => {
  const HOUR_OF_PAYMENT = at('2026-11-01 18:00');
  const late = { ...at2600, updatedAt: at('2026-11-02 01:00') };
  const within = (subject: Case) => executionOf(subject);

  test('is a window from the creation to the first evidence, where nothing says it', () => {
    expect(within(purchase(late))).toEqual({ from: at('2026-11-01 10:00'), to: at('2026-11-02 01:00') });
  });

  test('is when the payment arrived by the body, or by a webhook', () => {
    const moment = { from: HOUR_OF_PAYMENT, to: HOUR_OF_PAYMENT };
    expect(within(purchase({ ...late, paidAt: HOUR_OF_PAYMENT }))).toEqual(moment);
    const webhookEvents = [{ type: 'FIAT_RECEIVED', at: HOUR_OF_PAYMENT }];
    expect(within(purchase(late, { tracked: { webhookEvents } }))).toEqual(moment);
  });

  test('is no date of change that does not move: what is released was not paid when it was made, nor before it was seen unpaid', () => {
    const seen = at('2026-11-01 10:30');
    const still = { ...late, updatedAt: at('2026-11-01 10:00') };
    const to = within(purchase({ ...late, updatedAt: null }));
    expect(within(purchase(still))).toEqual(to);
    const first = aSnapshot(aPurchase({ status: 'INITIALIZED', finalTxHash: null }), seen);
    const before = purchase({ ...late, updatedAt: at('2026-11-01 10:20') }, { history: { first } });
    expect(within(before)).toEqual(to);
  });

  test('after the release, or before the creation, is no moment', () => {
    const wrong = 'its moments are in the wrong order';
    expect(within(purchase({ ...late, paidAt: at('2026-11-02 02:00') }))).toBe(wrong);
    expect(within(purchase({ ...late, paidAt: at('2026-10-31 02:00') }))).toBe(wrong);
  });
});

test.each<[string, Case, string]>([
  ['a rate of zero', purchase({ exchangeRate: '0' }), 'the record has no price'],
  [
    'a quote without tokens',
    aCase({ quote: aMatchedQuote({ method: { cryptoUnits: 0n } }) }),
    'the quote has no price',
  ],
  ['moments in the wrong order', purchase({ updatedAt: at('2026-10-31 10:00') }), 'its moments are in the wrong order'],
  ['no quote', aCase({ quote: null }), 'no quote'],
  ['no creation time', purchase({ createdAt: null }), 'no creation time'],
])('%s: not judged, with its reason', (_what, subject, reason) => {
  const input = judgeCase(subject, TERMS, RULES);
  expect(input.notJudged).toContain(`SLIPPAGE: ${reason}`);
  expect(input.findings.filter(({ rule }) => rule === slippage.code)).toEqual([]);
});

test.each(['INITIALIZED', 'EXPIRED', 'CANCELLED'])('of a purchase that is %s, no price is lacking', (status) => {
  const { notJudged, notApplicable } = judgeCase(purchase({ status }), TERMS, RULES);
  expect(notJudged.filter((reason) => reason.startsWith(slippage.code))).toEqual([]);
  expect(notApplicable).toContain(slippage.code);
});

describe('the network fee', () => {
  /** With the total as quoted, the value that is converted takes the difference. */
  const charged = (networkFee: string, base = '3.90'): StateOverrides => {
    const appliedFee = dec(base).plus(dec(networkFee));
    const value = dec('104.76').minus(appliedFee);
    return {
      networkFee,
      baseFee: base,
      appliedFee: appliedFee.toString(),
      cryptoUnits: value.times(dec('1000000000000000000')).dividedBy(dec('2500'), 0, 'down').unscaled,
    };
  };
  test.each<[string, StateOverrides, string[]]>([
    ['a tenth higher', charged('0.946'), []],
    ['a quarter higher', charged('1.075'), []],
    ['a tenth higher, with the share of what was converted', charged('0.946', '3.89671'), []],
    [
      'doubled: it leads',
      charged('1.72'),
      ['FEE_APPLIED_DIFFERS applied_fee high', 'FEE_NETWORK_DIFFERS network_fee medium 0.86'],
    ],
    ['halved', charged('0.43'), ['FEE_APPLIED_DIFFERS applied_fee info', 'FEE_NETWORK_DIFFERS network_fee info']],
    [
      'doubled beside a base fee of 3 EUR more: the fee leads',
      charged('1.72', '6.90'),
      [
        'FEE_APPLIED_DIFFERS applied_fee high 3.86',
        'FEE_BASE_DIFFERS base_fee medium',
        'FEE_NETWORK_DIFFERS network_fee medium 0.86',
      ],
    ],
    [
      'a base fee of 2 cents more',
      charged('0.86', '3.92'),
      ['FEE_APPLIED_DIFFERS applied_fee high 0.02', 'FEE_BASE_DIFFERS base_fee medium'],
    ],
    ['a tenth lower, and the whole fee as quoted', { ...charged('0.86'), networkFee: '0.774' }, []],
    [
      'a tenth lower, and the whole fee 14 cents higher than quoted: those are lost, and not what the network fee fell by as well',
      { ...charged('1'), networkFee: '0.774' },
      ['FEE_APPLIED_DIFFERS applied_fee high 0.14'],
    ],
    [
      'a tenth lower, and the base fee higher by as much',
      charged('0.774', '3.986'),
      ['FEE_BASE_DIFFERS base_fee medium'],
    ],
    ['a discount', charged('0.86', '2.90'), ['FEE_APPLIED_DIFFERS applied_fee info', 'FEE_BASE_DIFFERS base_fee info']],
  ])('%s', (_what, state, expected) => {
    expect(found(purchase(state))).toEqual(expected);
  });

  test('of an unpaid purchase is an estimate', () => {
    expect(found(purchase({ ...charged('1.72'), status: 'INITIALIZED', finalTxHash: null }))).toEqual([]);
  });

  test('hours after the last one that is known, may have trebled: not judged, and says so', () => {
    const late = { updatedAt: at('2026-11-01 20:00') };
    const subject = purchase({ ...charged('1.72'), ...late });
    expect(found(subject)).toEqual([]);
    expect(judgeCase(subject, TERMS, RULES).notJudged).toContain(
      'FEE_NETWORK_DIFFERS: no network fee of its hours is known',
    );
    expect(found(purchase({ ...charged('2.70'), ...late }))).toHaveLength(2);
    const every = { quotes: { ...seen('0.80', '0.90', 10), hours: 10 }, listings: null };
    expect(
      found(purchase({ ...charged('1.72'), ...late }, { market: { ...market(null), networkFees: every } })),
    ).toHaveLength(2);
  });

  test('is explained by what others were charged in those minutes', () => {
    const networkFees = { quotes: seen('0.80', '1.70'), listings: null };
    expect(found(purchase(charged('1.72'), { market: { ...market(null), networkFees } }))).toEqual([]);
  });
});

test('a base fee between the quoted amount and the quoted share is one: a percentage takes over from the minimum', () => {
  // A campaign: of 104.76 EUR 101.96 are converted, not 100. The quoted share of that is 3.97644 EUR.
  const withBase = (baseFee: string) => {
    const cryptoUnits = dec('101.96').times(dec('1000000000000000000')).dividedBy(dec('2500'), 0, 'down').unscaled;
    return found(purchase({ baseFee, networkFee: '0.86', appliedFee: '2.80', cryptoUnits }));
  };
  const favour = 'FEE_APPLIED_DIFFERS applied_fee info';
  expect(withBase('3.93')).toEqual([favour]);
  expect(withBase('3.98')).toEqual([favour]);
  expect(withBase('3.99')).toEqual([favour, 'FEE_BASE_DIFFERS base_fee medium']);
});

describe('a sale that states its rate, and no fee in its currency', () => {
  const quote = aMatchedQuote({
    quote: { direction: 'offramp' },
    method: { fiatValue: '200', appliedFee: '3', baseFee: null, networkFee: null, cryptoUnits: 10n ** 17n },
  });
  const paid = (fiatValue: string, exchangeRate: string) =>
    found(
      aCase({
        state: aSale({ fiatValue, exchangeRate, appliedFee: null, cryptoUnits: 10n ** 17n, status: 'completed' }),
        quote,
        receivedAt: at('2026-11-01 11:00'),
        market: market(seen('2030')),
      }),
    );
  test.each([
    ['200', '2030', []],
    // At 2050 EUR the quoted fee leaves 202 EUR, and its share of the value 201.97.
    ['202', '2050', []],
    ['201.97', '2050', []],
    // The fee that is not stated is rounded as well as the payout.
    ['201.955', '2050', []],
    ['201.94', '2050', ['AMOUNT_DIFFERS fiat_value medium 0.03']],
    ['202.50', '2050', ['AMOUNT_DIFFERS fiat_value info -0.5']],
    ['180', '2030', ['AMOUNT_DIFFERS fiat_value medium 20']],
    ['191.97', '2050', ['AMOUNT_DIFFERS fiat_value medium 10']],
  ])('paid out %s EUR at %s EUR a token', (fiatValue, rate, expected) => {
    expect(paid(fiatValue, rate).filter((each) => each.startsWith('AMOUNT'))).toEqual(expected);
  });
});

test('the fee of a sale is a share of what its tokens came to, also where less was paid out', () => {
  const quote = aMatchedQuote({
    quote: { direction: 'offramp' },
    method: { fiatValue: '200', appliedFee: '3', baseFee: null, networkFee: null, cryptoUnits: 10n ** 17n },
  });
  // 205 EUR for the tokens, a fee of 3 × 205 ÷ 203, and 10 EUR that are lacking.
  const sold = { exchangeRate: '2050', appliedFee: '3.029556650246305', status: 'completed' };
  const state = aSale({ ...sold, fiatValue: '191.970443349753695', cryptoUnits: 10n ** 17n });
  expect(found(aCase({ state, quote, receivedAt: at('2026-11-01 11:00'), market: market(seen('2030')) }))).toEqual([
    'AMOUNT_DIFFERS fiat_value medium 10',
    'TOTAL_NOT_FOOTING fiat_value high 10',
  ]);
});

describe('a sale that names no fee, of another amount than quoted', () => {
  // 200 EUR for 0.1 ETH with a fee of 10: 2,100 EUR a token; the percentage may hold for more tokens, or the amount.
  const quote = aMatchedQuote({
    quote: { direction: 'offramp' },
    method: { fiatValue: '200', appliedFee: '10', baseFee: null, networkFee: null, cryptoUnits: 10n ** 17n },
  });
  const paid = (fiatValue: string) =>
    aCase({
      state: aSale({ fiatValue, cryptoUnits: 2n * 10n ** 17n }),
      quote,
      receivedAt: at('2026-11-01 11:00'),
      market: market(seen('2100')),
    });
  test.each([
    ['400', []],
    ['410', []],
    ['376', ['SLIPPAGE exchange_rate medium 24']],
    // Other tokens than quoted are the user's choice.
  ])('paid out %s EUR', (fiatValue, expected) => {
    expect(found(paid(fiatValue))).toEqual(['AMOUNT_DIFFERS crypto_amount info', ...expected]);
  });
});

describe('another amount', () => {
  const large = aMatchedQuote({
    method: { fiatValue: '14000', appliedFee: '140', baseFee: '139.14', cryptoUnits: 5_544_000_000_000_000_000n },
  });
  const paying = (fiatValue: string, appliedFee: string, cryptoUnits: bigint, baseFee: string): StateOverrides => ({
    fiatValue,
    appliedFee,
    cryptoUnits,
    baseFee,
  });
  test.each<[string, StateOverrides, string[]]>([
    [
      '13 EUR more fee of 14,000 EUR',
      paying('14000', '153', 5_538_800_000_000_000_000n, '152.14'),
      ['FEE_APPLIED_DIFFERS applied_fee high 13', 'FEE_BASE_DIFFERS base_fee medium'],
    ],
    [
      '13 EUR more in all for the same tokens',
      paying('14013', '140', 5_544_000_000_000_000_000n, '139.14'),
      [
        'AMOUNT_DIFFERS fiat_value medium',
        'AMOUNT_DIFFERS crypto_amount medium 13',
        'TOTAL_NOT_FOOTING fiat_value high 13',
      ],
    ],
    [
      '13 EUR more in all for the same tokens, called a price',
      { ...paying('14013', '140', 5_544_000_000_000_000_000n, '139.14'), exchangeRate: '2502.344877344877344877' },
      ['AMOUNT_DIFFERS fiat_value medium'],
    ],
    [
      '1 % more in all, with tokens for it: the user chose it',
      paying('14140', '141.4', 5_599_440_000_000_000_000n, '140.54'),
      ['AMOUNT_DIFFERS fiat_value info'],
    ],
    ['13 EUR less', paying('13987', '140', 5_538_800_000_000_000_000n, '139.14'), ['AMOUNT_DIFFERS fiat_value info']],
    [
      '13 EUR more in all, with tokens for it',
      paying('14013', '140', 5_549_200_000_000_000_000n, '139.14'),
      ['AMOUNT_DIFFERS fiat_value medium'],
    ],
    [
      'half of it, with a fee of another tier: the user chose it',
      paying('7000', '105', 2_758_000_000_000_000_000n, '104.14'),
      ['AMOUNT_DIFFERS fiat_value info'],
    ],
  ])('%s', (_what, state, expected) => {
    expect(found(purchase(state, { quote: large }))).toEqual(expected);
  });

  test('a total follows from tokens that were asked for: it may be another, and nothing else may', () => {
    const asked = { ...large, isByTokens: true } as const;
    const [priced, dearer] = [
      { ...paying('14013', '140', 5_544_000_000_000_000_000n, '139.14'), exchangeRate: '2502.344877344877344877' },
      paying('14013', '153', 5_544_000_000_000_000_000n, '152.14'),
    ];
    expect(found(purchase(priced, { quote: asked }))).toEqual(['AMOUNT_DIFFERS fiat_value info']);
    expect(found(purchase(paying('14013', '140', 5_549_200_000_000_000_000n, '139.14'), { quote: asked }))).toEqual([
      'AMOUNT_DIFFERS fiat_value info',
    ]);
    expect(found(purchase(dearer, { quote: asked }))).toContain('FEE_APPLIED_DIFFERS applied_fee high 13');
  });

  test('its fees are not judged by the quote, and the counts say why', () => {
    const subject = purchase(paying('7000', '105', 2_758_000_000_000_000_000n, '104.14'), { quote: large });
    expect(judgeCase(subject, TERMS, RULES).notJudged).toEqual([
      'FEE_APPLIED_DIFFERS: the quote is for another amount',
      'FEE_BASE_DIFFERS: the quote is for another amount',
    ]);
  });
});

describe('another amount, between two captured quotes', () => {
  // 1.5 % of 5,900 and 1.2 % of 8,900, each with a network fee of 0.86.
  const point = (quoteId: string, fiatValue: string, share: string, fee = '88.50') => {
    const at = { fee: dec(fee), share: dec(share) };
    return { quoteId, fiatValue: dec(fiatValue), own: at, base: at };
  };
  const around = { below: point('q-2', '5900', '0.015'), above: point('q-3', '8900', '0.012', '106.80') };
  const own = aMatchedQuote({
    method: { fiatValue: '14000', appliedFee: '140', baseFee: '139.14', cryptoUnits: 5_544_000_000_000_000_000n },
  });
  const paid = (fee: string) =>
    purchase(
      {
        fiatValue: '7000',
        appliedFee: fee,
        baseFee: dec(fee).minus(dec('0.86')).toString(),
        cryptoUnits: dec('7000').minus(dec(fee)).times(dec('1000000000000000000')).dividedBy(dec('2500'), 0, 'down')
          .unscaled,
      },
      { quote: { ...own, around } },
    );
  const OF_FEES = /^FEE/;
  const fees = (subject: Case) => found(subject).filter((each) => OF_FEES.test(each));

  // Of the 6,900 that are converted: 82.80 to 103.50, and 0.86.
  test.each(['84.51', '95', '103.80'])('a fee of %s lies between their shares', (fee) => {
    expect(fees(paid(fee))).toEqual([]);
  });
  test('a fee above the greater share is found, with what lies above it at stake', () => {
    const [applied, base] = judgeCase(paid('130'), TERMS, RULES).findings.filter(({ rule }) => OF_FEES.test(rule));
    // 6,870 are converted: at most 103.05 and 0.86.
    expect(applied).toMatchObject({ rule: 'FEE_APPLIED_DIFFERS', expected: '103.91', severity: 'high' });
    expect(applied?.loss?.toString()).toBe('26.09');
    expect(applied?.explanation).toBe(
      'The user paid a fee of 130.00 EUR; quote q-17 (card, 4 min before) is for another amount, and by the quotes q-2 of ' +
        '5900.00 EUR and q-3 of 8900.00 EUR it is at most 103.91 EUR: 26.09 EUR more (25.1 %), all of it in the base fee.',
    );
    expect(base).toMatchObject({ rule: 'FEE_BASE_DIFFERS', expected: '103.05' });
  });
  test('a minimum, which is a larger share where the network fee took more of the total, is the fee of the lower amount', () => {
    const minimum = { below: point('q-2', '6990', '0.015', '104.85'), above: point('q-3', '7010', '0.0149', '104.85') };
    const charged = (fee: string) => ({ ...paid(fee), quote: { ...own, around: minimum } });
    // By the shares at most 103.42; a cent more is a part that is rounded by itself.
    expect(fees(charged('105.72'))).toEqual([]);
    expect(fees(charged('105.75'))).toHaveLength(2);
    const lines = workedOut(charged('130'), 'FEE_BASE_DIFFERS', 'base_fee', someRunTerms({ tolerances: EXACT }));
    expect(lines.join('\n')).toContain('as by q-2 of 6990');
  });
  test('a lower fee is a favour', () => {
    expect(fees(paid('60'))).toEqual(['FEE_APPLIED_DIFFERS applied_fee info', 'FEE_BASE_DIFFERS base_fee info']);
  });
  test('the working names both quotes and their shares', () => {
    const lines = workedOut(
      paid('130'),
      'FEE_APPLIED_DIFFERS',
      'applied_fee',
      someRunTerms({ tolerances: EXACT }),
    ).join('\n');
    expect(lines).toContain('0.015000 by q-2 of 5900');
    expect(lines).toContain('0.012000 by q-3 of 8900');
  });
});

test('a published minimum is so many EUR: in another currency it moves with the rate', () => {
  const polish = { fiatCurrency: 'PLN', exchangeRateEur: null, fiatRateEur: null };
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'PLN' },
    method: { fiatValue: '104.76', appliedFee: '11.51', baseFee: '10.65', cryptoUnits: 37_300_000_000_000_000n },
  });
  const charged = (baseFee: string, minFeeAmount = '10.65', more: StateOverrides = {}) => {
    const value = dec('104.76').minus(dec(baseFee)).minus(dec('0.86'));
    const state = {
      ...{ ...polish, ...more },
      baseFee,
      appliedFee: dec(baseFee).plus(dec('0.86')).toString(),
      cryptoUnits: value.times(dec('1000000000000000000')).dividedBy(dec('2500'), 0, 'down').unscaled,
    };
    const global = someGlobalTerms({ currencyCode: 'PLN', minFeeAmount });
    return purchase(state, { quote, reference: { ...someReference(), global } });
  };
  expect(found(charged('10.75'))).toEqual([]);
  expect(found(charged('10.95'))).toHaveLength(2);
  expect(found(charged('10.75', '4'))).toHaveLength(2);
  expect(found({ ...charged('10.75'), reference: NO_REFERENCE })).toEqual([]);
  expect(found({ ...charged('10.95'), reference: NO_REFERENCE })).toHaveLength(2);
  // Four days later by twice as much: 3 %. Where it is not published, any fee may be the minimum.
  const fourDaysLater = (baseFee: string) => {
    const subject = charged(baseFee, '10.65', { updatedAt: at('2026-11-05 09:56') });
    return { ...subject, observation: readOn(subject, '2026-11-06 04:15') };
  };
  expect(found(fourDaysLater('10.96'))).toEqual([]);
  expect(found(fourDaysLater('10.98'))).toHaveLength(2);
  expect(found({ ...fourDaysLater('10.96'), reference: NO_REFERENCE })).toHaveLength(2);
  // Of an order that was never paid, to the moment at which its body was read.
  const unpaid = charged('10.96', '10.65', { status: 'EXPIRED', finalTxHash: null });
  expect(found({ ...unpaid, observation: readOn(unpaid, '2026-11-05 09:56') })).toEqual([]);
  expect(found({ ...unpaid, observation: readOn(unpaid, '2026-11-02 04:15') })).toHaveLength(2);
  // Where quote and body state their rates, these tell how far it moved: a month of waiting gives no further room.
  const rated = charged('10.96', '10.65', { status: 'EXPIRED', finalTxHash: null, fiatRateEur: '0.2347417840375587' });
  const stating = aMatchedQuote({
    quote: { fiatCurrency: 'PLN', fiatRateEur: dec('0.2347417840375587') },
    method: { fiatValue: '104.76', appliedFee: '11.51', baseFee: '10.65', cryptoUnits: 37_300_000_000_000_000n },
  });
  expect(found({ ...rated, quote: stating, observation: readOn(rated, '2026-11-30 04:15') })).toHaveLength(2);
});

test('a minimum at the rate of the body itself is one, however far it moved', () => {
  // 2.50 EUR: 10.65 PLN by the list and the quote, and 10.95 PLN at the rate of the body.
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'PLN' },
    method: { fiatValue: '104.76', appliedFee: '11.51', baseFee: '10.65', cryptoUnits: 37_300_000_000_000_000n },
  });
  const global = someGlobalTerms({ currencyCode: 'PLN', minFeeAmount: '10.65' });
  const asset = { ...someAssetTerms({ price: '10650' }), priceEur: dec('2500') };
  const charged = (baseFee: string, fiatRateEur: string) => {
    const appliedFee = dec(baseFee).plus(dec('0.86'));
    const cryptoUnits = dec('104.76').minus(appliedFee).times(dec('400000000000000')).rounded(0).unscaled;
    const rates = { fiatCurrency: 'PLN', exchangeRateEur: null, fiatRateEur };
    const state = { ...rates, baseFee, appliedFee: appliedFee.toString(), cryptoUnits };
    return found(purchase(state, { quote, reference: { ...someReference({ asset }), global } }));
  };
  expect(charged('10.95', '0.22831050228310502')).toEqual([]);
  expect(charged('10.95', '0.2347417840375587')).toHaveLength(2);
  expect(charged('11.25', '0.22831050228310502')).toHaveLength(2);
});

test('a list rounds the minimum that it publishes, and a later rate moves what it rounded', () => {
  // 2.49 EUR are 2.1047 GBP when the order is quoted, 2.10 GBP in the list, and 2.1552 GBP at the rate of a later body.
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'GBP' },
    method: { fiatValue: '50', appliedFee: '2.9647', baseFee: '2.1047', cryptoUnits: 23_517_650_000_000_000n },
  });
  const global = someGlobalTerms({ currencyCode: 'GBP', minFeeAmount: '2.10' });
  const asset = { ...someAssetTerms({ price: '2000' }), priceEur: dec('2366.12') };
  const charged = (baseFee: string) => {
    const appliedFee = dec(baseFee).plus(dec('0.86'));
    const cryptoUnits = dec('50').minus(appliedFee).times(dec('500000000000000')).rounded(0).unscaled;
    const rates = { fiatCurrency: 'GBP', exchangeRate: '2000', exchangeRateEur: null, fiatRateEur: '1.15533' };
    const state = { ...rates, fiatValue: '50', baseFee, appliedFee: appliedFee.toString(), cryptoUnits };
    return found(purchase(state, { quote, reference: { ...someReference({ asset }), global } }));
  };
  expect(charged('2.1552')).toEqual([]);
  expect(charged('2.1752')).toHaveLength(2);
});

test('a minimum is as many EUR by the rates of the quote and of the body, in a currency that moves by five per cent in a day', () => {
  // 2.49 EUR: 4,150 NGN at the rate of the quote, 4,401.28 NGN at the body's, which has it as two prices of the asset.
  const charged = (quoted: string, baseFee: string, reference = NO_REFERENCE) => {
    const parts = { appliedFee: dec(quoted).plus(dec('100')).toString(), baseFee: quoted, networkFee: '100' };
    const method = { fiatValue: '100000', exchangeRate: '4400000', cryptoUnits: 21_760_000_000_000_000n, ...parts };
    const quote = aMatchedQuote({ quote: { fiatCurrency: 'NGN', fiatRateEur: dec('0.0006') }, method });
    const rates = { exchangeRate: '4400000', exchangeRateEur: '2489.28', fiatRateEur: null };
    const appliedFee = dec(baseFee).plus(dec('100'));
    const cryptoUnits = dec('100000').minus(appliedFee).times(dec('1000000000000')).dividedBy(dec('4.4'), 0).unscaled;
    const state = { fiatCurrency: 'NGN', fiatValue: '100000', networkFee: '100', ...rates, cryptoUnits };
    return found(purchase({ ...state, baseFee, appliedFee: appliedFee.toString() }, { quote, reference }));
  };
  expect(charged('4150', '4401.28')).toEqual([]);
  expect(charged('4150', '4401.30')).toHaveLength(2);
  // Published last night, at 0.00058 EUR. A quoted percentage of 4,390 NGN is less than the minimum now. A partner's minimum may be half of it.
  const global = someGlobalTerms({ currencyCode: 'NGN', minFeeAmount: '4293.10' });
  const asset = { ...someAssetTerms({ price: '4291862' }), priceEur: dec('2489.28') };
  const reference = { ...someReference({ asset }), global };
  expect(charged('4390', '4401.28', reference)).toEqual([]);
  expect(charged('4390', '4401.30', reference)).toHaveLength(2);
  // A list that was captured elsewhere lacks the asset: the next one tells the rate.
  const after = { assets: { capturedAt: at('2026-11-01 11:00'), global, asset } };
  expect(charged('4390', '4401.28', { ...reference, asset: null, after })).toEqual([]);
  expect(charged('2075', '2200.64', reference).filter((each) => each.startsWith('FEE'))).toEqual([]);
  expect(charged('2075', '2200.66', reference)).toContain('FEE_BASE_DIFFERS base_fee medium');
  expect(charged('2075', '4401.28', reference)).toContain('FEE_BASE_DIFFERS base_fee medium');
});

test('only a list has two places of a currency that has three: a minimum that was quoted to the thousandth moves to the thousandth', () => {
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'KWD', fiatRateEur: dec('3') },
    method: {
      fiatValue: '10',
      appliedFee: '0.27',
      baseFee: '0.27',
      networkFee: '0',
      cryptoUnits: 9_730_000_000_000_000n,
    },
  });
  const charged = (baseFee: string) => {
    const cryptoUnits = dec('10').minus(dec(baseFee)).times(dec('1000000000000000')).rounded(0).unscaled;
    const rates = { fiatCurrency: 'KWD', exchangeRate: '1000', exchangeRateEur: null, fiatRateEur: '2.95' };
    const state = { ...rates, fiatValue: '10', baseFee, appliedFee: baseFee, networkFee: '0', cryptoUnits };
    return found(purchase(state, { quote, reference: NO_REFERENCE })).filter((each) => each.startsWith('FEE'));
  };
  expect(charged('0.275')).toEqual([]);
  expect(charged('0.28')).toHaveLength(2);
});

function readOn({ observation }: Case, on: string): Case['observation'] {
  if (observation.outcome !== 'verified') return observation;
  return { ...observation, snapshot: aSnapshot(observation.snapshot.state, at(on)) };
}

test('a waived fee that was charged after all is lost as a whole, though less was converted because of it', () => {
  const quote = aMatchedQuote({
    method: { fiatValue: '104.76', appliedFee: '0.86', baseFee: '3.90', cryptoUnits: 41_560_000_000_000_000n },
  });
  expect(found(purchase({}, { quote }))).toEqual(['FEE_APPLIED_DIFFERS applied_fee high 3.9']);
});

test('a waived minimum is waived at its amount of the hour', () => {
  // The quote waived all of its 10.65 PLN; at a rate that is a little off it were 10.75 PLN, and all of those are waived.
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'PLN' },
    method: { fiatValue: '104.76', appliedFee: '0.86', baseFee: '10.65', cryptoUnits: 41_560_000_000_000_000n },
  });
  const waivedTo = (appliedFee: string) => {
    const state = { fiatCurrency: 'PLN', exchangeRateEur: null, fiatRateEur: null, baseFee: '10.75', appliedFee };
    const value = dec('104.76').minus(dec(appliedFee));
    const cryptoUnits = value.times(dec('400000000000000')).rounded(0).unscaled;
    const global = someGlobalTerms({ currencyCode: 'PLN', minFeeAmount: '10.65' });
    return found(purchase({ ...state, cryptoUnits }, { quote, reference: { ...someReference(), global } }));
  };
  expect(waivedTo('0.86')).toEqual([]);
  expect(waivedTo('0.96')).toEqual([]);
  expect(waivedTo('1.10')).toHaveLength(1);
});

test("a half-waived minimum with a host's fee beside it: each is judged by itself", () => {
  // Quoted: a minimum of 960 HUF, half of it waived, 400 HUF for the host and 300 of network fee. A little later the minimum is 967 HUF.
  const price = { networkFee: '300', exchangeRate: '1000000' };
  const amounts = { fiatValue: '41180', cryptoUnits: 4n * 10n ** 16n };
  const quoted = (hostFeeCut: string | null) =>
    aMatchedQuote({
      quote: { fiatCurrency: 'HUF' },
      method: { ...amounts, ...price, appliedFee: '1180', baseFee: '960', hostFeeCut },
    });
  const global = someGlobalTerms({ currencyCode: 'HUF', minFeeAmount: '960' });
  const charged = (hostFeeCut: string, appliedFee: string, quote = quoted('400')) => {
    const fees = { ...price, baseFee: '967', hostFeeCut, appliedFee };
    const cryptoUnits = dec('41180').minus(dec(appliedFee)).times(dec('1000000000000')).rounded(0).unscaled;
    const rates = { fiatCurrency: 'HUF', exchangeRateEur: null, fiatRateEur: null };
    const state = { ...amounts, ...rates, ...fees, cryptoUnits };
    return found(purchase(state, { quote, reference: { ...someReference(), global } }));
  };
  expect(charged('400', '1183.5')).toEqual([]);
  expect(charged('403', '1186.5')).toHaveLength(1);
  expect(charged('400', '1190.5')).toHaveLength(1);
  // A v1 quote has the host's fee in its total alone.
  expect(charged('400', '1183.5', quoted(null))).toEqual([]);
  expect(charged('400', '1190.5', quoted(null))).toHaveLength(1);
});

test("a host's fee that the quote does not state goes by the value, too", () => {
  // Asked for by tokens: 963 EUR with 30 of base fee and 6 for the host became 975.53, and each share stays.
  const quote = aMatchedQuote({
    method: { fiatValue: '1000', appliedFee: '37', baseFee: '30', networkFee: '1', cryptoUnits: 385_200n * 10n ** 12n },
  });
  const charged = (hostFeeCut: string) => {
    const appliedFee = dec('31.39').plus(dec(hostFeeCut));
    const fees = { baseFee: '30.39', networkFee: '1', hostFeeCut, appliedFee: appliedFee.toString() };
    const rates = { exchangeRate: '2532.5285566', exchangeRateEur: '2532.5285566' };
    const fiatValue = dec('975.53').plus(appliedFee).toString();
    return found(purchase({ ...fees, ...rates, fiatValue, cryptoUnits: 385_200n * 10n ** 12n }, { quote }));
  };
  expect(charged('6.08').filter((each) => each.startsWith('FEE'))).toEqual([]);
  expect(charged('6.14').some((each) => each.startsWith('FEE_APPLIED_DIFFERS applied_fee high'))).toBe(true);
});

test("a host's fee that neither side names goes by the value behind a waiver that does not", () => {
  // 1,000 EUR: half of a base fee of 30 waived, 1 % of the value for the host. The network fee fell from 100 to 50, and 925.74 are converted, not 876.24.
  const amounts = { fiatValue: '1000', cryptoUnits: 350_495n * 10n ** 12n };
  const quote = aMatchedQuote({
    method: { ...amounts, appliedFee: '123.76', baseFee: '30', networkFee: '100', exchangeRate: '2500' },
  });
  const charged = (appliedFee: string) => {
    const cryptoUnits = dec('1000').minus(dec(appliedFee)).times(dec('400000000000000')).rounded(0).unscaled;
    const state = { fiatValue: '1000', cryptoUnits, baseFee: '30', networkFee: '50', appliedFee };
    const networkFees = { quotes: seen('40', '110'), listings: null };
    return found(purchase(state, { quote, market: { ...market(null), networkFees } }));
  };
  expect(charged('74.26')).toEqual([]);
  expect(charged('75.30')).toEqual(['FEE_APPLIED_DIFFERS applied_fee high 0.5708']);
});

test("of a host's fee that the quote does not state nothing goes away where the applied fee took from the value", () => {
  const amounts = { fiatValue: '697.68', cryptoUnits: 5_355_449_495n * 10n ** 9n };
  const quote = aMatchedQuote({ method: { ...amounts, appliedFee: '13.63', baseFee: '6.77', networkFee: '0.02' } });
  const fees = { baseFee: '6.77', networkFee: '0.02', hostFeeCut: '6.84', appliedFee: '17.05' };
  expect(found(purchase({ ...amounts, ...fees }, { quote }))).toContain('FEE_APPLIED_DIFFERS applied_fee high 3.42');
});

test("a host's fee that is a part of the quoted base fee is no part of what is beside it", () => {
  const amounts = { fiatValue: '929.39', cryptoUnits: 7_371_817_339n * 10n ** 9n };
  const method = { ...amounts, appliedFee: '9.13', baseFee: '9.11', networkFee: '0.02', hostFeeCut: '2.28' };
  const quote = aMatchedQuote({ method });
  const fees = { baseFee: '9.11', networkFee: '0.02', hostFeeCut: null, appliedFee: '12.81' };
  expect(found(purchase({ ...amounts, ...fees }, { quote }))).toContain('FEE_APPLIED_DIFFERS applied_fee high 3.68');
});

test('a cent in binary digits is a cent', () => {
  expect(found(purchase({ baseFee: '3.9100000000000001' }))).toEqual([]);
  expect(found(purchase({ baseFee: '3.91001' }))).toEqual(['FEE_BASE_DIFFERS base_fee medium']);
});

test('a base fee that moved with the value may be off by the rounding of both fees and values', () => {
  // 71,896 JPY were to be converted; without 850 JPY of network fee the quoted share makes 2936.96 of 72,712, and 2936.92 of 72,711.
  const yen = {
    fiatCurrency: 'JPY',
    exchangeRateEur: null,
    fiatRateEur: null,
    exchangeRate: '400000',
    fiatValue: '75800',
  };
  const method = { appliedFee: '3904', baseFee: '2904', networkFee: '1000', cryptoUnits: 179_740n * 10n ** 12n };
  const quote = aMatchedQuote({ quote: { fiatCurrency: 'JPY' }, method: { ...method, fiatValue: '75800' } });
  const charged = (baseFee: string) => {
    const appliedFee = dec(baseFee).plus(dec('150'));
    const cryptoUnits = dec('75800').minus(appliedFee).times(dec('2500000000000')).unscaled;
    const fees = { baseFee, networkFee: '150', appliedFee: appliedFee.toString() };
    return found(purchase({ ...yen, ...fees, cryptoUnits }, { quote })).filter((each) => each.startsWith('FEE_BASE'));
  };
  expect(charged('2938')).toEqual([]);
  expect(charged('2939')).toHaveLength(1);
});

test('a listed network fee has digits that the rounded fees of a body do not have', () => {
  const amounts = { fiatValue: '130', cryptoUnits: 1_004_373_325_000_000_000n };
  const quote = aMatchedQuote({
    quote: { fiatCurrency: 'GBP' },
    method: { ...amounts, appliedFee: '5.62', baseFee: '4.6', networkFee: '0.0301768769145703', hostFeeCut: '0.99' },
  });
  const charged = (appliedFee: string) => {
    const fees = { baseFee: '4.6', networkFee: '0.02', hostFeeCut: '1', appliedFee };
    const price = { exchangeRate: '120.60160572224152', exchangeRateEur: null, fiatRateEur: null };
    const cryptoUnits = dec('130').minus(dec(appliedFee)).dividedBy(dec('120.60160572224152'), 18).unscaled;
    const state = { ...amounts, ...price, ...fees, fiatCurrency: 'GBP', cryptoUnits };
    return found(purchase(state, { quote })).filter((each) => each.startsWith('FEE_APPLIED'));
  };
  expect(charged('5.62')).toEqual([]);
  expect(charged('5.65')).toHaveLength(1);
});

test('a market that moved by a fifth within hours explains its prices: neither rule on prices speaks', () => {
  const quote = aMatchedQuote({ quote: { assetTerms: { price: '2490' } } });
  const rates = { exchangeRate: '3000', exchangeRateEur: '3000', updatedAt: at('2026-11-01 18:00') };
  const said = (rules: RegExp, prices: Market) =>
    judgeCase(
      purchase(
        { ...rates, cryptoUnits: 33_333_333_333_333_333n },
        { quote, market: prices, receivedAt: at('2026-11-02 04:15') },
      ),
      TERMS,
      RULES,
    )
      .findings.map(({ rule }) => rule)
      .filter((rule) => rules.test(rule));
  const hourly = market(null, { ...seen('2480', '3010', 9), hours: 9 });
  expect(said(/SLIPPAGE|RATE_OUT/, hourly)).toEqual([]);
  const still = market(null, { ...seen('2480', '2510', 9), hours: 9 });
  expect(said(/SLIPPAGE|RATE_OUT/, still)).toEqual(['SLIPPAGE', 'RATE_OUT_OF_LINE']);
  expect(said(/RATE_OUT/, market(null))).toEqual(['RATE_OUT_OF_LINE']);
});

describe('tokens that fees and price do not explain', () => {
  test('a tenth short', () => {
    expect(found(purchase({ cryptoUnits: 36n * 10n ** 15n }))).toEqual([
      'AMOUNT_DIFFERS crypto_amount medium 10',
      'TOTAL_NOT_FOOTING fiat_value high 10',
    ]);
  });

  test('a stated rate that is better than any market makes no loss of several totals: the price that others saw values the tokens', () => {
    const another: StateOverrides = { exchangeRate: '500', exchangeRateEur: '500' };
    expect(found(purchase(another))).toEqual([
      'AMOUNT_DIFFERS crypto_amount medium',
      'SLIPPAGE exchange_rate info -400',
      'TOTAL_NOT_FOOTING fiat_value high',
    ]);
    const bounds = judgeCase(purchase(another), TERMS, RULES).findings.filter(
      ({ rule }) => rule === 'FEE_OUT_OF_BOUNDS',
    );
    expect(bounds).toMatchObject([{ severity: 'high', loss: null }]);
    expect(found(purchase({ ...another, cryptoUnits: 38n * 10n ** 15n }))).toEqual([
      'AMOUNT_DIFFERS crypto_amount medium 5',
      'SLIPPAGE exchange_rate info -400',
      'TOTAL_NOT_FOOTING fiat_value high 5',
    ]);
    expect(found(purchase(another), someTerms({ binding: LOCKED, tolerances: EXACT }))).toEqual([
      'TOTAL_NOT_FOOTING fiat_value high 80',
    ]);
  });

  test('a cent short is rounding, two are not', () => {
    expect(found(purchase({ cryptoUnits: 39_996_000_000_000_000n }))).toEqual([]);
    expect(found(purchase({ cryptoUnits: 39_992_000_000_000_000n }))).toHaveLength(2);
  });
});

describe('estimates', () => {
  const unpaid = aSnapshot(aPurchase({ ...at2400, status: 'INITIALIZED', finalTxHash: null }), at('2026-11-01 10:01'));

  test('change until the payment arrives', () => {
    expect(found(purchase(at2510, { history: { first: unpaid } }))).toEqual([]);
  });

  test('are fixed from then on', () => {
    const released = aSnapshot(aPurchase(), at('2026-11-01 10:30'));
    const history = { first: unpaid, firstTerminal: released };
    expect(found(purchase(at2510, { history }))).toEqual([
      'RESTATED exchange_rate high',
      'RESTATED exchange_rate_eur high',
      'FIELD_CHANGED crypto_amount high 0.4',
    ]);
  });

  test.each(['PAYMENT_EXECUTED', 'FIAT_RECEIVED', 'RELEASING'])(
    'are fixed where a body says %s, which only a payment brings',
    (status) => {
      const paid = aSnapshot(aPurchase({ status, finalTxHash: null }), at('2026-11-01 10:30'));
      const changed = ['FIELD_CHANGED crypto_amount high 0.4'];
      expect(found(purchase(at2510, { history: { first: unpaid, firstExecuted: paid } }))).toEqual(changed);
      expect(found(purchase({ ...at2510, status, finalTxHash: null }, { history: { first: paid } }))).toEqual(changed);
    },
  );

  test.each(['FIAT_SENT', 'PAYMENT_EXECUTED'])(
    'are estimates while the money is on its way from one bank to the other: %s',
    (status) => {
      const paymentMethod = 'AUTO_BANK_TRANSFER';
      const sent = aSnapshot(aPurchase({ status, finalTxHash: null, paymentMethod }), at('2026-11-01 10:30'));
      expect(found(purchase({ ...at2510, paymentMethod }, { history: { first: sent } }))).toEqual([]);
    },
  );

  test('are fixed from the first body that says so, which is neither the first nor the last', () => {
    const begun = aSnapshot(aSale({ fiatValue: '200', status: 'initiated' }), at('2026-11-01 14:05'));
    const first = aSnapshot(aSale({ fiatValue: '203', status: 'not-started' }), at('2026-11-01 10:01'));
    const sale = aCase({
      state: aSale({ fiatValue: '198', status: 'completed' }),
      quote: null,
      history: { first, firstExecuted: begun },
    });
    expect(found(sale)).toEqual(['FIELD_CHANGED fiat_value high 2']);
  });

  test('what the user agreed to may not change at any time', () => {
    const state: StateOverrides = { ...at2510, fiatValue: '105.76', receiverAddress: '0xdead' };
    const fields = found(purchase(state, { history: { first: unpaid } })).filter((each) => each.startsWith('FIELD'));
    expect(fields).toEqual(['FIELD_CHANGED receiver_address high', 'FIELD_CHANGED fiat_value high 1']);
  });

  test('a purchase that expired and was paid late was an estimate too', () => {
    const expired = aSnapshot(aPurchase({ ...at2400, status: 'EXPIRED', finalTxHash: null }), at('2026-11-01 10:10'));
    expect(found(purchase(at2510, { history: { first: unpaid, firstTerminal: expired } }))).toEqual([]);
  });

  describe('of a sale without a status, which never says that its tokens came,', () => {
    /** First read four hours after its creation with 200 EUR; the price fell by 2 % until the next night, and rose again. */
    const first = aSnapshot(aSale({ fiatValue: '200', status: null }), at('2026-11-01 14:05'));
    const listings = ['2500', '2505', '2500', '2495', '2500', '2470', '2450', '2480', '2500'];
    const past = listings.map((price, i) => ({
      at: at('2026-11-01 10:00') + i * 2 * HOURS,
      price: dec(price),
      networkFee: null,
    }));
    const sale = (fiatValue: string, rest: CaseOverrides = {}) =>
      aCase({
        state: aSale({ fiatValue, status: null }),
        receivedAt: at('2026-11-02 04:15'),
        quote: null,
        market: { ...market(null), past },
        history: { first },
        ...rest,
      });

    test('move with the price', () => {
      expect(found(sale('196.5'))).toEqual([]);
    });

    test('and not otherwise', () => {
      expect(found(sale('188'))).toEqual(['FIELD_CHANGED fiat_value high 12']);
      expect(found(sale('212'))).toEqual(['FIELD_CHANGED fiat_value high -12']);
    });

    test('are no finding where no listing tells how the price moved', () => {
      expect(found(sale('188', { market: market(null) }))).toEqual([]);
      expect(found(sale('188', { market: { ...market(null), past: past.slice(3) } }))).toEqual([]);
    });

    test('are fixed once a release was announced', () => {
      const tracked = { webhookEvents: [{ type: 'RELEASED', at: at('2026-11-01 12:00') }] };
      expect(found(sale('196.5', { tracked }))).toEqual(['FIELD_CHANGED fiat_value high 3.5']);
      // The first body is that of the release itself.
      const released = { ...first, evidence: { ...first.evidence, origin: 'webhook' as const } };
      const told = { webhookEvents: [{ type: 'RELEASED', at: first.evidence.receivedAt }] };
      expect(found(sale('199', { history: { first: released }, tracked: told }))).toEqual([
        'FIELD_CHANGED fiat_value high 1',
      ]);
      expect(found(sale('199', { history: { first: released } }))).toEqual([]);
    });

    test('were fixed at some moment until they were last read', () => {
      expect(executionOf(sale('196.5'))).toEqual({ from: at('2026-11-01 10:00'), to: at('2026-11-02 04:15') });
      expect(executionOf(sale('200'))).toEqual({ from: at('2026-11-01 10:00'), to: at('2026-11-01 14:05') });
    });
  });
});
