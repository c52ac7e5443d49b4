/**
 * How tables are declared: one line a column gives its type in the program, its type in every engine, and its place under the
 * seal. What a declaration lacks is in no statement, no copy and no seal, because all of them are made from it.
 */
import type { Generated, SelectType } from 'kysely';
import { dateOf, dayOf, flagCell, readDecimal, readUnits } from '../cells.ts';
import type { ColumnTypes } from '../column-types.ts';

type EngineType = keyof Pick<ColumnTypes, 'key' | 'risingKey' | 'id' | 'text' | 'integer' | 'real' | 'bytes'>;

/**
 * `always`: as the table says. `whenSet`: only where it has a value, so that the seals of rows older than the column hold. `summed`: under
 * the sum of the table, beside the seals of its rows; `summedApart`: under a second one, which came with a later version, so that the first
 * holds. `found`: `db check` finds a change in another way. `never`: a change decides nothing.
 */
type UnderSeal = 'always' | 'whenSet' | 'summed' | 'summedApart' | 'found' | 'never';

/** How a value of the domain stands in a cell that is not null. */
interface Form {
  read(cell: unknown): unknown;
  write(value: unknown): unknown;
}

interface Parts {
  type: EngineType;
  /** What follows the type in `create table`. */
  constraint: string;
  underSeal: UnderSeal;
  form: Form | null;
  /** The property of the domain, where it is not the name of the column. */
  property: string | null;
  /** Takes the cell out of an object that has no property for it alone. */
  take: ((object: never) => unknown) | null;
  /** Without a value the property is absent, and not null. */
  isAbsent: boolean;
}

/** Of a column: its cell, the value of the domain that it holds, the property of this value, and what else gives its cell. */
export class Column<Cell, Value = SelectType<Cell>, Name extends string = '', Source = unknown> {
  /** For the compiler alone. */
  readonly types?: [cell: Cell, value: Value, name: Name, source: Source];
  readonly is: Parts;

  constructor(parts: Pick<Parts, 'type'> & Partial<Parts>) {
    const plain = { constraint: 'not null', underSeal: 'always', form: null, property: null, take: null } as const;
    this.is = { ...plain, isAbsent: false, ...parts };
  }

  get orNull(): Column<Cell | null, Value | null, Name, Source> {
    return this.with({ constraint: this.is.constraint.replace('not null', '').trim() });
  }

  /** Only these values. */
  as<Narrow extends Value>(): Column<Narrow, Narrow, Name, Source> {
    return this.with({});
  }

  references(table: string): Column<Cell, Value, Name, Source> {
    return this.with({ constraint: `${this.is.constraint} references ${table}`.trim() });
  }

  /** @param value an SQL literal */
  default(value: string): Column<Generated<Cell>, Value, Name, Source> {
    return this.with({ constraint: `${this.is.constraint} default ${value}` });
  }

  /** Holds another value than that of the cell. */
  holds<V>(read: (cell: NonNullable<Cell>) => V, write: (value: V) => Cell): Column<Cell, V, Name, Source> {
    return this.with({ form: { read, write } as Form });
  }

  named<N extends string>(property: N): Column<Cell, Value, N, Source> {
    return this.with({ property });
  }

  /** The property is absent where the cell is null. */
  get ifAny(): Column<Cell, Exclude<Value, null> | undefined, Name, Source> {
    return this.with({ isAbsent: true });
  }

  /** The cell comes out of the whole object; reading it back is not of this column alone. */
  from<S>(take: (object: S) => Cell): Column<Cell, never, Name, S> {
    return this.with({ take });
  }

  get whenSet(): Column<Cell, Value, Name, Source> {
    return this.with({ underSeal: 'whenSet' });
  }

  get summed(): Column<Cell, Value, Name, Source> {
    return this.with({ underSeal: 'summed' });
  }

  get summedApart(): Column<Cell, Value, Name, Source> {
    return this.with({ underSeal: 'summedApart' });
  }

  /** @param _by what finds a change of it */
  found(_by: string): Column<Cell, Value, Name, Source> {
    return this.with({ underSeal: 'found' });
  }

  /** @param _why a change of it decides nothing */
  unsealed(_why: string): Column<Cell, Value, Name, Source> {
    return this.with({ underSeal: 'never' });
  }

  private with<C, V, N extends string, S>(changed: Partial<Parts>): Column<C, V, N, S> {
    return new Column({ ...this.is, ...changed });
  }
}

export const key = new Column<Generated<number>>({ type: 'key', constraint: '' });
/** A key that is never reused and never falls, even after deletions: watermarks depend on it. */
export const risingKey = new Column<Generated<number>>({ type: 'risingKey', constraint: '' });
/** Text that is compared and sorted, bytewise: ids, names, and what an index begins with. */
export const id = new Column<string>({ type: 'id' });
export const text = new Column<string>({ type: 'text' });
/** Instants in milliseconds, days since 1970, keys, counts; 0 and 1 for a flag. */
export const integer = new Column<number>({ type: 'integer' });
/** Binary floating point: monotonic times, never money. Amounts are `text`. */
export const real = new Column<number>({ type: 'real' });
export const bytes = new Column<Uint8Array>({ type: 'bytes' });

/** A decimal, in plain digits. */
export const decimal = text.holds(readDecimal, String);
/** Units of a token. */
export const units = text.holds(readUnits, String);
export const flag = integer.holds((cell) => cell === 1, flagCell);
/** A business date, as a day since 1970. */
export const date = integer.holds(dateOf, dayOf);
/** A value that writes itself into JSON and comes back as it was. */
export const json = <V>() => text.holds((cell) => JSON.parse(cell) as V, JSON.stringify);
export type Columns = Readonly<Record<string, Column<unknown, unknown, string, unknown>>>;

/** Each row has a seal of its own (`sealed-rows.ts`), over its columns in the order of the declaration. */
export const ROWS = 'rows';
/**
 * All rows are under one sum (`summed-rows.ts`): for tables that grow with each night. Over the columns in the order of the declaration,
 * so that a further column is the last: in another order no sum of before would hold.
 */
export const SUM = 'sum';
/** Rows are under the seal of the run or the statement that they are of (`row-seals.ts`). */
export const OWNED = 'owned';
/** `db check` compares the rows with others that are sealed. */
export const COMPARED = 'compared';

interface Options<Name extends string> {
  /** One of the above, or why a change decides nothing. */
  seal: string;
  /** The primary key, where the database does not give one. */
  key?: readonly Name[];
  /** On disk in the order of the primary key, where an engine can do that. */
  clustered?: boolean;
  unique?: readonly (readonly Name[])[];
  /** `name (columns) where …`. */
  indexes?: readonly string[];
  /** A column that the database computes; statements name it as text. */
  computed?: { column: string; as: string };
  check?: string;
  /** Storage parameters, for an engine that has them. */
  storage?: string;
}

export interface Table<C extends Columns = Columns> extends Options<string> {
  columns: C;
  key: readonly string[];
  /** The database gives the key. */
  isGenerated: boolean;
}

export function table<C extends Columns>(columns: C, options: Options<keyof C & string>): Table<C> {
  const given = Object.keys(columns).filter((name) => /key$/i.test(columns[name]?.is.type ?? ''));
  return { ...options, columns, key: options.key ?? given, isGenerated: given.length > 0 };
}

/** The cells of some columns, by name: one that is missing or added does not compile. */
export type CellsOf<C> = { [N in keyof C]: C[N] extends { types?: [infer V, ...unknown[]] } ? V : never };

export type ColumnsOf<T> = T extends Table<infer C> ? CellsOf<C> : never;

export const namesOf = <C extends Columns>(columns: C) => Object.keys(columns) as readonly (keyof C & string)[];

/** Some columns of a declaration. */
export function only<C extends Columns, N extends keyof C & string>(columns: C, ...names: readonly N[]): Pick<C, N> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, N>;
}

/** The others of a declaration. */
export function without<C extends Columns, N extends keyof C & string>(columns: C, ...names: readonly N[]): Omit<C, N> {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !names.includes(name as N))) as Omit<C, N>;
}

/** The same columns, of which something else than a seal of the table finds a change. */
export function foundBy<C extends Columns>(by: string, columns: C): C {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.found(by)])) as C;
}
