/** Formats of plugins: a file of each set, made of its finished tables. One that throws leaves its own file out, by name. */
import { frozen, handled, thrownText } from '../domain/foreign-code.ts';
import type { SetFacts } from '../ports/html-view.ts';
import { isIterable, timely } from '../ports/in-time.ts';
import type { Column } from '../ports/report-definition.ts';
import { type FinishedTables, type SetDocument, tableRows } from './documents.ts';

/** A table of a set, as a format sees it. */
export interface PluginTable {
  /** `records` */
  name: string;
  columns: readonly { name: string; type: Column<never>['type']; description: string }[];
  /** In the order of the CSV file; amounts with a point; null is unknown. */
  rows(): AsyncIterable<Readonly<Record<string, string | null>>>;
}

/** A format of a plugin: one more file of each set. */
export interface PluginFormat {
  /** `ledger.txt` */
  file: string;
  /** The same tables must give the same bytes: no clock, no random numbers. */
  write(set: { facts: SetFacts; tables: readonly PluginTable[] }): AsyncIterable<string | Uint8Array>;
}

/** Thrown by the pieces of a format that failed: the set goes on without its file. */
export class FormatFailedError extends Error {}

const FILE = /^[a-z][a-z0-9_-]{0,40}\.[a-z0-9]{1,10}$/;
const OWN = /\.(?:csv|ndjson|xlsx|html)$|^(?:manifest|datapackage|latest)\.json$|^manifest\.sig$/;

/** What is wrong with a format of a plugin, or null. */
export function formatProblem(format: unknown, taken: ReadonlySet<string>): string | null {
  if (typeof format !== 'object' || format === null) return 'is not an object';
  const { file, write } = format as Partial<Record<keyof PluginFormat, unknown>>;
  if (typeof file !== 'string' || !FILE.test(file)) return 'has no file such as ledger.txt';
  if (taken.has(file) || OWN.test(file)) return `has the file ${file}, which is taken`;
  return typeof write === 'function' ? null : `${file}: write must be a function`;
}

let inUse: readonly SetDocument[] = [];

export const pluginFormats = (): readonly SetDocument[] => inUse;

/** Puts the formats of all plugins in place of those of before. */
export function usePluginFormats(plugins: readonly { name: string; formats: readonly PluginFormat[] }[]): void {
  inUse = plugins.flatMap(({ name, formats }) =>
    formats.map((format) => ({ name: format.file, pieces: (tables) => piecesOf(name, format, tables) })),
  );
}

/** @param quietMs how long a format may be silent: one that never ends would hold the night for ever */
export async function* piecesOf(
  plugin: string,
  format: PluginFormat,
  tables: FinishedTables,
  quietMs = 600_000,
): AsyncGenerator<Uint8Array> {
  const failed = (why: string) =>
    new FormatFailedError(`the plugin ${plugin} failed: ${format.file} is left out: ${why}`);
  try {
    const set = { facts: frozen(tables.facts), tables: tables.definitions.map((each) => tableOf(tables, each)) };
    const late = () => failed(`no piece came for ${quietMs / 1000} s`);
    const written: unknown = handled(format.write(set));
    if (!isIterable(written)) throw failed('its answer is no pieces of text');
    for await (const piece of timely(written, quietMs, late)) {
      if (typeof piece !== 'string' && !(piece instanceof Uint8Array))
        throw failed('a piece is neither text nor bytes');
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  } catch (error) {
    if (error instanceof FormatFailedError) throw error;
    throw failed(thrownText(error));
  }
}

function tableOf(tables: FinishedTables, definition: FinishedTables['definitions'][number]): PluginTable {
  const names = definition.columns.map(({ name }) => name);
  return {
    name: definition.name,
    columns: definition.columns.map(({ name, type, description }) => ({ name, type, description })),
    rows: async function* () {
      for await (const rows of tableRows(tables, definition))
        for (const row of rows) yield Object.fromEntries(names.map((name, at) => [name, row[at] || null]));
    },
  };
}
