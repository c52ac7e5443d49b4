/** Settings loaded from texts: no test here touches the disk or the environment. */

import { type FlagValue, type LoadedSettings, loadSettings } from '../../config/load.ts';
import { ConfigError, type ConfigProblem } from '../../config/problems.ts';
import type { KnownNames } from '../../config/settings.ts';

export interface Given {
  /** Text of tieout.yaml. */
  yaml?: string;
  env?: Record<string, string>;
  flags?: readonly FlagValue[];
  configFile?: string;
  /** Other files by path. */
  files?: Record<string, string>;
  known?: KnownNames;
}

export function load(given: Given = {}): LoadedSettings {
  const files: Record<string, string> = { ...given.files };
  if (given.yaml !== undefined) files['tieout.yaml'] = given.yaml;
  return loadSettings({
    flags: given.flags ?? [],
    configFile: given.configFile,
    env: given.env ?? {},
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
      return text;
    },
    known: given.known ?? {},
  });
}

/** The problems of settings that must not load. */
export function problems(given: Given): readonly ConfigProblem[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('these settings loaded without a problem');
}

/** The one problem there is, as a line. */
export function problem(given: Given): string {
  const all = problems(given);
  if (all.length !== 1 || all[0] === undefined) throw new Error(`expected one problem, got ${JSON.stringify(all)}`);
  const { path, where, value, message } = all[0];
  return [path, where ?? '-', value ?? '-', message].join(' | ');
}
