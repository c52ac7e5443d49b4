/** The journal of a closed month against its sealed set: what released records state, else what their linked quote promised. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { type Cells, readRows, STANDARD, scaled } from './published.ts';

/** Places of currencies that have another number than two (ISO 4217). */
const PLACES: Readonly<Record<string, number>> = { JPY: 0, KRW: 0, CLP: 0, KWD: 3, BHD: 3, TND: 3 };
const RELEASED = ['RELEASED', 'completed'];
const UNIT = 10n ** 60n;

/**
 * @param journal the CSV of `tieout journal --period M`
 * @param sealed the folder of the sealed month
 * @param database SQLite file with the quotes, which no published file has
 */
export function journalViolations(journal: string, sealed: string, database: string, hash: string): string[] {
  const entries = parse(journal, { columns: true }) as Cells[];
  const found: string[] = [];
  const booked = new Map<string, { debit: bigint; credit: bigint }>();
  for (const { entry = '', currency = '', debit, credit, evidence_sha256: evidence } of entries) {
    const kind = entry.endsWith('-PH') ? 'purchase' : entry.endsWith('-SH') ? 'sale' : entry;
    const sum = booked.get(`${kind} ${currency}`) ?? { debit: 0n, credit: 0n };
    sum.debit += scaled(debit) ?? 0n;
    sum.credit += scaled(credit) ?? 0n;
    booked.set(`${kind} ${currency}`, sum);
    if (evidence !== hash) found.push(`${entry} names ${evidence}, and the sealed set is ${hash}`);
  }
  const expected = sharesOf(sealed, database);
  for (const key of new Set([...booked.keys(), ...expected.keys()])) {
    const share = toPlaces(expected.get(key) ?? 0n, PLACES[key.slice(-3)] ?? 2);
    const { debit, credit } = booked.get(key) ?? { debit: 0n, credit: 0n };
    if (debit !== share || credit !== share)
      found.push(`${key}: ${debit} and ${credit} are booked, the seal has ${share}`);
  }
  return found;
}

function sharesOf(sealed: string, database: string): Map<string, bigint> {
  const comparisons = new Map(
    readRows(sealed, 'fees', STANDARD).map((row) => [`${row.kind} ${row.record_id}`, row.tolerance_reason ?? '']),
  );
  using quotes = openSqliteFile(database, { readOnly: true });
  const promised = quotes.prepare(
    'select host_fee_cut, crypto_units, fiat_value from quotes join quote_methods using (quote_key) where quote_id = ? and method = ?',
  );
  const offered = quotes.prepare(
    'select host_fee_cut, crypto_units, fiat_value from quotes join quote_methods using (quote_key) where quote_id = ?',
  );
  const shares = new Map<string, bigint>();
  // What the month earned of records that belong to earlier ones is in its manifest.
  const { period } = JSON.parse(readFileSync(join(sealed, 'manifest.json'), 'utf8')) as {
    period: { name: string; earned_before: { kind: string; currency: string; share: string | null }[] };
  };
  for (const { kind, currency, share } of period.earned_before) {
    const key = `${kind} ${currency}`;
    shares.set(key, (shares.get(key) ?? 0n) + (scaled(share ?? undefined) ?? 0n));
  }
  for (const row of readRows(sealed, 'records', STANDARD)) {
    const isReleased = RELEASED.includes(row.status ?? '') || (row.kind === 'sale' && row.status === '');
    if (!isReleased || row.earned_month !== period.name) continue;
    const key = `${row.kind} ${row.fiat_currency}`;
    let share = scaled(row.host_fee_cut);
    // A quote for another amount or for other terms promised another share.
    const isAsQuoted = comparisons.get(`${row.kind} ${row.record_id}`)?.startsWith('figure against figure') === true;
    if (share === null && row.quote_basis === 'linked' && isAsQuoted) {
      const method = promised.get(row.quote_id ?? '', row.payment_method ?? '') as unknown as Offered | undefined;
      // Two quotes around another amount tell its fees, and no share.
      if (method !== undefined && isForAmount(row, method)) share = scaled(method.host_fee_cut ?? undefined);
    }
    // A sale of the specification names neither fee nor method, so that its fees are compared with nothing.
    if (row.kind === 'sale' && row.status === '' && row.quote_basis === 'linked')
      share = shareOfSale(row, offered.all(row.quote_id ?? '') as unknown as Offered[]);
    if (share !== null) shares.set(key, (shares.get(key) ?? 0n) + share);
  }
  return shares;
}

interface Offered {
  host_fee_cut: string | null;
  crypto_units: string;
  fiat_value: string;
}

const size = (amount: bigint) => (amount < 0n ? -amount : amount);

/** Whether the total or the tokens are within a hundredth of the quoted ones. */
function isForAmount({ crypto_units: units = '', fiat_value: fiat }: Cells, quoted: Offered): boolean {
  const isNear = (is: bigint, was: bigint) => size(is - was) * 100n <= size(was);
  return (
    isNear(BigInt(units), BigInt(quoted.crypto_units)) || isNear(scaled(fiat) ?? 0n, scaled(quoted.fiat_value) ?? 0n)
  );
}

/** Of the methods that were quoted for its very crypto, the one whose payout is the nearest. */
function shareOfSale(
  { crypto_units: units = '', fiat_value: fiat }: Cells,
  methods: readonly Offered[],
): bigint | null {
  const [own] = methods
    .filter((each) => size(BigInt(each.crypto_units) - BigInt(units)) * 1_000_000n <= BigInt(each.crypto_units))
    .map((each) => ({ each, apart: size((scaled(each.fiat_value) ?? 0n) - (scaled(fiat) ?? 0n)) }))
    .sort((a, b) => (a.apart < b.apart ? -1 : 1));
  return scaled(own?.each.host_fee_cut ?? undefined);
}

/** Half up, away from zero, as each entry is rounded. */
function toPlaces(amount: bigint, places: number): bigint {
  const step = UNIT / 10n ** BigInt(places);
  const half = amount < 0n ? -step / 2n : step / 2n;
  return ((amount + half) / step) * step;
}
