/** Breaks of the run itself: one for each direction, between the purchases and the sales in report order. */
import type { Break, BreakEvent } from '../domain/break.ts';
import { type Direction, directionOf, KINDS } from '../domain/record.ts';
import { isWholeNight } from '../domain/run.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { asFinding } from '../rules/judge-case.ts';
import { notCapturedIn, quotesNotCaptured } from '../rules/quotes-not-captured.ts';
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
  { run, severityOf, switchedOff }: Pick<ThawedRun, 'run' | 'severityOf' | 'switchedOff'>,
  { breaks }: { breaks: Pick<BreakStore, 'statusOn'> },
): Promise<AboutRun> {
  const { survey } = run;
  if (survey === null || survey.of === 'night') return { breaks: [], events: [] };
  const standing = await breaks.statusOn('run', run.watermarks.breakEvent);
  const severity = severityOf(quotesNotCaptured.code);
  const subjects = DIRECTIONS.map((direction) => {
    const found = severity === null ? null : notCapturedIn(survey, direction);
    return {
      recordId: direction,
      findings: found === null || severity === null ? [] : [asFinding(quotesNotCaptured.code, severity, found)],
      // Few records without a quote say that quotes are missing; few with one do not say that they are captured.
      verified: survey.quotes[direction].records > 0 && (found !== null || isWholeNight(run)),
    };
  });
  return settleSubjects('run', subjects, { run, standing, switchedOff });
}
