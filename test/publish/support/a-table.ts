/** Finished tables of the real reports, with only the cells that a test names. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORTS } from '../../../reports/index.ts';
import type { SetFigures } from '../../../src/ports/html-view.ts';
import type { ReportDefinition, Totals } from '../../../src/ports/report-definition.ts';
import type { FinishedTables } from '../../../src/publish/documents.ts';
import { realFileSystem } from '../../../src/publish/file-system.ts';
import { profileOf } from '../../../src/publish/profiles.ts';
import { facts, WITHOUT_FIGURES } from './a-set.ts';

/** Column → cell; a column that is not named is empty. */
type Cells = Readonly<Record<string, string>>;

export interface TablesOptions {
  folder: string;
  /** Report name → rows. */
  rows?: Readonly<Record<string, readonly Cells[]>>;
  /** Report name → totals, as the manifest would have them. */
  totals?: Readonly<Record<string, Totals>>;
  figures?: Partial<SetFigures>;
  /** Other reports than those of a night. */
  definitions?: readonly ReportDefinition<never>[];
}

export function writeTables(options: TablesOptions): FinishedTables {
  const {
    folder,
    rows = {},
    totals = {},
    figures,
    definitions = REPORTS.map(({ definition }) => definition),
  } = options;
  const files = definitions.map(({ name, columns }) => {
    const file = `${name}.csv`;
    const lines = [
      columns.map((column) => column.name),
      ...(rows[name] ?? []).map((cells) => columns.map((column) => cells[column.name] ?? '')),
    ];
    const text = lines.map((line) => `${line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');
    writeFileSync(join(folder, file), text);
    return {
      name: file,
      bytes: text.length,
      rows: lines.length - 1,
      sha256: 'c'.repeat(64),
      totals: totals[name] ?? {},
      currency_columns: {},
    };
  });
  return {
    folder,
    files,
    definitions,
    facts: facts(),
    figures: { ...WITHOUT_FIGURES, ...figures },
    profile: profileOf('standard'),
    decimals: 'exact',
    fileSystem: realFileSystem,
  };
}
