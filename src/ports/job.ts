/** The job contract: one job a file under `jobs/`. A job decides the steps; its edges perform them. */
import type { BusinessDate } from '../domain/record.ts';
import type { Run, Selection, SourceFigures } from '../domain/run.ts';
import type { QuotesCaptured, Tally } from './settled.ts';
import type { Pruned } from './store/store.ts';

/** What the schedule and `tieout run` can start by name. */
export interface Job {
  /** As in `tieout run NAME`, in folder names and in configuration. */
  name: string;
  /** One line for help texts. */
  summary: string;
  /** The schedule gives every business date exactly one finished run of it, and catches up with missed ones. */
  oncePerDate?: true;
  /** It makes no run and publishes nothing: a receiver needs no out folder, and may not read what was published. */
  withoutOut?: true;
  /** Whether each run is announced, or only trouble: failures, and new breaks. `trouble` by default. */
  announced?: 'each run' | 'trouble';
  run: (edges: JobEdges) => Promise<JobResult>;
}

/** What a job may use; all of it under the job's lock. */
export interface JobEdges {
  businessDate: BusinessDate;
  /** Of a manual run: its selection, instead of the due records. */
  selection: Selection | null;
  /** Whether an interrupted run is resumed: its population is planned already. */
  resumes: boolean;
  /** Imports the configured sources, and returns the counts. */
  readSources: () => Promise<readonly SourceFigures[]>;
  /** The main line over a selection. */
  reconcile: (selection: Selection, options?: ReconcileOptions) => Promise<JobResult>;
  /** How many records have a delivery that is newer than their last fetch. */
  deliveriesWaiting: () => Promise<number>;
  /** Captures a quote for each newly created record that has none. */
  captureQuotes: () => Promise<JobResult>;
  /** Captures the current assets, methods, currencies and countries. */
  refreshReferenceData: () => Promise<JobResult>;
  /** Deletes rows past their retention. */
  prune: () => Promise<JobResult>;
}

export interface ReconcileOptions {
  /** False: the run settles, and no report set is published. */
  publish?: boolean;
  /** From `readSources`: kept with the run. */
  sources?: readonly SourceFigures[];
}

/** How a job ended; the exit code follows from it. */
export type JobResult =
  | {
      outcome: 'reconciled';
      run: Run;
      tally: Tally;
      /** Empty for a job that publishes nothing. */
      folder: string;
      requests: number;
      /** In words, targets that the set was not delivered to; absent without any. */
      notDelivered?: readonly string[];
    }
  /** There was nothing to do, so no run was made. */
  | { outcome: 'nothing-due'; why: string }
  | { outcome: 'quoted'; counts: QuotesCaptured; requests: number }
  | { outcome: 'refreshed'; captured: readonly string[]; failed: readonly string[]; requests: number }
  | { outcome: 'pruned'; pruned: Pruned }
  | { outcome: 'stopped'; run: Run };
