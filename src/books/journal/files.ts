/** Journal entries as the import files of an accounting program. */
import type { JournalFormat } from './accounts.ts';
import { beancount } from './beancount.ts';
import { datev } from './datev.ts';
import { generic } from './generic.ts';
import { hledger } from './hledger.ts';
import type { Layout, LayoutInput } from './layout.ts';
import { netsuite } from './netsuite.ts';
import { quickbooks } from './quickbooks.ts';
import { xero } from './xero.ts';

const LAYOUTS: Readonly<Record<JournalFormat, Layout>> = {
  generic,
  xero,
  quickbooks,
  netsuite,
  datev,
  beancount,
  hledger,
};

export interface JournalFile {
  /** `2026-10-xero-EUR-1.csv` */
  name: string;
  content: Uint8Array;
}

/**
 * As many files as the program needs; at least one.
 * @param stem the start of each file's name: `2026-10`
 * @throws UsageError for what the program cannot take
 */
export function journalFiles(format: JournalFormat, stem: string, input: LayoutInput): readonly JournalFile[] {
  const { extension, split, write } = LAYOUTS[format];
  const parts = split?.(input.entries) ?? [input.entries];
  return parts.map((entries, i) => {
    const currencies = [...new Set(entries.map(({ currency }) => currency))];
    const words = [stem, format, ...(split === undefined ? [] : currencies), ...(parts.length > 1 ? [i + 1] : [])];
    const content = write({ ...input, entries });
    return {
      name: `${words.join('-')}.${extension}`,
      content: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    };
  });
}
