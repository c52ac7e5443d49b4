/** The status of a record on a night: by its journey, or by what its defect needs. */
import type { Night, SandboxInstant } from './contract.ts';
import { type StatusAtTime, statusAt, TERMINAL } from './journey.ts';
import type { RecordPlan } from './record-plan.ts';
import { NIGHT_LENGTH, type World } from './world.ts';

const HOUR = 3_600_000;
/** Time of a defect's change on the day between the nights. */
const CHANGED_AFTER = 9 * HOUR;

export function statusOn(plan: RecordPlan, night: Night, world: World): StatusAtTime {
  const statuses = plan.defect?.wants?.statuses;
  if (statuses === undefined) return statusAt(plan.journey, plan.createdAt, nightAt(night, world));
  const [first, second] = statuses;
  const status = night === 1 ? first : second;
  const since = night === 2 && first !== second ? changedAt(world) : plan.createdAt + HOUR;
  return { status, since, terminal: TERMINAL.has(status) };
}

/** The moment at which a night sees the population. */
export function nightAt(night: Night, { now }: World): SandboxInstant {
  return now + (night - 1) * NIGHT_LENGTH;
}

/** The moment of changes between the nights. */
export function changedAt(world: World): SandboxInstant {
  return world.now + CHANGED_AFTER;
}

/** True once the crypto was sent, even if the status has moved back since, because a transaction stays. */
export function wasReleased(plan: RecordPlan, night: Night, world: World): boolean {
  return (
    statusOn(plan, night, world).status === 'RELEASED' ||
    (night === 2 && statusOn(plan, 1, world).status === 'RELEASED')
  );
}
