/** Rows of a SQLite file, opened for reading only, by a process that is ended where it gives none in time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { inTime } from '../ports/in-time.ts';
import type { SqlIntakeSource, SqlRows } from './contract.ts';
import { SourceQueryError, SourceUnavailableError } from './errors.ts';
import type { SqliteOrder, SqliteReply } from './sqlite-process.ts';

const CANNOT_OPEN = ['cannot be opened', 'check that the file is there and may be read by this user'] as const;
const TROUBLE: Readonly<Record<string, readonly [why: string, remedy?: string]>> = {
  SQLITE_CANTOPEN: CANNOT_OPEN,
  SQLITE_NOTADB: ['is not a SQLite database'],
  SQLITE_BUSY: ['is locked by another program', 'run again later'],
};

/** A process starts within a second, on a busy machine later. */
const START_MS = 30_000;

/** @param quietMs how long the next rows may take. @throws SourceUnavailableError, SourceQueryError */
export async function sqliteRows(source: SqlIntakeSource, quietMs = 600_000): Promise<SqlRows & AsyncDisposable> {
  const { name, query } = source;
  const path = source.url.slice('sqlite:'.length);
  const entry = new URL(`./sqlite-process${extname(import.meta.url)}`, import.meta.url);
  const child = fork(entry, [], { serialization: 'advanced', execArgv: [] });
  const ended = new AbortController();
  const end = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error'])
      child.once(event, () => {
        ended.abort();
        resolve();
      });
  });
  const failed = (why: string, remedy: string) => new SourceUnavailableError(name, path, why, { remedy });
  const late = () =>
    failed(
      `its query gave no rows for ${quietMs / 1000} s and was stopped`,
      `make the \`query\` of the source faster, for example by an index, or raise schedule.maxDuration where it is shorter than ten minutes`,
    );
  const ask = async (order: SqliteOrder): Promise<Exclude<SqliteReply, { failed: string }>> => {
    const answered = once(child, 'message', ended).catch(() => {
      throw failed(
        'cannot be read: the process that reads it ended',
        'run again, and look at the memory of the machine',
      );
    });
    child.send(order, () => undefined);
    const ms = order === 'page' ? quietMs : Math.max(quietMs, START_MS);
    const [answer] = (await inTime(answered, ms, late)) as [SqliteReply];
    if (typeof answer === 'object' && 'failed' in answer) throw asError(answer, name, path);
    return answer;
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await end;
  };
  async function* pages() {
    for (let isLast = false; !isLast; ) {
      const page = await ask('page');
      if (typeof page !== 'object' || !('rows' in page)) return;
      if (page.rows.length > 0) yield page.rows;
      isLast = page.isLast;
    }
  }
  try {
    const opened = await ask({ path, query });
    if (opened === 'returns nothing')
      throw new SourceQueryError(name, 'its query returns nothing', { remedy: 'write a select' });
    return { columns: 'columns' in opened ? opened.columns : [], pages: pages(), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function asError(
  { failed, code, isUse, isOpening }: Extract<SqliteReply, { failed: string }>,
  name: string,
  path: string,
) {
  // A missing folder is reported without a code.
  const [why, remedy] = TROUBLE[code] ?? (isOpening ? CANNOT_OPEN : []);
  if (why !== undefined) return new SourceUnavailableError(name, path, why, { remedy });
  // SQLite names what it does not know (`no such column: toke`); it has not seen any row's values at that point.
  return new SourceQueryError(
    name,
    `its query fails: ${failed}`,
    isUse ? { remedy: 'write one select without parameters' } : {},
  );
}
