/** What the application would export about a record: id, token, and where its quote is. */
import type { TrackedLine } from './contract.ts';
import type { Standing } from './journey.ts';
import { Draws } from './random.ts';
import type { RecordPlan } from './record-plan.ts';
import { quoteId } from './record-quote.ts';
import { standingOn } from './standing.ts';
import type { World } from './world.ts';

const STREAM = 27;

/** One line, or what the record's defect makes of it. */
export function trackedLines(plan: RecordPlan, world: World): readonly TrackedLine[] {
  const draws = new Draws(world.seed, plan.index, STREAM);
  const standing = standingOn(plan, 1, world);
  const line: TrackedLine = {
    kind: plan.kind,
    id: world.ids.id(plan.index, plan.kind),
    view_token: world.ids.token(plan.index),
    created_at: new Date(plan.createdAt).toISOString(),
    host_reference: draws.chance(0.7) ? `order-${plan.index + 1}` : null,
    quote_id: plan.linking === 'linked' ? quoteId(plan) : null,
    expected_status: draws.chance(0.25) && maySayStatus(plan, standing) ? standing.status : null,
  };
  return plan.defect?.tracked?.(line, world.ids.strangerToken(plan.index)) ?? [line];
}

/**
 * Final statuses only: what an application expected of an unfinished record, the next night could contradict. Purchases
 * only, because a sale's body may say it in other words. And nothing of defective ones: it would be a second defect.
 */
function maySayStatus(plan: RecordPlan, standing: Standing): boolean {
  return standing.terminal && plan.kind === 'purchase' && plan.defect === null;
}
