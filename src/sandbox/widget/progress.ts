/** The progress of a live record, for the waiting user. */
import { isTerminalStep, type LiveRecord, stepOf } from '../live/journey.ts';
import type { Progress } from '../schemas/widget.ts';

type StepState = Progress['steps'][number]['state'];

export function progressOf(record: LiveRecord): Progress {
  const step = stepOf(record);
  const ended = isTerminalStep(step);
  const succeeded = step.status === 'RELEASED';
  return {
    status: step.status,
    says: step.says,
    steps: record.steps.map(({ says }, index) => ({ says, state: stateOf(index, record.position, ended, succeeded) })),
    ended,
    succeeded,
    transaction: succeeded ? record.transaction : null,
  };
}

function stateOf(index: number, position: number, ended: boolean, succeeded: boolean): StepState {
  if (index !== position) return index < position ? 'done' : 'ahead';
  if (!ended) return 'current';
  return succeeded ? 'done' : 'failed';
}
