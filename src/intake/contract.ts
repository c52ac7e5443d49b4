/** What is read line by line, and the outcome of each line. */
import type { Kind } from '../domain/record.ts';
import type { StatusModel } from '../domain/status.ts';
import type { QuoteAnswer } from '../ports/service.ts';

/** One line (or row) of a file, a pipe or a query. */
export type IntakeItem<T> =
  /** Lines are counted from 1; in CSV the header is line 1, in a query the first row is row 1. */
  | { type: 'good'; line: number; value: T }
  | RejectedLine
  /** A remark on the whole, made once: columns that are ignored, a file without lines. */
  | { type: 'note'; text: string };

export interface RejectedLine {
  type: 'rejected';
  line: number;
  /** What is wrong, in words; never a value that may be a token. */
  reason: string;
  /** The line with its token cut out, for finding it again; empty where it cannot be shown. */
  raw: string;
}

/** A line with a captured quote, as the Service room reads it. */
export type QuoteReading = (QuoteAnswer & { ok: true }) | { ok: false; quoteId?: string; problems: readonly string[] };

export type FileFormat = 'csv' | 'ndjson';

/** Where ids and tokens come from, as configured. */
export type IntakeSource = FileIntakeSource | SqlIntakeSource | PluginIntakeSource;

export interface FileIntakeSource {
  type: 'file';
  name: string;
  /** A path or a glob, relative to the working directory. */
  path: string;
  /** Null: by extension, else by content. */
  format: FileFormat | null;
  /** For lines that have no kind of their own. */
  kind: Kind | null;
  /** Whether it is all right that there is no file. */
  optional?: boolean;
}

export interface SqlIntakeSource {
  type: 'sql';
  name: string;
  /** `sqlite:PATH` or `postgres://…`. */
  url: string;
  query: string;
  kind: Kind | null;
}

export interface PluginIntakeSource {
  type: 'plugin';
  name: string;
  /** The name that the plugin gives its source. */
  source: string;
  /** For the plugin; every value as text. */
  options: Readonly<Record<string, string>>;
  kind: Kind | null;
}

/** A source of a plugin. */
export interface PluginSource {
  /** What `source` of the settings names. */
  name: string;
  /** Rows with the columns of a query: `kind`, `id`, `view_token` and so on; texts, or null. @param options of the settings */
  read(
    options: Readonly<Record<string, string>>,
  ): AsyncIterable<PluginRow> | Iterable<PluginRow> | Promise<readonly PluginRow[]>;
}

export type PluginRow = Readonly<Record<string, string | number | bigint | null | undefined>>;

export interface LineTerms {
  /** For lines that have no kind of their own. */
  kind: Kind | null;
  /** What an expected status may be; absent, any text. */
  statuses?: StatusModel | undefined;
}

export interface TrackedFileOptions extends LineTerms {
  /** For messages; its extension gives the format. `-` is standard input. */
  name: string;
  /** Null: by extension, else by the first character. */
  format: FileFormat | null;
}

/** What an engine gives: the names first, then pages of rows. Values as the driver has them. */
export interface SqlRows {
  columns: readonly string[];
  pages: AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
}

/** The result of an import. Counts are complete; the two lists hold only their first entries. */
export interface ImportSummary {
  added: number;
  /** Known before, and a fact was filled in. Always 0 for quotes, which never change. */
  updated: number;
  unchanged: number;
  conflictCount: number;
  conflicts: readonly ImportConflict[];
  rejectedCount: number;
  rejected: readonly RejectedLine[];
  notes: readonly string[];
}

/** An id that came in before with other content; the first one stays. */
export interface ImportConflict {
  line: number;
  /** One sentence that names the id. */
  detail: string;
}
