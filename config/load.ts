/**
 * Loads the settings: flags, then environment, then the file, then defaults; the first that has a value wins.
 * Nothing is read from the process here: the environment and the disk come in as arguments.
 */
import type { z } from 'zod';
import { MEANT } from '../src/text/nearest-name.ts';
import { errorCode, whyUnreadable } from '../src/text/unreadable.ts';
import { type Env, readEnvironment, VARIABLES } from './environment.ts';
import { Layered, showOrigin } from './layers.ts';
import { type DescribedSetting, describeSettings, isSecretPath, secretValues, showRefused } from './mask.ts';
import { ConfigError, type ConfigProblem } from './problems.ts';
import { type Path, type RawMap, type RawValue, rawAt, rawWith, showPath } from './raw.ts';
import { defaultsOf } from './setting.ts';
import { type KnownNames, SCHEMA, type Settings, settingsSchema } from './settings.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';

/** The file that is read where none is named. */
const DEFAULT_FILE = 'tieout.yaml';

export interface FlagValue {
  /** As the user typed it: `--out`. */
  flag: string;
  path: Path;
  value: RawValue;
}

export interface LoadInput {
  flags: readonly FlagValue[];
  /** The value of `--config`, if given; null where no settings file is read at all. */
  configFile: string | null | undefined;
  env: Env;
  /** Reads a text file, relative to the working directory; throws as node:fs does. */
  readFile: (path: string) => string;
  known: KnownNames;
}

export interface LoadedSettings {
  settings: Settings;
  /** The settings file that was read, or null. */
  file: string | null;
  /** Remarks that stop nothing. */
  notes: readonly string[];
  /** Every setting as it was written, with its origin, secrets masked; sorted as in the documentation. */
  describe: () => readonly DescribedSetting[];
  /** Every secret among the values, for scrubbing texts. */
  secrets: () => readonly string[];
}

/** Of the last load: a process that opens the program again, as a library does, takes two thirds of a load's time to make it and to use it first. */
let made: { names: string; schema: ReturnType<typeof settingsSchema> } | null = null;

function schemaFor(known: KnownNames): ReturnType<typeof settingsSchema> {
  const names = JSON.stringify(known);
  if (made?.names !== names) made = { names, schema: settingsSchema(known) };
  return made.schema;
}

/** @throws ConfigError that lists everything that is wrong, not only the first. */
export function loadSettings(input: LoadInput): LoadedSettings {
  const file = readSettingsFile(input);
  const environment = readEnvironment(input.env, input.readFile);
  const problems = [...file.problems, ...environment.problems, ...secretsInFile(file)];

  const layered = new Layered();
  layered.lay({ values: defaultsOf(SCHEMA), originOf: () => ({ from: 'default' }) });
  layered.lay({
    values: withoutSecrets(file.tree, []),
    originOf: (path) => ({ from: 'file', name: file.name ?? '', line: file.lineOf(path) }),
  });
  for (const { path, value, variable } of environment.values) {
    // A list in the environment is a list of one: a PEM text may hold commas of its own.
    const raw = path.join('.') === 'webhooks.publicKeys' ? pemBlocks(value) : value;
    layered.lay({ values: rawWith(path, raw), originOf: () => ({ from: 'env', name: variable }), setsOne: true });
  }
  for (const { flag, path, value } of input.flags) {
    layered.lay({ values: rawWith(path, value), originOf: () => ({ from: 'flag', name: flag }), setsOne: true });
  }

  const result = schemaFor(input.known).safeParse(layered.tree);
  if (!result.success) problems.push(...problemsOf(result.error, layered, file));
  if (problems.length > 0 || !result.success) throw new ConfigError(problems);
  return {
    settings: result.data,
    file: file.name,
    notes: environment.notes,
    describe: () => describeSettings(layered),
    secrets: () => secretValues(layered.tree),
  };
}

/**
 * The modules that the settings file names as plugins: they are loaded before the settings are checked, which may name their rules.
 * What is no list of names is an error of `loadSettings`.
 */
export function pluginsNamed(input: Omit<LoadInput, 'known'>): { names: readonly string[]; from: string } {
  const { name, tree } = readSettingsFile(input);
  const { plugins } = tree;
  const names = Array.isArray(plugins) ? plugins.filter((each): each is string => typeof each === 'string') : [];
  return { names, from: name ?? DEFAULT_FILE };
}

interface SettingsFile extends YamlFile {
  name: string | null;
}

const NO_FILE: SettingsFile = { name: null, tree: {}, lineOf: () => undefined, problems: [] };

function readSettingsFile({ configFile, env, readFile }: Omit<LoadInput, 'known'>): SettingsFile {
  if (configFile === null) return NO_FILE;
  const fromEnv = env.TIEOUT_CONFIG?.trim() === '' ? undefined : env.TIEOUT_CONFIG;
  const name = configFile ?? fromEnv ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readFile(name);
  } catch (error) {
    const named = configFile !== undefined ? 'flag --config' : fromEnv !== undefined ? 'env TIEOUT_CONFIG' : null;
    if (named === null && errorCode(error) === 'ENOENT') return NO_FILE;
    return {
      ...NO_FILE,
      problems: [{ path: '', where: named ?? name, value: name, message: `cannot be read: ${whyUnreadable(error)}` }],
    };
  }
  return { name, ...readYaml(text, name) };
}

/** Files are copied, committed and mailed, so a value that is a secret as a whole is read from the environment only. */
function secretsInFile(file: SettingsFile): ConfigProblem[] {
  return VARIABLES.flatMap(({ name, path }) =>
    path === null || !isSecretPath(path) || (rawAt(file.tree, path) ?? null) === null
      ? []
      : [
          {
            path: showPath(path),
            where: place(file, path),
            value: null,
            message: `secrets are not read from the file; set ${name} or ${name}_FILE`,
          },
        ],
  );
}

function withoutSecrets(tree: RawMap, path: Path): RawMap {
  const entries = Object.entries(tree).filter(([key]) => !isSecretPath([...path, key]));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? withoutSecrets(value as RawMap, [...path, key])
        : value,
    ]),
  );
}

function place(file: SettingsFile, path: Path): string {
  const line = file.lineOf(path);
  return line === undefined ? (file.name ?? '') : `${file.name}:${line}`;
}

function pemBlocks(text: string): RawValue {
  const blocks = text.match(/-----BEGIN [A-Z ]{1,40}-----[^-]{1,16384}-----END [A-Z ]{1,40}-----/g);
  return blocks ?? [text];
}

function problemsOf(error: z.ZodError, layered: Layered, file: SettingsFile): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const issue of error.issues) {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      for (const [index, key] of issue.keys.entries()) {
        problems.push(problemAt([...path, key], null, messages[index] ?? issue.message, layered, file));
      }
      continue;
    }
    const raw = rawAt(layered.tree, path);
    // The file may be that of another secret.
    const isHidden = showOrigin(layered.originOf(path)).endsWith('_FILE');
    const isAbsent = raw === undefined || raw === null || isHidden;
    const shown = isAbsent ? null : showRefused(path, raw, issue.message.includes(MEANT));
    problems.push(problemAt(path, shown, issue.message, layered, file));
  }
  return problems;
}

function problemAt(
  path: Path,
  value: string | null,
  message: string,
  layered: Layered,
  file: SettingsFile,
): ConfigProblem {
  const origin = layered.originOf(path);
  // Inside a list the origin is the list's, and a map has none of its own; the file knows the very line of both.
  const inFile = origin.from === 'file' || (origin.from === 'default' && file.lineOf(path) !== undefined);
  const where = inFile ? place(file, nearestInFile(file, path)) : origin.from === 'default' ? null : showOrigin(origin);
  return { path: showPath(path), where, value, message };
}

/** A missing key has no line: the line of its map is reported. */
function nearestInFile(file: SettingsFile, path: Path): Path {
  for (let length = path.length; length > 0; length--) {
    if (file.lineOf(path.slice(0, length)) !== undefined) return path.slice(0, length);
  }
  return path;
}
