/** What a failed publication says: what happened, what was left, and what to do. */
import { expect, it } from 'vitest';
import { exitCodeOf } from '../../src/domain/errors.ts';
import { PublicationError } from '../../src/publish/errors.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: write`), { code });
const OLD = 'nothing was published, and earlier report sets are untouched';

it.each([
  ['ENOSPC', 'the disk is full', 'free some space'],
  ['EDQUOT', 'the disk quota is used up', 'free some space'],
  ['EROFS', 'the file system is read-only', 'point --out somewhere else'],
  ['EACCES', 'permission denied', 'let this user write to the out folder'],
  ['EPERM', 'not permitted', 'let this user write to the out folder'],
  ['EIO', 'the disk reported an input/output error', 'check it'],
  ['EMFILE', 'too many open files', 'raise the limit (ulimit -n)'],
])('%s is said in words, with a remedy', (code, reason, remedy) => {
  const cause = failed(code);
  const error = new PublicationError('records.csv cannot be written', cause);
  expect(error.message).toBe(
    `records.csv cannot be written: ${reason} (${code}); ${OLD}; ${remedy}, then run again with --resume`,
  );
  expect([exitCodeOf(error), error.cause]).toEqual([4, cause]);
});

it('another cause is said in its own words, without a remedy', () => {
  expect(new PublicationError('x', new Error('a link is gone.')).message).toBe(`x: a link is gone; ${OLD}`);
  expect(new PublicationError('x', failed('EXDEV')).message).toBe(`x: EXDEV: write; ${OLD}`);
  expect(new PublicationError('x', 'thrown').message).toBe(`x: thrown; ${OLD}`);
});

it('after the rename it says that the set is published', () => {
  expect(new PublicationError('x', new Error('y'), 'new').message).toBe(
    'x: y; the set is complete and published; only the list of sets or `latest` is behind, which --resume completes',
  );
});
