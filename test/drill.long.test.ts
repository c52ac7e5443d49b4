/** `tieout drill` with the night and the tolerances of the demo, in its longer forms; `test/demo.test.ts` has the short one. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DEMO_DAY, openWorkspace, PATIENCE, type Workspace } from './e2e/support/workspace.ts';

vi.setConfig(PATIENCE);

let workspace: Workspace;

beforeAll(async () => {
  workspace = openWorkspace(null);
  const demo = ['demo', '--records', '600', '--defects', '0.1', '--json', '--out', 'demo'];
  await workspace.ends(0, demo, { now: DEMO_DAY });
});
afterAll(() => workspace.remove());

it('says what tolerances nine times as wide would miss', async () => {
  const wide =
    'tolerances: { fiat: { absolute: 0.09 }, crypto: { relative: 9e-9 }, networkFee: 1, ' +
    'rate: { consistency: 0.009, reference: 0.9, sinceQuote: 0.135 } }\n';
  workspace.write('wide.yaml', workspace.read('demo/tieout.yaml') + wide);
  const drill = ['drill', '--config', 'wide.yaml', '--per-rule', '2'];
  const { out } = await workspace.ends(1, drill);
  expect(out).toMatch(
    /\nMissed:\n(.*\n)*? {2}purchase\.rate\.bit-worse \(§2\.9 .*expected SLIPPAGE or RATE_OUT_OF_LINE, silent/,
  );
  expect(out).toMatch(/ material changes were missed\.\n$/);
  expect((await workspace.tieout(drill)).out).toBe(out);
});
