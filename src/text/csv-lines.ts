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
  const [first = ''] = plain.split(/[\r\n]/, 1);
  const delimiter = first.split(';').length > first.split(',').length ? ';' : ',';
  const long = longRow(plain, delimiter);
  if (long !== null) throw new Error(`has a line of more than ${LONGEST_LINE / 1024} KiB: line ${long}`);
  const rows: { line: number; cells: readonly string[] }[] = [];
  parse(plain, {
    delimiter,
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

/** The line at which a row that is too long begins, with the line breaks between its quotes: each may begin a new line, and the row is one. */
function longRow(text: string, delimiter: string): number | null {
  let quoted = false;
  let closed = -2;
  for (let at = 0, start = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      // Elsewhere the parser refuses a quote, and names its line. Two within a cell are one of its letters.
      const opens = at === start || text[at - 1] === delimiter || closed === at - 1;
      if (quoted) closed = at;
      quoted = !quoted && opens;
    }
    if (!quoted && (letter === '\n' || letter === '\r')) start = at + 1;
    else if (at - start >= LONGEST_LINE) return text.slice(0, start).split(/\r\n|\r|\n/).length;
  }
  return null;
}
