/** The rows in the order in which they should begin: the longest first, so that none is left running alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { numberOf } from './groups.ts';

/** By the seconds that they took when measured; the others follow by number. */
const LONGEST = [1, 13, 24, 31, 35, 15, 4, 7, 3, 14, 32];

function rank({ moduleId }: TestSpecification): number {
  const number = numberOf(moduleId.split('/').at(-1) ?? '');
  const place = LONGEST.indexOf(number);
  return place === -1 ? LONGEST.length + number : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}
