/** Journal entries as the import files of an accounting program. */
import { UsageError } from '../../domain/errors.ts';
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

/** One file that an accounting program reads. */
export interface JournalFile {
  /** `2026-10-xero-EUR-1.csv` */
  name: string;
  content: Uint8Array;
}

interface JournalFiles {
  files: readonly JournalFile[];
  /** Currencies that the program cannot take, each with its first reason: written in part, their lines would not tie to the month. */
  leftOut: ReadonlyMap<string, string>;
}

/**
 * As many files as the program needs; at least one.
 * @param stem the start of each file's name: `2026-10`
 * @throws UsageError where the program can take no currency of the entries
 */
export function journalFiles(format: JournalFormat, stem: string, input: LayoutInput): JournalFiles {
  const { extension, split, write, refuses } = LAYOUTS[format];
  const leftOut = new Map<string, string>();
  for (const entry of input.entries) {
    const why = refuses?.(entry) ?? null;
    if (why !== null && !leftOut.has(entry.currency)) leftOut.set(entry.currency, why);
  }
  const taken = input.entries.filter(({ currency }) => !leftOut.has(currency));
  const [[currency, why] = []] = leftOut;
  if (taken.length === 0 && why !== undefined) throw new UsageError(why, { remedy: `book ${currency} by hand` });
  const parts = split?.(taken) ?? [taken];
  const files = parts.map((entries, i) => {
    const currencies = [...new Set(entries.map(({ currency }) => currency))];
    const words = [stem, format, ...(split === undefined ? [] : currencies), ...(parts.length > 1 ? [i + 1] : [])];
    const content = write({ ...input, entries });
    return {
      name: `${words.join('-')}.${extension}`,
      content: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    };
  });
  return { files, leftOut };
}
