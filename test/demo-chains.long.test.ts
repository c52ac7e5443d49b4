/** The demo with chains: a node starts, and every delivery is read from it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { DEMO_DAY, openWorkspace, PATIENCE } from './e2e/support/workspace.ts';

vi.setConfig(PATIENCE);

interface Scored {
  rule: string;
  injected: number;
  found: number;
  false_alarms: number;
}

/** Finds all that is due, and nothing else. */
async function demo(...words: string[]): Promise<readonly Scored[]> {
  const workspace = openWorkspace(null);
  onTestFinished(() => workspace.remove());
  const all = ['demo', '--chain', ...words, '--json', '--out', 'chained'];
  const { code, out, err } = await workspace.tieout(all, { now: DEMO_DAY });
  expect([code, err]).toEqual([0, err]);
  const { rows } = JSON.parse(out) as { rows: Scored[] };
  for (const { rule, injected, found, false_alarms } of rows)
    expect([rule, found, false_alarms]).toEqual([rule, injected, 0]);
  return rows;
}

it('with chains, finds every planted delivery defect, and a month paid less on a chain than stated', async () => {
  const rows = await demo('--records', '250', '--days', '10', '--defects', '0.1');
  const planted = new Map(rows.map(({ rule, injected }) => [rule, injected]));
  expect(planted.get('PAYOUT_DIFFERS')).toBe(2);
  const deliveries = rows.filter(({ rule }) => rule.startsWith('DELIVERY_'));
  expect(deliveries.map(({ rule, injected }) => [rule, injected > 0])).toEqual(
    deliveries.map(({ rule }) => [rule, true]),
  );
});

/** At its usual size it has partners' fees, v3 quotes, and hours without another price. */
it.each(['4', '13'])('with chains and seed %s, finds all that is due and nothing else', async (seed) => {
  expect(await demo('--seed', seed)).not.toEqual([]);
});
