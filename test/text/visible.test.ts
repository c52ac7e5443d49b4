/** What messages show of texts from outside. */
import { expect, it } from 'vitest';
import { headerText } from '../../src/text/visible.ts';

it('a header is named, but for what may be the token of a record in its place', () => {
  expect(headerText(['purchase', 'aaa1', 'mg3voq92hd2mbdht'])).toBe('purchase, aaa1, …');
  expect(headerText(['Booking date', 'amount', 'Betrag (EUR)'])).toBe('Booking date, amount, Betrag (EUR)');
});
