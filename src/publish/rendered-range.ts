/**
 * Renders the rows of a range of records into memory, in a thread of its own: the same reports and the same printers as a
 * publication, so that the ranges put together are the bytes that one thread would have written.
 */
import {
  type DecimalsMode,
  type ProfileName,
  type ReportDefinition,
  type RowSink,
  TABLE_FORMATS,
  type TableFormat,
} from '../ports/report-definition.ts';
import type { RenderedRange } from '../ports/report-set.ts';
import type { Report, RunFacts, SettledRecord } from '../ports/settled.ts';
import { csvTable } from './csv-file.ts';
import { jsonTable } from './json-file.ts';
import { profileOf } from './profiles.ts';
import { ReportRows } from './report-rows.ts';
import type { TableFile, TextTarget } from './table-file.ts';

/** Bytes of a piece: enough that the calls do not show. */
const PIECE = 64 * 1024;
/** No UTF-16 unit takes more bytes in UTF-8. */
const WIDEST = 3;

/** Pieces of ranges before this one: made anew for each, they would pile up until the old generation is collected. */
const spare: Buffer[] = [];

/** Each line is encoded at once: lines that wait for others outlive the young generation. */
class Pieces implements TextTarget {
  readonly #done: Uint8Array<ArrayBuffer>[] = [];
  #piece: Buffer | null = null;
  #used = 0;

  write(text: string): void {
    const most = text.length * WIDEST;
    if (this.#used + most > PIECE) this.#finish();
    this.#piece ??= spare.pop() ?? Buffer.allocUnsafeSlow(PIECE);
    if (most <= PIECE) this.#used += this.#piece.write(text, this.#used);
    else this.#done.push(new TextEncoder().encode(text));
  }

  writeBytes(): void {
    throw new Error('a range is rendered from rows, never from bytes');
  }

  finish(): never {
    throw new Error('a range is part of a file and is not finished by itself');
  }

  close(): void {
    this.#used = 0;
  }

  taken(): readonly Uint8Array<ArrayBuffer>[] {
    this.#finish();
    if (this.#piece !== null) spare.push(this.#piece);
    this.#piece = null;
    return this.#done;
  }

  #finish(): void {
    // A copy with memory of its own: it is handed over to the main thread.
    if (this.#piece !== null && this.#used > 0) this.#done.push(new Uint8Array(this.#piece.subarray(0, this.#used)));
    this.#used = 0;
  }
}

export interface RangeSettings {
  profile: ProfileName;
  decimals: DecimalsMode;
  formats: readonly TableFormat[];
}

export function rangeRenderer(reports: readonly Report[], run: RunFacts, settings: RangeSettings) {
  const { profile, decimals, formats } = settings;
  const all: { table: TableFile<never>; pieces: Pieces }[] = [];
  const open = <Row>(definition: ReportDefinition<Row>): RowSink<Row> => {
    const tables = TABLE_FORMATS.filter((format) => formats.includes(format)).map((format) => {
      const pieces = new Pieces();
      const table: TableFile<Row> =
        format === 'csv'
          ? csvTable(pieces, definition, profileOf(profile), decimals, false)
          : jsonTable(pieces, definition, decimals);
      all.push({ table, pieces });
      return table;
    });
    return {
      write: (rows) => {
        for (const table of tables) table.write(rows);
      },
    };
  };
  const rows = new ReportRows(reports, run, { open });
  return {
    open,
    write: (page: Parameters<ReportRows['write']>[0]) => rows.write(page),
    rendered: (): RenderedRange => ({
      tables: all.map(({ table, pieces }) => ({ ...table.partial(), pieces: pieces.taken() })),
      sums: rows.partial(),
    }),
  };
}

/** Prints each record on its own, as a publication would, and keeps nothing of it. @throws RecordNotPrintedError */
export function printingToNowhere(
  reports: readonly Report[],
  run: RunFacts,
  settings: RangeSettings,
): (record: SettledRecord) => void {
  return (record) => rangeRenderer(reports, run, settings).write({ records: [record], outside: [] });
}

/** The memory that a rendered range hands over between threads. */
export function memoryOf({ tables }: RenderedRange): ArrayBuffer[] {
  return tables.flatMap(({ pieces }) => pieces.map(({ buffer }) => buffer));
}
