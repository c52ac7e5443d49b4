/** The content of a month-end pack, only from the sealed statements of a closed month. */
import type { Instant } from '../domain/record.ts';
import type { MovementRow, SignOff } from '../ports/period.ts';
import type { PeriodEdges } from './edges.ts';
import { MovementTally } from './movement.ts';
import type { PeriodOfSet } from './sealed-states.ts';

const STEPS = 5000;

/** The movement of open breaks from the close before to this one. */
export async function movementOf(edges: PeriodEdges, period: string): Promise<readonly MovementRow[]> {
  const { periods } = edges.store;
  const months = (await periods.list()).filter((each) => each.period <= period);
  const closes = (await Promise.all(months.map((each) => periods.statements(each.period))))
    .flat()
    .filter(({ type, state }) => type === 'close' && state === 'sealed');
  const own = closes.find((each) => each.period === period);
  const earlier = closes.filter((each) => each !== own);
  const before = earlier.reduce((most, { basis }) => Math.max(most, basis.breakEvent), 0);
  const tally = new MovementTally(before);
  if (own === undefined) return tally.rows();
  const scope = { own, earlier, upTo: own.basis.breakEvent };
  for (let after = 0; ; ) {
    const steps = await periods.breakSteps(scope, after, STEPS);
    for (const step of steps) tally.add(step);
    const last = steps.at(-1);
    if (last === undefined || steps.length < STEPS) return tally.rows();
    after = last.eventKey;
  }
}

/** Who stated, accepted and reviewed what; a review that is missing is a line without a name. */
export function signOffs({ closed, statements }: PeriodOfSet): readonly SignOff[] {
  const { closedBy, closedAt, acceptedOpen, reviewedBy, reviewedAt } = closed;
  const sets = statements.map((each) => ({
    what: each.type === 'close' ? 'closed' : `delta ${each.number} stated`,
    by: each.by,
    at: each.at,
    detail: each.folder,
    manifestSha256: each.manifestSha256,
  }));
  const reviewOf = (what: string, by: string | null, at: Instant | null) => ({
    what: by === null ? `${what}not reviewed yet` : `${what}reviewed`,
    by,
    at,
    detail: null,
    manifestSha256: null,
  });
  const accepted = { what: 'accepted as open', by: closedBy, at: closedAt, detail: acceptedOpen, manifestSha256: null };
  return [
    ...sets.slice(0, 1),
    ...(acceptedOpen === null ? [] : [accepted]),
    reviewOf('', reviewedBy, reviewedAt),
    ...statements.slice(1).flatMap(({ number, review }, i) => {
      const own = sets[i + 1];
      const reviewed = reviewOf(`delta ${number} `, review?.by ?? null, review?.at ?? null);
      return own === undefined ? [] : [own, reviewed];
    }),
  ];
}
