/** Every expression of the program is proved anew, those of the list of proved ones included: it must not hold one that was never proved. */
import { expect, it } from 'vitest';
import { programExpressions, unproved } from './expressions.ts';

it('every regular expression of the program takes linear time', { timeout: 600_000 }, async () => {
  expect(await unproved(programExpressions())).toEqual([]);
});
