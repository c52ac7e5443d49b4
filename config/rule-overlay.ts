/** A file with other rules and tolerances, written as in the settings, for a preview of what they would say. */

import { whyUnreadable } from '../src/text/unreadable.ts';
import { type LoadInput, loadSettings } from './load.ts';
import { ConfigError } from './problems.ts';
import type { Settings } from './settings.ts';
import { readYaml } from './yaml-file.ts';

/** What the file names; the rest stays as it was. */
export interface RuleOverlay {
  rules: Settings['rules'] | null;
  tolerances: Settings['tolerances'] | null;
}

const ALLOWED = ['rules', 'tolerances'];

/** @throws ConfigError that lists everything that is wrong. */
export function loadRuleOverlay(file: string, readFile: LoadInput['readFile'], known: LoadInput['known']): RuleOverlay {
  const { tree } = readYaml(readOverlay(file, readFile), file);
  const strangers = Object.keys(tree).filter((key) => !ALLOWED.includes(key));
  if (strangers.length > 0) {
    throw new ConfigError(
      strangers.map((key) => ({
        path: key,
        where: file,
        value: null,
        message: 'only `rules` and `tolerances` can be previewed',
      })),
    );
  }
  // Read as settings are, with nothing but the defaults below: one syntax, one set of checks, one way to complain.
  const { settings } = loadSettings({ flags: [], configFile: file, env: {}, readFile, known });
  if (Object.keys(tree).length === 0) throw fault(file, null, 'names neither `rules` nor `tolerances` to preview');
  return {
    rules: 'rules' in tree ? settings.rules : null,
    tolerances: 'tolerances' in tree ? settings.tolerances : null,
  };
}

function readOverlay(file: string, readFile: LoadInput['readFile']): string {
  try {
    return readFile(file);
  } catch (error) {
    throw fault('flag --rules', file, `cannot be read: ${whyUnreadable(error)}`);
  }
}

const fault = (where: string, value: string | null, message: string) =>
  new ConfigError([{ path: '', where, value, message }]);
