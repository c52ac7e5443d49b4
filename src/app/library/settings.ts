/** Settings given by a program instead of a file: the same names, the same rules, the same messages. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type LoadedSettings, loadSettings } from '../../../config/load.ts';
import type { RawValue } from '../../../config/raw.ts';
import type { TieoutSettings } from '../../../config/settings-types.ts';
import { readText } from '../../text/unreadable.ts';
import { KNOWN_NAMES } from '../known-names.ts';

export type { TieoutSettings } from '../../../config/settings-types.ts';

/** Settings in a file of their own, checked while they are written: an unknown name does not compile. */
export function defineConfig(settings: TieoutSettings): TieoutSettings {
  return settings;
}

/** What a file could hold. */
type SettingValue =
  | string
  | number
  | boolean
  | null
  | readonly SettingValue[]
  | { readonly [name: string]: SettingValue };

export interface SettingsSource {
  readonly settings: TieoutSettings;
  /** The environment, where its `TIEOUT_…` variables shall count too; nothing is read from it unless it is given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Nothing on disk: what is counted is forgotten with the process. */
const IN_MEMORY = 'sqlite::memory:';

/**
 * Plugins are loaded first, since settings may name their rules; their paths are relative to the working directory.
 * @throws ConfigError that lists everything that is wrong; UsageError for a plugin that cannot be used
 */
export async function settingsFrom({ settings, env = {} }: SettingsSource): Promise<LoadedSettings> {
  await usePluginsOf(settings);
  return load(settings, env);
}

/** @throws UsageError for a plugin that cannot be used */
export async function usePluginsOf({ plugins = [] }: TieoutSettings): Promise<void> {
  await (await import('../plugins.ts')).usePlugins(plugins.map(String), resolve('settings'));
}

/**
 * For work that needs no database of its own: in memory unless one is named.
 * @param origin where the settings come from, for messages
 * @throws ConfigError
 */
export function settingsWithoutDatabase({ settings, env = {} }: SettingsSource, origin?: string): LoadedSettings {
  const named = settings.database?.url ?? env.TIEOUT_DATABASE_URL;
  if (named !== undefined) return load(settings, env, origin);
  const secretKey = randomBytes(32).toString('base64');
  return load({ ...settings, database: { ...settings.database, url: IN_MEMORY }, secretKey }, env, origin);
}

function load(settings: TieoutSettings, env: NonNullable<SettingsSource['env']>, origin = 'settings'): LoadedSettings {
  return loadSettings({
    flags: Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [{ flag: origin, path: [name], value: raw(value as SettingValue) }],
    ),
    // A program that wants the file reads it itself: what stands in the working directory must not change it.
    configFile: null,
    env,
    readFile: readText,
    known: KNOWN_NAMES,
  });
}

/** Every scalar as the text that a file would have. */
function raw(value: SettingValue): RawValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isList(value)) return value.map(raw);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[name, raw(item)]])),
  );
}

function isList(value: SettingValue): value is readonly SettingValue[] {
  return Array.isArray(value);
}
