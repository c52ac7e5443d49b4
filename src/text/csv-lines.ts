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

/** @throws the parser's CsvError for a text that is no CSV */
export function readCsvText(text: string): CsvText {
  const plain = text.replace(/^\uFEFF/, '');
  const [first = ''] = plain.split(/[\r\n]/, 1);
  let header: string[] = [];
  const rows: { record: Record<string, string>; info: { lines: number } }[] = parse(plain, {
    columns: (names: string[]) => {
      header = names.map((name) => name.trim().toLowerCase());
      return header;
    },
    delimiter: first.split(';').length > first.split(',').length ? ';' : ',',
    info: true,
    relax_column_count_less: true,
    skip_empty_lines: true,
  });
  const lines = rows.map(({ record, info }): CsvLine => {
    return { line: info.lines, cell: (name) => record[name]?.trim() || null };
  });
  return { header, lines };
}
