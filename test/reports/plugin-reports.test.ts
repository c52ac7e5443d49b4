/** Reports of plugins: what one of them leaves out, and that it ends no process. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { pluginReports, usePluginReports } from '../../reports/plugin-reports.ts';

afterEach(() => usePluginReports([]));

const later = async () => Promise.reject(new Error('later'));

it.each([
  ['a row is a promise', () => [later(), later()], () => 'x'],
  ['a_column is not a text', () => [{}], later],
])('%s: rows and values that come later are left out, and their failures are handled', async (why, rows, value) => {
  const failed = vi.fn();
  process.on('unhandledRejection', failed);
  const columns = [{ name: 'a_column', type: 'text', description: 'A column', value }];
  const report = { name: 'ours', description: 'Ours', columns, rows } as never;
  usePluginReports([{ name: 'theirs', reports: [report] }]);
  const write = vi.fn();
  const collector = pluginReports()[0]?.start({} as never, { open: () => ({ write }) } as never);
  collector?.record({} as never);
  expect(collector?.problems?.()).toEqual([expect.stringContaining(`ours.csv leaves out 1 record: ${why}`)]);
  await setImmediate();
  process.off('unhandledRejection', failed);
  expect([write, failed].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
});
