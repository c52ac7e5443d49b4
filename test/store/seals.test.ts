/** Each column of each table of a filled database, changed by SQL: `db check` finds it, or the schema says why it decides nothing. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Upkeep } from '../../src/ports/store/store.ts';
import { openStore, openUpkeep } from '../../src/store/open.ts';
import { isGuarded, TABLE_NAMES, TABLES } from '../../src/store/schema/tables.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { ENGINES, SEALER, temporaryFolder, testKey } from './support/engines.ts';
import { fill, NOW } from './support/filled.ts';

describe.each(ENGINES)('a database that the program alone has written ($name)', ({ open }) => {
  it('has no problem, also after its key was replaced', async () => {
    await using opened = await open();
    await fill(opened.store);
    expect((await opened.upkeep.check()).problems).toEqual([]);
  });
});

describe('a change by SQL', () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'tieout.db');
  const filled = join(folder.path, 'filled.db');
  const url = `sqlite:${path}`;
  // One for all tests, which put back what they change: opening and preparing cost more than a check.
  let upkeep: Upkeep;
  let file: DatabaseSync;
  beforeAll(async () => {
    const { store } = await openStore({ url: `sqlite:${filled}`, sealer: SEALER });
    await fill(store);
    await store.close();
    copyFileSync(filled, path);
    upkeep = await openUpkeep({ url, sealer: SEALER, create: false });
    file = openSqliteFile(path);
    file.exec(`pragma foreign_keys = off; attach '${filled}' as filled`);
  });
  afterAll(async () => {
    file.close();
    await upkeep.close();
    folder[Symbol.dispose]();
  });

  const columnsOf = (table: string) => file.prepare(`select name, type from pragma_table_info('${table}')`).all();

  /** As they were, the tables that a statement names. */
  function restore(sql: string): void {
    for (const table of TABLE_NAMES.filter((name) => sql.includes(name))) {
      const names = columnsOf(table)
        .map(({ name }) => `"${name}"`)
        .join();
      file.exec(`delete from ${table}; insert into ${table} (${names}) select ${names} from filled.${table}`);
    }
  }

  async function problemsAfter(sql: string): Promise<readonly string[]> {
    file.exec(sql);
    try {
      return (await upkeep.check()).problems;
    } finally {
      restore(sql);
    }
  }

  /** The program on a database of its own, which is gone with the folder. */
  function another(name: string): { file: DatabaseSync; url: string } & Disposable {
    const own = join(folder.path, `${name}.db`);
    copyFileSync(filled, own);
    const opened = openSqliteFile(own);
    return { file: opened, url: `sqlite:${own}`, [Symbol.dispose]: () => opened.close() };
  }

  const sealed = TABLE_NAMES.flatMap((table) =>
    Object.keys(TABLES[table].columns)
      .filter((column) => isGuarded(table, column))
      .map((column) => [table, column] as const),
  );
  it.each(sealed)('of %s.%s is found', async (table, column) => {
    const type = String(columnsOf(table).find(({ name }) => name === column)?.type).toLowerCase();
    expect(file.prepare(`select count(*) as n from ${table}`).get()).not.toEqual({ n: 0 });
    // Another value of the same type, whatever it is; null becomes one.
    const other = {
      integer: `coalesce(${column}, 0) + 1`,
      text: `'x' || coalesce(${column}, '')`,
      blob: `x'00'`,
    }[type];
    expect(await problemsAfter(`update or replace ${table} set ${column} = ${other}`)).not.toEqual([]);
  });

  const FILLED = [...new Set(sealed.map(([table]) => table))];
  it.each(FILLED)('that deletes the rows of %s is found, also with their seals', async (table) => {
    expect(await problemsAfter(`delete from ${table}`)).not.toEqual([]);
    const seals = `delete from sealed_rows where table_name = '${table}'`;
    expect(await problemsAfter(`${seals}; delete from ${table}`)).not.toEqual([]);
  });

  const COPY = `insert into access_acts (at, name, account, proof, action, subject, outcome, detail)
    select at, name, account, proof, action, subject, outcome, detail from access_acts where`;
  const DIGESTS = "(select digest from sealed_rows where table_name = 'access_acts' order by digest limit 1)";
  it('that deletes an act with its seal and copies another act with its own is found', async () => {
    // Of two acts one is deleted: the seals of both are tried, because a digest does not say whose it is.
    const seals = `update sealed_rows set n = 2 where table_name = 'access_acts' and digest`;
    const deleted = `delete from sealed_rows where table_name = 'access_acts' and digest`;
    for (const [act, is] of [
      ['period.close', '='],
      ['period.close', '<>'],
      ['period.open', '='],
      ['period.open', '<>'],
    ]) {
      const other = is === '=' ? '<>' : '=';
      const forged = `${seals} ${is} ${DIGESTS}; ${deleted} ${other} ${DIGESTS};
        delete from access_acts where action <> '${act}'; ${COPY} action = '${act}'`;
      expect(await problemsAfter(forged)).not.toEqual([]);
    }
  });

  it.each(["key_id = 'none'", "digest = ''", 'n = -1', 'n = 1e15'])(
    'of seals themselves (%s) hides nothing',
    async (set) => {
      expect(
        await problemsAfter(
          `update claims set title = 'other'; update sealed_rows set ${set} where table_name = 'claims'`,
        ),
      ).not.toEqual([]);
    },
  );

  it.each(["'none'", 'null'])('of the key (%s) of the seals of runs, findings and statements is found', async (key) => {
    const forged = await problemsAfter(`update row_seals set key_id = ${key} where name not like 'rows%'`);
    expect(forged.length).toBeGreaterThan(4);
  });

  it('that puts a row back as it was, with its seal, is found', async () => {
    using own = another('put-back');
    own.file.exec("create table kept as select digest from sealed_rows where table_name = 'claims'");
    const { store, upkeep } = await openStore({ url: own.url, sealer: SEALER });
    const [claim] = await store.claims.list({ limit: 1 });
    if (claim === undefined) throw new Error('no claim');
    const event = { at: NOW, state: 'recovered', reason: 'x', name: 'Ann', account: 'a', proof: 'stated' } as const;
    await store.claims.update({ ...claim, state: 'recovered' }, [], event, claim.events, []);
    expect((await upkeep.check()).problems).toEqual([]);
    own.file.exec(`pragma foreign_keys = off; update claims set state = '${claim.state}', events = ${claim.events};
      update sealed_rows set digest = (select digest from kept) where table_name = 'claims'`);
    expect((await upkeep.check()).problems).toEqual([
      'claims: seals were added or taken out by other means than Tieout',
    ]);
    await store.close();
  });

  it.each(['verdicts', 'population', 'terms', 'state', 'business_day', 'as_of', 'quote_watermark'])(
    'of runs.%s is found',
    async (column) => {
      const sql = `update runs set ${column} = case typeof(${column}) when 'integer' then ${column} + 1 else 'incomplete' end`;
      expect(await problemsAfter(sql)).not.toEqual([]);
    },
  );

  it.each(['figures', 'stated_by', 'manifest_sha256', 'accepted_open'])(
    'of period_statements.%s is found',
    async (column) => {
      expect(await problemsAfter(`update period_statements set ${column} = 'x'`)).not.toEqual([]);
    },
  );

  it.each(['outcome', 'content_key', 'shown_fee', 'expected_status', 'quote_key'])(
    'of run_items.%s is found',
    async (column) => {
      const value = column === 'outcome' ? "'verified'" : column.endsWith('key') ? '99' : "'9'";
      expect(await problemsAfter(`update run_items set ${column} = ${value}`)).not.toEqual([]);
    },
  );

  it('behind the first thousand rows of a table is found', async () => {
    const cells = columnsOf('status_changes').flatMap(({ name }) => (name === 'change_key' ? [] : [name]));
    const more = `insert into status_changes (${cells}) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
      select ${cells} from (select * from status_changes limit 1), n; delete from row_seals where name like 'sum %'`;
    file.exec(more);
    await upkeep.reseal();
    expect((await upkeep.check()).problems).toEqual([]);
    const last = 'delete from status_changes where change_key = (select max(change_key) from status_changes)';
    file.exec(last);
    expect((await upkeep.check()).problems).toEqual([
      'status_changes: rows were changed, added or deleted by other means than Tieout',
    ]);
    restore(more);
  });

  it('is not covered up by a change that the program makes afterwards', async () => {
    using own = another('covered-up');
    own.file.exec("update claims set title = 'other'");
    const { store, upkeep } = await openStore({ url: own.url, sealer: SEALER });
    const [claim] = await store.claims.list({ limit: 1 });
    if (claim === undefined) throw new Error('no claim');
    const event = { at: NOW, state: 'sent', reason: 'x', name: 'Ann', account: 'a', proof: 'stated' } as const;
    await store.claims.update({ ...claim, state: 'sent' }, [], event, claim.events, []);
    expect((await upkeep.check()).problems.join()).toContain('claims: claim_key');
    await store.close();
  });

  it('that was put back leaves no problem', async () => {
    expect((await upkeep.check()).problems).toEqual([]);
  });
});

it('seals follow a new key, and rows older than seals are sealed where a person asks for it', async () => {
  const [engine] = ENGINES;
  if (engine === undefined) throw new Error('no engine');
  await using place = await engine.place();
  const first = await openStore({ url: place.url, sealer: SEALER });
  await fill(first.store);
  await first.store.close();
  const both = createSealer([testKey('b'), testKey('a')]);
  const second = await openStore({ url: place.url, sealer: both });
  await second.upkeep.reseal();
  await second.store.close();
  const third = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await third.upkeep.check()).problems).toEqual([]);
  await third.store.close();
  {
    using file = openSqliteFile(place.url.slice('sqlite:'.length));
    file.exec("delete from sealed_rows; delete from row_seals where name like 'rows of %'");
  }
  const fourth = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await fourth.upkeep.check()).problems.join()).toContain('quotes: 1 rows have no seal');
  await fourth.upkeep.reseal();
  expect((await fourth.upkeep.check()).problems).toEqual([]);
  await fourth.store.close();
});
