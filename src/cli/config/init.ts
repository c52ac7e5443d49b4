/** `tieout init`: asks for the few settings that a deployment needs, tries each answer, and writes them down. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { EXIT, TieoutError, UnavailableError, UsageError } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import { refusePassword } from '../flags.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';
import { writing } from '../write-file.ts';
import {
  type Answers,
  flagOf,
  type InitFlags,
  rawOf,
  STEPS,
  type Step,
  scheduleFiles,
  settingsText,
} from './init-steps.ts';

const SCHEDULES = ['cron', 'systemd', 'none'];

export const register: Register = (program) => {
  command(program, 'init', {
    details:
      'In a terminal it asks for everything that no flag gives; elsewhere, flags give every answer. Each answer is tried: it asks ' +
      'the Service for its currencies, runs the query and shows three rows, fetches one record, connects to PostgreSQL. Then it ' +
      'writes tieout.yaml (or --config FILE, or TIEOUT_CONFIG) with these answers, and a crontab or systemd units beside it. It never overwrites a file. ' +
      'Give the password of a database in PGPASSWORD, or in the address that you type when it asks, never in a flag.',
    examples: [
      'tieout init',
      'tieout init --service https://service.example/api --csv "inbox/*.csv"',
      'tieout init --service https://service.example/api --sql postgres://reader@db.example/app --query "select kind, id, view_token from crypto_orders"',
    ],
  })
    .option('--service <url>', 'base address of the Service, which ends in /api')
    .option('--sql <url>', "the app's database with ids and view tokens: postgres://… or sqlite:PATH")
    .option('--query <sql>', 'query that returns columns named kind, id and view_token')
    .option('--csv <path>', 'instead of --sql: a CSV export with ids and view tokens; may be a glob')
    .option('--webhooks', 'instead of --sql: all ids arrive by webhook (tieout serve)')
    .option('--database <url>', "Tieout's own database (default: sqlite:var/tieout.db)")
    .option(
      '--key-file <file>',
      'file with the key that seals view tokens; made if it does not exist (with PostgreSQL, default: tieout.key)',
    )
    .option('--schedule <how>', 'cron, systemd or none (default: cron)')
    .option('--identifier-name <name>', "the maker's name in identifiers on the wire: base<Name>Fee")
    .option('--rate-limits <off>', 'off for a Service of your own on this machine')
    .option('--offline', 'write the answers without trying them')
    .runs((session, flags: InitFlags & { offline?: boolean }) => init(session, flags, flags.offline === true));
};

async function init(session: Session, flags: InitFlags, isOffline: boolean): Promise<void> {
  const file = session.flags.config ?? (session.world.env.TIEOUT_CONFIG?.trim() || 'tieout.yaml');
  if (existsSync(file)) {
    throw new UsageError(`${file} is there already, and is not overwritten`, {
      remedy: 'change it by hand, or write another one with --config FILE',
    });
  }
  const { timezone } = session.flags;
  const { webhooks, ...rest } = { ...flags, ...(timezone === undefined ? {} : { timezone }) };
  const ways = (['sql', 'csv', 'webhooks'] as const)
    .filter((name) => flags[name] !== undefined)
    .map((name) => `--${name}`);
  if (ways.length > 1)
    throw new UsageError(`${ways.join(' and ')}: ids come from one place`, { remedy: 'give one of them' });
  if (flags.query !== undefined && ways.length > 0 && flags.sql === undefined) {
    throw new UsageError(`--query and ${ways[0]}: a query needs a database`, {
      remedy: 'give --sql too, or no --query',
    });
  }
  await refusePassword('--sql', flags.sql, 'give it in PGPASSWORD, or type the address where init asks for it');
  await refusePassword('--database', flags.database, 'give it in PGPASSWORD, or the address in TIEOUT_DATABASE_URL');
  const texts: Answers = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value === 'string'));
  const given = { ...texts, ...(webhooks ? { sql: '', csv: '' } : {}) };
  const answers = await askAll(session, given, isOffline);
  await write(session, file, answers);
}

/** In a terminal a wrong answer is asked for again; a wrong flag ends the command. */
async function askAll(session: Session, given: Answers, isOffline: boolean): Promise<Answers> {
  const { stdin, stderr } = session.world;
  const isTerminal = stderr.isTTY === true && (stdin as { isTTY?: boolean }).isTTY === true;
  const lines = isTerminal ? createInterface({ input: stdin }) : null;
  const typed = lines?.[Symbol.asyncIterator]();
  let answers: Answers = {};
  try {
    const missing: string[] = [];
    for (const step of STEPS) {
      if (given[step.name] === undefined && step.isAsked?.({ ...given, ...answers }) === false) continue;
      for (;;) {
        let answer: string | undefined = given[step.name];
        const isTyped = answer === undefined && typed !== undefined;
        if (isTyped) {
          stderr.write(`${step.question}${step.fallback ? ` [${step.fallback}]` : ''}: `);
          const { value, done } = await (typed as AsyncIterator<string>).next();
          if (done === true) throw new UsageError(`no answer to: ${step.question}`, { remedy: `give ${flagOf(step)}` });
          answer = value.trim() || undefined;
        }
        const isPlaceMissing = !isTyped && step.name === 'sql';
        if (!isPlaceMissing) answer ??= step.fallback;
        if (answer === undefined) {
          if (isTyped) continue;
          missing.push(isPlaceMissing ? '--sql, --csv or --webhooks' : flagOf(step));
          break;
        }
        const more = { ...answers, [step.name]: answer };
        try {
          // What is missing is named before anything is tried.
          answers = missing.length > 0 ? more : await accept(session, step, more, isOffline);
          break;
        } catch (error) {
          if (!isTyped || !(error instanceof TieoutError)) throw error;
          stderr.write(`  ${printable(session.scrub(error.message))}\n`);
        }
      }
    }
    if (missing.length > 0) {
      throw new UsageError(`${missing.join(', ')}: missing, and there is no terminal to ask in`, {
        remedy: 'give them as flags; tieout init --help explains each',
      });
    }
    return answers;
  } finally {
    lines?.close();
  }
}

/** The answers with the one of this step, tried. @throws TieoutError that names the flag */
async function accept(session: Session, step: Step, answers: Answers, isOffline: boolean): Promise<Answers> {
  const { settingsOfTrial } = await import('../../app/try-settings.ts');
  const { name } = step;
  const flag = flagOf(step);
  const { [name]: answer = '' } = answers;
  if (name === 'schedule' && !SCHEDULES.includes(answer))
    throw new UsageError(`--schedule ${answer}: is not valid; allowed: ${SCHEDULES.join(', ')}`);
  settingsOfTrial(rawOf(answers), session.world.env, flag, name === 'keyFile' ? answer : undefined);
  try {
    return isOffline ? answers : await tried(session, name, answers);
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    // An address may hold a password, and a query is long.
    const origin = (name === 'database' ? await databaseOfEnvironment(session) : null)?.variable ?? flag;
    const what = `${origin}${name === 'service' || name === 'csv' ? ` ${answer}` : ''}: ${error.message}`;
    if (error.exitCode !== EXIT.usage) throw new UnavailableError(what, { cause: error });
    throw new UsageError(what, {
      cause: error,
      remedy: name === 'service' ? 'give its base address, which ends in /api' : undefined,
    });
  }
}

/** It wins over the file that is written: it is where the first night will look. Undefined where the environment names none. */
async function databaseOfEnvironment({ world }: Session) {
  const { readEnvironment } = await import('../../../config/environment.ts');
  return readEnvironment(world.env, world.readFile).values.find(({ path }) => path.join('.') === 'database.url');
}

/** The answers, and what the trial adds to them. */
async function tried(session: Session, name: Step['name'], answers: Answers): Promise<Answers> {
  const { env, stderr } = session.world;
  const { settingsOfTrial, tryService, trySource, tryRecord, tryDatabase, tryAddress } = await import(
    '../../app/try-settings.ts'
  );
  const say = (text: string) => void stderr.write(`  ${printable(session.scrub(text))}\n`);
  const raw = rawOf(answers);
  if (name === 'service') say(await tryService(raw, env));
  // Tried before the query: in a terminal, a wrong address would else be met where only the query is asked for again.
  if (name === 'sql' && answers.sql) say(await tryAddress('app', answers.sql));
  if (name === 'database') {
    const url = (await databaseOfEnvironment(session))?.value ?? answers.database ?? '';
    const { database } = settingsOfTrial({ ...raw, database: { url } }, env);
    say(await tryDatabase(database.url));
  }
  if ((name !== 'query' && name !== 'csv') || raw.sources === undefined) return answers;
  const { records, says } = await trySource(raw, env);
  for (const row of says) say(row);
  const [first] = records;
  if (first === undefined) {
    say('no row yet: the first night will find nothing to check');
    return answers;
  }
  const { says: fetched, otherName } = await tryRecord(raw, env, first);
  say(fetched);
  return otherName === undefined ? answers : { ...answers, identifierName: otherName };
}

async function write(session: Session, file: string, answers: Answers): Promise<void> {
  const [{ stringify }, { packageFolder }] = await Promise.all([import('yaml'), import('../../app/version.ts')]);
  const schema = relative(resolve(file, '..'), resolve(packageFolder(), 'config/tieout.schema.json'));
  const said = rawOf({
    ...answers,
    // What is the default is not written.
    ...(answers.database === 'sqlite:var/tieout.db' ? { database: undefined } : {}),
    ...(answers.timezone === 'UTC' ? { timezone: undefined } : {}),
  } as Answers);
  const text = settingsText(said, schema, (value) => stringify(value, { lineWidth: 0 }));
  const { keyFile } = answers;
  const run = `${keyFile === undefined ? '' : `TIEOUT_SECRET_KEY_FILE=${keyFile} `}npx tieout run`;
  const config = file === 'tieout.yaml' ? '' : ` --config ${file}`;
  const files = [
    { name: file, text },
    ...(keyFile === undefined ? [] : [{ name: keyFile, text: `${randomBytes(32).toString('base64')}\n` }]),
    ...scheduleFiles(answers.schedule ?? 'none', process.cwd(), keyFile, config, dirname(process.execPath)),
  ];
  const [written, kept]: [string[], string[]] = [[], []];
  for (const each of files) ((await create(each)) ? written : kept).push(each.name);
  const { out } = session;
  const next = [`${run} reference-data${config}`, `${run}${config}`];
  if (out.json) return out.value({ file, written, kept, next });
  await out.line(`Wrote ${written.join(', ')}`);
  if (kept.length > 0) await out.line(`Kept ${kept.join(', ')}, which existed before`);
  await out.line(answers.sql || answers.csv ? 'Next:' : 'Next, once `tieout serve` has received webhooks:');
  for (const each of next) await out.line(`  ${each}`);
}

/** False for a file that exists: it is never overwritten. @throws UsageError */
async function create({ name, text }: { name: string; text: string }): Promise<boolean> {
  if (existsSync(name)) return false;
  await writing(name, () => writeFileSync(name, text, { flag: 'wx', mode: 0o600 }));
  return true;
}
