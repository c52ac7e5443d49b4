/**
 * What deltas to a closed month change in its journal, as entries of the month in which each delta was stated: the entry as it
 * was last posted is reversed, and the new one is posted. Both have keys of their own, so that importing twice is noticed.
 */
import type { BusinessDate } from '../../domain/record.ts';
import { type EntryOptions, entriesOf, type Groups, type JournalEntry } from './entries.ts';

/** The month as a statement left it: the close first, then each delta. */
export interface StatedTotals {
  /** 0 is the close. */
  number: number;
  groups: Groups;
  /** Business date on which it was stated: of an open month, which nothing has sealed yet. */
  date: BusinessDate;
  evidence: string;
}

/** @param stated the close and every delta, in order */
export function correctionEntries(
  period: string,
  stated: readonly StatedTotals[],
  options: Pick<EntryOptions, 'keyStart' | 'scope' | 'statistical'>,
): readonly JournalEntry[] {
  const found: JournalEntry[] = [];
  let posted = new Map<string, JournalEntry>();
  for (const { number, groups, date, evidence } of stated) {
    const statement = number === 0 ? period : `${period}-D${String(number).padStart(3, '0')}`;
    const entries = entriesOf(groups, { ...options, statement, date, evidence });
    const now = new Map(entries.map((each) => [each.key, each]));
    if (number > 0) {
      for (const key of [...new Set([...posted.keys(), ...now.keys()])].sort()) {
        const [old, next] = [posted.get(key), now.get(key)];
        if (old !== undefined && next !== undefined && haveSameAmounts(old, next)) continue;
        if (old !== undefined) found.push(reversed(old, `${key}-R${number}`, { statement, date, evidence }));
        if (next !== undefined) found.push({ ...next, key: `${key}-N${number}`, memo: `Corrected: ${next.memo}` });
      }
    }
    posted = now;
  }
  return found;
}

function haveSameAmounts(a: JournalEntry, b: JournalEntry): boolean {
  const amounts = ({ postings }: JournalEntry) =>
    postings.map(({ role, debit, credit }) => `${role} ${debit ?? ''} ${credit ?? ''}`).join('\n');
  return amounts(a) === amounts(b);
}

function reversed(
  entry: JournalEntry,
  key: string,
  stated: Pick<JournalEntry, 'statement' | 'date' | 'evidence'>,
): JournalEntry {
  const postings = entry.postings.map(({ role, debit, credit, memo }) => {
    return { role, debit: credit, credit: debit, memo: `Reversal: ${memo}` };
  });
  return { ...entry, ...stated, key, memo: `Reversal of ${entry.key}: ${entry.memo}`, postings };
}
