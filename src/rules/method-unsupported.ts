import { NOTHING_FOUND, type Rule, type RuleInput, verifiedState } from './rule.ts';
import { showMethod } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** Countries are not looked at: no body says which country the user was in. */
export const methodUnsupported: Rule = {
  code: 'METHOD_UNSUPPORTED',
  severity: 'medium',
  title: 'The method did not support that currency or country then',
  why: 'A payment by a method that the Service did not offer is likely to be returned, or the record names the wrong method.',
  action: 'Ask the Service whether the payment was taken by this method; expect a return.',
  settledBy: 'A night on which the record names a method that was supported then; otherwise a waiver.',
  example: 'The purchase was made by Pix in EUR, but that method supported BRL then.',
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
  working,
};

function working(input: RuleInput): Workings | null {
  const state = verifiedState(input);
  const { methods } = input.reference;
  if (state === null || methods === null || state.paymentMethod === null) return null;
  const terms = methods.get(state.paymentMethod);
  const listed = [...methods.keys()].join(', ');
  if (terms === undefined) {
    return wordsOnly([
      fact('method', state.paymentMethod),
      fact('methods then', listed),
      plainOutcome('not among them', true),
    ]);
  }
  const supports = terms.currencies.includes(state.fiatCurrency);
  return wordsOnly([
    fact('method', state.paymentMethod),
    fact('currency', state.fiatCurrency),
    fact('its currencies then', terms.currencies.length === 0 ? 'none' : terms.currencies.join(', ')),
    plainOutcome(supports ? 'among them' : 'not among them', !supports),
  ]);
}
