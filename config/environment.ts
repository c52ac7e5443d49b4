/** The environment as a layer of the settings, and `…_FILE` for every variable that may hold a secret. */
import { suggestion } from '../src/text/nearest-name.ts';
import { whyUnreadable } from '../src/text/unreadable.ts';
import type { ConfigProblem } from './problems.ts';
import type { Path } from './raw.ts';
import { settingsOf } from './setting.ts';
import { SCHEMA } from './settings.ts';

interface Variable {
  name: string;
  /** The setting it gives; null for TIEOUT_CONFIG, which names the file itself. */
  path: Path | null;
  /** May also be given as `<name>_FILE`, the path of a file that holds it. */
  file: boolean;
}

export const VARIABLES: readonly Variable[] = [
  { name: 'TIEOUT_CONFIG', path: null, file: false },
  ...[...settingsOf(SCHEMA)].flatMap(({ path, env }) =>
    env === undefined ? [] : [{ name: env.name, path, file: env.file === true }],
  ),
];

interface EnvironmentValue {
  path: Path;
  value: string;
  /** `TIEOUT_OUT`, or `TIEOUT_SECRET_KEY_FILE`. */
  variable: string;
}

interface EnvironmentReading {
  values: readonly EnvironmentValue[];
  problems: readonly ConfigProblem[];
  /** Remarks that stop nothing: variables that begin with TIEOUT_ and are unknown. */
  notes: readonly string[];
}

export type Env = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset: container tools pass empty ones along. */
function given(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** @param readFile throws where the file cannot be read; only called for `…_FILE` variables. */
export function readEnvironment(env: Env, readFile: (path: string) => string): EnvironmentReading {
  const values: EnvironmentValue[] = [];
  const problems: ConfigProblem[] = [];
  for (const { name, path, file } of VARIABLES) {
    if (path === null) continue;
    const direct = given(env, name);
    const from = file ? given(env, `${name}_FILE`) : undefined;
    if (direct !== undefined && from !== undefined) {
      problems.push(problem(`${name}_FILE`, null, `set either ${name} or ${name}_FILE, not both`));
      continue;
    }
    if (direct !== undefined) values.push({ path, value: direct.trim(), variable: name });
    if (from === undefined) continue;
    try {
      const text = readFile(from).trim();
      if (text === '') problems.push(problem(`${name}_FILE`, from, 'is an empty file'));
      else values.push({ path, value: text, variable: `${name}_FILE` });
    } catch (error) {
      problems.push(problem(`${name}_FILE`, isPath(from) ? from : null, `cannot be read: ${whyUnreadable(error)}`));
    }
  }
  return { values, problems, notes: unknownVariables(env) };
}

/** The secret itself may have been given in place of the path of its file. Only what begins as a path is shown, or a name such as `tieout.key`. */
const isPath = (text: string) => /^(?:[.~]{0,2}\/|[a-z]:\\|(?:[\w-]+\/)*[\w-]{1,40}\.[a-z]{2,5}$)/i.test(text);

function problem(variable: string, value: string | null, message: string): ConfigProblem {
  return { path: variable, where: `env ${variable}`, value, message };
}

/** A misspelt variable would otherwise be ignored without a message. */
function unknownVariables(env: Env): string[] {
  const known = VARIABLES.flatMap(({ name, file }) => (file ? [name, `${name}_FILE`] : [name]));
  return Object.keys(env)
    .filter((name) => name.startsWith('TIEOUT_') && !name.startsWith('TIEOUT_TEST_') && !known.includes(name))
    .sort()
    .map((name) => `the variable ${name} means nothing here; ${suggestion(name, known)}`);
}

/**
 * The values of variables that may hold a secret, before any of them is read as a setting. Public keys are left out.
 */
export function environmentSecrets(env: Env): readonly string[] {
  return VARIABLES.filter(({ file, path }) => file && path?.at(-1) !== 'publicKeys')
    .map(({ name }) => env[name]?.trim() ?? '')
    .filter((value) => !value.startsWith('sqlite:'));
}
