/** A whole reconciliation as one call: import records, fetch, judge, settle, publish. */
import { audit } from '../../../jobs/audit.ts';
import { nightly } from '../../../jobs/nightly.ts';
import type { Run, Selection } from '../../domain/run.ts';
import type { ImportSummary } from '../../intake/contract.ts';
import { importQuotes, importTracked } from '../../intake/import.ts';
import { readQuotes } from '../../intake/read-quotes.ts';
import { readTrackedFile } from '../../intake/read-tracked-file.ts';
import type { Log } from '../../ports/log.ts';
import type { Tally } from '../../ports/settled.ts';
import { parseQuoteLine } from '../../service/quote-line.ts';
import type { App } from '../app.ts';
import { openFor } from './open.ts';
import { type SettingsSource, settingsFrom } from './settings.ts';

/** One id as `tieout import` takes it. */
export interface TrackedRecord {
  readonly kind: 'purchase' | 'sale';
  readonly id: string;
  /** The secret; sealed before it is stored. */
  readonly view_token: string;
  /** ISO 8601. */
  readonly created_at?: string;
  readonly host_reference?: string;
  readonly quote_id?: string;
  readonly expected_status?: string;
  /** What the app showed the user: decimals as text, in the record's fiat currency. */
  readonly shown_total?: string;
  readonly shown_fee?: string;
}

export interface ReconcileOptions extends SettingsSource {
  /** Stored before anything is fetched; those that are stored already are left as they are. */
  readonly records?: Iterable<TrackedRecord> | AsyncIterable<TrackedRecord>;
  /**
   * Quotes that users were shown, each the JSON text of one line as `tieout quotes import` takes it: in a text no
   * number is rounded.
   */
  readonly quotes?: Iterable<string> | AsyncIterable<string>;
  /**
   * What to look at: `due` (the default) is what a night looks at; anything else is an audit, which re-fetches every
   * record of its selection.
   */
  readonly selection?: Selection;
  /** `YYYY-MM-DD`; the last full day of `timezone` by default. */
  readonly businessDate?: string;
  readonly maxRequests?: number;
  readonly maxDurationMs?: number;
  /** Ends the run at the next good place, with everything saved; the next call with `resume` continues it. */
  readonly signal?: AbortSignal;
  readonly resume?: boolean;
  readonly onProgress?: (observed: number, population: number) => void;
  readonly log?: Log;
}

export type Reconciliation =
  | {
      readonly outcome: 'reconciled';
      readonly run: Run;
      /** Verdicts, which add up to the population; breaks opened, resolved and open; records not reached. */
      readonly tally: Tally;
      /** Where the report set is, relative to `out`. */
      readonly folder: string;
      readonly requests: number;
      /** Sources that could not be read, or had rejected lines, in words. The figures are in `run.sources`. */
      readonly sourceFailures: readonly string[];
      readonly imported: Imported;
    }
  /** `signal` was aborted: state is saved, nothing is published. */
  | { readonly outcome: 'stopped'; readonly run: Run; readonly imported: Imported };

/**
 * The result of importing `records` and `quotes`; rejected lines are named by their place, counted from 1. Null where
 * none were given.
 */
export interface Imported {
  readonly records: ImportSummary | null;
  readonly quotes: ImportSummary | null;
}

/**
 * Runs the main line once, as `tieout run` and `tieout audit` do, and publishes a report set below `out`.
 * @throws ConfigError, ServiceNotConfiguredError, LockHeldError (another run of the job holds the database),
 * ServiceUnavailableError, PublicationError
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  const { signal, onProgress, log, selection = { type: 'due' } } = options;
  const { app, close } = await openFor(await settingsFrom(options), {
    ...(signal === undefined ? {} : { signal }),
    onProgress,
    log,
  });
  let failure: unknown;
  try {
    const imported = await store(app, options);
    const isNight = selection.type === 'due';
    const result = await app.run(isNight ? nightly : audit, {
      businessDate: options.businessDate ?? null,
      selection: isNight ? null : selection,
      resume: options.resume ?? false,
      maxDurationMs: options.maxDurationMs ?? null,
      maxRequests: options.maxRequests ?? null,
    });
    if (result.outcome === 'stopped') return { ...result, imported };
    if (result.outcome === 'reconciled') {
      const sourceFailures = result.run.sources.flatMap(({ name, problems }) =>
        problems.map((each) => `${name}: ${each}`),
      );
      return { ...result, sourceFailures, imported };
    }
    throw new Error(`a reconciliation ended as ${result.outcome}, which none can`);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await close(failure);
  }
}

async function store(app: App, { records, quotes }: ReconcileOptions): Promise<Imported> {
  const edges = { now: () => app.clock.wall.now() };
  return {
    records:
      records === undefined
        ? null
        : await importTracked(
            readTrackedFile(asLines(records, JSON.stringify), { name: 'records', format: 'ndjson', kind: null }),
            { ...edges, tracked: app.store.tracked },
          ),
    quotes:
      quotes === undefined
        ? null
        : await importQuotes(
            readQuotes(
              asLines(quotes, (text) => text.replaceAll(/[\r\n]+/g, ' ')),
              'quotes',
              (text) => parseQuoteLine(text, app.terms.identifierName, { ...app.terms, now: edges.now() }),
            ),
            { ...edges, quotes: app.store.quotes },
          ),
  };
}

/** Values as the lines of a file, which the importers read. */
async function* asLines<T>(
  items: Iterable<T> | AsyncIterable<T>,
  textOf: (item: T) => string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const item of items) yield encoder.encode(`${textOf(item)}\n`);
}
