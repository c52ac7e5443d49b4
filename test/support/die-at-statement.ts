/**
 * `--import`ed into a process: SIGKILL as it is about to send a statement that TIEOUT_DIE_AT, a regular expression, matches, or the one of that
 * number (`#17`).
 */
import Database from 'better-sqlite3';
import pg from 'pg';

const at = process.env.TIEOUT_DIE_AT ?? '';
const number = at.startsWith('#') ? Number(at.slice(1)) : null;
const pattern = new RegExp(at, 'i');
let sent = 0;

function look(text: string): void {
  sent++;
  if (number === null ? pattern.test(text) : sent === number) process.kill(process.pid, 'SIGKILL');
}

// One that only prepares it would be killed before the statements that it repeats.
const { prepare, exec } = Database.prototype;
Database.prototype.prepare = function prepared(this: Database.Database, text: string) {
  const statement = prepare.call(this, text);
  for (const method of ['run', 'all', 'get', 'iterate'] as const) {
    const original = statement[method].bind(statement) as (...values: unknown[]) => unknown;
    Object.assign(statement, {
      [method]: (...values: unknown[]) => {
        look(text);
        return original(...values);
      },
    });
  }
  return statement;
} as typeof prepare;
Database.prototype.exec = function run(this: Database.Database, text: string) {
  look(text);
  return exec.call(this, text);
} as typeof exec;

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function asked(this: pg.Client, ...args: Parameters<typeof query>) {
  const [first] = args as unknown as [string | { text?: string }];
  look(typeof first === 'string' ? first : (first?.text ?? ''));
  return (query as (...all: unknown[]) => unknown).apply(this, args);
} as typeof query;
