/** Ids from the app's own PostgreSQL, by a user whose sessions may hardly idle: rows are stored for longer between two pages. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readSqlSource } from '../../../src/intake/sql-source.ts';
import { makeDatabase, onServer } from './database.ts';
import { isSwitchedOff } from './server.ts';

it.skipIf(isSwitchedOff())('50,000 ids outlive the idle time-outs of their user', async () => {
  await using database = await makeDatabase();
  const user = `reader_${randomBytes(4).toString('hex')}`;
  await onServer(
    database.url,
    `create role ${user} login password 'read'`,
    `alter role ${user} set idle_in_transaction_session_timeout = '300ms'`,
    `alter role ${user} set idle_session_timeout = '300ms'`,
    'create table orders as select n::text as id, $$token-of-$$ || n as view_token from generate_series(1, 50000) as n',
    `grant select on orders to ${user}`,
  );
  const url = Object.assign(new URL(database.url), { username: user, password: 'read' }).href;
  const source = { type: 'sql', name: 'app', url, query: 'select id, view_token from orders', kind: 'sale' } as const;
  try {
    let rows = 0;
    for await (const item of readSqlSource(source)) {
      expect(item.type).toBe('good');
      rows++;
      if (rows % 20_000 === 500) await pause(900);
    }
    expect(rows).toBe(50_000);
    await onServer(database.url, `revoke select on orders from ${user}`);
    const refused = 'permission denied for table orders; let the user in the source’s url read it';
    await expect(readSqlSource(source).next()).rejects.toThrow(refused);
  } finally {
    await onServer(database.url, `drop owned by ${user}`, `drop role ${user}`);
  }
});
