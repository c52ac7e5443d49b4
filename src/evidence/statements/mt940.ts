/** Statements of banks in SWIFT MT940. */
import {
  type Booking,
  isOfPayment,
  type Line,
  LONGEST_REFERENCE,
  StatementError,
  type WrittenPayout,
} from './payout.ts';

const BALANCE = /^:60[FM]:[CD]\d{6}([A-Z]{3})/;
/** Value date, entry date, mark, funds code, amount, type, reference of the owner, reference of the bank (field 61). */
const MOVEMENT =
  /^:61:(\d{6})(?:\d{4})?(R?[CD])[A-Z]?(\d{1,15},\d{0,3})N[A-Z0-9]{3}([^/\r\n]{0,16})(?:\/\/([^\r\n]{0,16}))?/;

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
  const found: Line[] = [];
  let currency: string | null = null;
  let open: WrittenPayout | null = null;
  let isNumbered = false;
  for (const [index, row] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1;
    if (found.length > MOST_MOVEMENTS)
      throw new StatementError('The statement has more than 500,000 lines :61:; split it, for example by month');
    currency = row.startsWith(':20:') ? null : (BALANCE.exec(row)?.[1] ?? currency);
    const [, day = '', mark = '', amount = '', owner, bank] = MOVEMENT.exec(row) ?? [];
    if (row.startsWith(':61:')) {
      [open, isNumbered] = [null, false];
      const booking = BOOKINGS[mark];
      if (booking === undefined) found.push({ line, rejected: 'field 61 cannot be read' });
      else if (!isOfPayment(booking)) found.push({ line, leftOut: `a ${booking}` });
      else {
        open = {
          source: 'mt940',
          date: `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4, 6)}`,
          amount: amount.endsWith(',') ? amount.slice(0, -1) : amount.replace(',', '.'),
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
  if (found.length === 0 && !/^:60[FM]:/m.test(text))
    throw new StatementError('The file has no balance (:60F:) of MT940');
  return found;
}

/** German banks number the parts of field 86 (`166?00CREDIT?20TEXT?21MORE`); ?20 to ?29 are one text, cut every 27 characters. */
function withoutNumbers(text: string): string {
  return text
    .replace(/\?2[1-9]/g, '')
    .replace(/(?:^| )\d{3}(?=\?)|\?\d\d/g, ' ')
    .trim();
}
