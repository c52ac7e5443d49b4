/** Turns the cells of one line into a tracked record's facts, or says everything that is wrong with them. */

import { Decimal } from '../domain/decimal.ts';
import { isRecordId, isViewToken, type Kind, parseInstant } from '../domain/record.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import { suggestion } from '../text/nearest-name.ts';
import { visible } from '../text/visible.ts';
import type { LineTerms } from './contract.ts';
import { type DamagedColumn, spreadsheetDamage } from './spreadsheet-damage.ts';

/** The known columns, by their exact names. */
export const TRACKED_COLUMNS = [
  'kind',
  'id',
  'view_token',
  'created_at',
  'host_reference',
  'quote_id',
  'expected_status',
  'shown_total',
  'shown_fee',
] as const;
type TrackedColumn = (typeof TRACKED_COLUMNS)[number];

/** In the range of amounts (domain/decimal.ts), never negative. */
const AMOUNT = /^\d{1,40}(?:\.\d{1,40})?$/;

/** Columns whose value may be written as a number. */
export const AMOUNT_COLUMNS: readonly string[] = ['shown_total', 'shown_fee'] satisfies TrackedColumn[];

/** A longer list in a note is not read. */
export const MAX_NAMED = 20;

/** A cell's text; null where it is empty or absent; undefined where it holds something that is no text. */
type CellReader = (column: TrackedColumn) => string | null | undefined;

/** `View Token`, `viewToken` and `VIEW_TOKEN` are `view_token`; an unknown name is returned unchanged. */
export function columnName(text: string): string {
  const name = text.trim();
  const plain = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[- ]/g, '_');
  return (TRACKED_COLUMNS as readonly string[]).includes(plain) ? plain : name;
}

/** What keeps a whole file from being read: the columns that it lacks. `kind` may come from elsewhere. */
export function missingColumns(columns: readonly string[], defaultKind: Kind | null): string[] {
  const needed = defaultKind === null ? ['kind', 'id', 'view_token'] : ['id', 'view_token'];
  return needed.filter((column) => !columns.includes(column));
}

/** Unknown names. They are ignored, and mentioned once in a note. */
export function unknownColumns(columns: readonly string[]): string[] {
  return columns.filter((column) => !(TRACKED_COLUMNS as readonly string[]).includes(column));
}

/** `ignored: user_id, plan`; null where there is nothing to remark on. */
export function ignoredNote(unknown: readonly string[]): string | null {
  if (unknown.length === 0) return null;
  const names = unknown.filter(looksLikeName);
  const named = names.slice(0, MAX_NAMED).map((column) => column.slice(0, 40));
  const unnamed = unknown.length - names.length;
  if (unnamed > 0) named.push(unnamed === 1 ? 'one without a readable name' : `${unnamed} without readable names`);
  return `ignored: ${named.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`;
}

export const looksLikeName = (column: string) => NAME.test(column);

/**
 * Words of letters, with a number at the end at most. A file without a header, or with one line too few, has a record in
 * its place: its token must not be shown as the name of a column.
 */
const NAME = /^[A-Za-z]{1,15}(?:[_ .-][A-Za-z]{1,15}){0,5}[_ ]?\d{0,2}$/;

export function trackedFacts(cell: CellReader, options: LineTerms): TrackedInput | { problems: string[] } {
  const problems: string[] = [];
  const refuse: Refuse = (problem) => {
    problems.push(problem);
    return null;
  };
  const read = (column: TrackedColumn): string | null => {
    const value = cell(column);
    if (value === undefined) problems.push(`${column} must be a text`);
    const trimmed = value?.trim().toWellFormed() ?? '';
    return trimmed === '' ? null : trimmed;
  };
  /** Null for a text that a spreadsheet has damaged: the original is lost. */
  const sound = (column: DamagedColumn, text: string | null): string | null => {
    const damage = text === null ? null : spreadsheetDamage(column, text);
    return damage === null ? text : refuse(`${column} ${damage}`);
  };
  /** A status that no list knows would contradict every body: it is a typing error, or the list is incomplete. */
  const status = (text: string | null): string | null => {
    const known = kind === null ? undefined : options.statuses?.[kind];
    if (text === null || known === undefined || known.has(text)) return text;
    const hint = suggestion(text, [...known.keys()]);
    return refuse(
      `expected_status is in no list of ${kind} statuses (settings: statuses.${kind})${found(text)}; ${hint}`,
    );
  };
  const kind = kindOf(read('kind')?.toLowerCase() ?? options.kind, refuse);
  const idCell = read('id');
  const id = sound('id', idCell);
  if (idCell === null) problems.push('id is missing');
  else if (id !== null && !isRecordId(id)) {
    problems.push(`id may have only letters, digits, - and _, at most 64${found(id)}`);
  }
  const tokenCell = read('view_token');
  const token = sound('view_token', tokenCell);
  if (tokenCell === null) problems.push('view_token is missing: without it the record can never be fetched');
  else if (token !== null && !isViewToken(token)) {
    problems.push('view_token may have only visible ASCII characters, at most 256');
  }
  const createdAt = instantOf(read('created_at'), refuse);
  const total = amountOf('shown_total', read('shown_total'), refuse);
  const fee = amountOf('shown_fee', read('shown_fee'), refuse);
  const facts = {
    hostReference: textOf('host_reference', sound('host_reference', read('host_reference')), 256, refuse),
    quoteId: textOf('quote_id', sound('quote_id', read('quote_id')), 128, refuse),
    expectedStatus: status(textOf('expected_status', read('expected_status'), 64, refuse)),
  };
  if (problems.length > 0 || kind === null || id === null || token === null) return { problems };
  return { kind, id, token, createdAt, ...facts, shown: total === null && fee === null ? null : { total, fee } };
}

/** How a date or an amount is written, however wrongly. Digits alone may be a token, and 13 of them without a time the number of a card. */
const FIGURES = /^(?=[+-]?\d*[.,:/ -])(?=.*:|(?:\D*\d){0,12}\D*$)[\d.,:/+ TZ-]{1,40}$/;
/** As statuses are written: view tokens have digits or small letters. */
const STATUS_LIKE = /^[A-Z_]+$/;

/** The refused value, as the end of a reason. A longer word may be a view token in the wrong column, and is not shown. */
function found(text: string): string {
  return text.length <= 10 || FIGURES.test(text) || STATUS_LIKE.test(text) ? ` (found ${visible(text)})` : '';
}

/** Notes what is wrong with a cell, which has no value then. */
type Refuse = (problem: string) => null;

function kindOf(text: string | null, refuse: Refuse): Kind | null {
  if (text === 'purchase' || text === 'sale') return text;
  return refuse(text === null ? 'kind is missing' : `kind must be purchase or sale${found(text)}`);
}

function instantOf(text: string | null, refuse: Refuse): number | null {
  if (text === null) return null;
  const wanted = 'created_at must be an ISO 8601 date and time with its zone, such as 2026-10-13T10:02:00Z';
  return parseInstant(isoOf(text)) ?? refuse(`${wanted}${found(text)}`);
}

/** As PostgreSQL writes it: `2026-10-13 10:02:00.5+00` to `2026-10-13T10:02:00.5+00:00`. */
function isoOf(text: string): string {
  const match = /^(\S+) (\S+?)(?:Z|([+-]\d{2})(?::?(\d{2}))?)$/.exec(text);
  return match === null ? text : `${match[1]}T${match[2]}${match[3] ?? '+00'}:${match[4] ?? '00'}`;
}

function amountOf(column: TrackedColumn, text: string | null, refuse: Refuse): Decimal | null {
  if (text === null) return null;
  if (AMOUNT.test(text)) return Decimal.parse(text);
  return refuse(`${column} must be an amount such as 104.76: digits with a point, and no currency${found(text)}`);
}

const CONTROLS = /\p{Cc}/u;
const CONTROLS_IN_A_LINE = /(?![\t\n\r])\p{Cc}/u;

function textOf(column: TrackedColumn, text: string | null, max: number, refuse: Refuse): string | null {
  if (text === null) return null;
  if (text.length > max) return refuse(`${column} is longer than ${max} characters`);
  // Reports and terminals show it: a control character in it is an attack or an accident.
  const controls = column === 'host_reference' ? CONTROLS_IN_A_LINE : CONTROLS;
  return controls.test(text) ? refuse(`${column} has control characters in it`) : text;
}
