/**
 * Decides what a batch of incoming lines changes in the tracked records: a pure function of the stored records, whose
 * result is applied in one transaction.
 */
import type { TrackedFacts } from '../domain/case.ts';
import type { ShownAmounts } from '../domain/quote.ts';
import { type Instant, isoInstant, type Kind, type Origin } from '../domain/record.ts';
import type { TrackedInput, TrackedRecord, TrackOutcome } from '../ports/store/store.ts';

/** One record as tracked, or as it is about to be. */
export interface TrackedEntry
  extends Omit<TrackedFacts, 'webhookEvents'>,
    Pick<TrackedRecord, 'kind' | 'id' | 'origin' | 'trackedAt'> {
  /** Null until it is inserted. */
  recordKey: number | null;
  /** Retracted from the population. */
  retracted: boolean;
  /** True if a column of an existing row has to be written. */
  changed: boolean;
  /** True for the stored token; the first token stays. */
  hasToken: (token: string) => boolean;
  /** The token to seal, for a new entry. */
  newToken: string | null;
  /** The token that replaces the stored one. */
  replacement?: string;
  /** Claims against this record, those on record and those of this batch. */
  claims: ConflictingLine[];
}

/** A line that contradicts a tracked record: another token, or the same id with another kind. */
export type ConflictingLine =
  | {
      type: 'token';
      origin: Origin;
      at: Instant;
      isToken: (token: string) => boolean;
      newToken: string | null;
      settled: boolean;
    }
  | { type: 'kind'; origin: Origin; at: Instant; isNew: boolean; settled: boolean };

function seen(origin: Origin, at: Instant): string {
  return `from ${origin} on ${isoInstant(at).slice(0, 10)}`;
}

/** The unsettled claims against a record, in words; the token itself is never among them. */
export function conflictText(entry: TrackedEntry): string | null {
  const sentences: string[] = [];
  const claims = entry.claims.filter(({ settled }) => !settled);
  const tokens = claims.filter((claim) => claim.type === 'token');
  const latest = tokens.at(-1);
  if (latest !== undefined) {
    const first = seen(entry.origin, entry.trackedAt);
    sentences.push(
      `came in with ${tokens.length + 1} different view tokens (first ${first}, last ${seen(latest.origin, latest.at)})`,
    );
  }
  const kind = claims.find((claim) => claim.type === 'kind');
  if (kind !== undefined) {
    const other = entry.kind === 'purchase' ? 'sale' : 'purchase';
    sentences.push(
      `came in as a ${entry.kind} (${seen(entry.origin, entry.trackedAt)}) and as a ${other} (${seen(kind.origin, kind.at)})`,
    );
  }
  return sentences.length === 0 ? null : sentences.join('; ');
}

function addClaim(entry: TrackedEntry, claim: ConflictingLine): void {
  entry.claims.push(claim);
  entry.conflict = conflictText(entry);
  entry.changed = true;
}

/** Records the conflict between two records of one id and different kinds, once, on both. */
function markKinds(a: TrackedEntry, b: TrackedEntry): void {
  for (const [entry, other] of [
    [a, b],
    [b, a],
  ] as const) {
    if (entry.claims.some((claim) => claim.type === 'kind')) continue;
    addClaim(entry, { type: 'kind', origin: other.origin, at: other.trackedAt, isNew: true, settled: false });
  }
}

/** Fills in missing facts. The expected status may change; all other facts keep their first value. */
function fillIn(entry: TrackedEntry, line: TrackedInput): boolean {
  const filled = {
    expectedStatus: line.expectedStatus ?? entry.expectedStatus,
    createdAt: entry.createdAt ?? line.createdAt,
    hostReference: entry.hostReference ?? line.hostReference,
    quoteId: entry.quoteId ?? line.quoteId,
    shown: firstShown(entry.shown, line.shown ?? null),
  };
  const names = Object.keys(filled) as (keyof typeof filled)[];
  if (names.every((name) => filled[name] === entry[name])) return false;
  Object.assign(entry, filled, { changed: true });
  return true;
}

/** Shown amounts do not change afterwards: only an amount that is not stored yet is filled in. */
function firstShown(known: ShownAmounts | null, given: ShownAmounts | null): ShownAmounts | null {
  if (known === null || given === null) return known ?? given;
  const [total, fee] = [known.total ?? given.total, known.fee ?? given.fee];
  return total === known.total && fee === known.fee ? known : { total, fee };
}

function newEntry({ token, shown = null, ...line }: TrackedInput, origin: Origin, at: Instant): TrackedEntry {
  const told = { ...line, origin, trackedAt: at, shown, newToken: token, hasToken: (other: string) => other === token };
  return { ...told, recordKey: null, conflict: null, retracted: false, changed: false, claims: [] };
}

function conflict(entry: TrackedEntry): TrackOutcome {
  return { outcome: 'conflict', detail: `${entry.kind} ${entry.id} ${entry.conflict ?? ''}` };
}

/** Of two records with one id, only lines for the later one count as conflicts. */
function isLater(entry: TrackedEntry, other: TrackedEntry): boolean {
  if (entry.recordKey !== null && other.recordKey !== null) return entry.recordKey > other.recordKey;
  return entry.recordKey === null && other.recordKey !== null;
}

/** The line's token takes the place of the stored one. */
function replace(entry: TrackedEntry, line: TrackedInput): TrackOutcome {
  const { token } = line;
  entry.hasToken = (other) => other === token;
  if (entry.recordKey === null) entry.newToken = token;
  else entry.replacement = token;
  entry.claims = entry.claims.map((claim) => (claim.type === 'token' ? { ...claim, settled: true } : claim));
  entry.conflict = conflictText(entry);
  entry.changed = true;
  fillIn(entry, line);
  return { outcome: 'updated' };
}

/**
 * @param known the records tracked under the ids of the lines; changed in place.
 * @param replaces whether another token replaces the stored one, rather than contradict it
 */
export function decideTracking(
  lines: readonly TrackedInput[],
  known: readonly TrackedEntry[],
  origin: Origin,
  at: Instant,
  replaces = false,
): { outcomes: TrackOutcome[]; entries: readonly TrackedEntry[] } {
  const nameOf = (kind: Kind, id: string): string => `${kind} ${id}`;
  const entries = new Map(known.map((entry) => [nameOf(entry.kind, entry.id), entry]));

  const decide = (line: TrackedInput): TrackOutcome => {
    const entry = entries.get(nameOf(line.kind, line.id));
    const other = entries.get(nameOf(line.kind === 'purchase' ? 'sale' : 'purchase', line.id));
    if (entry === undefined) {
      const added = newEntry(line, origin, at);
      entries.set(nameOf(line.kind, line.id), added);
      if (other === undefined) return { outcome: 'added' };
      // Which kind is right is unknown: both records are fetched, and both report the conflict.
      markKinds(added, other);
      return conflict(added);
    }
    if (!entry.hasToken(line.token)) {
      if (replaces) return replace(entry, line);
      const claim = entry.claims.find((each) => each.type === 'token' && each.isToken(line.token));
      // A person has chosen another token: an old file with the previous one is no conflict.
      if (claim?.settled === true) return { outcome: 'unchanged' };
      if (claim === undefined) {
        const { token } = line;
        const isToken = (other: string) => other === token;
        addClaim(entry, { type: 'token', origin, at, isToken, newToken: token, settled: false });
      }
      return conflict(entry);
    }
    const filled = fillIn(entry, line);
    if (other !== undefined && isLater(entry, other)) return conflict(entry);
    return { outcome: filled ? 'updated' : 'unchanged' };
  };

  return { outcomes: lines.map(decide), entries: [...entries.values()] };
}
