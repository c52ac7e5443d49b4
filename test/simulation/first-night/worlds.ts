/** Five deployments: what differs between them is what integrators cannot know beforehand. */
import type { NightForm } from './play.ts';

const SIZE = { purchases: 600, sales: 108, planted: 4, quoted: 0.95 };

/** Bodies of the specification, which name no moment of a sale. */
const DECLARED = { ...SIZE, rounds: false, host: 'share', observed: false, ordinaryDays: true } as const;

export const WORLDS: Readonly<Record<string, NightForm>> = {
  'a plain day, hourly listings': {
    ...SIZE,
    seed: 1,
    rounds: false,
    host: 'none',
    observed: true,
    listings: 'hourly',
    webhooks: false,
    ordinaryDays: false,
  },
  'ordinary days, a host fee on top, listings of each night': {
    ...SIZE,
    seed: 2,
    rounds: true,
    host: 'top',
    observed: true,
    listings: 'nightly',
    webhooks: false,
    ordinaryDays: true,
  },
  'ordinary days, bodies of the specification with webhooks, no listings': {
    ...DECLARED,
    seed: 3,
    listings: 'none',
    webhooks: true,
  },
  'a backfill: its only listings are of the night that reads it': {
    ...DECLARED,
    seed: 4,
    listings: 'afterwards',
    webhooks: false,
  },
  'naira, lira and coins that move by a tenth in a day, without listings': {
    ...DECLARED,
    seed: 32,
    listings: 'none',
    webhooks: true,
    restless: true,
  },
};
