import type { Rule } from './rule.ts';
import { NOTHING_FOUND, verifiedState } from './verified.ts';
import { showMethod } from './wording/quote.ts';

/** Countries are not looked at: no body says which country the user was in. */
export const methodUnsupported: Rule = {
  code: 'METHOD_UNSUPPORTED',
  severity: 'medium',
  title: 'The method did not support that currency or country then',
  why: 'A payment by a method that the Service did not offer is likely to be returned, or the record names the wrong method.',
  check(input) {
    const state = verifiedState(input);
    const { methods } = input.reference;
    if (state === null || methods === null || state.paymentMethod === null) return 'not-applicable';
    const { paymentMethod, fiatCurrency } = state;
    const terms = methods.get(paymentMethod);
    const word = showMethod(paymentMethod);
    if (terms === undefined) {
      return [
        {
          field: 'payment_method',
          expected: null,
          actual: paymentMethod,
          explanation: `The ${state.kind} was made by ${word}, which the Service did not list among its methods then.`,
        },
      ];
    }
    if (terms.currencies.includes(fiatCurrency)) return NOTHING_FOUND;
    const supported = terms.currencies.length === 0 ? 'no currency at all' : terms.currencies.join(', ');
    return [
      {
        field: 'fiat_currency',
        expected: terms.currencies.length === 0 ? null : terms.currencies.join(' '),
        actual: fiatCurrency,
        explanation: `The ${state.kind} was made by ${word} in ${fiatCurrency}, but that method supported ${supported} then.`,
      },
    ];
  },
};
