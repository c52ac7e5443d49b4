/** Which hours of moves a run judges: those of the records that it has just read are among them. */
import { expect, test } from 'vitest';
import { hoursJudged } from '../../src/reconcile/price-moves.ts';

const at = (iso: string) => Date.parse(iso);
const hour = (iso: string) => at(iso) / 3_600_000;

test.each([
  ['a night that began at 04:15', '2026-11-25T04:15:00Z', '2026-11-25T04:00:00Z'],
  ['a run by hand in the afternoon', '2026-11-25T16:30:00Z', '2026-11-25T16:00:00Z'],
  ['a missed date, a week later', '2026-12-02T04:15:00Z', '2026-11-26T00:00:00Z'],
])('%s judges 30 days', (_what, startedAt, last) => {
  const hours = hoursJudged({ asOf: at('2026-11-25T00:00:00Z'), startedAt: at(startedAt) });
  expect(hours).toEqual({ from: hour(last) - 719, to: hour(last) });
});
