import { expect, it } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import type { Tally } from '../../src/ports/settled.ts';
import { unpublished } from '../../src/reconcile/unpublished.ts';

it('a run that publishes nothing takes what it is given and names no folder', async () => {
  const reports = unpublished();
  reports.write({ records: [], outside: [] });
  expect(await reports.publish({} as Run, {} as Tally, 'complete')).toBe('');
  await expect(reports.discard()).resolves.toBeUndefined();
});
