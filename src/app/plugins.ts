/** Loads the modules of the setting `plugins`. Each is named, with its hash, in the version of the code: in manifests, runs and workers. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EVIDENCE_REPORTS, REPORTS } from '../../reports/index.ts';
import { reportProblem, usePluginReports } from '../../reports/plugin-reports.ts';
import { UsageError } from '../domain/errors.ts';
import { sourceProblem, usePluginSources } from '../intake/plugin-source.ts';
import { inTime } from '../ports/in-time.ts';
import { formatProblem, usePluginFormats } from '../publish/plugin-formats.ts';
import { ownCodes, ruleProblem, usePluginRules } from '../rules/plugin-rules.ts';
import { suggestion } from '../text/nearest-name.ts';
import { whyUnreadable } from '../text/unreadable.ts';
import { PLUGIN_API, type Plugin, TOOLS } from './library/plugin.ts';
import { usePluginVersions } from './version.ts';

interface LoadedPlugin extends Required<Plugin> {
  /** `name@5f3a…` */
  version: string;
}

/** Thrown where the code of a plugin would not be what manifests name. Exit code 2. */
export class ChangedPluginError extends UsageError {
  constructor(message: string) {
    super(message, { remedy: 'leave its files as they are until the command ends, and start it again' });
  }
}

const MOST_BYTES = 1024 * 1024;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

let paths: readonly string[] = [];

/** The files of the plugins in use, for threads. */
export const pluginFiles = (): readonly string[] => paths;

/**
 * Puts these plugins in place of those of before; none leaves the program's own rules alone.
 * @param names paths or packages, as the settings have them
 * @param from the settings file, or a file in the folder that paths are relative to
 * @throws UsageError that names the entry
 */
export async function usePlugins(names: readonly string[], from: string): Promise<void> {
  const files = names.map((name, index) => fileOf(name, index, from));
  const loaded: LoadedPlugin[] = [];
  const taken = takenNames();
  for (const [index, file] of files.entries()) {
    const plugin = await load(file, `plugins[${index}] (${names[index]})`, taken);
    const twice = loaded.find(({ name }) => name === plugin.name);
    if (twice !== undefined)
      throw new UsageError(`plugins[${index}] (${names[index]}): the name ${plugin.name} is taken`);
    loaded.push(plugin);
  }
  usePluginRules(loaded);
  usePluginReports(loaded);
  usePluginSources(loaded);
  usePluginFormats(loaded);
  usePluginVersions(loaded.map(({ version }) => version));
  paths = files;
}

function fileOf(name: string, index: number, from: string): string {
  const isPath = isAbsolute(name) || name.startsWith('.') || /\.[cm]?[jt]s$/.test(name);
  if (isPath) return resolve(dirname(from), name);
  try {
    return createRequire(resolve(from)).resolve(name);
  } catch (error) {
    throw new UsageError(`plugins[${index}] (${name}): there is no such package`, {
      cause: error,
      remedy: `install it where the settings file is (npm install ${name}), or write a path such as ./${name}.js`,
    });
  }
}

/** Of the program and of the plugins so far, by part. */
const takenNames = () => ({
  rules: new Set(ownCodes()),
  reports: new Set([...REPORTS, ...Object.values(EVIDENCE_REPORTS)].map(({ definition }) => definition.name)),
  sources: new Set<string>(),
  formats: new Set<string>(),
});
type Part = keyof ReturnType<typeof takenNames>;

/** What is wrong with an item of a part, and the name that it takes. */
const PARTS: Readonly<Record<Part, readonly [(item: unknown, taken: ReadonlySet<string>) => string | null, string]>> = {
  rules: [ruleProblem, 'code'],
  reports: [reportProblem, 'name'],
  sources: [sourceProblem, 'name'],
  formats: [formatProblem, 'file'],
};

async function load(file: string, what: string, taken: ReturnType<typeof takenNames>): Promise<LoadedPlugin> {
  const hash = hashOf(file, what);
  let made: unknown;
  try {
    // A changed file is another module.
    made = await inTime(makingOf(`${pathToFileURL(file).href}?sha256=${hash}`), LOADING_MS, tooSlow);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what}: ${file} cannot be loaded: ${why}`, { cause: error });
  }
  // What was loaded must be what manifests name.
  if (hashOf(file, what) !== hash) throw new ChangedPluginError(`${what}: ${file} was changed while it was loaded`);
  const plugin = made as Partial<Plugin> | null | undefined;
  if (typeof plugin !== 'object' || plugin === null)
    throw new UsageError(`${what}: the default export of ${file} is not a plugin`, {
      remedy: 'see docs/how-to/plugins.md',
    });
  if (plugin.api !== PLUGIN_API)
    throw new UsageError(`${what}: it is for version ${String(plugin.api)} of the plugin API; this is ${PLUGIN_API}`);
  const { api: _, name, rules = [], reports = [], sources = [], formats = [], ...others } = plugin;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new UsageError(`${what}: ${other} is not a part of a plugin; ${suggestion(other, Object.keys(PARTS))}`);
  if (typeof name !== 'string' || !NAME.test(name))
    throw new UsageError(`${what}: the name ${String(name)} may have only small letters, digits and hyphens`);
  const parts = { rules, reports, sources, formats };
  for (const part of Object.keys(parts) as Part[]) {
    const items: unknown = parts[part];
    if (!Array.isArray(items)) throw new UsageError(`${what}: ${part} must be a list`);
    const [problemOf, nameOf] = PARTS[part];
    for (const [place, item] of items.entries()) {
      const problem = problemOf(item, taken[part]);
      if (problem !== null) throw new UsageError(`${what}: ${part}[${place}] ${problem}`);
      taken[part].add(String((item as Record<string, unknown>)[nameOf]));
    }
  }
  return { api: PLUGIN_API, name, ...parts, version: `${name}@${hash.slice(0, 12)}` };
}

async function makingOf(address: string): Promise<unknown> {
  const { default: made } = (await import(address)) as { default?: unknown };
  return typeof made === 'function' ? made(TOOLS) : made;
}

/** One that waits for what never comes would hold up each night, and no alarm would say so. */
const LOADING_MS = 30_000;
const tooSlow = () => new Error(`it took longer than ${LOADING_MS / 1000} s`);

function hashOf(file: string, what: string): string {
  try {
    if (statSync(file).size > MOST_BYTES) throw new UsageError(`${what}: ${file} is larger than 1 MiB`);
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${what}: ${file}: ${whyUnreadable(error)}`, {
      cause: error,
    });
  }
}
