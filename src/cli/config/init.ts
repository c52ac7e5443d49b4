/** `tieout init`: asks for the few settings that a deployment needs, tries each answer, and writes them down. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { TieoutError, UsageError } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import type { Session } from '../session.ts';
import { printable } from '../table.ts';
import { type Answers, type InitFlags, rawOf, STEPS, type Step, scheduleFiles, settingsText } from './init-steps.ts';

const SCHEDULES = ['cron', 'systemd', 'none'];

export const register: Register = (program) => {
  command(program, 'init', {
    details:
      'In a terminal it asks for what no flag gives; without one, flags say everything. Each answer is tried: the Service is ' +
      'asked for its currencies, the query is run and three of its rows are shown, one record is fetched, PostgreSQL is ' +
      'connected to. Writes tieout.yaml (or --config FILE) with what was said, and a crontab or systemd units beside it. ' +
      'Nothing is overwritten.',
    examples: [
      'tieout init',
      'tieout init --service https://service.example/api --csv "inbox/*.csv"',
      'tieout init --service https://service.example/api --sql postgres://reader@db.example/app --query "select kind, id, view_token from crypto_orders"',
    ],
  })
    .option('--service <url>', 'base address of the Service, which ends in /api')
    .option('--sql <url>', "the app's database with ids and view tokens: postgres://… or sqlite:PATH")
    .option('--query <sql>', 'a query that returns columns named kind, id and view_token')
    .option('--csv <path>', 'a CSV export with ids and view tokens instead; may be a glob')
    .option('--webhooks', 'webhooks alone bring the ids (tieout serve)')
    .option('--database <url>', "Tieout's own database (default: sqlite:var/tieout.db)")
    .option('--key-file <file>', 'the key that seals view tokens; made where there is none')
    .option('--schedule <how>', 'cron, systemd or none (default: cron)')
    .option('--identifier-name <name>', "the maker's name in identifiers on the wire: base<Name>Fee")
    .option('--rate-limits <off>', 'off for a Service of your own on this machine')
    .option('--offline', 'try nothing')
    .runs((session, flags: InitFlags & { offline?: boolean }) => init(session, flags, flags.offline === true));
};

async function init(session: Session, flags: InitFlags, isOffline: boolean): Promise<void> {
  const file = session.flags.config ?? 'tieout.yaml';
  if (existsSync(file)) {
    throw new UsageError(`${file} is there already, and is not overwritten`, {
      remedy: 'change it by hand, or write another one with --config FILE',
    });
  }
  const { timezone } = session.flags;
  const { webhooks, ...said } = { ...flags, ...(timezone === undefined ? {} : { timezone }) };
  const given = { ...strings(said), ...(webhooks ? { sql: '', csv: '' } : {}) };
  const answers = await askAll(session, given, isOffline);
  await write(session, file, answers);
}

function strings(flags: Readonly<Record<string, unknown>>): Answers {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => typeof value === 'string'));
}

/** In a terminal a wrong answer is asked for again; a wrong flag ends the command. */
async function askAll(session: Session, given: Answers, isOffline: boolean): Promise<Answers> {
  const { stdin, stderr } = session.world;
  const isTerminal = stderr.isTTY === true && (stdin as { isTTY?: boolean }).isTTY === true;
  const lines = isTerminal ? createInterface({ input: stdin }) : null;
  const typed = lines?.[Symbol.asyncIterator]();
  let answers: Answers = { ...given };
  try {
    const missing: string[] = [];
    for (const step of STEPS) {
      if (step.isAsked?.(answers) === false) continue;
      for (;;) {
        let answer: string | undefined = given[step.name];
        const isTyped = answer === undefined && typed !== undefined;
        if (isTyped) {
          stderr.write(`${step.question}${step.fallback ? ` [${step.fallback}]` : ''}: `);
          const { value, done } = await (typed as AsyncIterator<string>).next();
          if (done === true) throw new UsageError(`no answer to: ${step.question}`, { remedy: `give ${step.flag}` });
          answer = value.trim() || undefined;
        }
        answer ??= step.fallback;
        if (answer === undefined) {
          if (isTyped) continue;
          missing.push(step.flag);
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

/** The answers with the one of this step, tried. @throws TieoutError where it does not hold */
async function accept(session: Session, { name, flag }: Step, answers: Answers, isOffline: boolean): Promise<Answers> {
  const { env, stderr } = session.world;
  const { settingsOfTrial, tryService, trySource, tryRecord, tryDatabase } = await import('../../app/try-settings.ts');
  const say = (text: string) => void stderr.write(`  ${printable(session.scrub(text))}\n`);
  if (name === 'schedule' && !SCHEDULES.includes(answers.schedule ?? '')) {
    throw new UsageError(`--schedule ${answers.schedule}: is not valid; allowed: ${SCHEDULES.join(', ')}`);
  }
  const raw = rawOf(answers);
  settingsOfTrial(raw, env, flag);
  if (isOffline) return answers;
  if (name === 'service') say(await tryService(raw, env));
  if (name === 'database') say(await tryDatabase(answers.database ?? ''));
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
  const schedule = scheduleFiles(answers.schedule ?? 'none', process.cwd(), answers.keyFile);
  const made: string[] = [];
  const make = (name: string, content: string) => {
    // Never over a file that came in between.
    writeFileSync(name, content, { flag: 'wx', mode: 0o600 });
    made.push(name);
  };
  make(file, text);
  if (answers.keyFile !== undefined && !existsSync(answers.keyFile)) {
    make(answers.keyFile, `${randomBytes(32).toString('base64')}\n`);
  }
  for (const { name, text: lines } of schedule) if (!existsSync(name)) make(name, lines);
  const { out } = session;
  const run = `${answers.keyFile === undefined ? '' : `TIEOUT_SECRET_KEY_FILE=${answers.keyFile} `}npx tieout run${file === 'tieout.yaml' ? '' : ` --config ${file}`}`;
  const next = [`${run.replace(' run', ' run reference-data')}`, run];
  if (out.json) return out.value({ file, written: made, next });
  await out.line(`Wrote ${made.join(', ')}`);
  await out.line(answers.sql || answers.csv ? 'Next:' : 'Next, once `tieout serve` has received webhooks:');
  for (const each of next) await out.line(`  ${each}`);
}
