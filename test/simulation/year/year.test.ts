/**
 * A simulated year: 2,000 records at its beginning, 40 new ones a night, late changes, hourly captures, a weekly retention, a monthly close
 * and archive. `npm run test:year` lives all of it on both stores and prints what docs/explanation/capacity.md explains; the short form,
 * five weeks with two closes, runs with the other tests, over PostgreSQL in `npm run test:long`.
 */
import { isSwitchedOff } from '../../store/postgres/server.ts';
import { holdsTogether, WHOLE } from './a-year.ts';

const STORES = (process.env.TIEOUT_YEAR ?? (WHOLE ? 'SQLite PostgreSQL' : 'SQLite')).split(' ');

for (const store of STORES.filter((name) => name === 'SQLite' || !isSwitchedOff())) holdsTogether(store);
