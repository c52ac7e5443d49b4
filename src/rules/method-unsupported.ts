import { isOldMethodName } from '../domain/method-names.ts';
import type { MethodTerms } from '../domain/reference.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { NO_LIST } from './listings.ts';
import { bodyRule, plainFinding, type RuleFinding, type RuleInput } from './rule.ts';
import { showMethod } from './wording.ts';
import { fact, plainOutcome, type Workings, wordsOnly } from './working.ts';

/** No body says which country the user was in: it is the one that the quote was asked for, where the request names one. */
export const methodUnsupported = bodyRule({
  code: 'METHOD_UNSUPPORTED',
  severity: 'medium',
  title: 'The method did not support that currency or country then',
  why: 'A payment by a method that the Service did not offer is likely to be returned, or the record names the wrong method.',
  action: 'Ask the Service whether the payment was taken by this method; expect a return.',
  settledBy: 'A night on which the record names a method that was supported then; otherwise a waiver.',
  example: 'The purchase was made by Pix in EUR, but that method supported only BRL then.',
  check({ kind, paymentMethod, fiatCurrency }, input) {
    if (paymentMethod === null) return 'not-applicable';
    const lists = listsOf(input);
    if (lists.length === 0) return NO_LIST;
    const word = showMethod(paymentMethod);
    const terms = lists.map((methods) => methods.get(paymentMethod));
    const [listed] = terms;
    if (terms.every((each) => each === undefined)) {
      const explanation = `The ${kind} was made by ${word}, which the Service did not list among its methods then.`;
      const found = plainFinding('payment_method', paymentMethod, explanation);
      return isOldMethodName(paymentMethod) ? { ...found, severity: 'info' } : found;
    }
    // A list that has the method, and others that lack it, prove nothing.
    if (listed === undefined) return null;
    const found: RuleFinding[] = [];
    if (terms.every((each) => each !== undefined && !each.currencies.includes(fiatCurrency)))
      found.push(unsupported('fiat_currency', fiatCurrency, listed.currencies, `The ${kind} was made by ${word} in`));
    const country = countryOf(input);
    if (country !== null && terms.every((each) => each !== undefined && excludes(each, country))) {
      const about = `The ${kind} was made by ${word}, and its quote was asked for a user in`;
      found.push(unsupported('country', country, listed.countries, about));
    }
    return found;
  },
  working,
});

/** The methods in force, and those of the next list: a method that either has was there. An empty list excludes nothing. */
function listsOf({ reference }: RuleInput): readonly ReadonlyMap<string, MethodTerms>[] {
  return [reference.methods, reference.after?.methods?.byName].flatMap((each) => (each?.size ? [each] : []));
}

/** Of the user's own quote; the request of an audit says nothing about the user. */
function countryOf({ quote }: RuleInput): string | null {
  return quote === null || quote.basis === 'requoted' ? null : (quote.quote.country ?? null);
}

/** A method without any country is restricted to none that is known. */
function excludes({ countries }: MethodTerms, country: string): boolean {
  return countries.length > 0 && !countries.includes(country);
}

function unsupported(field: string, actual: string, supported: readonly string[], about: string): RuleFinding {
  const list =
    supported.length === 0
      ? `no ${field === 'country' ? 'country' : 'currency'} at all`
      : `only ${supported.join(', ')}`;
  return {
    field,
    expected: supported.length === 0 ? null : supported.join(' '),
    actual,
    explanation: `${about} ${actual}, but that method supported ${list} then.`,
  };
}

function working(state: RecordState, input: RuleInput, field: string): Workings | null {
  const [methods] = listsOf(input);
  if (methods === undefined || state.paymentMethod === null) return null;
  const terms = methods.get(state.paymentMethod);
  if (terms === undefined) {
    return wordsOnly([
      fact('method', state.paymentMethod),
      fact('methods then', [...methods.keys()].join(', ')),
      plainOutcome('not among them', true),
    ]);
  }
  const isCountry = field === 'country';
  const [actual, list] = isCountry
    ? [countryOf(input) ?? 'none', terms.countries]
    : [state.fiatCurrency, terms.currencies];
  const supports = list.includes(actual);
  return wordsOnly([
    fact('method', state.paymentMethod),
    fact(isCountry ? 'country of the quote' : 'currency', actual),
    fact(`its ${isCountry ? 'countries' : 'currencies'} then`, list.length === 0 ? 'none' : list.join(', ')),
    plainOutcome(supports ? 'among them' : 'not among them', !supports),
  ]);
}
