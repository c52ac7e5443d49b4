/** The peer's input: the same records and quotes as two CSV files, with the columns that bench/duckdb/replay.js names. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRecord } from './population.ts';

const RECORDS =
  'record_id,created_at,chain,symbol,decimals,currency,method,units,rate,fiat_value,base,network,applied,quote_id';
const QUOTES = 'quote_id,captured_at,chain,symbol,currency,method,fiat_value,base,network,applied';
const PIECE = 1 << 20;

/** A file that takes lines and writes them in large pieces. */
class Lines {
  private readonly file: number;
  private piece = '';

  constructor(path: string, header: string) {
    this.file = openSync(path, 'w');
    this.piece = `${header}\n`;
  }

  add(cells: readonly (string | number | bigint | null)[]): void {
    this.piece += `${cells.map((cell) => cell ?? '').join(',')}\n`;
    if (this.piece.length >= PIECE) this.flush();
  }

  private flush(): void {
    writeSync(this.file, this.piece);
    this.piece = '';
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }
}

export class RecordsCsv {
  private readonly records: Lines;
  private readonly quotes: Lines;

  constructor(folder: string) {
    this.records = new Lines(join(folder, 'records.csv'), RECORDS);
    this.quotes = new Lines(join(folder, 'quotes.csv'), QUOTES);
  }

  write(r: BenchRecord): void {
    const asset = [r.chain, r.symbol];
    const terms = [r.currency, r.method];
    const actual = [r.units, r.rate, r.fiatValue, r.base, r.network, r.applied];
    this.records.add([r.id, r.createdAt, ...asset, r.decimals, ...terms, ...actual, r.linkedTo]);
    const quoted = [r.quotedFiat, r.quotedBase, r.network, r.quotedApplied];
    this.quotes.add([r.quoteId, r.quotedAt, ...asset, ...terms, ...quoted]);
  }

  [Symbol.dispose](): void {
    this.records.close();
    this.quotes.close();
  }
}
