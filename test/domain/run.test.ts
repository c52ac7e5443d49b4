import { expect, test } from 'vitest';
import { isWholeNight, runIdOf, type Selection, wantsRequotes, withWatermarks } from '../../src/domain/run.ts';
import { aRun } from '../reconcile/support/judging.ts';

test('a run is named after its job, its business date and its revision', () => {
  expect(runIdOf('nightly', '2026-11-20', 2)).toBe('nightly-2026-11-20-r2');
});

test.each<[Selection, boolean]>([
  [{ type: 'ids', ids: ['322'], kind: null, requote: true }, true],
  [{ type: 'created', from: '2026-11-01', to: '2026-12-01', kind: 'purchase', requote: true }, true],
  [{ type: 'ids', ids: ['322'], kind: null, requote: false }, false],
  [{ type: 'created', from: '2026-11-01', to: '2026-12-01', kind: 'purchase' }, false],
  [{ type: 'due' }, false],
  [{ type: 'all', kind: 'sale' }, false],
])('fresh quotes are only taken on request: %j asks for them: %s', (selection, asked) => {
  expect(wantsRequotes(selection)).toBe(asked);
});

test.each<[Selection, boolean]>([
  [{ type: 'due' }, true],
  [{ type: 'all', kind: null }, true],
  [{ type: 'ids', ids: ['a'], kind: null }, false],
  [{ type: 'created', from: '2026-11-01', to: '2026-11-02', kind: null }, false],
  [{ type: 'delivered' }, false],
])('a selection of %j carries the whole work list: %s', (selection, whole) => {
  expect(isWholeNight({ selection })).toBe(whole);
});

test('a run has watermarks once it is judged', () => {
  expect(withWatermarks(aRun())).toEqual(aRun());
  expect(() => withWatermarks({ ...aRun({ state: 'fetching' }), watermarks: null })).toThrow(
    'run nightly-2026-11-02-r1 has not been judged yet: it is fetching',
  );
});
