/** Upgrades of the schemas that `upgrade.test.ts` leaves out. */
import { afterAll, vi } from 'vitest';
import { ENGINES } from '../store/support/engines.ts';
import { areUpgraded, isOften, VERSIONS } from './upgrades.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

for (const engine of ENGINES)
  areUpgraded(
    VERSIONS.filter((version) => !isOften(version, engine)),
    engine,
  );

afterAll(() => Promise.all(ENGINES.map((each) => each.close())));
