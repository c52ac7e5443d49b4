import { describe, expect, test } from 'vitest';
import { feeAppliedDiffers } from '../../src/rules/fee-applied-differs.ts';
import { judgeCase } from '../../src/rules/judge-case.ts';
import { createRuleSet } from '../../src/rules/rule-set.ts';
import { chargedDiffersFromShown, shownDiffersFromQuote } from '../../src/rules/shown-amounts.ts';
import { workedOut } from '../explain/work-out.ts';
import {
  aCase,
  aMatchedQuote,
  anUnreachable,
  aPurchase,
  aSale,
  at,
  dec,
  LOCKED,
  NO_REFERENCE,
  someReference,
  someTerms,
} from '../support/builders.ts';
import { ask, fieldsOf, NOT_APPLICABLE, NOTHING } from './ask.ts';

/** The amounts that the app gave with the record's id. */
function shown(total: string | null, fee: string | null) {
  return { shown: { total: total === null ? null : dec(total), fee: fee === null ? null : dec(fee) } };
}

describe('shown amounts against the quote of 104.76 EUR with a fee of 4.76 EUR', () => {
  test.each([
    ['104.76', '4.76', []],
    // A minor unit is tolerated; 104.76 also a thousandth of it.
    ['104.86', '4.77', []],
    ['104.87', '4.76', ['shown_total']],
    ['104.76', '4.78', ['shown_fee']],
    ['100', '3.90', ['shown_total', 'shown_fee']],
    [null, '3.90', ['shown_fee']],
    ['100', null, ['shown_total']],
  ])('a total of %s and a fee of %s', (total, fee, fields) => {
    expect(fieldsOf(shownDiffersFromQuote, aCase({ tracked: shown(total, fee) }))).toEqual(fields);
  });

  test.each([
    ['that of the quote, which was asked for by its tokens: it moves with the price', '104.76', true, []],
    ['another one', '103.76', true, ['charged_total']],
    ['that of the quote, which was asked for by the total', '104.76', undefined, ['charged_total']],
  ] as const)('of a purchase of 105.20 EUR the app showed %s', (_what, total, isByTokens, fields) => {
    const quote = { ...aMatchedQuote(), ...(isByTokens ? { isByTokens } : {}) };
    const subject = aCase({ state: aPurchase({ fiatValue: '105.20' }), quote, tracked: shown(total, null) });
    expect(fieldsOf(chargedDiffersFromShown, subject)).toEqual(fields);
  });

  test('the sentence names both amounts; the loss is that of the charge, not of this break', () => {
    expect(ask(shownDiffersFromQuote, aCase({ tracked: shown(null, '3.90') }))).toEqual([
      {
        field: 'shown_fee',
        expected: '4.76',
        actual: '3.9',
        difference: '-0.86',
        unit: 'money',
        currency: 'EUR',
        tolerance: '0.01',
        explanation:
          'The app showed a fee of 3.90 EUR; quote q-17 (card, 4 min before) was for 4.76 EUR: 0.86 EUR less (18.1 %).',
      },
    ]);
  });

  test('its arithmetic', () => {
    const subject = aCase({ tracked: shown(null, '3.90') });
    expect(workedOut(subject, 'SHOWN_DIFFERS_FROM_QUOTE', 'shown_fee')).toEqual([
      'quoted fee: 4.76 EUR',
      'shown fee: 3.90 EUR',
      'difference: 3.90 − 4.76 = -0.86 EUR',
      'tolerance: the larger of 0.01 and 0.00476 (0.001 × 4.76) = 0.01 EUR',
      'outcome: 0.86 > 0.01: a break',
    ]);
  });

  test.each([
    ['nothing was shown', {}],
    ['there is no quote', { tracked: shown('100', '1'), quote: null }],
    ['the quote was asked for afterwards', { tracked: shown('100', '1'), quote: aMatchedQuote({ basis: 'requoted' }) }],
    ['the record was not read', { tracked: shown('100', '1'), observation: anUnreachable() }],
  ] as const)('it has nothing to look at where %s', (_why, about) => {
    expect(ask(shownDiffersFromQuote, aCase(about))).toEqual(NOT_APPLICABLE);
  });
});

describe('charged amounts against shown amounts', () => {
  test('a network fee that moved as far as it may explains that much of a fee', () => {
    const charged = (networkFee: string, appliedFee: string) =>
      fieldsOf(
        chargedDiffersFromShown,
        aCase({ state: aPurchase({ networkFee, appliedFee }), tracked: shown(null, '4.76') }),
      );
    expect(charged('1.06', '4.96')).toEqual([]);
    expect(charged('1.06', '4.98')).toEqual(['charged_fee']);
    expect(charged('0.66', '4.96')).toEqual(['charged_fee']);
    expect(charged('1.26', '5.16')).toEqual(['charged_fee']);
  });

  test('before the execution a network fee is an estimate, and a lower fee is a remark', () => {
    const offered = (networkFee: string, appliedFee: string, fee = '4.76') => {
      const state = aPurchase({ networkFee, appliedFee, status: 'INITIALIZED', finalTxHash: null });
      return ask(
        chargedDiffersFromShown,
        aCase({ state, tracked: shown(null, fee), quote: null, reference: NO_REFERENCE }),
      );
    };
    // It may have been a third of it, or three times as much.
    expect(offered('1.26', '5.61')).toEqual(NOTHING);
    expect(offered('1.26', '2.23')).toEqual(NOTHING);
    expect(offered('1.26', '5.63')).toMatchObject([{ field: 'charged_fee', difference: '0.87' }]);
    expect(offered('1.26', '2.21')).toMatchObject([{ field: 'charged_fee', severity: 'info' }]);
  });

  test('agrees where both do', () => {
    expect(ask(chargedDiffersFromShown, aCase({ tracked: shown('104.76', '4.76') }))).toEqual(NOTHING);
    expect(ask(chargedDiffersFromShown, aCase())).toEqual(NOT_APPLICABLE);
  });

  test('a fee above the shown one is the loss; no quote is needed', () => {
    const subject = aCase({ tracked: shown(null, '3.90'), quote: null });
    expect(ask(chargedDiffersFromShown, subject)).toEqual([
      {
        field: 'charged_fee',
        expected: '3.9',
        actual: '4.76',
        difference: '0.86',
        unit: 'money',
        loss: '0.86',
        currency: 'EUR',
        tolerance: '0.23',
        explanation:
          'The user was charged a fee of 4.76 EUR; the app had shown 3.90 EUR: 0.86 EUR more (22.1 %), of which 0.22 EUR may be the ' +
          'move of the network fee.',
      },
    ]);
  });

  test('of a fee inside a total that differs too, the loss is reported once', () => {
    const answer = ask(chargedDiffersFromShown, aCase({ tracked: shown('103.90', '3.90') }));
    expect(answer).toMatchObject([{ field: 'charged_total', loss: '0.86' }, { field: 'charged_fee' }]);
    expect(answer[1]).not.toHaveProperty('loss');
  });

  describe('the payout of a sale', () => {
    const prices = (low: string, high = low) => ({
      prices: { quotes: null, listings: { low: dec(low), high: dec(high), count: 2 } },
      networkFees: { quotes: null, listings: null },
      past: [],
    });
    const paid = (fiatValue: string, about: Partial<Parameters<typeof aCase>[0]> = {}) =>
      aCase({
        state: aSale({ fiatValue }),
        tracked: shown('200', null),
        receivedAt: at('2026-11-01 11:00'),
        reference: someReference(),
        ...about,
      });
    const losses = (subject: ReturnType<typeof aCase>, terms = someTerms()) => {
      const answer = ask(chargedDiffersFromShown, subject, terms);
      return typeof answer === 'string'
        ? answer
        : answer.map(({ loss, severity }) => [loss, severity ?? 'high'].join(' '));
    };

    test.each([
      ['as shown', paid('200'), []],
      ['1.4 % less', paid('197.20'), []],
      ['5 % less, and nobody saw a price', paid('190'), ['10 high']],
      // The list before the creation had 2490.
      ['5 % less in a market that stood still', paid('190', { market: prices('2490') }), ['10 high']],
      ['5 % less in a market that fell by 4 %', paid('190', { market: prices('2390.4', '2490') }), []],
      ['5 % less in a market that rose by 4 %', paid('190', { market: prices('2490', '2589.6') }), ['10 high']],
      ['8 % less in a market that fell by 4 %', paid('184', { market: prices('2390.4', '2490') }), ['8 high']],
      ['5 % more', paid('210'), ['-10 info']],
      [
        'half, by a body whose dates contradict each other',
        paid('100', { receivedAt: at('2026-11-01 09:00') }),
        ['100 high'],
      ],
      ['half, hours later', paid('100', { receivedAt: at('2026-11-02 04:15') }), ['100 high']],
    ])('%s', (_what, subject, expected) => {
      expect(losses(subject)).toEqual(expected);
    });

    test('hours after it was shown, without any price, it is not judged, and the run counts that', () => {
      const terms = someTerms();
      const subject = paid('190', { receivedAt: at('2026-11-02 04:15') });
      const { findings, notJudged } = judgeCase(subject, terms, createRuleSet());
      expect(findings.filter(({ rule }) => rule === 'CHARGED_DIFFERS_FROM_SHOWN')).toEqual([]);
      expect(notJudged).toContain('CHARGED_DIFFERS_FROM_SHOWN: no market price of its hours is known');
    });

    test('is an estimate before the execution', () => {
      expect(losses(paid('190', { state: aSale({ fiatValue: '150', status: 'CREATED' }) }))).toEqual([]);
    });

    test('binds to the minor unit where the settings lock prices', () => {
      expect(losses(paid('197.20'), someTerms({ binding: LOCKED }))).toEqual(['2.8 high']);
    });

    test('its arithmetic, and a sentence that says how much the market explains', () => {
      const subject = paid('184', { market: prices('2390.4', '2490') });
      expect(ask(chargedDiffersFromShown, subject)).toMatchObject([
        {
          explanation:
            'The user received a total of 184.00 EUR; the app had shown 200.00 EUR: 16.00 EUR less (8.0 %), of which 10.88 EUR may be ' +
            'the move of the price.',
        },
      ]);
      expect(workedOut(subject, 'CHARGED_DIFFERS_FROM_SHOWN', 'charged_total')).toEqual([
        'shown total: 200.00 EUR',
        'actual total: 184.00 EUR',
        'difference: 184.00 − 200.00 = -16.00 EUR',
        'tolerance: 0.2 + 10.88: the move of the price = 11.08 EUR',
        'outcome: 16.00 > 11.08: a break',
      ]);
    });

    test('its fee moves with the value', () => {
      const fee = (appliedFee: string, fiatValue: string) => {
        const state = aSale({ fiatValue, appliedFee, exchangeRate: null });
        return fieldsOf(chargedDiffersFromShown, paid(fiatValue, { state, tracked: shown('200', '4') }));
      };
      expect(fee('4', '200')).toEqual([]);
      expect(fee('3.95', '197.40')).toEqual([]);
      expect(fee('3.90', '197.40')).toEqual(['charged_fee']);
      expect(fee('4.06', '197.40')).toEqual(['charged_fee']);
    });
  });

  test('shown with the quote, for the method of the record or for any', () => {
    const told = { total: null, fee: dec('3.90') };
    const withQuote = (method: string | null) => {
      const matched = aMatchedQuote();
      return aCase({ quote: { ...matched, quote: { ...matched.quote, shown: { ...told, method } } } });
    };
    expect(fieldsOf(chargedDiffersFromShown, withQuote(null))).toEqual(['charged_fee']);
    expect(fieldsOf(chargedDiffersFromShown, withQuote('CARD_PAYMENT'))).toEqual(['charged_fee']);
    expect(ask(chargedDiffersFromShown, withQuote('PIX'))).toEqual(NOT_APPLICABLE);
  });

  test('where a fee was shown, another one than quoted is no loss against the promise', () => {
    const state = aPurchase({ appliedFee: '6.26', baseFee: '5.40' });
    expect(ask(feeAppliedDiffers, aCase({ state }))).toMatchObject([{ difference: '1.5', loss: '1.5' }]);
    const [told] = ask(feeAppliedDiffers, aCase({ state, tracked: shown(null, '6.26') }));
    expect(told).toMatchObject({ difference: '1.5' });
    expect(told).not.toHaveProperty('loss');
  });
});
