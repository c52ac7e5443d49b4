/** The lines about claims in the message of a night; apart from packing claims, which loads more of the program. */
import { businessDateOf } from '../domain/calendar.ts';
import { CLAIM_STATES, GIVEN_UP_STATES } from '../domain/claim.ts';
import { claimSums, isReminderDue, reminderLine } from '../worklist/claims.ts';
import type { AppData } from './app.ts';

const MOST = 1_000;

export async function claimReminders({ store, clock, settings }: AppData): Promise<string[]> {
  const now = clock.wall.now();
  const today = businessDateOf(now, settings.timezone);
  const states = CLAIM_STATES.filter((state) => !GIVEN_UP_STATES.includes(state));
  const lines: string[] = [];
  for (const claim of await store.claims.list({ states, limit: MOST })) {
    const items = await store.claims.items(claim.claimId);
    if (isReminderDue(claim, claimSums(items), today)) lines.push(reminderLine(claim, items, now));
  }
  return lines;
}
