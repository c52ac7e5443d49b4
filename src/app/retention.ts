/** Applies the retention of the settings to the database. */
import type { Pruned } from '../ports/store/store.ts';
import type { Wiring } from './wiring.ts';

/** @param dryRun counts, and deletes nothing. */
export function pruneNow(
  { settings, clock, upkeep }: Pick<Wiring, 'settings' | 'clock' | 'upkeep'>,
  dryRun: boolean,
): Promise<Pruned> {
  const { snapshots, events } = settings.retention;
  const now = clock.wall.now();
  const before = {
    snapshots: snapshots === null ? null : now - snapshots,
    events: events === null ? null : now - events,
  };
  return upkeep.prune(before, dryRun);
}
