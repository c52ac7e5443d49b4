/** HTML text and the values in it. All text from outside passes through `escaped`. */

import { minorUnitDigits } from '../../domain/currency.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { Shown, Table } from '../../ports/html-view.ts';
import { count, inThousands } from '../../text/counts.ts';

/** Control characters and marks of text direction, which could make a page show another text than it holds. */
const UNSEEN = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSEEN, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** `1234567.891` → `1,234,567.891`, with a real minus sign. */
export function grouped(number: string): string {
  const [whole = '', fraction] = number.split('.');
  const digits = inThousands(whole.replace('-', ''));
  const sign = number.startsWith('-') ? '\u2212' : '';
  return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** To the currency's own places; all digits where it has none by ISO 4217. */
function shownAmount(amount: Decimal, currency: string): string {
  const digits = minorUnitDigits(currency);
  return grouped(digits === undefined ? amount.toString() : amount.toPlaces(digits));
}

const DAY = /^\d{4}-\d{2}(?:-\d{2})?$/;

function cellHtml(value: Shown): string {
  if (value === null) return '<span class="none" title="unknown">–<span class="spoken"> unknown</span></span>';
  if (typeof value === 'string') return DAY.test(value) ? `<time>${value}</time>` : escaped(value);
  // A zero is printed faintly, so that the other counts stand out.
  if ('count' in value) return value.count === 0 ? '<span class="none">0</span>' : count(value.count);
  if ('percent' in value) return `${grouped(value.percent.toPlaces(value.places))} %`;
  // A long code breaks between its words, and a hash not at all: the table scrolls instead.
  if ('code' in value) return `<code>${escaped(value.code).replaceAll('_', '_<wbr>')}</code>`;
  if ('badge' in value) return `<span class="badge tone-${value.tone}">${escaped(value.badge)}</span>`;
  return amountHtml(value.amount, value.currency);
}

/** At the currency's places, with every digit kept beside it. */
export function amountHtml(amount: Decimal, code: string): string {
  const exact = amount.toString();
  const currency = escaped(code);
  return `<data value="${exact}" title="exactly ${exact} ${currency}">${shownAmount(amount, code)}</data> <span class="currency">${currency}</span>`;
}

/** A table of more rows is scrolled in its own frame; in print it is whole. */
const MANY = 60;
/** A table of so few rows stays on one printed page. */
const SHORT = 16;
/** Columns that fit on a phone; a table of more says that it can be scrolled. */
const FITTING = 3;
/** Columns that fit into half of a printed page. */
const HALF = 10;
/** A sentence gets room: on a phone it would be a column of single words. */
const LONG = 60;
/** Characters of a name or a time: beside a sentence, it stays on one line. */
const SHORT_TEXT = 20;
const isLong = (cell: Shown) => typeof cell === 'string' && cell.length > LONG;
/** A hash fills half a printed page. */
const isHash = (cell: Shown) => cell !== null && typeof cell === 'object' && 'code' in cell && cell.code.length > LONG;

export function tableHtml({ caption, columns, rows }: Table): string {
  const isWordy = rows.some((row) => row.some((cell) => isLong(cell) || isHash(cell)));
  /** A reference such as `order-1581` is one word, and is not broken at its hyphen. */
  const isWord = (cell: Shown) =>
    typeof cell === 'string' && cell.length <= SHORT_TEXT && (isWordy || !cell.includes(' '));
  const alignOf = (i: number) => (columns[i]?.align === 'right' ? ' class="number"' : '');
  const head = columns.map(({ title }, i) => `<th scope="col"${alignOf(i)}>${escaped(title)}</th>`);
  const body = rows.map((row) => {
    const cells = row.map((cell, i) =>
      i === 0
        ? `<th scope="row"${isWordy && isWord(cell) ? ' class="word"' : alignOf(i)}>${cellHtml(cell)}</th>`
        : `<td${isLong(cell) ? ' class="long"' : isWord(cell) ? ' class="word"' : alignOf(i)}>${cellHtml(cell)}</td>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  });
  // Reachable by keyboard: on a phone a wide table is scrolled sideways.
  const size = `${rows.length > MANY ? ' tall' : rows.length <= SHORT && !isWordy ? ' short' : ''}${columns.length > FITTING ? ' broad' : ''}${columns.length > HALF || (columns.length > FITTING && rows.some((row) => row.some(isHash))) ? ' vast' : ''}`;
  return `<div class="scroll${size}" role="region" tabindex="0" aria-label="${escaped(caption)}"><table><caption><span>${escaped(caption)}</span></caption><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}
