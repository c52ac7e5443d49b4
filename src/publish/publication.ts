/**
 * Publishes one report set, all or nothing: temporary folder, fsync, read back, manifest last, rename, fsync the parent,
 * list it in the chain, move `latest`. A crash at any point leaves the old set or the new one.
 */
import { basename, dirname, join } from 'node:path';
import { appendLink, readChain, unlisted } from './chain.ts';
import type { DecimalsMode, ProfileName, ReportDefinition, WrittenFile } from './contract.ts';
import { CsvFile } from './csv-file.ts';
import { PublicationError } from './errors.ts';
import { type FileSystem, makePrivateFolder, realFileSystem, syncFolder } from './file-system.ts';
import { moveLatest } from './latest.ts';
import { MANIFEST, type Manifest, manifestText, sha256Of } from './manifest.ts';
import { profileOf } from './profiles.ts';
import { readBack } from './read-back.ts';

export interface PublicationOptions {
  /** The out folder. */
  out: string;
  businessDate: string;
  job: string;
  revision: number;
  profile: ProfileName;
  decimals: DecimalsMode;
  /** Makes the temporary folder's name unlike any other's. */
  suffix: string;
  fileSystem?: FileSystem;
}

/** The manifest but for what only the publication knows. */
export type ManifestFacts = Omit<
  Manifest,
  'files' | 'previous_manifest_sha256' | 'profile' | 'decimals' | 'schema_version'
>;

export class Publication {
  private readonly options: PublicationOptions;
  private readonly fileSystem: FileSystem;
  private readonly temporary: string;
  private readonly files: { file: CsvFile<never>; definition: ReportDefinition<never> }[] = [];

  /** @throws PublicationError */
  constructor(options: PublicationOptions) {
    this.options = options;
    this.fileSystem = options.fileSystem ?? realFileSystem;
    this.temporary = join(options.out, options.businessDate, `.${setName(options)}.${options.suffix}.partial`);
    this.guard('The out folder cannot be written', () => {
      makePrivateFolder(this.fileSystem, options.out);
      makePrivateFolder(this.fileSystem, dirname(this.temporary));
      this.clearLeftovers();
      this.fileSystem.mkdirSync(this.temporary, { mode: 0o700 });
      this.fileSystem.chmodSync(this.temporary, 0o700);
    });
  }

  /** One CSV file of the set. @throws PublicationError */
  open<Row>(definition: ReportDefinition<Row>): { write: (rows: readonly Row[]) => void } {
    const { profile, decimals } = this.options;
    const file = this.guard(`${definition.file} cannot be created`, () => {
      return new CsvFile(
        join(this.temporary, definition.file),
        definition,
        profileOf(profile),
        decimals,
        this.fileSystem,
      );
    });
    this.files.push({ file, definition });
    return {
      write: (rows) => this.guard(`${definition.file} cannot be written`, () => file.write(rows)),
    };
  }

  /** Makes the set visible. Returns its folder relative to `out`. @throws PublicationError */
  async publish(facts: ManifestFacts): Promise<string> {
    const { out, businessDate, profile, decimals } = this.options;
    const written = this.files.map(({ file, definition }) => ({
      definition,
      written: this.guard(`${definition.file} cannot be finished`, () => file.finish()),
    }));
    this.files.length = 0;
    for (const each of written) await this.readBack(each.definition, each.written);

    const path = `${businessDate}/${setName(this.options)}`;
    return this.guard('The report set cannot be published', () => {
      const links = readChain(out, this.fileSystem);
      const forgotten = unlisted(out, links, this.fileSystem);
      if (forgotten !== null) {
        appendLink(out, forgotten, this.fileSystem);
        links.push(forgotten);
      }
      const { run_id, ...others } = facts;
      const known = links.find((link) => link.path === path);
      const text = manifestText({
        schema_version: 1,
        run_id,
        ...others,
        files: written.map((each) => each.written),
        previous_manifest_sha256: known === undefined ? (links.at(-1)?.sha256 ?? null) : known.previous,
        profile,
        decimals,
      } as Manifest);
      this.place(path, text, known === undefined ? null : known.sha256);
      if (known === undefined) {
        appendLink(out, { path, sha256: sha256Of(text), previous: links.at(-1)?.sha256 ?? null }, this.fileSystem);
      }
      syncFolder(this.fileSystem, out);
      if (facts.status === 'complete') moveLatest(out, path, this.options.suffix, this.fileSystem);
      return path;
    });
  }

  /** Removes everything written; nothing of it was visible. */
  discard(): void {
    for (const { file } of this.files) file.abandon();
    this.files.length = 0;
    this.fileSystem.rmSync(this.temporary, { recursive: true, force: true });
  }

  private place(path: string, manifest: string, published: string | null): void {
    const target = join(this.options.out, path);
    if (published !== null) {
      // A crash after the rename: the very same set is there already, and publishing it again changes nothing.
      if (published !== sha256Of(manifest)) {
        throw new Error(`${target} was published before with other content; a new look at that date is a new revision`);
      }
      this.discard();
      return;
    }
    const file = this.fileSystem.openSync(join(this.temporary, MANIFEST), 'wx', 0o600);
    try {
      this.fileSystem.writeSync(file, manifest);
      this.fileSystem.fsyncSync(file);
    } finally {
      this.fileSystem.closeSync(file);
    }
    syncFolder(this.fileSystem, this.temporary);
    this.fileSystem.renameSync(this.temporary, target);
    syncFolder(this.fileSystem, dirname(target));
  }

  /** What the disk gives back must be what was meant, before anybody can see it. */
  private async readBack(definition: ReportDefinition<never>, written: WrittenFile): Promise<void> {
    const amounts = amountColumns(definition);
    const found = await readBack(join(this.temporary, written.name), profileOf(this.options.profile), amounts);
    const same =
      found.sha256 === written.sha256 &&
      found.rows === written.rows &&
      found.bytes === written.bytes &&
      JSON.stringify(found.totals) === JSON.stringify(written.totals);
    if (!same) {
      throw new PublicationError(
        `${written.name} does not read back as it was written`,
        new Error(`wrote ${written.rows} rows, ${written.bytes} bytes; read ${found.rows} rows, ${found.bytes} bytes`),
      );
    }
  }

  /** Folders of attempts at this very set that died: no reader ever saw them, and the run's lock keeps others away. */
  private clearLeftovers(): void {
    const folder = dirname(this.temporary);
    const mine = `.${setName(this.options)}.`;
    for (const name of this.fileSystem.readdirSync(folder)) {
      if (name.startsWith(mine) && name.endsWith('.partial') && name !== basename(this.temporary)) {
        this.fileSystem.rmSync(join(folder, name), { recursive: true, force: true });
      }
    }
  }

  private guard<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof PublicationError ? error : new PublicationError(what, error);
    }
  }
}

/** `nightly-r1` */
function setName({ job, revision }: Pick<PublicationOptions, 'job' | 'revision'>): string {
  return `${job}-r${revision}`;
}

/** Amount column → its currency column. */
export function amountColumns(definition: ReportDefinition<never>): Map<string, string> {
  return new Map(
    definition.columns.flatMap((column) => (column.type === 'amount' ? [[column.name, column.currencyColumn]] : [])),
  );
}
