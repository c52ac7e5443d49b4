/** One CSV file: rows go in in batches; bytes, rows, hash and exact totals come out. Memory does not grow with rows. */
import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { Decimal } from '../domain/decimal.ts';
import { RowEncoder } from './cells.ts';
import type { DecimalsMode, ReportDefinition, WrittenFile } from './contract.ts';
import type { FileSystem } from './file-system.ts';
import type { Profile } from './profiles.ts';

/** csv-stringify is fastest in batches of about this many rows. */
const BATCH = 100;
/** Bytes gathered before a write. */
const BUFFER = 128 * 1024;

export class CsvFile<Row> {
  private readonly definition: ReportDefinition<Row>;
  private readonly profile: Profile;
  private readonly fileSystem: FileSystem;
  private readonly encoder: RowEncoder<Row>;
  private readonly totals: Totals;
  private readonly hash = createHash('sha256');
  private readonly fd: number;
  private pending: string[][] = [];
  private chunks: Buffer[] = [];
  private buffered = 0;
  private bytes = 0;
  private rows = 0;

  /** Creates the file, readable by its owner alone. @throws the file system's own errors */
  constructor(
    path: string,
    definition: ReportDefinition<Row>,
    profile: Profile,
    decimals: DecimalsMode,
    fileSystem: FileSystem,
  ) {
    this.definition = definition;
    this.profile = profile;
    this.fileSystem = fileSystem;
    this.encoder = new RowEncoder(definition.columns, profile, decimals);
    this.totals = new Totals(definition.columns);
    this.fd = fileSystem.openSync(path, 'wx', 0o600);
    if (profile.bom) this.append('\uFEFF');
    this.pending.push(definition.columns.map(({ name }) => name));
  }

  write(rows: readonly Row[]): void {
    for (const row of rows) {
      const { cells, amounts } = this.encoder.encode(row);
      this.totals.add(cells, amounts);
      this.pending.push(cells);
      this.rows++;
      if (this.pending.length >= BATCH) this.flushRows();
    }
  }

  /** Writes what is left, makes it durable and closes the file. */
  finish(): WrittenFile {
    this.flushRows();
    this.flushBytes();
    this.fileSystem.fsyncSync(this.fd);
    this.fileSystem.closeSync(this.fd);
    return {
      name: this.definition.file,
      bytes: this.bytes,
      rows: this.rows,
      sha256: this.hash.digest('hex'),
      totals: this.totals.asTexts(),
    };
  }

  /** Closes without finishing; for a set that is thrown away. */
  abandon(): void {
    this.fileSystem.closeSync(this.fd);
  }

  private flushRows(): void {
    if (this.pending.length === 0) return;
    this.append(stringify(this.pending, { delimiter: this.profile.delimiter, record_delimiter: this.profile.lineEnd }));
    this.pending = [];
  }

  private append(text: string): void {
    const chunk = Buffer.from(text, 'utf8');
    this.hash.update(chunk);
    this.bytes += chunk.length;
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    if (this.buffered >= BUFFER) this.flushBytes();
  }

  private flushBytes(): void {
    const buffer = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
    // A write may take less than it was given, on a disk that is nearly full for one.
    for (let at = 0; at < buffer.length; ) at += this.fileSystem.writeSync(this.fd, buffer, at);
    this.chunks = [];
    this.buffered = 0;
  }
}

/** Exact sums of every amount column, per currency. */
export class Totals {
  private readonly amountColumns: readonly { index: number; name: string; currency: number }[];
  private readonly sums = new Map<string, (Decimal | null)[]>();

  constructor(columns: ReportDefinition<never>['columns']) {
    const indexOf = new Map(columns.map(({ name }, index) => [name, index]));
    this.amountColumns = columns.flatMap((column, index) =>
      column.type === 'amount'
        ? [{ index, name: column.name, currency: indexOf.get(column.currencyColumn) ?? -1 }]
        : [],
    );
  }

  add(cells: readonly string[], amounts: readonly (Decimal | null)[]): void {
    for (let i = 0; i < this.amountColumns.length; i++) {
      const column = this.amountColumns[i];
      const amount = column === undefined ? null : (amounts[column.index] ?? null);
      if (column === undefined || amount === null) continue;
      const currency = cells[column.currency] ?? '';
      let sums = this.sums.get(currency);
      if (sums === undefined) {
        sums = this.amountColumns.map(() => null);
        this.sums.set(currency, sums);
      }
      const sum = sums[i] ?? null;
      sums[i] = sum === null ? amount : sum.plus(amount);
    }
  }

  /** Currencies in order; a column without any amount in a currency is left out. */
  asTexts(): Record<string, Record<string, string>> {
    const texts: Record<string, Record<string, string>> = {};
    for (const currency of [...this.sums.keys()].sort()) {
      const columns: Record<string, string> = {};
      this.sums.get(currency)?.forEach((sum, i) => {
        const name = this.amountColumns[i]?.name;
        if (sum !== null && name !== undefined) columns[name] = sum.toString();
      });
      texts[currency] = columns;
    }
    return texts;
  }
}
