/** What the Service's lists on both sides of a record's creation say of it. */
import { type Instant, showInstant } from '../domain/record.ts';
import { type Listed, TERMS_MAY_FOLLOW } from '../domain/reference.ts';
import { type NotJudged, type RuleInput, verifiedState } from './rule.ts';

/** Shared, because most records without lists are of one night. */
export const NO_LIST: NotJudged = Object.freeze({ notJudged: 'no list of its time was captured' });

/** The last list before the creation, and the first one after it. */
export function listsAround<Part extends keyof Listed>(
  { reference: { before, after } }: RuleInput,
  part: Part,
): readonly NonNullable<Listed[Part]>[] {
  return [before?.[part], after?.[part]].filter((each) => each !== undefined);
}

/**
 * The lists of one kind that can prove an absence: those on both sides of the creation. One alone counts only where it was captured
 * within an hour of the creation: lists differ by the hour.
 */
export function provingLists<Part extends keyof Listed>(
  input: RuleInput,
  part: Part,
): readonly NonNullable<Listed[Part]>[] {
  const lists = listsAround(input, part);
  const createdAt = verifiedState(input)?.createdAt ?? null;
  const [only] = lists;
  if (createdAt === null || only === undefined || lists.length === 2) return createdAt === null ? [] : lists;
  return Math.abs(only.capturedAt - createdAt) <= TERMS_MAY_FOLLOW ? lists : [];
}

/** `the lists of 2026-11-01 09:00 UTC and 2026-11-01 11:00 UTC`; a list that stands alone says if it is younger than the record. */
export function showLists(lists: readonly { capturedAt: Instant }[], createdAt: Instant | null): string {
  const times = lists.map(({ capturedAt }) => showInstant(capturedAt));
  const [only] = lists;
  const late = only === undefined || lists.length > 1 ? '' : showLateTerms(only.capturedAt, createdAt);
  return `the list${times.length === 1 ? '' : 's'} of ${times.join(' and ')}${late === '' ? '' : ` (${late.slice(2)})`}`;
}

/** Where the terms are younger than the record: ` (captured 20 min after the creation, as none are older)`; empty otherwise. */
export function showLateTerms(capturedAt: Instant, createdAt: Instant | null): string {
  if (createdAt === null || capturedAt <= createdAt) return '';
  return `, captured ${Math.ceil((capturedAt - createdAt) / 60_000)} min after the creation, as none are older`;
}
