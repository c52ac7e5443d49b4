/** Breaks of the run itself: when they open, and where they stand among the records, in one range or in several. */
import { expect, test } from 'vitest';
import { type Survey, withSharesBefore } from '../../src/domain/survey.ts';
import { judge, type RecordRange } from '../../src/reconcile/judge.ts';
import { thawRun } from '../../src/reconcile/run-book.ts';
import { surveyRun } from '../../src/reconcile/survey.ts';
import { aPurchase, aSale } from '../support/builders.ts';
import { aJudgeStore, aRun, aStoredCase, NO_MOVES } from './support/judging.ts';

const purchases = ['a', 'b', 'c'].map((recordId, n) =>
  aStoredCase({ recordKey: n + 1, state: aPurchase({ recordId }), linked: null }),
);
const sales = ['d', 'e'].map((recordId, n) =>
  aStoredCase({ recordKey: n + 4, state: aSale({ recordId }), linked: null }),
);

const surveyOf = (onramp: [number, number], offramp: [number, number], of: Survey['of'] = 'run'): Survey => ({
  of,
  quotes: {
    onramp: { records: onramp[0], quoted: onramp[1] },
    offramp: { records: offramp[0], quoted: offramp[1] },
  },
});

/** Record ids and rules of all rows, in order; those of breaks about the run as `onramp QUOTES_NOT_CAPTURED`. */
async function rowsOf(survey: Survey | null, ranges: RecordRange[] = [{ after: null, upTo: null }], page = 250) {
  const { store } = aJudgeStore({ cases: [...purchases, ...sales], page });
  const rows: string[] = [];
  for (const range of ranges) {
    for await (const { records, outside } of judge(thawRun(aRun({ survey })), store, range)) {
      const named = [
        ...records.flatMap(({ kind, recordId, breaks }) => [
          { kind, text: recordId },
          ...breaks.map(({ rule }) => ({ kind, text: `${recordId} ${rule}` })),
        ]),
        ...outside.map(({ kind, recordId, rule }) => ({ kind, text: `${recordId} ${rule}` })),
      ];
      rows.push(...named.sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0)).map(({ text }) => text));
    }
  }
  return rows.filter((row) => !row.includes(' ') || row.includes('QUOTE'));
}

const BOTH = ['a', 'b', 'c', 'offramp QUOTES_NOT_CAPTURED', 'onramp QUOTES_NOT_CAPTURED', 'd', 'e'];

test('a night without quotes has one break for each direction, between the purchases and the sales', async () => {
  const none = surveyOf([3, 0], [2, 0]);
  expect(await rowsOf(none)).toEqual(BOTH);
  expect(await rowsOf(none, undefined, 1)).toEqual(BOTH);
  const [b, d] = [
    { kind: 'purchase', recordId: 'b' },
    { kind: 'sale', recordId: 'd' },
  ] as const;
  expect(
    await rowsOf(none, [
      { after: null, upTo: b },
      { after: b, upTo: d },
      { after: d, upTo: null },
    ]),
  ).toEqual(BOTH);
});

test('from half of the records on, each one without a quote is a finding of its own', async () => {
  const ofEach = ['a', 'b', 'c'].flatMap((id) => [id, `${id} QUOTE_MISSING`]);
  expect(await rowsOf(surveyOf([4, 2], [3, 1]))).toEqual([...ofEach, 'offramp QUOTES_NOT_CAPTURED', 'd', 'e']);
  expect(await rowsOf(surveyOf([5, 2], [0, 0]))).toEqual([
    ...['a', 'b', 'c', 'onramp QUOTES_NOT_CAPTURED'],
    ...['d', 'd QUOTE_MISSING', 'e', 'e QUOTE_MISSING'],
  ]);
});

test('a night with no record of a direction goes by the last one that had any, and opens no break about the run', async () => {
  const quiet = (last: Survey) => withSharesBefore(surveyOf([4, 2], [0, 0]), last);
  const ofEach = ['a', 'b', 'c'].flatMap((id) => [id, `${id} QUOTE_MISSING`]);
  const without = surveyOf([4, 2], [9, 1]);
  expect(await rowsOf(quiet(without))).toEqual([...ofEach, 'd', 'e']);
  expect(await rowsOf(quiet(quiet(without)))).toEqual([...ofEach, 'd', 'e']);
  expect(await rowsOf(quiet(surveyOf([9, 1], [9, 9])))).toEqual([
    ...ofEach,
    ...['d', 'd QUOTE_MISSING', 'e', 'e QUOTE_MISSING'],
  ]);
});

test('a run over chosen records opens none of its own, and one from before the survey is judged as it was', async () => {
  expect(await rowsOf(surveyOf([9, 1], [9, 1], 'night'))).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await rowsOf(null)).toHaveLength(10);
});

test('the survey counts verified records, and those that have a quote of their own time', async () => {
  const { store } = aJudgeStore({ cases: [...purchases, aStoredCase(), ...sales], page: 2 });
  expect(await surveyRun(thawRun(aRun()), { ...store, moves: NO_MOVES }, { name: 'nightly', token: 1 })).toEqual(
    surveyOf([4, 1], [2, 0]),
  );
});
