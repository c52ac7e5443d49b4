/**
 * How tables are declared: one line a column gives its type in the program, its type in every engine, and its place under the
 * seal. What a declaration lacks is in no statement, no copy and no seal, because all of them are made from it.
 */
import type { Generated } from 'kysely';
import type { ColumnTypes } from '../column-types.ts';

type EngineType = keyof Pick<ColumnTypes, 'key' | 'risingKey' | 'id' | 'text' | 'integer' | 'real' | 'bytes'>;

/**
 * `always`: as the table says. `whenSet`: only where it has a value, so that the seals of rows older than the column hold. `summed`: under
 * the sum of the table, beside the seals of its rows. `found`: `db check` finds a change in another way. `never`: a change decides nothing.
 */
type UnderSeal = 'always' | 'whenSet' | 'summed' | 'found' | 'never';

export class Column<Value> {
  /** For the compiler alone. */
  readonly value?: Value;
  readonly type: EngineType;
  /** What follows the type in `create table`. */
  readonly constraint: string;
  readonly underSeal: UnderSeal;

  constructor(type: EngineType, constraint = 'not null', underSeal: UnderSeal = 'always') {
    this.type = type;
    this.constraint = constraint;
    this.underSeal = underSeal;
  }

  get orNull(): Column<Value | null> {
    return new Column(this.type, this.constraint.replace('not null', '').trim(), this.underSeal);
  }

  /** Only these values. */
  as<Narrow extends Value>(): Column<Narrow> {
    return new Column(this.type, this.constraint, this.underSeal);
  }

  references(table: string): Column<Value> {
    return new Column(this.type, `${this.constraint} references ${table}`.trim(), this.underSeal);
  }

  /** @param value an SQL literal */
  default(value: string): Column<Generated<Value>> {
    return new Column(this.type, `${this.constraint} default ${value}`, this.underSeal);
  }

  get whenSet(): Column<Value> {
    return new Column(this.type, this.constraint, 'whenSet');
  }

  get summed(): Column<Value> {
    return new Column(this.type, this.constraint, 'summed');
  }

  /** @param _by what finds a change of it */
  found(_by: string): Column<Value> {
    return new Column(this.type, this.constraint, 'found');
  }

  /** @param _why a change of it decides nothing */
  unsealed(_why: string): Column<Value> {
    return new Column(this.type, this.constraint, 'never');
  }
}

export const key = new Column<Generated<number>>('key', '');
/** A key that is never reused and never falls, even after deletions: watermarks depend on it. */
export const risingKey = new Column<Generated<number>>('risingKey', '');
/** Text that is compared and sorted, bytewise: ids, names, and what an index begins with. */
export const id = new Column<string>('id');
export const text = new Column<string>('text');
/** Instants in milliseconds, days since 1970, keys, counts; 0 and 1 for a flag. */
export const integer = new Column<number>('integer');
/** Binary floating point: monotonic times, never money. Amounts are `text`. */
export const real = new Column<number>('real');
export const bytes = new Column<Uint8Array>('bytes');

export type Columns = Readonly<Record<string, Column<unknown>>>;

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
  const given = Object.keys(columns).filter((name) => /key$/i.test(columns[name]?.type ?? ''));
  return { ...options, columns, key: options.key ?? given, isGenerated: given.length > 0 };
}

/** The cells of some columns, by name: one that is missing or added does not compile. */
export type CellsOf<C> = { [N in keyof C]: C[N] extends Column<infer V> ? V : never };

/** The columns of a table, for Kysely. */
export type ColumnsOf<T> = T extends Table<infer C> ? CellsOf<C> : never;

export const namesOf = <C extends Columns>(columns: C) => Object.keys(columns) as readonly (keyof C & string)[];

/** Some columns of a declaration. */
export function only<C extends Columns, N extends keyof C & string>(columns: C, ...names: readonly N[]): Pick<C, N> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, N>;
}

/** The same columns, of which something else than a seal of the table finds a change. */
export function foundBy<C extends Columns>(by: string, columns: C): C {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.found(by)])) as C;
}
