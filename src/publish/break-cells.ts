/** A break of the work list as cells by column name, for the CSV files that list breaks outside a set. */

import { BREAK_COLUMNS, type ListedBreak } from '../ports/break-columns.ts';
import type { Column } from '../ports/report-definition.ts';
import { isPlainNumber } from '../text/visible.ts';
import { exported, type Profile, pointed } from './profiles.ts';

export function breakCells(each: ListedBreak, profile: Profile): Record<string, string> {
  return Object.fromEntries(BREAK_COLUMNS.map((column) => [column.name, cellOf(column, each, profile)]));
}

/** Text from outside must not run as a formula in a spreadsheet. Unknown is empty. */
function cellOf(column: Column<ListedBreak>, each: ListedBreak, profile: Profile): string {
  const value = column.value(each);
  if (value === null) return '';
  if (typeof value !== 'string') return pointed(value.toString(), profile);
  // A side is a figure, or a status, an address, a method.
  const isNumber = column.type === 'text' && column.mayBeNumber === true && isPlainNumber(value);
  return isNumber ? pointed(value, profile) : exported(value, profile);
}
