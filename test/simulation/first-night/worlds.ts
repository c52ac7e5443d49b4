/** Five deployments: what differs between them is what integrators cannot know beforehand. */
import type { NightForm } from './play.ts';

const SIZE = { purchases: 600, sales: 108, planted: 4, quoted: 0.95 };

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
    ...SIZE,
    seed: 3,
    rounds: false,
    host: 'share',
    observed: false,
    listings: 'none',
    webhooks: true,
    ordinaryDays: true,
  },
  'a backfill: its only listings are of the night that reads it': {
    ...SIZE,
    seed: 4,
    rounds: false,
    host: 'share',
    observed: false,
    listings: 'afterwards',
    webhooks: false,
    ordinaryDays: true,
  },
  'naira, lira and coins that move by a tenth in a day, without listings': {
    ...SIZE,
    seed: 32,
    rounds: false,
    host: 'share',
    observed: false,
    listings: 'none',
    webhooks: true,
    ordinaryDays: true,
    restless: true,
  },
};
