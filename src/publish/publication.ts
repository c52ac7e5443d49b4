/**
 * Publishes one report set, all or nothing: temporary folder, fsync, read back, manifest last, rename, fsync the parent,
 * list it in the chain, move `latest`. A crash at any point leaves the old set or the new one.
 */

import { dirname, join } from 'node:path';
import { codeOf, TieoutError } from '../domain/errors.ts';
import type { SetFacts, SetFigures } from '../ports/html-view.ts';
import type { PublishingRight } from '../ports/publishing.ts';
import {
  type DecimalsMode,
  type FileOpener,
  type ProfileName,
  type ReportDefinition,
  type RowSink,
  TABLE_FORMATS,
  type TableFormat,
  type WrittenFile,
} from '../ports/report-definition.ts';
import type { RenderedTable } from '../ports/report-set.ts';
import { ChainDamagedError } from './chain.ts';
import { csvTable } from './csv-file.ts';
import { DATA_PACKAGE, dataPackageText } from './data-package.ts';
import type { FinishedTables } from './documents.ts';
import { PublicationError } from './errors.ts';
import { type FileSystem, makePrivateFolder, makePrivateFolders, realFileSystem } from './file-system.ts';
import { HashedFile } from './hashed-file.ts';
import { jsonTable } from './json-file.ts';
import { ledgerSteps } from './ledger-steps.ts';
import { type ManifestFacts, manifestText } from './manifest.ts';
import { profileOf } from './profiles.ts';
import { type ReadBack, readBack } from './read-back.ts';
import { attemptPath, clearLeftovers, type SetName, setPath } from './set-path.ts';
import { type FinishedSet, linkFor, listSet, placeSet, takeLock } from './show-set.ts';
import type { Signer } from './sign.ts';
import { fileOf, type TableFile } from './table-file.ts';

export interface PublicationSettings {
  /** The out folder. */
  out: string;
  profile: ProfileName;
  decimals: DecimalsMode;
  /** The tables that each report is written as; CSV by default. */
  formats?: readonly TableFormat[];
  /** Names the process: in the temporary folder and the publication lock. No other process has the same. */
  suffix: string;
  /**
   * True only where the process of that suffix has certainly ended. With it, publications of several processes to one out
   * folder wait for each other, and the leftovers of ended ones are removed. Without it, there must be only one process.
   */
  isGone?: (suffix: string) => boolean;
  fileSystem?: FileSystem;
  /** Reads a file back while others are read; without it, one is read after the other. */
  readBackApart?: (file: { path: string; file: WrittenFile; profile: ProfileName }) => Promise<ReadBack>;
  /** Signs the manifest; sets stay unsigned without it. */
  signer?: Signer | null;
  /** The ledger's agreement; without it, sets are shown to no ledger: a rendering into a folder of its own. */
  right?: PublishingRight;
}

type PublicationOptions = PublicationSettings & SetName;

export class Publication implements FileOpener {
  private readonly options: PublicationOptions;
  private readonly fileSystem: FileSystem;
  private readonly temporary: string;
  private readonly tables: TableFile<never>[] = [];
  private readonly definitions: ReportDefinition<never>[] = [];
  private readonly documents: WrittenFile[] = [];
  private finished: readonly WrittenFile[] | null = null;

  /** @throws PublicationError */
  constructor(options: PublicationOptions) {
    this.options = options;
    this.fileSystem = options.fileSystem ?? realFileSystem;
    this.temporary = join(options.out, attemptPath(options, options.suffix));
    this.guard('The out folder cannot be written', () => {
      makePrivateFolders(this.fileSystem, dirname(this.temporary), options.out);
      clearLeftovers(options, this.fileSystem);
      makePrivateFolder(this.fileSystem, this.temporary);
    });
  }

  /**
   * One report of the set, in every format asked for. @throws PublicationError, also from `write`; what a row's own values
   * make a column throw is thrown on as it is, for it is about a record and not about the set.
   */
  open<Row>(definition: ReportDefinition<Row>): RowSink<Row> {
    const tables = this.guard(`${fileOf(definition)} cannot be created`, () =>
      TABLE_FORMATS.filter((format) => (this.options.formats ?? ['csv']).includes(format)).map((format) => {
        const table = this.openTable(format, definition);
        this.tables.push(table);
        return table;
      }),
    );
    this.definitions.push(definition as ReportDefinition<never>);
    return {
      write: (rows) =>
        this.guardSystem(`${fileOf(definition)} cannot be written`, () => {
          for (const table of tables) table.write(rows);
        }),
    };
  }

  /** Appends what a thread rendered of a range, one entry for each open table, in the order of `open`. @throws PublicationError */
  append(rendered: readonly RenderedTable[]): void {
    this.guard('A report cannot be written', () => {
      for (const [i, table] of this.tables.entries()) {
        const part = rendered[i];
        if (part !== undefined) table.append(part, part.pieces);
      }
    });
  }

  /** Finishes all tables, for the documents that are made of them. @throws PublicationError */
  tablesFor(facts: SetFacts, figures: SetFigures): FinishedTables {
    const { profile, decimals } = this.options;
    return {
      folder: this.temporary,
      files: this.finishTables(),
      definitions: this.definitions,
      facts,
      figures,
      profile: profileOf(profile),
      decimals,
      fileSystem: this.fileSystem,
    };
  }

  /**
   * A file of the set that is no table: a page, a workbook. It is hashed, and read back as mere bytes.
   * @param name `report.html`.
   * @throws PublicationError
   */
  async attach(name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const cannot = `${name} cannot be written`;
    const file = this.guard(cannot, () => new HashedFile(join(this.temporary, name), this.fileSystem));
    try {
      for await (const piece of pieces) this.guard(cannot, () => file.writeBytes(piece));
      const measured = this.guard(cannot, () => file.finish());
      this.documents.push({ name, ...measured, rows: null, totals: {}, currency_columns: {} });
    } finally {
      // What made it fail is thrown, not what closing it throws besides.
      attempt(() => file.close());
    }
  }

  /** Removes a file that `attach` could not finish: the set goes on without it. @throws PublicationError */
  leaveOut(name: string): void {
    this.guard(`${name} cannot be removed`, () => this.fileSystem.remove(join(this.temporary, name)));
  }

  /** Makes the set visible. Returns its folder relative to `out`. @throws PublicationError */
  async publish(facts: ManifestFacts): Promise<string> {
    const described = [...this.finishTables(), ...this.documents];
    const { definitions } = this;
    const text = dataPackageText(facts, described, definitions, profileOf(this.options.profile));
    await this.attach(DATA_PACKAGE, [Buffer.from(text)]);
    const files = [...this.finishTables(), ...this.documents];
    if (this.options.readBackApart === undefined) for (const file of files) await this.readBack(file);
    else await Promise.all(files.map((file) => this.readBack(file)));
    const release = await this.guardAsync('The out folder is in use', () => this.lock());
    try {
      const path = await this.show(facts, files);
      this.guard('The publication lock cannot be released', release, 'new');
      return path;
    } catch (error) {
      attempt(release);
      throw error;
    }
  }

  /**
   * Removes everything written; nothing of it was visible. The next attempt at the set removes what cannot be removed now.
   */
  discard(): void {
    for (const table of this.tables) attempt(() => table.abandon());
    attempt(() => this.fileSystem.remove(this.temporary));
  }

  private finishTables(): readonly WrittenFile[] {
    this.finished ??= this.tables.map((table) => this.guard('A report cannot be finished', () => table.finish()));
    return this.finished;
  }

  private async lock(): Promise<() => void> {
    const { out, suffix: who, isGone } = this.options;
    return isGone === undefined ? () => {} : takeLock({ out, who, isGone, fileSystem: this.fileSystem });
  }

  /** All visible steps: the right to publish, the rename, the ledger's confirmation, the list, `latest`. */
  private async show(facts: ManifestFacts, files: readonly WrittenFile[]): Promise<string> {
    const { out, suffix, profile, decimals, signer = null, right = null } = this.options;
    const { fileSystem } = this;
    const path = setPath(this.options);
    const cannotPlace = 'The report set cannot be put in its place';
    const ledger = this.guard(cannotPlace, () => ledgerSteps({ out, suffix, right, fileSystem }));
    const set: FinishedSet = {
      out,
      links: await this.guardAsync(cannotPlace, () => ledger.linksBefore()),
      path,
      temporary: this.temporary,
      manifest: (previous, signingKey) =>
        manifestText(facts, {
          files,
          previous_manifest_sha256: previous,
          profile,
          decimals,
          ...(signingKey === null ? {} : { signing_key: signingKey }),
        }),
      signer,
      // The set of a closed month has no link.
      link: 'period' in this.options ? null : linkFor(facts),
      suffix,
      fileSystem,
    };
    await this.guardAsync(cannotPlace, () => ledger.take(path));
    const links = this.guard(cannotPlace, () => placeSet(set));
    await this.guardAsync(cannotPlace, () => ledger.confirm(path, links));
    this.guard('The list of published sets cannot be brought up to date', () => listSet(set, links), 'new');
    return path;
  }

  private openTable<Row>(format: TableFormat, definition: ReportDefinition<Row>): TableFile<Row> {
    const { profile, decimals } = this.options;
    const file = new HashedFile(join(this.temporary, fileOf(definition, format)), this.fileSystem);
    return format === 'csv'
      ? csvTable(file, definition, profileOf(profile), decimals)
      : jsonTable(file, definition, decimals);
  }

  /** Reads a file again and compares it with the bytes written, before the set is published. */
  private async readBack(written: WrittenFile): Promise<void> {
    const { profile, readBackApart } = this.options;
    const path = join(this.temporary, written.name);
    const found = await this.guardAsync(
      `${written.name} cannot be read back`,
      () =>
        readBackApart?.({ path, file: written, profile }) ??
        readBack(path, written, { profile: profileOf(profile), fileSystem: this.fileSystem }),
    );
    const same =
      found.unreadable === null &&
      found.sha256 === written.sha256 &&
      found.bytes === written.bytes &&
      found.rows === written.rows &&
      JSON.stringify(found.totals) === JSON.stringify(written.totals);
    if (same) return;
    this.discard();
    throw new PublicationError(
      `${written.name} does not read back as it was written`,
      new Error(
        found.unreadable ??
          `wrote ${written.rows} rows, ${written.bytes} bytes; read ${found.rows} rows, ${found.bytes} bytes`,
      ),
    );
  }

  private guard<T>(what: string, work: () => T, left: 'old' | 'new' = 'old'): T {
    try {
      return work();
    } catch (error) {
      throw this.failed(what, error, left);
    }
  }

  /** As `guard`, for what the file system alone throws. */
  private guardSystem<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw codeOf(error) === null ? error : this.failed(what, error, 'old');
    }
  }

  private async guardAsync<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.failed(what, error, 'old');
    }
  }

  private failed(what: string, error: unknown, left: 'old' | 'new'): Error {
    this.discard();
    // What the ledger says, it says in its own words.
    const isOwn = error instanceof TieoutError && !(error instanceof ChainDamagedError);
    return isOwn ? error : new PublicationError(what, error, left);
  }
}

/** Clears up after a failure without hiding its error. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The caller throws the first error; the next attempt clears up the rest.
  }
}
