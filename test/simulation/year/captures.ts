/**
 * What captures of reference data take: `node test/simulation/year/captures.ts [ASSETS] [CURRENCIES] [HOURS] [DIGITS]` stores as many hourly captures
 * with moving prices, then as many unchanged ones, and prints the bytes of each. The figures of docs/explanation/capacity.md are from it.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from '../../../src/domain/decimal.ts';
import type { ReferenceInput } from '../../../src/ports/store/store.ts';
import { openStore } from '../../../src/store/open.ts';
import { createSealer } from '../../../src/store/sealing.ts';

const [assets = 200, currencies = 20, hours = 6, digits = 8] = process.argv.slice(2).map(Number);
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'tieout-captures-'));
const file = join(folder, 'tieout.db');

/** A price that moves by up to half a percent an hour, with so many digits; the same on every run. */
function price(asset: number, currency: number, hour: number): string {
  const move = 1 + 0.005 * Math.sin(asset * 12.9898 + currency * 78.233 + hour * 37.719);
  return (10 ** (asset % 5) * (1 + (asset % 97) / 97) * (0.5 + currency) * move).toPrecision(digits);
}

function listing(direction: 'onramp' | 'offramp', currency: number, hour: number, at: number): ReferenceInput {
  const code = `C${String(currency).padStart(2, '0')}`;
  const rows = Array.from({ length: assets }, (_, i) => ({
    chain: `CHAIN${i % 12}`,
    symbol: `T${i}`,
    decimals: 18,
    enabled: true,
    address: null,
    minPurchaseAmount: Decimal.parse('10'),
    maxPurchaseAmount: null,
    minPurchaseCryptoUnits: 1000n,
    networkFee: Decimal.parse(price(i + 7, currency, hour)),
    price: Decimal.parse(price(i, currency, hour)),
  }));
  const body = JSON.stringify(
    rows.map(({ symbol, chain, price, networkFee }) => ({
      symbol,
      chain,
      name: `Token ${symbol}`,
      decimals: 18,
      type: 'ERC20',
      price: { [code]: Number(price.toString()) },
      networkFees: { [code]: Number(networkFee.toString()) },
      enabled: true,
      hidden: false,
      minPurchaseAmount: 10,
      maxPurchaseAmount: -1,
    })),
  );
  return {
    type: 'assets',
    direction,
    currency: code,
    global: {
      currencyCode: code,
      minPurchaseAmount: Decimal.parse('10'),
      maxPurchaseAmount: Decimal.parse('10000'),
      minFeeAmount: Decimal.parse('1'),
      minFeePercent: Decimal.parse('0.49'),
      maxFeePercent: Decimal.parse('9.9'),
    },
    assets: rows,
    body,
    sha256: createHash('sha256').update(body).digest('hex'),
    at,
  };
}

const capture = (prices: number, at: number) =>
  Array.from({ length: currencies }, (_, currency) =>
    (['onramp', 'offramp'] as const).map((direction) => listing(direction, currency, prices, at)),
  ).flat();

const sealer = createSealer([Buffer.alloc(32, 7).toString('base64')]);

/** The file's size after captures of these hours; closing the database writes its log into the file. */
async function sizeAfter(hours: readonly number[], prices: (hour: number) => number): Promise<number> {
  const { store } = await openStore({ url: `sqlite:${file}`, sealer });
  for (const hour of hours) await store.reference.save(...capture(prices(hour), START + hour * HOUR));
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
