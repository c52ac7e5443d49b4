/** Statements of payments in three formats: a CSV with a mapping, camt.053 and MT940. Amounts stay text until they are exact. */
import { fromCamt } from './camt053.ts';
import { fromCsv, type Mapping } from './csv.ts';
import { fromMt940 } from './mt940.ts';
import { type Line, readPayout, type StatementLine } from './payout.ts';

export const STATEMENT_FORMATS = ['auto', 'csv', 'camt.053', 'mt940'] as const;

/** `lines`: a CSV with a line for each transaction. */
export type StatementFormat = (typeof STATEMENT_FORMATS)[number] | 'lines';

/** @throws StatementError */
export function readStatement(text: string, format: StatementFormat, mapping: Mapping = {}): readonly StatementLine[] {
  const plain = text.replace(/^\uFEFF/, '');
  switch (format === 'auto' ? formatOf(plain) : format) {
    case 'lines':
      return numbered(fromCsv(plain, mapping, 'lines'));
    case 'csv':
      return numbered(fromCsv(plain, mapping));
    case 'camt.053':
      return numbered(fromCamt(plain));
    case 'mt940':
      return numbered(fromMt940(plain));
  }
}

function formatOf(text: string): 'csv' | 'camt.053' | 'mt940' {
  if (/^\s*</.test(text)) return 'camt.053';
  return /^:(?:20|25|60[FM]):/m.test(text) ? 'mt940' : 'csv';
}

function numbered(lines: readonly Line[]): StatementLine[] {
  const seen = new Map<string, number>();
  return lines.map(({ line, written }) => {
    if ('line' in written) return written;
    const first = readPayout(written, line, 0);
    if (!('payout' in first)) return first;
    // By what is read and not by what is written: `7` and `7.00` are the same amount.
    const { sha256 } = first.payout;
    const occurrence = seen.get(sha256) ?? 0;
    seen.set(sha256, occurrence + 1);
    return occurrence === 0 ? first : readPayout(written, line, occurrence);
  });
}
