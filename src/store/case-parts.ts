/** Further parts of a page of cases: the first and the first terminal snapshot of each record, and its linked quote. */
import { sql } from 'kysely';
import type { History, Observation } from '../domain/case.ts';
import { isExecuted } from '../domain/execution.ts';
import type { QuotedMethod } from '../domain/quote.ts';
import type { Instant, Origin, RecordPosition } from '../domain/record.ts';
import { saysReleased } from '../domain/released.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import type { StoredCase } from '../ports/store/store.ts';
import { BANK_TRANSFERS, EXECUTED_BY_BANK, PRICED } from '../service/profile.ts';
import type { Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { methodsOf } from './quotes.ts';
import { only } from './schema/column.ts';
import { cell, of, type Selection, selection } from './schema/places.ts';
import { METHOD, QUOTE, readMethod, readQuote } from './schema/quotes.ts';
import { PAST } from './schema/runs.ts';
import { readState, STATE } from './schema/state.ts';
import { TRACKING } from './schema/tracking.ts';
import { literals } from './statements.ts';

/** A case under construction, with the keys of the rows that further statements add. */
export interface CaseDraft {
  stored: StoredCase;
  /** Of the body that this run verified; null where there is none. */
  contentKey: number | null;
  firstSnapshot: SnapshotHead | null;
  terminalSnapshot: SnapshotHead | null;
  /** The linked quote of a verified record, where it does not offer the record's method: all of its methods are read. */
  quoteInFull: number | null;
}

const HEAD = only(TRACKING.snapshots.columns, 'content_key', 'origin', 'received_at');

/** The frozen past of an item, with the heads of its first and its first terminal snapshot (`f` and `t`). */
export const PAST_PARTS = { past: of('i', PAST), first: of('f', HEAD), terminal: of('t', HEAD) };

type PastPlaces = Selection<typeof PAST_PARTS>['at'];

/** Everything but the snapshots, which `addPastSnapshots` fills in. */
export function readHistory(row: Row, { past }: PastPlaces, tonight: RecordState | null): History {
  const [peak, peakAt] = [cell(row, past.before_peak_status), cell(row, past.before_peak_at)];
  const verifiedAt = cell(row, past.before_verified_at);
  // If the body has another status than the last known one, the status began with this run.
  const unchanged = tonight === null || tonight.status === cell(row, past.before_status);
  return {
    first: null,
    firstTerminal: null,
    peak: peak === null || peakAt === null ? null : { status: peak, at: peakAt },
    statusSince: unchanged ? cell(row, past.before_status_since) : null,
    lastVerified: verifiedAt === null ? null : { at: verifiedAt, status: cell(row, past.before_verified_status) },
  };
}

/** A snapshot without its content. */
interface SnapshotHead {
  contentKey: number;
  origin: Origin;
  receivedAt: Instant;
}

function readHead(row: Row, at: PastPlaces['first']): SnapshotHead | null {
  const contentKey: number | null = cell(row, at.content_key);
  return contentKey === null
    ? null
    : { contentKey, origin: cell(row, at.origin), receivedAt: cell(row, at.received_at) };
}

/** The first snapshot and the first terminal one; one shared object where they are the same. */
export function readPastHeads(row: Row, { past, first, terminal }: PastPlaces) {
  const head = readHead(row, first);
  const isSame = cell(row, past.before_terminal_snapshot) === cell(row, past.before_first_snapshot);
  return { first: head, terminal: isSame ? head : readHead(row, terminal) };
}

/** For a record whose rows cannot be read: they were damaged, or changed outside Tieout. */
export function unreadableRow(error: unknown, sha256: string | null, at: Instant): Observation {
  return {
    outcome: 'quarantined',
    reason: 'NOT_JUDGED',
    detail: `its rows in the database cannot be read (${error instanceof Error ? error.message : 'damaged'}): see \`tieout db check\``,
    drift: [],
    httpStatus: null,
    sha256,
    at,
  };
}

function readOrError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function setAside({ stored }: CaseDraft, error: Error): void {
  const { observation } = stored;
  if (observation.outcome !== 'verified') return;
  const { sha256, receivedAt } = observation.snapshot.evidence;
  stored.observation = unreadableRow(error, sha256, receivedAt);
}

/** The content of an earlier snapshot. */
interface PastContent {
  sha256: string;
  state: RecordState;
}

const CONTENT = selection({
  head: of('c', only(TRACKING.contents.columns, 'content_key', 'sha256')),
  state: of('c', STATE),
});

export async function readContents(
  engine: Engine,
  owners: ReadonlyMap<number, RecordPosition>,
): Promise<Map<number, PastContent | Error>> {
  if (owners.size === 0) return new Map();
  const query = engine.db
    .selectFrom('contents as c')
    .select(CONTENT.columns)
    .where(engine.inList('content_key', [...owners.keys()]));
  const { head, state } = CONTENT.at;
  const entries = await engine.each(query, (row) => {
    const key = cell(row, head.content_key);
    const { kind, recordId } = owners.get(key) as RecordPosition;
    const read = () => ({ sha256: cell(row, head.sha256), state: readState(row, state, kind, recordId) });
    return [key, readOrError(read)] as const;
  });
  return new Map(entries);
}

function snapshotOf(
  head: SnapshotHead | null,
  draft: CaseDraft,
  contents: ReadonlyMap<number, PastContent | Error>,
): Snapshot | null {
  if (head === null) return null;
  const { receivedAt, origin, contentKey } = head;
  const { observation } = draft.stored;
  if (contentKey === draft.contentKey && observation.outcome === 'verified') {
    const { state, evidence } = observation.snapshot;
    return { state, evidence: { sha256: evidence.sha256, receivedAt, origin } };
  }
  const content = contents.get(contentKey);
  if (content === undefined || content instanceof Error) return null;
  return { state: content.state, evidence: { sha256: content.sha256, receivedAt, origin } };
}

/** Adds the past snapshots. A content that this run verified is in the case already and is not read again. */
export async function addPastSnapshots(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const owners = new Map<number, RecordPosition>();
  for (const draft of drafts) {
    for (const head of [draft.firstSnapshot, draft.terminalSnapshot])
      if (head !== null && head.contentKey !== draft.contentKey) owners.set(head.contentKey, draft.stored);
  }
  const contents = await readContents(engine, owners);
  for (const draft of drafts) {
    const { history } = draft.stored;
    const { firstSnapshot, terminalSnapshot } = draft;
    history.first = snapshotOf(firstSnapshot, draft, contents);
    history.firstTerminal =
      terminalSnapshot === firstSnapshot ? history.first : snapshotOf(terminalSnapshot, draft, contents);
    for (const head of [firstSnapshot, terminalSnapshot]) {
      const content = head === null ? undefined : contents.get(head.contentKey);
      if (content instanceof Error) setAside(draft, content);
    }
  }
}

/** Of contents as `c`: what their columns alone can say of a price that is fixed (`isExecuted`). */
export const MAY_BE_FIXED = sql<boolean>`(c.status is null or c.status in (${literals([...PRICED])})
  or c.payout_status in (${literals([...PRICED])}))
  and not (coalesce(c.status, '') = ${sql.lit(EXECUTED_BY_BANK)} and coalesce(c.payment_method, '') in (${literals([...BANK_TRANSFERS])}))`;

/** When a release was announced. */
function releasesOf({ stored: { tracked } }: CaseDraft): readonly Instant[] {
  return tracked.webhookEvents.flatMap(({ type, at }) => (saysReleased(type) ? [at] : []));
}

/**
 * Adds the first body whose price was fixed, where it is neither the first nor the first terminal one: no estimate may change from it on. It lies
 * between the first body and tonight's, so that only a record that was seen with a fixed price before is asked for.
 */
export async function addExecuted(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map<number, CaseDraft>();
  for (const draft of drafts) {
    const { observation, history, recordKey } = draft.stored;
    if (observation.outcome !== 'verified' || !isExecuted(observation.snapshot)) continue;
    const { first, peak, lastVerified } = history;
    const wasSeen =
      peak === null
        ? lastVerified !== null || releasesOf(draft).length > 0
        : PRICED.has(peak.status) || observation.snapshot.state.kind === 'sale';
    if (first !== null && wasSeen && !isExecuted(first)) asked.set(recordKey, draft);
  }
  if (asked.size === 0) return;
  const rows = await engine.db
    .selectFrom('contents as c')
    .innerJoin('snapshots as s', 's.content_key', 'c.content_key')
    .select(['c.record_key', 'c.status', 's.content_key', 's.origin', 's.received_at'])
    .where(engine.inList('c.record_key', [...asked.keys()]))
    .where(MAY_BE_FIXED)
    .orderBy('s.snapshot_key')
    .execute();
  const heads = new Map<number, SnapshotHead>();
  for (const { record_key: key, status, content_key: contentKey, origin, received_at: receivedAt } of rows) {
    const draft = asked.get(key) as CaseDraft;
    const { observation } = draft.stored;
    const isBefore = observation.outcome === 'verified' && receivedAt < observation.snapshot.evidence.receivedAt;
    // A body without a status that an event brought is fixed only where that event is the release: that of the creation may arrive after it.
    const isFixed = status !== null || origin === 'fetch' || releasesOf(draft).includes(receivedAt);
    if (isBefore && isFixed && !heads.has(key)) heads.set(key, { contentKey, origin, receivedAt });
  }
  const owners = new Map<number, RecordPosition>();
  for (const [key, { contentKey, receivedAt }] of heads) {
    const { contentKey: tonight, stored, terminalSnapshot } = asked.get(key) as CaseDraft;
    if (terminalSnapshot?.receivedAt === receivedAt) heads.delete(key);
    else if (contentKey !== tonight) owners.set(contentKey, stored);
  }
  const contents = await readContents(engine, owners);
  for (const [key, head] of heads) {
    const draft = asked.get(key) as CaseDraft;
    const executed = snapshotOf(head, draft, contents);
    if (executed !== null) draft.stored.history.firstExecuted = executed;
    const content = contents.get(head.contentKey);
    if (content instanceof Error) setAside(draft, content);
  }
}

/** The quote and the method of the record in it; null where there is none. */
export const QUOTE_PARTS = { quote: of('q', QUOTE), method: of('m', METHOD) };

type QuotePlaces = Selection<typeof QUOTE_PARTS>['at'];

const NO_METHODS: readonly QuotedMethod[] = Object.freeze([]);

/** Whole seconds from capture to creation; negative where the quote was captured later. */
function ageSeconds(state: RecordState | null, capturedAt: number): number | null {
  const createdAt = state?.createdAt ?? null;
  return createdAt === null ? null : Math.floor((createdAt - capturedAt) / 1000);
}

export function readLinked(row: Row, at: QuotePlaces, state: RecordState | null): StoredCase['linked'] {
  const [quoteId, name]: (string | null)[] = [cell(row, at.quote.quote_id), cell(row, at.method.method)];
  if (quoteId === null) return null;
  const method = name === null ? null : readMethod(row, at.method);
  const quote = readQuote(row, at.quote, method === null ? NO_METHODS : [method]);
  return { quote, method, ageSeconds: ageSeconds(state, quote.capturedAt) };
}

/**
 * A body may name no method (spec §2.8 allows it for a sale), or one that its quote does not offer: the rules then compare with all methods
 * of the quote, and a break names them.
 */
export async function addAllMethods(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const wanting = drafts.filter((draft) => draft.quoteInFull !== null);
  if (wanting.length === 0) return;
  const keys = wanting.map((draft) => draft.quoteInFull as number);
  const methods = await methodsOf(engine, keys).catch(async (error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
    // One by one, because only some records have the damaged quote.
    if (wanting.length > 1) for (const draft of wanting) await addAllMethods(engine, [draft]);
    else for (const draft of wanting) setAside(draft, error);
    return null;
  });
  if (methods === null) return;
  for (const { stored, quoteInFull } of wanting) {
    if (stored.linked === null) continue;
    stored.linked.quote.methods = methods.get(quoteInFull as number) ?? NO_METHODS;
  }
}
