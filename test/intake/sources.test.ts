import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PluginSource, SqlIntakeSource } from '../../src/intake/contract.ts';
import { SourceQueryError, SourceUnavailableError } from '../../src/intake/errors.ts';
import { usePluginSources } from '../../src/intake/plugin-source.ts';
import { importSource } from '../../src/intake/sources.ts';
import { readSqlSource } from '../../src/intake/sql-source.ts';
import type { TrackedInput } from '../../src/ports/store/store.ts';
import { dec } from '../support/builders.ts';
import { type Answer, startFakePostgres } from './fake-postgres.ts';
import { all } from './reading.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-sources-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = (url: string, query: string, kind: 'purchase' | 'sale' | null = null): SqlIntakeSource => ({
  type: 'sql',
  name: 'app',
  url,
  query,
  kind,
});

/** Takes every line. */
const TAKES_ALL = { add: async (lines: readonly unknown[]) => lines.map(() => ({ outcome: 'added' as const })) };

async function failure(reading: Promise<unknown>): Promise<Error> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('this should have failed');
}

describe('a SQLite source', () => {
  const url = `sqlite:${join(folder, 'app.db')}`;
  beforeAll(() => {
    const database = new Database(join(folder, 'app.db'));
    database.exec('create table purchases (id, view_token text, created text, amount real)');
    const insert = database.prepare('insert into purchases values (?, ?, ?, 1.5)');
    insert.run('sqs6a428mqjtzbv', 'tok-1', '2026-10-13T10:02:00Z');
    insert.run(322, 'tok-2', null);
    insert.run('a b', 'tok-3', null);
    insert.run(9007199254740993n, 'tok-4', null);
    database.close();
  });

  it('gives the rows of its query, and rejects the bad ones by number', async () => {
    const query = "select 'purchase' as kind, id, view_token, created as created_at, amount from purchases;";
    const items = await all(readSqlSource(source(url, query)));
    expect(items).toMatchObject([
      { type: 'note', text: 'columns ignored: amount' },
      {
        type: 'good',
        line: 1,
        value: { kind: 'purchase', id: 'sqs6a428mqjtzbv', createdAt: Date.UTC(2026, 9, 13, 10, 2) },
      },
      { type: 'good', line: 2, value: { id: '322', token: 'tok-2' } },
      {
        type: 'rejected',
        line: 3,
        reason: 'id may have only letters, digits, - and _, at most 64 (found a b)',
        raw: '{"kind":"purchase","id":"a b","view_token":"[cut]","created_at":null,"amount":"[cut]"}',
      },
      { type: 'good', line: 4, value: { id: '9007199254740993' } },
    ]);
  });

  it('may be of one kind', async () => {
    const items = await all(readSqlSource(source(url, "select 'a' as id, 't' as view_token", 'sale')));
    expect(items).toMatchObject([{ type: 'good', value: { kind: 'sale', id: 'a' } }]);
  });

  it('is read to its end, of every number of rows', async () => {
    for (const rows of [999, 1_000, 1_001, 2_001]) {
      const query = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select 'sale' as kind, 'id' || i as id, 't' as view_token from n`;
      const items = await all(readSqlSource(source(url, query)));
      expect(items.map((item) => item.type === 'good' && item.value.id)).toEqual(
        Array.from({ length: rows }, (_, i) => `id${i + 1}`),
      );
    }
  });

  it('has amounts as they are stored, and no id that is a number with a point', async () => {
    const columns = "'sale' as kind, 't' as view_token";
    const query = `select ${columns}, 'a' as id, 104.76 as shown_total union all select ${columns}, 1.5, 5 union all select ${columns}, x'00', 5 union all select ${columns}, 'b', x'31'`;
    expect(await all(readSqlSource(source(url, query)))).toMatchObject([
      { type: 'good', value: { id: 'a', shown: { total: dec('104.76') } } },
      { type: 'rejected', line: 2, reason: 'id must be a text; id is missing' },
      { type: 'rejected', line: 3, reason: 'id must be a text; id is missing' },
      { type: 'rejected', line: 4, reason: 'shown_total must be a text' },
    ]);
  });

  const processes = () => {
    const tasks = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [];
    const children = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '));
    const commands = children.flatMap((pid) => (pid === '' ? [] : readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
    return commands.filter((command) => command.includes('sqlite-process'));
  };
  it('leaves no process behind, wherever it ends', async () => {
    await all(readSqlSource(source(url, "select 'sale' as kind, id, view_token from purchases")));
    await failure(all(readSqlSource(source(url, 'select toke from purchases'))));
    for await (const _first of readSqlSource(source(url, "select 'sale' as kind, id, view_token from purchases")))
      break;
    expect(processes()).toEqual([]);
  });

  it('whose query computes for too long is stopped, before its first row and after it, and nothing else waits', async () => {
    const row = "select 'sale' as kind, 'a' || i as id, 't' as view_token from n";
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n)';
    for (const query of [`${numbers} ${row} where i < 0`, `${numbers} ${row} where i <= 1000`]) {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 20);
      const items: unknown[] = [];
      const error = await failure(
        (async () => {
          for await (const item of readSqlSource(source(url, query), undefined, 1_500)) items.push(item);
        })(),
      );
      clearInterval(timer);
      expect(error).toBeInstanceOf(SourceUnavailableError);
      expect(error.message).toMatch(
        /^source app \(.+app\.db\): its query gave no rows for 1\.5 s and was stopped; make the `query`/,
      );
      expect(error.message).toContain('schedule.maxDuration');
      expect(items).toHaveLength(query.includes('1000') ? 1_000 : 0);
      expect(ticks).toBeGreaterThan(20);
    }
    expect(processes()).toEqual([]);
  });

  it('cannot be changed by its query', async () => {
    const error = await failure(all(readSqlSource(source(url, 'delete from purchases'))));
    expect(error).toBeInstanceOf(SourceQueryError);
    expect(error.message).toBe('source app: its query returns nothing; write a select');
    const sly = await failure(
      all(readSqlSource(source(url, 'delete from purchases returning id, view_token', 'sale'))),
    );
    expect(sly.message).toContain('readonly database');
  });

  it.each([
    ['select id from purchases', 'source app: its query returns id and lacks kind, view_token; name them with "as"'],
    ['select id, toke from purchases', 'source app: its query fails: no such column: toke'],
    [
      'delete from purchases; select * from purchases',
      'source app: its query fails: The supplied SQL string contains more than one statement; write one select without parameters',
    ],
    [
      '-- nothing',
      'source app: its query fails: The supplied SQL string contains no statements; write one select without parameters',
    ],
    [
      "select 'sale' as kind, id, view_token from purchases where id = ?",
      'source app: its query fails: Too few parameter values were provided; write one select without parameters',
    ],
    [
      "select 'sale' as kind, id, view_token from purchases where id = :id",
      'source app: its query fails: Missing named parameters; write one select without parameters',
    ],
  ])('explains what is wrong with %s', async (query, message) => {
    const error = await failure(all(readSqlSource(source(url, query))));
    expect(error).toBeInstanceOf(SourceQueryError);
    expect(error.message).toBe(message);
  });

  it('must be there', async () => {
    const missing = join(folder, 'none', 'app.db');
    const error = await failure(all(readSqlSource(source(`sqlite:${missing}`, 'select 1'))));
    expect(error).toBeInstanceOf(SourceUnavailableError);
    expect(error.message).toBe(
      `source app (${missing}): cannot be opened; check that the file is there and may be read by this user`,
    );
  });
});

describe('a PostgreSQL source', () => {
  const QUERY = "select 'sale' as kind, id, token as view_token, made as created_at from sales;";
  const COLUMNS = ['kind', 'id', 'view_token', 'created_at'];
  const TIMESTAMPTZ = 1184;
  const url = (port: number) => `postgres://app:hunter2@127.0.0.1:${port}/shop`;

  /** Answers the pages one after another. */
  function pages(...rows: (string | null)[][][]): (statement: string) => Answer {
    let next = 0;
    return (statement) =>
      statement.startsWith('fetch')
        ? { columns: COLUMNS, types: [25, 25, 25, TIMESTAMPTZ], rows: rows[next++] ?? [] }
        : undefined;
  }

  it('is read through a cursor in a read-only transaction, page by page', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ['sale', `id${index}`, 't', null]);
    await using server = await startFakePostgres(
      pages(many, [
        ['sale', 'last', 't', '2026-10-13 10:02:00.5+05:30'],
        ['sale', 'nozone', 't', '2026-10-13 10:02:00'],
      ]),
    );
    const items = await all(readSqlSource(source(url(server.port), QUERY)));
    expect(items).toHaveLength(1_002);
    expect(items[1_000]).toMatchObject({
      type: 'good',
      line: 1_001,
      value: { id: 'last', createdAt: Date.UTC(2026, 9, 13, 4, 32, 0, 500) },
    });
    expect(items[1_001]).toMatchObject({ type: 'rejected', line: 1_002 });
    expect(server.statements).toEqual([
      'startup',
      'begin isolation level repeatable read read only',
      'set local idle_in_transaction_session_timeout to 600000',
      "set local datestyle to 'ISO'",
      `extended: declare tieout_source no scroll cursor for ${QUERY.slice(0, -1)}`,
      'fetch forward 1000 from tieout_source',
      'fetch forward 1000 from tieout_source',
    ]);
  });

  it.each([
    [
      'startup',
      '28P01',
      'password authentication failed for user "app"',
      SourceUnavailableError,
      'refuses this user or password; check those in the source’s url (or PGPASSWORD)',
    ],
    [
      'startup',
      '3D000',
      'database "shop" does not exist',
      SourceUnavailableError,
      'has no database of that name; check the source’s url',
    ],
    [
      'extended',
      '42P01',
      'relation "sales" does not exist',
      SourceQueryError,
      'refuses its query: relation "sales" does not exist',
    ],
    [
      'fetch',
      '57P01',
      'terminating connection',
      SourceUnavailableError,
      'cannot be read (57P01); check the url, the server and its log',
    ],
  ] as const)('says what to do when %s fails with %s', async (at, code, message, type, remedy) => {
    await using server = await startFakePostgres((statement) =>
      statement.startsWith(at) ? { error: { code, message } } : undefined,
    );
    const error = await failure(all(readSqlSource(source(url(server.port), QUERY))));
    expect(error).toBeInstanceOf(type);
    expect(error.message).toContain(`PostgreSQL at 127.0.0.1:${server.port}/shop`);
    expect(error.message).toContain(remedy);
    expect(error.message).not.toContain('hunter2');
  });

  it('whose address lacks the password that the server wants says so', async () => {
    await using server = await startFakePostgres(() => 'scram');
    const error = await failure(all(readSqlSource(source(url(server.port).replace(':hunter2', ''), QUERY))));
    expect(error.message).toContain('refuses this user or password; check those in the source’s url (or PGPASSWORD)');
  });

  it.each(['22P02', '22025', '22012', '23505'])(
    'whose error %s may quote a value is reported by its code',
    async (code) => {
      await using server = await startFakePostgres((statement) =>
        statement.startsWith('fetch') ? { error: { code, message: 'invalid input: "tok-s3cret"' } } : undefined,
      );
      const error = await failure(all(readSqlSource(source(url(server.port), QUERY))));
      expect(error).toBeInstanceOf(SourceQueryError);
      expect(error.message).toBe(`source app: PostgreSQL at 127.0.0.1:${server.port}/shop refuses its query: ${code}`);
    },
  );

  it('has a text that looks like a date as it stands', async () => {
    const text = '2026-10-13 10:02:00+00';
    const columns = ['kind', 'id', 'view_token', 'host_reference'];
    let isFirst = true;
    await using server = await startFakePostgres((statement) => {
      if (!statement.startsWith('fetch')) return undefined;
      const rows = isFirst ? [['sale', 'a', 't', text]] : [];
      isFirst = false;
      return { columns, types: [25, 25, 25, 25], rows };
    });
    expect(await all(readSqlSource(source(url(server.port), QUERY)))).toMatchObject([
      { type: 'good', value: { hostReference: text } },
    ]);
  });

  it('that goes away in the middle is an error, not an end', async () => {
    let fetches = 0;
    await using server = await startFakePostgres((statement) => {
      if (!statement.startsWith('fetch')) return undefined;
      fetches++;
      const rows = Array.from({ length: 1_000 }, (_, index) => ['sale', `id${index}`, 't', null]);
      return fetches === 1 ? { columns: COLUMNS, rows } : 'gone';
    });
    const error = await failure(all(readSqlSource(source(url(server.port), QUERY))));
    expect(error).toBeInstanceOf(SourceUnavailableError);
    expect(error.message).toContain('the connection was lost');
  });

  it.each([0, 1])('that falls silent after %i pages holds a night no longer than its time', async (pages) => {
    let fetches = 0;
    await using server = await startFakePostgres((statement) => {
      if (!statement.startsWith('fetch')) return undefined;
      const rows = Array.from({ length: 1_000 }, (_, index) => ['sale', `id${index}`, 't', null]);
      return fetches++ < pages ? { columns: COLUMNS, rows } : 'silent';
    });
    const { figures } = await importSource(source(url(server.port), QUERY), {
      tracked: TAKES_ALL,
      now: () => 0,
      maxDurationMs: 200,
    });
    expect(figures).toMatchObject({ failed: 1, problems: [expect.stringContaining('no answer in time')] });
    // So that the server does not go on without anybody who waits.
    expect(server.statements).toContain('set local statement_timeout to 200');
  });

  it('that is not there says so without its address’s password', async () => {
    const server = await startFakePostgres(() => undefined);
    await server[Symbol.asyncDispose]();
    const error = await failure(all(readSqlSource(source(url(server.port), QUERY))));
    expect(error.message).toBe(
      `source app (PostgreSQL at 127.0.0.1:${server.port}/shop): refuses the connection; check that it runs and that the port is right`,
    );
  });

  it('whose certificate is gone fails alone', async () => {
    const gone = source(`${url(5432)}?sslrootcert=/no/such.pem`, QUERY);
    const { figures } = await importSource(gone, { tracked: TAKES_ALL, now: () => 0 });
    expect(figures).toMatchObject({ failed: 1, problems: [expect.stringContaining('cannot be read (ENOENT)')] });
  });
});

describe('a file source', () => {
  const inbox = join(folder, 'inbox');
  const tracked = () => {
    const ids: string[] = [];
    return {
      ids,
      add: async (lines: readonly TrackedInput[]) => {
        ids.push(...lines.map(({ id }) => id));
        return lines.map(() => ({ outcome: 'added' as const }));
      },
    };
  };
  const files = (path: string) => ({
    type: 'file' as const,
    name: 'inbox',
    path,
    format: null,
    kind: 'purchase' as const,
  });

  beforeAll(() => {
    mkdirSync(join(inbox, 'folder.csv'), { recursive: true });
    writeFileSync(join(inbox, 'b.csv'), 'id,view_token\nb1,t\n');
    writeFileSync(join(inbox, 'a.csv'), 'id,view_token\na1,t\na 2,t\n');
    writeFileSync(join(inbox, 'bad.csv'), 'nothing\n');
    writeFileSync(join(inbox, 'c.ndjson'), '{"id":"c1","view_token":"t"}\n');
  });

  it('is every file that its glob matches, in order; a bad one stops only itself', async () => {
    const store = tracked();
    const report = await importSource(files(join(inbox, '*.csv')), { tracked: store, now: () => 0 });
    expect(store.ids).toEqual(['a1', 'b1']);
    expect(report.parts.map((part) => part.error?.message ?? part.summary.rejectedCount)).toEqual([
      1,
      0,
      `${join(inbox, 'bad.csv')}: its header lacks id, view_token; name the columns in the first line, such as kind,id,view_token`,
    ]);
  });

  it('counts the lines it read, and quotes the first five rejected ones', async () => {
    const bad = Array.from({ length: 7 }, (_, i) => `a ${i},t`);
    writeFileSync(join(inbox, 'many.tsv'), ['id,view_token', 'b1,t', 'b2,t', ...bad].join('\n'));
    const options = { ...files(join(inbox, '*.tsv')), format: 'csv' as const };
    const { figures } = await importSource(options, { tracked: tracked(), now: () => 0 });
    rmSync(join(inbox, 'many.tsv'));
    expect(figures).toEqual({
      name: 'inbox',
      read: 9,
      accepted: 2,
      rejected: 7,
      failed: 0,
      problems: [
        '7 of 9 lines were rejected',
        ...[4, 5, 6, 7, 8].map(
          (line) =>
            `${join(inbox, 'many.tsv')}:${line}: id may have only letters, digits, - and _, at most 64 (found a ${line - 4})`,
        ),
      ],
    });
  });

  it.skipIf(process.platform === 'win32')('that is a pipe or a device is not read: it may never end', async () => {
    execFileSync('mkfifo', [join(inbox, 'pipe.csv')]);
    for (const path of [join(inbox, 'pipe.csv'), '/dev/zero']) {
      const options = { ...files(path), format: 'csv' as const };
      const { figures } = await importSource(options, { tracked: tracked(), now: () => 0 });
      expect(figures.problems).toEqual([`${path}: is a pipe or a device; read it with \`tieout import\``]);
    }
  });

  it('that is optional may be missing or empty; another may be neither', async () => {
    writeFileSync(join(inbox, 'empty.ndjson'), '');
    const figuresOf = async (name: string, optional: boolean) => {
      const options = { ...files(join(inbox, name)), optional };
      return (await importSource(options, { tracked: tracked(), now: () => 0 })).figures;
    };
    const nothing = { name: 'inbox', read: 0, accepted: 0, rejected: 0, failed: 0, problems: [] };
    expect(await figuresOf('empty.ndjson', true)).toEqual(nothing);
    expect(await figuresOf('none.csv', true)).toEqual(nothing);
    expect(await figuresOf('*.none', true)).toEqual(nothing);
    expect(await figuresOf('c.ndjson', true)).toEqual({ ...nothing, read: 1, accepted: 1 });
    for (const name of ['empty.ndjson', 'none.csv', '*.none']) {
      expect(await figuresOf(name, false)).toMatchObject({ failed: 1, problems: [expect.stringContaining(inbox)] });
    }
  });

  it('may match nothing; but a plain path must be there', async () => {
    expect((await importSource(files(join(inbox, '*.tsv')), { tracked: tracked(), now: () => 0 })).parts).toEqual([]);
    const { parts } = await importSource(files(join(inbox, 'none.csv')), { tracked: tracked(), now: () => 0 });
    expect(parts).toMatchObject([{ error: { message: `${join(inbox, 'none.csv')}: there is no such file` } }]);
  });
});

describe('a source of a plugin', () => {
  afterAll(() => usePluginSources([]));

  it('that fails after some rows keeps and counts these', async () => {
    async function* read() {
      yield { kind: 'purchase', id: 'p1', view_token: 't' };
      yield { kind: 'gift', id: 'p2', view_token: 't' };
      throw new Error('the line was cut');
    }
    usePluginSources([{ name: 'own', sources: [{ name: 'cut', read }] }]);
    const ids: string[] = [];
    const add = async (lines: readonly TrackedInput[]) => {
      ids.push(...lines.map(({ id }) => id));
      return lines.map(() => ({ outcome: 'added' as const }));
    };
    const source = { type: 'plugin' as const, name: 'crm', source: 'cut', options: {}, kind: null };
    const { figures } = await importSource(source, { tracked: { add }, now: () => 0 });
    expect(ids).toEqual(['p1']);
    expect(figures).toMatchObject({ read: 2, accepted: 1, rejected: 1, failed: 1 });
    expect(figures.problems[0]).toBe('the plugin own failed: the line was cut; fix the plugin');
  });

  it.each<[string, PluginSource['read']]>([
    ['gives no rows', () => new Promise(() => undefined)],
    [
      'falls silent after a row',
      async function* () {
        yield { kind: 'sale', id: 'p1', view_token: 't' };
        await new Promise(() => undefined);
      },
    ],
  ])('that %s holds a night no longer than its time', async (_, read) => {
    usePluginSources([{ name: 'own', sources: [{ name: 'slow', read }] }]);
    const options = { type: 'plugin', name: 'app', source: 'slow', options: {}, kind: null } as const;
    const { figures } = await importSource(options, { tracked: TAKES_ALL, now: () => 0, maxDurationMs: 50 });
    const problem = 'the plugin own failed: no row came for 0.05 s; fix the plugin';
    expect(figures).toMatchObject({ failed: 1, problems: [problem] });
  });

  it('that never ends does so with the time of the run', async () => {
    const read = async function* () {
      for (let n = 0; ; n++) yield { kind: 'sale', id: n % 2 === 0 ? `p${n}` : '', view_token: 't' };
    };
    usePluginSources([{ name: 'own', sources: [{ name: 'endless', read }] }]);
    const options = { type: 'plugin', name: 'app', source: 'endless', options: {}, kind: null } as const;
    let now = 0;
    const { figures } = await importSource(options, { tracked: TAKES_ALL, now: () => now++, maxDurationMs: 10_000 });
    expect(figures.failed).toBe(1);
    expect(figures.problems[0]).toMatch(/^has not come to its end within the time of the run; /);
  });
});
