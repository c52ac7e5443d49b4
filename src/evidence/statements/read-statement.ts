/** Statements of payments in three formats: a CSV with a mapping, camt.053 and MT940. Amounts stay text until they are exact. */
import type { StatementLine } from '../../domain/payout.ts';
import { shortened } from '../../text/visible.ts';
import { fromCamt } from './camt053.ts';
import { fromCsv, type ReadingTerms } from './csv.ts';
import { fromMt940 } from './mt940.ts';
import { type Line, readPayout } from './payout.ts';

export const STATEMENT_FORMATS = ['auto', 'csv', 'camt.053', 'mt940'] as const;

/** `lines`: a CSV with a line for each transaction. */
export type StatementFormat = (typeof STATEMENT_FORMATS)[number] | 'lines';

/** A line is taken as a whole or not at all, also where it is several payments. @throws StatementError */
export function readStatement(text: string, format: StatementFormat, terms: ReadingTerms): readonly StatementLine[] {
  const plain = text.replace(/^\uFEFF/, '');
  const seen = new Map<string, number>();
  const lines = linesIn(plain, format === 'auto' ? formatOf(plain) : format, terms).map((each): StatementLine => {
    if (!('written' in each)) return each;
    const payout = readPayout(each.written, seen, terms.asOf);
    return typeof payout === 'string' ? { line: each.line, rejected: shortened(payout) } : { line: each.line, payout };
  });
  const refused = new Set(lines.flatMap((each) => ('rejected' in each ? each.line : [])));
  return lines.filter((each) => 'rejected' in each || 'note' in each || !refused.has(each.line));
}

function linesIn(text: string, format: Exclude<StatementFormat, 'auto'>, terms: ReadingTerms): readonly Line[] {
  switch (format) {
    case 'camt.053':
      return fromCamt(text);
    case 'mt940':
      return fromMt940(text);
    case 'csv':
    case 'lines':
      return fromCsv(text, format, terms);
  }
}

function formatOf(text: string): 'csv' | 'camt.053' | 'mt940' {
  if (/^\s*</.test(text)) return 'camt.053';
  return /^:(?:20|25|60[FM]):/m.test(text) ? 'mt940' : 'csv';
}
