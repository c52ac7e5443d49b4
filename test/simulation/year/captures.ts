/**
 * What captures of reference data take: `node test/simulation/year/captures.ts [ASSETS] [CURRENCIES] [HOURS] [DIGITS]` stores as many hourly captures
 * with moving prices, then as many unchanged ones, and prints the bytes of each. The figures of docs/explanation/capacity.md are from it.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/open.ts';
import { createSealer } from '../../../src/store/sealing.ts';
import { captureOf, type Listings } from './listings.ts';

const [assets = 200, currencies = 20, hours = 6, digits = 8] = process.argv.slice(2).map(Number);
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'tieout-captures-'));
const file = join(folder, 'tieout.db');

const listings: Listings = {
  assets,
  currencies: Array.from({ length: currencies }, (_, i) => `C${String(i).padStart(2, '0')}`),
  digits,
};
const sealer = createSealer([Buffer.alloc(32, 7).toString('base64')]);

/** The file's size after captures of these hours; closing the database writes its log into the file. */
async function sizeAfter(hours: readonly number[], prices: (hour: number) => number): Promise<number> {
  const { store } = await openStore({ url: `sqlite:${file}`, sealer });
  for (const hour of hours) await store.reference.save(...captureOf(listings, prices(hour), START + hour * HOUR));
  await store.close();
  return statSync(file).size;
}

async function bytes(prices: (hour: number) => number, from: number): Promise<number> {
  const before = await sizeAfter([from], prices);
  const all = Array.from({ length: hours }, (_, i) => from + 1 + i);
  return Math.round(((await sizeAfter(all, prices)) - before) / hours);
}

const moving = await bytes((hour) => hour, 0);
const unchanged = await bytes(() => hours, hours + 1);
rmSync(folder, { recursive: true, force: true });
const year = (each: number) => `${((each * 24 * 365) / 1e6).toFixed(0)} MB a year`;
console.log(`${assets} assets × ${currencies} currencies × 2 directions, each hour:`);
console.log(`prices that moved   ${moving} bytes a capture, ${year(moving)}`);
console.log(`nothing changed     ${unchanged} bytes a capture, ${year(unchanged)}`);
