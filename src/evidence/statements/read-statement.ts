/** Statements of payments in three formats: a CSV with a mapping, camt.053 and MT940. Amounts stay text until they are exact. */
import { fromCamt } from './camt053.ts';
import { fromCsv, type Mapping } from './csv.ts';
import { fromMt940 } from './mt940.ts';
import { type Line, readPayout, type StatementLine } from './payout.ts';

export const STATEMENT_FORMATS = ['auto', 'csv', 'camt.053', 'mt940'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** @throws StatementError */
export function readStatement(text: string, format: StatementFormat, mapping: Mapping = {}): readonly StatementLine[] {
  const plain = text.replace(/^\uFEFF/, '');
  switch (format === 'auto' ? formatOf(plain) : format) {
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
    const name = JSON.stringify(written);
    const occurrence = seen.get(name) ?? 0;
    seen.set(name, occurrence + 1);
    return readPayout(written, line, occurrence);
  });
}
