import { expect, test } from 'vitest';
import { runIdOf, type Selection, wantsRequotes } from '../../src/domain/run.ts';

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
