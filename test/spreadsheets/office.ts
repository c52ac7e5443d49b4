/** LibreOffice without a window, as an office of one country has it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readXlsx } from 'hucre/xlsx';

/** The program's name, or null where it is not installed. */
export function findOffice(): string | null {
  return ['soffice', 'libreoffice'].find((name) => spawnSync(name, ['--version']).status === 0) ?? null;
}

/** What a cell holds once the program has opened the file. */
export type Held = string | number | boolean | Date | null;

/** How the import dialogue is answered: the separator, and the language that numbers are written in (a Windows LCID). */
export interface Import {
  separator: ',' | ';';
  language: number;
}

export class Office {
  private readonly program: string;
  private readonly folder: string;
  private readonly profile: string;

  /** @param locale of the office, as `de-DE`: how it reads and shows numbers where nothing else is said */
  constructor(program: string, folder: string, locale: string) {
    this.program = program;
    this.folder = folder;
    this.profile = join(folder, 'profile');
    mkdirSync(join(this.profile, 'user'), { recursive: true });
    writeFileSync(
      join(this.profile, 'user', 'registrymodifications.xcu'),
      `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item>
</oor:items>`,
    );
  }

  /** Opens each file, saves it as a workbook, and returns the rows of cells by sheet. */
  async open(
    files: readonly string[],
    how: Import | null,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, Held[][]>>> {
    const out = join(this.folder, 'opened');
    const filter =
      how === null
        ? []
        : // Separator, quote, UTF-8, from line 1, no column formats, language, quoted numbers are texts, no special numbers.
          [`--infilter=CSV:${how.separator.charCodeAt(0)},34,76,1,,${how.language},false,false`];
    execFileSync(
      this.program,
      [
        `-env:UserInstallation=${pathToFileURL(this.profile).href}`,
        '--headless',
        ...filter,
        '--convert-to',
        'xlsx',
        '--outdir',
        out,
        ...files,
      ],
      { stdio: 'ignore', timeout: 300_000 },
    );
    const opened = new Map<string, ReadonlyMap<string, Held[][]>>();
    for (const file of files) {
      const name = basename(file).replace(/\.\w+$/, '.xlsx');
      const { sheets } = await readXlsx(readFileSync(join(out, name)));
      opened.set(basename(file), new Map(sheets.map((sheet) => [sheet.name, sheet.rows as Held[][]])));
    }
    return opened;
  }
}
