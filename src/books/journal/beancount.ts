/**
 * Beancount ("Beancount Language Syntax"): transactions with the entry key and the hash of the sealed set as metadata, and a
 * balance assertion. Each account gets the month as its last part. So every file opens accounts of its own and checks alone or
 * included with others, and the receivable of a month can be asserted: nothing but this file posts to it before its payout.
 */
import { addDays } from '../../domain/calendar.ts';
import { inMinorUnits } from '../../domain/currency.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { Chart } from './accounts.ts';
import type { JournalEntry } from './entries.ts';
import { type Layout, signedAmount } from './layout.ts';

export const beancount: Layout = {
  extension: 'beancount',
  write: ({ entries, chart }) => {
    const accounts = accountsOf(entries, chart);
    const first = entries.reduce((least, { date }) => (date < least ? date : least), entries[0]?.date ?? '');
    return [
      ...accounts.map((account) => `${first} open ${account}`),
      '',
      ...entries.flatMap((entry) => [...transaction(entry, chart), '']),
      ...clearingBalances(entries, chart).map(
        ({ date, account, amount, currency }) =>
          // Without a tolerance of its own, Beancount would let a balance be off by a cent.
          `${addDays(date, 1)} balance ${account}  ${inMinorUnits(amount, currency)} ~ 0 ${currency}`,
      ),
      '',
    ].join('\n');
  },
};

function transaction(
  { key, date, memo, statement, evidence, currency, postings }: JournalEntry,
  chart: Chart,
): string[] {
  return [
    `${date} * ${quoted('Tieout')} ${quoted(memo)}`,
    `  entry: ${quoted(key)}`,
    ...(evidence === null ? [] : [`  evidence: ${quoted(evidence)}`]),
    ...postings.map((line) => `  ${chart[line.role]}:${statement}  ${signedAmount(line, currency)} ${currency}`),
  ];
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, (mark) => `\\${mark}`)}"`;

/** With the month as the last part, each once, in order. */
export function accountsOf(entries: readonly JournalEntry[], chart: Chart): readonly string[] {
  const all = entries.flatMap(({ statement, postings }) => postings.map(({ role }) => `${chart[role]}:${statement}`));
  return [...new Set(all)].sort();
}

interface ClearingBalance {
  /** The last date of the statement's entries. */
  date: string;
  account: string;
  amount: Decimal;
  currency: string;
}

/** What the receivable, and the clearing account of statistical lines, come to after the entries of each statement. */
export function clearingBalances(entries: readonly JournalEntry[], chart: Chart): readonly ClearingBalance[] {
  const found = new Map<string, ClearingBalance>();
  for (const { date, statement, currency, postings } of entries) {
    for (const { role, debit, credit } of postings) {
      if (role !== 'hostFeeReceivable' && role !== 'serviceClearing') continue;
      const account = `${chart[role]}:${statement}`;
      const key = `${account} ${currency}`;
      const before = found.get(key)?.amount ?? Decimal.ZERO;
      const amount = before.plus(debit ?? Decimal.ZERO).minus(credit ?? Decimal.ZERO);
      found.set(key, { date, account, amount, currency });
    }
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}
