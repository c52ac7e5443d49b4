/** What a reader of the out folder finds: the question that every fault of a publication is judged by. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifySets } from '../../../src/publish/verify.ts';

export interface SetPair {
  old: string;
  new: string;
}

/** The old set is whole; the new one is whole or absent; `latest` points at one of them. Answers which there is. */
export async function expectOldOrNew(out: string, sets: SetPair, where: string): Promise<'old' | 'new'> {
  const verified = await verifySets(out);
  expect(
    verified.flatMap(({ problems }) => problems),
    where,
  ).toEqual([]);
  const isNew = existsSync(join(out, sets.new));
  const paths = verified.map(({ path }) => path.slice(out.length + 1));
  expect(paths, where).toEqual(isNew ? [sets.old, sets.new] : [sets.old]);
  expect(readlinkSync(join(out, 'latest')), where).toBeOneOf(isNew ? [sets.old, sets.new] : [sets.old]);
  return isNew ? 'new' : 'old';
}

/** Folders of attempts that a reader could take for something; a kill may leave hidden ones, a failure nothing but the folder's mark. */
export function leftovers(out: string): string[] {
  return readdirSync(out, { recursive: true })
    .map(String)
    .filter((name) => name !== '.tieout-folder.json' && /(?:^|\/)\.|partial/.test(name));
}
