/** Prints problems and notes of a widget configuration. */

import { counted } from '../../text/counts.ts';
import type { WidgetCheck } from '../../widget/check.ts';
import type { MigrationNote } from '../../widget/migrate-draft.ts';
import type { WidgetProblem } from '../../widget/problems.ts';
import type { Session } from '../session.ts';

const sentence = ({ message, remedy }: WidgetProblem) => `${message}. ${remedy}`;

/** The table of `widget check`, on standard output: here the problems are the data. */
export async function printProblems({ out }: Session, { errors, warnings }: WidgetCheck): Promise<void> {
  await out.table(
    [
      { title: 'severity', cell: ({ severity }) => severity },
      { title: 'code', cell: ({ code }) => code },
      { title: 'parameter', cell: ({ parameter }) => parameter },
      { title: 'value', cell: ({ value }) => shortened(value ?? '') },
      { title: 'what to do', cell: sentence, wide: true },
    ],
    [...errors, ...warnings],
  );
  await out.line(
    errors.length + warnings.length === 0
      ? 'No problems.'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}.`,
  );
}

/** On standard error, because the data is the URL or the configuration. */
export function tellProblems({ screen }: Session, { errors, warnings }: WidgetCheck): void {
  for (const problem of [...errors, ...warnings]) {
    const { severity, code, parameter } = problem;
    screen.write(`${severity} ${code} ${parameter}: ${sentence(problem)}\n`);
  }
}

export function tellNotes({ screen }: Session, notes: readonly MigrationNote[]): void {
  for (const { action, parameter, value, to, why, attention } of notes) {
    const target = to === null ? '' : ` → ${to.parameter}=${to.value}`;
    screen.write(`${attention ? 'look ' : ''}${action} ${parameter}=${value}${target}: ${why}\n`);
  }
}

/** Long values would leave no room for the sentence; the JSON form has them in full. */
function shortened(value: string): string {
  return value.length > 44 ? `${value.slice(0, 43)}…` : value;
}
