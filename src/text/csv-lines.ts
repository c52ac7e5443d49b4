/** Small CSV texts that people keep and banks send: with a header, comma or semicolon, with or without a byte order mark. */
import { parse } from 'csv-parse/sync';

export interface CsvLine {
  line: number;
  /** By the header's name in lower case; null for a cell that is empty or not there. */
  cell: (name: string) => string | null;
}

interface CsvText {
  /** In lower case; empty for an empty text. */
  header: readonly string[];
  lines: readonly CsvLine[];
}

/** 500,000 that are too short take 7 s and 420 MB. */
const MOST_ROWS = 500_000;
/** Characters: 32 MiB of empty cells in one line took 16 s and 1.9 GB. */
const LONGEST_LINE = 256 * 1024;

/** @throws the parser's CsvError for a text that is no CSV, and an Error for one of too many rows or too long lines */
export function readCsvText(text: string): CsvText {
  const plain = text.replace(/^\uFEFF/, '');
  if (hasLongRow(plain)) throw new Error(`has a line of more than ${LONGEST_LINE / 1024} KiB`);
  const [first = ''] = plain.split(/[\r\n]/, 1);
  const rows: { line: number; cells: readonly string[] }[] = [];
  parse(plain, {
    delimiter: first.split(';').length > first.split(',').length ? ';' : ',',
    // Not its `info`, which keeps the parser's state with each row: two kilobytes for a row that is too short.
    on_record: (cells: string[], { lines: line }) => {
      if (rows.length > MOST_ROWS) throw new Error('has more than 500,000 rows: split it, for example by month');
      rows.push({ line, cells });
      return null;
    },
    relax_column_count_less: true,
    skip_empty_lines: true,
  });
  const header = (rows.shift()?.cells ?? []).map((name) => name.trim().toLowerCase());
  const at = new Map(header.map((name, i) => [name, i]));
  const lines = rows.map(
    ({ line, cells }): CsvLine => ({ line, cell: (name) => cells[at.get(name) ?? -1]?.trim() || null }),
  );
  return { header, lines };
}

/** With the line breaks between quotes: each may begin a new line, and the row is one. */
function hasLongRow(text: string): boolean {
  for (let at = 0, start = 0, quoted = false; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    if (!quoted && (text[at] === '\n' || text[at] === '\r')) start = at + 1;
    else if (at - start >= LONGEST_LINE) return true;
  }
  return false;
}
