/** A statement that is built once and used with other values each time. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/store/engine.ts';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { template } from '../../src/store/statements.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openSqliteEngine(':memory:', { create: true });
});
afterAll(() => engine.close());

const build = () =>
  template(engine.db.selectNoFrom(sql<string>`${'built'} || ' before ' || ${'with'}`.as('text')).limit(10));

it('takes its values in the order of its text', async () => {
  const statement = build();
  expect(await engine.rows(statement(['one', 'two', 1]))).toEqual([['one before two']]);
  expect(await engine.rows(statement(['two', 'one', 1]))).toEqual([['two before one']]);
  expect(await engine.rows(statement(['two', 'one', 0]))).toEqual([]);
});

it('refuses another number of values than it has places', () => {
  const statement = build();
  expect(() => statement(['one', 'two'])).toThrow('the statement takes 3 parameters, not 2');
});
