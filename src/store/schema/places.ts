/**
 * Rows as arrays, read by the names of their columns: several times cheaper than rows as objects, and a column that is missing or
 * misplaced does not compile. For statements that read pages of records; all others read objects through Kysely.
 */
import type { SelectType } from 'kysely';
import type { Row } from '../cells.ts';
import type { CellsOf, Columns } from './column.ts';

/** Where a cell of this type stands in a row. */
export type Place<Value> = number & { readonly of?: Value };

export type PlacesOf<C> = { readonly [N in keyof C]: Place<SelectType<CellsOf<C>[N]>> };

export function cell<Value>(row: Row, place: Place<Value>): Value {
  return row[place] as Value;
}

/** Columns of a table under an alias of a statement. */
export interface Part<Alias extends string, C extends Columns> {
  alias: Alias;
  columns: C;
}

export function of<Alias extends string, C extends Columns>(alias: Alias, columns: C): Part<Alias, C> {
  return { alias, columns };
}

type Parts = Readonly<Record<string, Part<string, Columns>>>;
type NamesIn<P> = { [N in keyof P]: P[N] extends Part<infer A, infer C> ? `${A}.${keyof C & string}` : never }[keyof P];

export interface Selection<P extends Parts> {
  /** For `select`, before anything else. */
  columns: readonly NamesIn<P>[];
  at: { readonly [N in keyof P]: PlacesOf<P[N]['columns']> };
  /** The first place behind these columns. */
  end: number;
}

/** The columns of a statement, and their places in its rows. */
export function selection<P extends Parts>(parts: P): Selection<P> {
  const columns: string[] = [];
  const at = Object.entries(parts).map(([part, { alias, columns: declared }]) => {
    const places = Object.keys(declared).map((name) => [name, columns.push(`${alias}.${name}`) - 1] as const);
    return [part, Object.fromEntries(places)] as const;
  });
  return { columns, at: Object.fromEntries(at), end: columns.length } as unknown as Selection<P>;
}
