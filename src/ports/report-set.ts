/** A report set as the main line uses it. */
import type { Run } from '../domain/run.ts';
import type { JudgedPage, Tally } from './settled.ts';

/** Where judged pages go. */
export interface ReportSink {
  write(page: JudgedPage): void;
}

export interface ReportSet extends ReportSink {
  /** Verifies, then makes the set visible at once. Returns its folder relative to the out folder; empty where there is none. */
  publish(run: Run, tally: Tally, state: 'complete' | 'incomplete'): Promise<string>;
  /** Removes the unpublished set; nothing of it was visible. */
  discard(): Promise<void>;
}
