/** What is said of the user: e-mail address and country (spec §2.11). */
import { isCountryCode, meantCountry } from '../country-codes.ts';
import { widgetProblem } from '../problems.ts';
import { NO_PROBLEM, textOf, type WidgetCheckRule } from './input.ts';

/** Something before an @, and a domain with a point after it. Whether it exists only a message can tell. */
const EMAIL = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]+\.[^\s@,;<>".]{2,}$/;

/** The shape only; a wrong one leaves the field of the widget empty. */
export const email: WidgetCheckRule = (input) => {
  const text = textOf(input, 'userEmailAddress');
  if (text === null || (EMAIL.test(text) && !text.includes('..'))) return NO_PROBLEM;
  // A + that was not encoded is a blank to whoever reads the URL.
  const plus = /^\S+ \S+@/.test(text) ? ' A + in a URL must be written as %2B.' : '';
  return [
    widgetProblem('EMAIL_INVALID', 'userEmailAddress', text, {
      message: 'this is not an e-mail address',
      remedy: `Give one address, such as user@example.com, or leave it out.${plus}`,
    }),
  ];
};

/** ISO 3166-1 alpha-2; `UK` and its like get their remedy. */
export const country: WidgetCheckRule = (input) => {
  const text = textOf(input, 'selectedCountryCode');
  if (text === null || isCountryCode(text)) return NO_PROBLEM;
  const meant = meantCountry(text);
  return [
    widgetProblem('COUNTRY_UNKNOWN', 'selectedCountryCode', text, {
      message: 'this is not an ISO 3166-1 alpha-2 country code',
      remedy: meant === undefined ? 'Write the two-letter code, such as DE.' : `Write ${meant}.`,
    }),
  ];
};
