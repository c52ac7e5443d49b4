/** Statements of banks in SWIFT MT940. */
import { createHash } from 'node:crypto';
import type { Decimal } from '../../domain/decimal.ts';
import {
  amountOf,
  type Booking,
  balanceProblem,
  isOfPayment,
  type Line,
  LONGEST_REFERENCE,
  StatementError,
  signed,
  type WrittenPayout,
} from './payout.ts';

/** Opening (60) or closing (62) balance: mark, date, currency, amount. */
const BALANCE = /^:(60|62)[FM]:([CD])\d{6}([A-Z]{3})(\d{1,15},\d{0,3})/;
/** Value date, entry date, mark, funds code, amount, type, reference of the owner, reference of the bank (field 61). */
const MOVEMENT =
  /^:61:(\d{6})(?:\d{4})?(R?[CD])[A-Z]?(\d{1,15},\d{0,3})[FNS][A-Z0-9]{3}([^/\r\n]{0,16})(?:\/\/([^\r\n]{0,16}))?/;

const BOOKINGS: Readonly<Record<string, Booking>> = {
  C: 'credit',
  D: 'debit',
  RC: 'reversal of a credit',
  RD: 'reversal of a debit',
};

/** They take 8 s and 470 MB. */
const MOST_MOVEMENTS = 500_000;

/** Booked credits, and what takes one back. @throws StatementError */
export function fromMt940(text: string): Line[] {
  const rows = text.split(/\r\n|\r|\n/);
  const found: Line[] = [];
  const seen = new Set<string>();
  for (let from = 0, to = 0; from < rows.length; from = to) {
    do to++;
    while (to < rows.length && rows[to]?.startsWith(':20:') === false);
    const own = rows.slice(from, to);
    const end = own.findIndex((row) => row.startsWith('-'));
    const hash = createHash('sha256').update((end === -1 ? own : own.slice(0, end)).join('\n'));
    const key = hash.digest('hex');
    // Its lines would count as further payments that are just like the first ones.
    if (seen.has(key) && own.some((row) => row.startsWith(':61:')))
      found.push({ line: from + 1, leftOut: 'the same statement as one before it' });
    else addStatement(own, from, found);
    seen.add(key);
  }
  if (!/^:6(?:0[FM]|1):/m.test(text)) throw new StatementError('The file has no balance (:60F:) of MT940');
  return found;
}

const plain = (amount: string) => (amount.endsWith(',') ? amount.slice(0, -1) : amount.replace(',', '.'));

/** The lines of one statement, which begins after so many rows of the file. @throws StatementError */
function addStatement(rows: readonly string[], before: number, found: Line[]): void {
  let currency: string | null = null;
  let open: WrittenPayout | null = null;
  let isNumbered = false;
  const balances = new Map<string, { line: number; amount: Decimal | null }>();
  const moved: (Decimal | null)[] = [];
  for (const [index, row] of rows.entries()) {
    const line = before + index + 1;
    if (found.length > MOST_MOVEMENTS)
      throw new StatementError('The statement has more than 500,000 lines :61:; split it, for example by month');
    const [, field, side, of = null, balance = ''] = BALANCE.exec(row) ?? [];
    // Of several, which one opens or closes cannot be told.
    if (field !== undefined) {
      const amount = balances.has(field) ? null : signed(amountOf(plain(balance)), side === 'D');
      balances.set(field, { line, amount });
    }
    if (field === '60') currency = of;
    const [, day = '', mark = '', amount = '', owner, bank] = MOVEMENT.exec(row) ?? [];
    if (row.startsWith(':61:')) {
      [open, isNumbered] = [null, false];
      const booking = BOOKINGS[mark];
      moved.push(signed(amountOf(plain(amount)), mark === 'D' || mark === 'RC'));
      if (booking === undefined) found.push({ line, rejected: 'field 61 cannot be read' });
      else if (!isOfPayment(booking)) found.push({ line, leftOut: `a ${booking}` });
      else {
        open = {
          source: 'mt940',
          date: `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4, 6)}`,
          amount: plain(amount),
          reverses: booking !== 'credit',
          currency,
          reference: owner === undefined || owner === 'NONREF' || owner === '' ? null : owner,
          period: null,
          id: bank ?? null,
        };
        found.push({ line, written: open });
      }
    } else if (open !== null && (row.startsWith(':86:') || /^[^:-]/.test(row))) {
      const isFirst = row.startsWith(':86:');
      // It is rejected as it is; more of it would only take time.
      if ((open.reference?.length ?? 0) > LONGEST_REFERENCE) continue;
      const words = isFirst ? row.slice(4) : row;
      if (isFirst) isNumbered = /^\d{3}\?/.test(words);
      const between = isNumbered && !isFirst ? '' : ' ';
      const all = open.reference === null ? words : `${open.reference}${between}${words}`;
      open.reference = isNumbered ? withoutNumbers(all) : all;
    } else if (row.startsWith(':')) open = null;
  }
  const [opening, closing] = [balances.get('60'), balances.get('62')];
  const line = closing?.line ?? before + rows.length;
  if (closing === undefined && (opening !== undefined || rows[0]?.startsWith(':20:') === true))
    found.push({ line, note: 'the statement ends without its balance (:62F:) in full: was it cut off?' });
  const problem = balanceProblem(opening?.amount ?? null, closing?.amount ?? null, moved);
  if (problem !== null) found.push({ line, note: problem });
}

/** German banks number the parts of field 86 (`166?00CREDIT?20TEXT?21MORE`); ?20 to ?29 are one text, cut every 27 characters. */
function withoutNumbers(text: string): string {
  return text
    .replace(/\?2[1-9]/g, '')
    .replace(/(?:^| )\d{3}(?=\?)|\?\d\d/g, ' ')
    .trim();
}
