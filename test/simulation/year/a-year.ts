/** A year over one store, whole or in its short form. */
import { expect, it } from 'vitest';
import { makeDatabase } from '../../store/postgres/database.ts';
import { liveAYear } from './live-a-year.ts';
import { print } from './print.ts';

export const WHOLE = process.env.TIEOUT_SIMULATION === 'year';
const FORM = WHOLE
  ? { firstDate: '2026-09-01', nights: 365, tracked: 2_000, newANight: 40, assets: 20, every: 1, retention: '90d' }
  : { firstDate: '2026-09-28', nights: 35, tracked: 12, newANight: 2, assets: 1, every: 12, retention: '10d' };

export function holdsTogether(store: string): void {
  it(`a year over ${store} holds together`, WHOLE ? { timeout: 7_200_000 } : {}, async () => {
    await using database = store === 'SQLite' ? null : await makeDatabase();
    const started = performance.now();
    const lived = await liveAYear({ ...FORM, database: database?.url ?? null });
    if (WHOLE) print(store, lived, (performance.now() - started) / 1000);
    expect(lived.violations).toEqual([]);
    // Something was archived, replayed and deleted.
    const { archives, deleted, months } = lived;
    expect(archives.length).toBe(months.length - 1);
    expect(archives.reduce((sum, { replayed }) => sum + replayed, 0)).toBeGreaterThan(0);
    const { captures: _, ...rows } = deleted;
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([]);
  });
}
