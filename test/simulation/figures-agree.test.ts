/** Every figure that is seen in two places is one figure; the month of 2,000 records is in the long suites. */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { PATIENCE } from '../e2e/support/workspace.ts';
import { GeneratedMonth } from './figures.ts';

vi.setConfig(PATIENCE);

let month: GeneratedMonth;
beforeAll(async () => {
  month = await GeneratedMonth.open(90);
}, PATIENCE.hookTimeout);
afterAll(() => month?.close());

describe('in a month with restatements, a waiver, claims and a late delta, one figure is', () => {
  it('money at stake: in the files, the manifest, the metric and the queue', () => month.stakeAgrees());
  it('what is pending, claimed and waived, and all of it in the reporting currency: in the files, the manifest, the notice and the page', () =>
    month.wordsAgree());
  it('what is claimed: in the rows, the letter, the page and the overview', () => month.claimsAgree());
  it('a closed month: on its page, in its set and in its pack', () => month.monthAgrees());
});
