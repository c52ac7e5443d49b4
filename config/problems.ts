/** All problems of the settings, reported together. */
import { UsageError } from '../src/domain/errors.ts';

export interface ConfigProblem {
  /** `service.guard`; empty for a problem of the whole file. */
  path: string;
  /** `tieout.yaml:12`, `env TIEOUT_OUT`, `flag --out`, or null for something that is missing. */
  where: string | null;
  /** The given value, secrets masked; null without one. */
  value: string | null;
  /** What is wrong and what is allowed; follows the value in a sentence. */
  message: string;
}

export function showProblem(problem: ConfigProblem): string {
  const subject = problem.path === '' ? (problem.where ?? 'settings') : problem.path;
  const where = problem.path !== '' && problem.where !== null ? ` (${problem.where})` : '';
  const value = problem.value === null ? '' : ` ${JSON.stringify(problem.value.slice(0, 120))}`;
  return `${subject}${where}:${value} ${problem.message}`;
}

/** Thrown when settings cannot be used; lists every problem, not only the first. The command line exits with 2. */
export class ConfigError extends UsageError {
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`${count} in the settings:\n${problems.map((problem) => `  ${showProblem(problem)}`).join('\n')}`);
    this.problems = problems;
  }
}
