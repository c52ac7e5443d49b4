/** Breaks of the run itself: one for each direction, between the purchases and the sales in report order. */
import type { Break, BreakEvent } from '../domain/break.ts';
import { type Direction, directionOf, KINDS } from '../domain/record.ts';
import { isWholeNight } from '../domain/run.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { judgeRun } from '../rules/judge-run.ts';
import type { ThawedRun } from './run-book.ts';
import { settleSubjects } from './settle.ts';

interface AboutRun {
  /** Those that stand after this run, and those that it resolved. */
  breaks: readonly Break[];
  events: readonly BreakEvent[];
}

const DIRECTIONS: readonly Direction[] = KINDS.map(directionOf).sort();

/** Nothing for a run over few records that took over the counts of a night: they are not about it. */
export async function aboutRun(
  { run, severityOf, lapsed }: Pick<ThawedRun, 'run' | 'severityOf' | 'lapsed'>,
  { breaks }: { breaks: Pick<BreakStore, 'statusOn'> },
): Promise<AboutRun> {
  const { survey } = run;
  if (survey === null || survey.of === 'night') return { breaks: [], events: [] };
  const standing = await breaks.statusOn('run', run.watermarks.breakEvent);
  const found = judgeRun(run, severityOf).filter(({ kind }) => kind === 'run');
  const subjects = DIRECTIONS.map((direction) => {
    const findings = found.filter(({ recordId }) => recordId === direction).map(({ finding }) => finding);
    // Few records without a quote say that quotes are missing; few with one do not say that they are captured.
    const verified = survey.quotes[direction].records > 0 && (findings.length > 0 || isWholeNight(run));
    return { recordId: direction, findings, verified };
  });
  return settleSubjects('run', subjects, { run, standing, lapsed });
}
