/** The lines about claims in the message of a night; apart from packing claims, which loads more of the program. */
import { businessDateOf } from '../domain/calendar.ts';
import { CLAIM_STATES } from '../domain/claim.ts';
import { isReminderDue, isSettled, reminderLine } from '../worklist/claims.ts';
import type { App } from './app.ts';

const MOST = 1_000;

export async function claimReminders({
  store,
  clock,
  settings,
}: Pick<App, 'store' | 'clock' | 'settings'>): Promise<string[]> {
  const now = clock.wall.now();
  const today = businessDateOf(now, settings.timezone);
  const states = CLAIM_STATES.filter((state) => !isSettled({ state }));
  const due = (await store.claims.list({ states, limit: MOST })).filter((claim) => isReminderDue(claim, today));
  return Promise.all(due.map(async (claim) => reminderLine(claim, await store.claims.items(claim.claimId), now)));
}
