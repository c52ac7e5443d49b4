import { expect, test } from 'vitest';
import { countedDate } from '../../src/domain/plausible-date.ts';
import { at } from '../support/builders.ts';

const READ = at('2026-11-02 04:15');
const service = at('2026-11-01 00:10');
const told = at('2026-10-31 23:50');
const never = at('9999-01-01 00:00');

test.each([
  ['the application’s own, however near the Service’s is', service, told, told],
  ['the Service’s where the application gave none', service, null, service],
  ['the Service’s where the application’s cannot be true', service, never, service],
  ['the application’s where the Service’s cannot be true', never, told, told],
  ['the application’s where the body has none', null, told, told],
  ['not known where neither can be true', never, at('2016-12-31 23:59'), null],
  ['not known where there is none', null, null, null],
])('the date that counts a record to a month is %s', (_, createdAt, toldAt, expected) => {
  expect(countedDate(createdAt, toldAt, READ)).toBe(expected);
});
