/** Sources of plugins: they yield the rows that a query would. One that throws fails alone, as a database that does not answer. */
import { thrownText } from '../domain/foreign-code.ts';
import type { StatusModel } from '../domain/status.ts';
import { inTime, isIterable, timely } from '../ports/in-time.ts';
import type { TrackedInput } from '../ports/store/store.ts';
import type { IntakeItem, PluginIntakeSource, PluginSource } from './contract.ts';
import { SourceQueryError } from './errors.ts';
import { rowItem } from './sql-source.ts';

interface Reader {
  plugin: string;
  read: PluginSource['read'];
}

let readers: ReadonlyMap<string, Reader> = new Map();

/** The names of all sources of plugins, for the settings. */
export const pluginSourceNames = (): readonly string[] => [...readers.keys()];

/** Puts the sources of all plugins in place of those of before. */
export function usePluginSources(plugins: readonly { name: string; sources: readonly PluginSource[] }[]): void {
  readers = new Map(
    plugins.flatMap(({ name: plugin, sources }) =>
      sources.map(({ name, read }): [string, Reader] => [name, { plugin, read }]),
    ),
  );
}

const NAME = /^[a-z][a-z0-9-]{0,40}$/;

/** What is wrong with a source of a plugin, or null. */
export function sourceProblem(source: unknown, taken: ReadonlySet<string>): string | null {
  if (typeof source !== 'object' || source === null) return 'is not an object';
  const { name, read } = source as Partial<Record<keyof PluginSource, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name)) return 'has no name such as our-source';
  if (taken.has(name)) return `has the name ${name}, which is another source's`;
  return typeof read === 'function' ? null : `${name}: read must be a function`;
}

/** @throws SourceQueryError that names the plugin */
export async function* readPluginSource(
  { name, source, options, kind }: PluginIntakeSource,
  statuses?: StatusModel,
  quietMs = 600_000,
): AsyncGenerator<IntakeItem<TrackedInput>> {
  const reader = readers.get(source);
  if (reader === undefined)
    throw new SourceQueryError(name, `no plugin has a source ${source}`, { remedy: 'name its module in plugins' });
  const failed = (why: string, cause?: unknown) =>
    new SourceQueryError(name, `the plugin ${reader.plugin} failed: ${why}`, { remedy: 'fix the plugin', cause });
  let row = 0;
  try {
    const late = () => failed(`no row came for ${quietMs / 1000} s`);
    const rows: unknown = await inTime(Promise.resolve(reader.read(options)), quietMs, late);
    if (!isIterable(rows)) throw failed('its answer is not a list of rows');
    for await (const cells of timely(rows, quietMs, late)) {
      row++;
      yield typeof cells === 'object' && cells !== null
        ? rowItem(row, cells as Readonly<Record<string, unknown>>, { kind, statuses })
        : { type: 'rejected', line: row, reason: 'is not an object with kind, id and view_token', raw: '' };
    }
  } catch (error) {
    if (error instanceof SourceQueryError) throw error;
    throw failed(thrownText(error), error);
  }
}
