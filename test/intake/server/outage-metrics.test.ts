/** What `/metrics` says of a job during a long outage: it is watched by the age of its newest complete run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/calendar.ts';
import { begin, settle } from '../../store/support/scenario.ts';
import { aReceiver, type Receiver } from '../webhooks/a-receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await aReceiver();
});
afterAll(() => receiver.close());

/** A night as the ledger has it. */
async function night(date: string, state: 'complete' | 'incomplete' | 'aborted'): Promise<void> {
  const { store } = receiver.app;
  const made = await begin(store, { date });
  if (state !== 'aborted') await settle(store, made);
  await store.runs.finish(made.run.runId, made.fence, state, state === 'aborted' ? null : `nights/${date}`);
}

it.each(['incomplete', 'aborted'] as const)(
  'the newest complete night is told after a month that was %s',
  async (state) => {
    const first = state === 'incomplete' ? '2026-01-01' : '2026-03-01';
    await night(first, 'complete');
    const set = join(receiver.app.settings.out, 'nights', first);
    mkdirSync(set, { recursive: true });
    writeFileSync(join(set, 'totals.csv'), 'of a night');
    for (let day = 1; day <= 31; day++) await night(addDays(first, day), state);
    const { text } = await receiver.get('/metrics');
    const ended = Date.parse(`${first}T23:59:00Z`) / 1000;
    expect(text).toContain(`tieout_run_last_success_timestamp_seconds{tieout_job="nightly"} ${ended}`);
    expect(text).toContain('tieout_run_age_seconds{tieout_job="nightly"}');
    expect(text).toContain('tieout_run_requests{tieout_job="nightly"}');
    if (state === 'aborted') expect(text).toContain('tieout_last_night_bytes 10');
  },
);
