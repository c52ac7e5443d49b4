/** The job contract: one job a file under `jobs/`. A job says what is to be done; the context knows how. */
import type { BusinessDate } from '../domain/record.ts';
import type { Run, Selection } from '../domain/run.ts';
import type { Tally } from '../reconcile/contract.ts';

export interface Job {
  /** As in `tieout run NAME`, in folder names and in configuration. */
  name: string;
  /** One line for help texts. */
  summary: string;
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
  /** Runs the main line over a selection, under the job's lease. */
  reconcile: (selection: Selection) => Promise<JobResult>;
  /** Captures assets, methods, currencies and countries as they are now. */
  refreshReferenceData: () => Promise<JobResult>;
}

export type JobResult =
  | {
      outcome: 'reconciled';
      run: Run;
      tally: Tally;
      folder: string;
      requests: number;
      /** Sources that could not be read, in words: records may be missing from the population. */
      sourceFailures: readonly string[];
    }
  | { outcome: 'refreshed'; captured: readonly string[]; failed: readonly string[]; requests: number }
  | { outcome: 'stopped'; run: Run };
