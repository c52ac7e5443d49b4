/** What the tables of a database take, with their indexes. */
import { sql } from 'kysely';
import type { Engine } from '../../../src/store/engine.ts';
import { TABLE_NAMES } from '../../../src/store/schema/tables.ts';

export interface TableSize {
  table: string;
  rows: number;
  bytes: number;
}

/** By size, the largest first; on PostgreSQL, tables of the queue and of migrations are not among them. */
export async function sizesOf(engine: Engine, isSqlite: boolean): Promise<readonly TableSize[]> {
  const { rows } = isSqlite
    ? await sql<{ name: string; bytes: number }>`select m.tbl_name as name, sum(d.pgsize) as bytes
        from dbstat as d join sqlite_master as m on m.name = d.name where d.aggregate = true group by 1`.execute(
        engine.db,
      )
    : await sql<{ name: string; bytes: number }>`select relname as name, pg_total_relation_size(oid) as bytes
        from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(engine.db);
  const sizes: TableSize[] = [];
  const known = new Set<string>(TABLE_NAMES);
  for (const { name, bytes } of rows) {
    const counted = known.has(name)
      ? await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(engine.db)
      : { rows: [] };
    sizes.push({ table: name, rows: Number(counted.rows[0]?.n ?? 0), bytes: Number(bytes) });
  }
  return sizes.sort((a, b) => b.bytes - a.bytes);
}

export function totalOf(sizes: readonly TableSize[]): number {
  return sizes.reduce((sum, { bytes }) => sum + bytes, 0);
}
