/** What the lists on both sides of a record say, and that a list which is younger than the record says so. */
import { expect, test } from 'vitest';
import { assetNotAvailable } from '../../src/rules/asset-not-available.ts';
import {
  aCase,
  aMatchedQuote,
  aPurchase,
  at,
  someAssetTerms,
  someGlobalTerms,
  someReference,
} from '../support/builders.ts';
import { ask, NOT_APPLICABLE } from './ask.ts';

const CREATED = at('2026-11-01 10:00');

const listOf = (text: string, asset: ReturnType<typeof someAssetTerms> | null) => ({
  assets: { capturedAt: at(text), global: someGlobalTerms({}), asset },
});

function explained(lists: { before?: ReturnType<typeof listOf>; after?: ReturnType<typeof listOf> }) {
  const { before: _, ...known } = someReference({});
  const reference = { ...known, ...lists };
  const answer = ask(assetNotAvailable, aCase({ state: { ...aPurchase(), createdAt: CREATED }, reference }));
  return typeof answer === 'string' ? answer : answer.map(({ explanation }) => explanation);
}

const NAMED = 'The purchase is for ETH_ETH';

test('lists on both sides without the asset', () => {
  expect(explained({ before: listOf('2026-11-01 09:00', null), after: listOf('2026-11-01 11:00', null) })).toEqual([
    `${NAMED}, which was not listed then: the lists of 2026-11-01 09:00 UTC and 2026-11-01 11:00 UTC of purchases in EUR do not have it.`,
  ]);
});

test('one list before the creation', () => {
  expect(explained({ before: listOf('2026-11-01 09:40', null) })).toEqual([
    `${NAMED}, which was not listed then: the list of 2026-11-01 09:40 UTC of purchases in EUR does not have it.`,
  ]);
});

test('one list after it, which says how much younger it is', () => {
  expect(explained({ after: listOf('2026-11-01 10:20', null) })).toEqual([
    `${NAMED}, which was not listed then: the list of 2026-11-01 10:20 UTC (captured 20 min after the creation, as none are ` +
      'older) of purchases in EUR does not have it.',
  ]);
});

test('lists that have it as disabled: one alone proves nothing, because maintenance comes and goes', () => {
  const disabledAt = (text: string) => listOf(text, { ...someAssetTerms({}), enabled: false });
  expect(explained({ after: disabledAt('2026-11-01 10:20') })).toBe(NOT_APPLICABLE);
  expect(explained({ before: disabledAt('2026-11-01 09:40') })).toBe(NOT_APPLICABLE);
  expect(explained({ before: disabledAt('2026-11-01 09:40'), after: disabledAt('2026-11-01 10:20') })).toEqual([
    `${NAMED}, which was disabled then: the lists of 2026-11-01 09:40 UTC and 2026-11-01 10:20 UTC of purchases in EUR have it as disabled.`,
  ]);
});

test('a list whose entry of it could not be read is no list without it', () => {
  const unread = { assets: { ...listOf('2026-11-01 09:00', null).assets, isUnread: true as const } };
  expect(explained({ before: unread, after: listOf('2026-11-01 11:00', null) })).toEqual([]);
});

test('a list of more than an hour later proves nothing', () => {
  expect(explained({ after: listOf('2026-11-01 11:01', null) })).toBe(NOT_APPLICABLE);
});

test('other decimals by a list that is younger', () => {
  expect(explained({ after: listOf('2026-11-01 10:20', { ...someAssetTerms({}), decimals: 8 }) })).toEqual([
    `${NAMED} with 18 decimals, but the Service lists it with 8 decimals (2026-11-01 10:20 UTC, captured 20 min after the ` +
      'creation, as none are older).',
  ]);
});

test('a token of an open chain that no list has is not listed, unless its own quote has the contract', () => {
  const asset = { chain: '', symbol: 'SCAM', decimals: 18, address: `0x${'d'.repeat(40)}` };
  const reference = { ...someReference({}), before: listOf('2026-11-01 09:40', null) };
  const answer = (quote: ReturnType<typeof aMatchedQuote> | null, of: typeof asset | { address: null }) =>
    ask(
      assetNotAvailable,
      aCase({ state: { ...aPurchase({ asset: { ...asset, ...of } }), createdAt: CREATED }, reference, quote }),
    );
  expect(answer(null, asset)).toMatchObject([{ field: 'asset', actual: 'not listed' }]);
  expect(answer(null, { address: null })).toEqual([]);
  expect(answer(aMatchedQuote({ quote: { asset } }), asset)).toEqual([]);
});
