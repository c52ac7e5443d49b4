/**
 * One decision about many breaks: a preview of the changes and of the refused ones, before anything is written. Pure.
 */
import { createHash } from 'node:crypto';
import { addStake, emptyStake, type StakeFigures, stakeFigures } from '../domain/stake-tally.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { covering } from './covering.ts';
import { DecisionRefusedError } from './decide.ts';
import { type Deciding, type NewDecision, type PlannedEvent, planDecision, SecondPersonNeededError } from './work.ts';

/** More than so many at once would hold the write lock of a running night for too long. */
export const MOST_IN_BULK = 20_000;

/** What a decision about many breaks would do, before it is done. */
export interface BulkPlan {
  events: readonly PlannedEvent[];
  /** Breaks that stay as they are, by the reason. */
  refused: ReadonlyMap<string, number>;
  /** Money at stake of what changes. */
  stake: StakeFigures;
  /** Version of the breaks in the preview: another value means that the breaks have changed since. */
  version: string;
}

/** @param records every break of the records that the breaks are of */
export function planBulk(
  breaks: readonly CurrentBreak[],
  records: readonly CurrentBreak[],
  proposed: NewDecision,
  deciding: Deciding,
): BulkPlan {
  const planned: PlannedEvent[] = [];
  const refused = new Map<string, number>();
  const stake = emptyStake();
  for (const each of breaks) {
    try {
      const event = planDecision(each, proposed, deciding);
      covering([event], records, deciding);
      planned.push(event);
    } catch (error) {
      const why = whyNot(error, each);
      refused.set(why, (refused.get(why) ?? 0) + 1);
      continue;
    }
    addStake(stake, [each]);
  }
  return {
    events: covering(planned, records, deciding),
    refused,
    stake: stakeFigures(stake),
    version: versionOf(breaks),
  };
}

function whyNot(error: unknown, { state }: CurrentBreak): string {
  if (error instanceof SecondPersonNeededError) return error.why;
  if (error instanceof DecisionRefusedError) return `it is ${state}`;
  throw error;
}

function versionOf(breaks: readonly CurrentBreak[]): string {
  const hash = createHash('sha256');
  for (const line of breaks.map(({ breakId, events }) => `${breakId}:${events}\n`).sort()) hash.update(line);
  return hash.digest('hex');
}
