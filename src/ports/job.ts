/** The job contract: one job a file under `jobs/`. A job says what is to be done; the context knows how. */
import type { BusinessDate } from '../domain/record.ts';
import type { Run, Selection } from '../domain/run.ts';
import type { QuotesCaptured, Tally } from './settled.ts';

export interface Job {
  /** As in `tieout run NAME`, in folder names and in configuration. */
  name: string;
  /** One line for help texts. */
  summary: string;
  /** The schedule gives every business date exactly one finished run of it, and catches up with missed ones. */
  oncePerDate?: true;
  /** Whether each run is announced, or only trouble: failures, and new breaks. `trouble` where it is not said. */
  announced?: 'each run' | 'trouble';
  run: (context: JobContext) => Promise<JobResult>;
}

export interface JobContext {
  businessDate: BusinessDate;
  /** Present for manual runs: what to look at instead of what is due. */
  selection: Selection | null;
  /** Imports what the configured sources have. What a source could not give is told in the result of the job. */
  readSources: () => Promise<void>;
  /** Goes on with an interrupted run: its population stands already. */
  resumes: boolean;
  /** Runs the main line over a selection, under the job's lease. Publishes unless told not to. */
  reconcile: (selection: Selection, options?: { publish: boolean }) => Promise<JobResult>;
  /** How many records had a delivery that nobody has asked the Service about since. */
  deliveriesWaiting: () => Promise<number>;
  /** Asks for a quote for each record just created that has none. */
  captureQuotes: () => Promise<JobResult>;
  /** Captures assets, methods, currencies and countries as they are now. */
  refreshReferenceData: () => Promise<JobResult>;
}

export type JobResult =
  | {
      outcome: 'reconciled';
      run: Run;
      tally: Tally;
      /** Empty for a job that publishes nothing. */
      folder: string;
      requests: number;
      /** Sources that could not be read, in words: records may be missing from the population. */
      sourceFailures: readonly string[];
    }
  /** There was nothing to do, so no run was made. */
  | { outcome: 'nothing-due'; why: string }
  | { outcome: 'quoted'; counts: QuotesCaptured; requests: number }
  | { outcome: 'refreshed'; captured: readonly string[]; failed: readonly string[]; requests: number }
  | { outcome: 'stopped'; run: Run };
