/**
 * Objects of the domain in the columns of a declaration: written and read by the names and the forms that it gives. A property that is
 * missing does not compile. Rows of pages of records, which replays read by the million, are read by hand: in a third of the time.
 */
import type { SelectType } from 'kysely';
import type { CellsOf, Columns } from './column.ts';

type Camel<N extends string> = N extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : N;
type ValueOf<C> = C extends { types?: [unknown, infer V, ...unknown[]] } ? V : never;
type SourceOf<C> = C extends { types?: [unknown, unknown, unknown, infer S] } ? S : never;
type PropertyOf<C, N extends string> = C extends { types?: [unknown, unknown, infer P, unknown] }
  ? P extends ''
    ? Camel<N>
    : P & string
  : never;

type Names<C> = keyof C & string;
/** Columns that hold the value of a property each. */
type Own<C> = { [N in Names<C>]: [ValueOf<C[N]>] extends [never] ? never : N }[Names<C>];
type Absent<C> = { [N in Own<C>]: undefined extends ValueOf<C[N]> ? N : never }[Own<C>];
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
type Sources<C> = Intersection<{ [N in Names<C>]: unknown extends SourceOf<C[N]> ? never : SourceOf<C[N]> }[Names<C>]>;

export type ObjectOf<C> = { [N in Exclude<Own<C>, Absent<C>> as PropertyOf<C[N], N>]: ValueOf<C[N]> } & {
  [N in Absent<C> as PropertyOf<C[N], N>]?: Exclude<ValueOf<C[N]>, undefined>;
};

type Row = Readonly<Record<string, unknown>>;

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const fieldsOf = (columns: Columns) =>
  Object.entries(columns).map(([name, { is }]) => ({ ...is, name, property: is.property ?? camel(name) }));

export function writerOf<C extends Columns>(columns: C): (object: ObjectOf<C> & Sources<C>) => CellsOf<C> {
  const fields = fieldsOf(columns);
  return (object) => {
    const cells: Record<string, unknown> = {};
    for (const { name, property, form, take } of fields) {
      const value = take === null ? ((object as Row)[property] ?? null) : take(object as never);
      cells[name] = value === null || form === null ? value : form.write(value);
    }
    return cells as CellsOf<C>;
  };
}

/** @returns a reader of rows that have these columns, and may have others */
export function readerOf<C extends Columns>(
  columns: C,
): (row: { [N in Own<C>]: SelectType<CellsOf<C>[N]> }) => ObjectOf<C> {
  const fields = fieldsOf(columns).filter(({ take }) => take === null);
  return (row) => {
    const object: Record<string, unknown> = {};
    for (const { name, property, form, isAbsent } of fields) {
      const cell = (row as Row)[name] ?? null;
      if (cell !== null) object[property] = form === null ? cell : form.read(cell);
      else if (!isAbsent) object[property] = null;
    }
    return object as ObjectOf<C>;
  };
}
