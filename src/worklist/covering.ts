/** What decisions do to the other breaks of their records: a leading break takes those that it leads with it. Pure. */
import type { CurrentBreak } from '../ports/store/store.ts';
import { counted } from '../text/counts.ts';
import { type Decision, decide, isAllowed } from './decide.ts';
import {
  type Deciding,
  type PlannedEvent,
  SecondPersonNeededError,
  type WaiverLimits,
  whySecondPerson,
  withMoney,
} from './work.ts';

/** Breaks that a decision about this one covers: those that it leads and that the decision may be about. */
export function coveredBy(
  { breakId }: Pick<CurrentBreak, 'breakId'>,
  type: Decision['type'],
  records: readonly CurrentBreak[],
): readonly CurrentBreak[] {
  return records.filter(
    (each) => each.leadingBreakId === breakId && each.breakId !== breakId && isAllowed(type, each.state),
  );
}

/** Why a waiver of the break, or of one that it takes with it, needs a second person; null where none does. */
export function whyWaiverIsShared(
  standing: CurrentBreak,
  records: readonly CurrentBreak[],
  limits: WaiverLimits,
): string | null {
  const all = [standing, ...coveredBy(standing, 'waived', records)];
  return all.map((each) => whySecondPerson(each, limits)).find((why) => why !== null) ?? null;
}

/**
 * The planned events with those of the breaks that they cover; all of them with the money of their records as it is afterwards.
 * @param records every break of the records that the events are about
 * @throws SecondPersonNeededError for a waiver that covers a break which needs one
 */
export function covering(
  events: readonly PlannedEvent[],
  records: readonly CurrentBreak[],
  { today, limits, secondPerson = false }: Deciding,
): readonly PlannedEvent[] {
  const decided = new Set(events.map(({ after }) => after.breakId));
  const covered = events.flatMap((event) =>
    coveredBy(event.after, typeOf(event), records)
      .filter(({ breakId }) => !decided.has(breakId))
      .map((led) => {
        const why = event.type === 'waived' && !secondPerson ? whySecondPerson(led, limits) : null;
        if (why !== null) throw new SecondPersonNeededError(led.breakId, why);
        return follow(event, led, today);
      }),
  );
  return withMoney([...events, ...covered], records);
}

/** Of waivers: that what is accepted is claimed from the Service all the same; null where none of it is. */
export function claimedAllTheSame(events: readonly PlannedEvent[]): string | null {
  const claims = events.flatMap(({ type, after }) => (type === 'waived' ? (after.claimId ?? []) : []));
  if (claims.length === 0) return null;
  const named = [...new Set(claims)].slice(0, MOST_NAMED).join(', ');
  return `${counted(claims.length, 'waived break is', 'waived breaks are')} claimed from the Service (${named}), and a waiver withdraws no claim`;
}

/** Claims in a sentence. */
const MOST_NAMED = 5;

const typeOf = ({ type }: PlannedEvent) => type as Decision['type'];

/** The same decision about a led break; a waiver holds for its own difference. */
function follow({ type, at, who, reason, proof, account, after }: PlannedEvent, led: CurrentBreak, today: string) {
  const { hostReference: _host, events: expectedEvents, ...before } = led;
  const decision = { type: type as Decision['type'], who, reason: reason ?? '', at, today };
  const event = decide(before, { ...decision, until: after.waiver?.until ?? null, assignee: after.assignee });
  return { ...event, proof, account, expectedEvents };
}
