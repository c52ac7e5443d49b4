/** How working lines name a status and a move between two. */
import type { StatusModel, Transition } from '../domain/status.ts';
import type { RuleInput } from './rule.ts';

export const TRANSITION_WORDS: Readonly<Record<Transition, string>> = {
  same: 'no move',
  legal: 'a move the model allows',
  forbidden: 'a move the model forbids',
  unknown: 'a move the model does not know',
};

/** `RELEASED (stage 7, final)`. */
export function place(statuses: StatusModel, { kind }: RuleInput, status: string): string {
  const definition = statuses[kind].get(status);
  if (definition === undefined) return `${status} (not in the model)`;
  return `${status} (stage ${definition.stage}${definition.terminal ? ', final' : ''})`;
}
