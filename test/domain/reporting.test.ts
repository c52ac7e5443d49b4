import { describe, expect, it, test } from 'vitest';
import type { Bearer } from '../../src/domain/break.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import {
  converted,
  largestFirst,
  type Reporting,
  reportedAsJson,
  reportedInWords,
  reportedStake,
} from '../../src/domain/reporting.ts';
import type { StakeFigures } from '../../src/domain/stake-tally.ts';

const dec = (text: string) => Decimal.parse(text);
const rate = (text: string, date = '2026-11-20') => ({ rate: dec(text), source: 'rates.csv', date });

const IN_EUR: Reporting = {
  currency: 'EUR',
  rates: new Map([
    ['USD', rate('0.9')],
    ['JPY', rate('0.006', '2026-11-19')],
  ]),
};

const row = (currency: string, bearer: Bearer, total: string, records = 1) => ({
  currency,
  bearer,
  records,
  total: dec(total),
  pending: Decimal.ZERO,
  claimed: Decimal.ZERO,
});
const stake = (...open: StakeFigures['open']): StakeFigures => ({ recordsAtRisk: open.length, open, waived: [] });

test.each([
  ['10', 'EUR', '10'],
  ['10', 'USD', '9'],
  ['-10', 'JPY', '-0.06'],
  ['10', 'GBP', null],
])('%s %s in EUR', (amount, currency, expected) => {
  expect(converted(dec(amount), currency, IN_EUR)?.toString() ?? null).toBe(expected);
});

describe('largestFirst', () => {
  const sorted = (amounts: readonly (readonly [string, string])[], reporting: Reporting | null) =>
    amounts
      .map(([amount, currency]) => ({ amount: dec(amount), currency }))
      .sort((a, b) => largestFirst(a, b, reporting))
      .map(({ amount, currency }) => `${amount} ${currency}`);

  it('has each currency apart without rates, the largest of each first, without signs', () => {
    expect(
      sorted(
        [
          ['1', 'USD'],
          ['-7', 'EUR'],
          ['3', 'USD'],
          ['2', 'EUR'],
        ],
        null,
      ),
    ).toEqual(['-7 EUR', '2 EUR', '3 USD', '1 USD']);
  });

  it('compares what has a rate, and has the rest behind it by currency', () => {
    expect(
      sorted(
        [
          ['5', 'GBP'],
          ['8', 'EUR'],
          ['9', 'CHF'],
          ['-10', 'USD'],
          ['2000', 'JPY'],
          ['6', 'GBP'],
        ],
        IN_EUR,
      ),
    ).toEqual(['2000 JPY', '-10 USD', '8 EUR', '9 CHF', '6 GBP', '5 GBP']);
  });

  it('has equal amounts by the letters of their currencies', () => {
    const equal = [
      ['10', 'USD'],
      ['9', 'EUR'],
      ['1500', 'JPY'],
    ] as const;
    expect(sorted(equal, IN_EUR)).toEqual(['9 EUR', '1500 JPY', '10 USD']);
    expect(sorted(equal.toReversed(), IN_EUR)).toEqual(['9 EUR', '1500 JPY', '10 USD']);
  });

  it('has nothing to say of the same twice', () => {
    const one = { amount: dec('1'), currency: 'USD' };
    expect([largestFirst(one, one, IN_EUR), largestFirst(one, one, null)]).toEqual([0, 0]);
  });
});

describe('reportedStake', () => {
  it('adds up each bearer apart, rounds each sum once, and names rates and what has none', () => {
    const figures = stake(
      row('EUR', 'user', '1.004'),
      row('USD', 'user', '1.001'),
      row('USD', 'service', '-2'),
      row('JPY', 'host', '1000'),
      row('GBP', 'user', '5'),
      row('CHF', 'user', '7', 0),
    );
    const { totals, rates, without, currency } = reportedStake(figures, IN_EUR);
    // 1.004 + 0.9009, not 1.00 + 0.90.
    expect(totals.map(({ bearer, total }) => `${bearer} ${total}`)).toEqual(['host 6', 'user 1.9', 'service -1.8']);
    expect(rates.map((each) => each.currency)).toEqual(['JPY', 'USD']);
    expect([currency, without]).toEqual(['EUR', ['GBP']]);
  });

  it('does not list the reporting currency among the rates, though a file may', () => {
    const reporting = { currency: 'EUR', rates: new Map([...IN_EUR.rates, ['EUR', rate('1')] as const]) };
    const { rates, without } = reportedStake(stake(row('EUR', 'user', '1')), reporting);
    expect([rates, without]).toEqual([[], []]);
  });
});

describe('in words', () => {
  test.each<[string, StakeFigures, string | null]>([
    ['nothing at stake', stake(), null],
    ['no rate at all', stake(row('GBP', 'user', '5')), null],
    ['one currency, its own', stake(row('EUR', 'user', '5')), '5.00 EUR lost by users'],
    [
      'several bearers and rates',
      stake(row('JPY', 'host', '1000'), row('USD', 'user', '10'), row('USD', 'service', '-1')),
      '6.00 EUR owed to you; 9.00 EUR lost by users; 0.90 EUR lost by the Service ' +
        '(at 1 JPY = 0.006 EUR of 2026-11-19, rates.csv, 1 USD = 0.9 EUR of 2026-11-20, rates.csv)',
    ],
    [
      'one without a rate',
      stake(row('EUR', 'user', '5'), row('GBP', 'user', '1'), row('PLN', 'user', '1')),
      '5.00 EUR lost by users (without GBP, PLN: no rate)',
    ],
    [
      'both',
      stake(row('USD', 'user', '10'), row('GBP', 'user', '1')),
      '9.00 EUR lost by users (at 1 USD = 0.9 EUR of 2026-11-20, rates.csv; without GBP: no rate)',
    ],
  ])('%s', (_name, figures, words) => {
    expect(reportedInWords(figures, IN_EUR)).toBe(words);
  });

  it('is nothing without a reporting currency', () => {
    const figures = stake(row('EUR', 'user', '5'));
    expect([reportedInWords(figures, null), reportedAsJson(figures, null)]).toEqual([null, {}]);
  });
});

it('is JSON with amounts as text', () => {
  expect(reportedAsJson(stake(row('USD', 'user', '10'), row('GBP', 'user', '1')), IN_EUR)).toEqual({
    reporting: {
      currency: 'EUR',
      money_at_stake: [{ bearer: 'user', total: '9' }],
      rates: [{ currency: 'USD', rate: '0.9', source: 'rates.csv', date: '2026-11-20' }],
      without_rate: ['GBP'],
    },
  });
});
