/** Further parts of a page of cases: the first and the first terminal snapshot of each record, and its linked quote. */
import type { History, Observation } from '../domain/case.ts';
import { countedDate } from '../domain/plausible-date.ts';
import type { QuotedMethod } from '../domain/quote.ts';
import type { Instant, Origin, RecordPosition } from '../domain/record.ts';
import { saysReleased } from '../domain/released.ts';
import type { RecordState, Snapshot } from '../domain/snapshot.ts';
import type { StoredCase } from '../ports/store/store.ts';
import { FIRST_STATUS } from '../service/profile.ts';
import { columns, type Row } from './cells.ts';
import type { Engine } from './engine.ts';
import { methodsOf } from './quotes.ts';
import { METHOD_COLUMNS, QUOTE_COLUMNS, readMethod, readQuote } from './schema/quotes.ts';
import { readState, STATE_COLUMNS } from './schema/tracking.ts';

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

/**
 * The frozen past of an item, with the heads of its first and its first terminal snapshot (`f` and `t`), as they are
 * read here.
 */
export const PAST_CELLS = columns(
  'i.before_first_snapshot i.before_terminal_snapshot i.before_status i.before_status_since',
  'i.before_peak_status i.before_peak_at i.before_verified_at i.before_verified_status f.content_key',
  'f.origin f.received_at t.content_key t.origin t.received_at',
);
const AT_FIRST = 8;
const AT_TERMINAL = AT_FIRST + 3;

/** Everything but the snapshots, which `addPastSnapshots` fills in. The columns of PAST_CELLS begin at `at`. */
export function readHistory(row: Row, at: number, tonight: RecordState | null): History {
  const peak = row[at + 4] as string | null;
  const peakAt = row[at + 5] as number | null;
  const verifiedAt = row[at + 6] as number | null;
  // If the body has another status than the last known one, the status began with this run.
  const unchanged = tonight === null || tonight.status === row[at + 2];
  return {
    first: null,
    firstTerminal: null,
    peak: peak === null || peakAt === null ? null : { status: peak, at: peakAt },
    statusSince: unchanged ? (row[at + 3] as number | null) : null,
    lastVerified: verifiedAt === null ? null : { at: verifiedAt, status: row[at + 7] as string | null },
  };
}

/** A snapshot without its content. */
interface SnapshotHead {
  contentKey: number;
  origin: Origin;
  receivedAt: Instant;
}

function readHead(row: Row, at: number): SnapshotHead | null {
  if (row[at] === null) return null;
  return { contentKey: row[at] as number, origin: row[at + 1] as Origin, receivedAt: row[at + 2] as number };
}

/**
 * The first snapshot and the first terminal one; one shared object where they are the same. The columns of PAST_CELLS
 * begin at `at`.
 */
export function readPastHeads(row: Row, at: number): { first: SnapshotHead | null; terminal: SnapshotHead | null } {
  const first = readHead(row, at + AT_FIRST);
  return { first, terminal: row[at + 1] === row[at] ? first : readHead(row, at + AT_TERMINAL) };
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

async function readContents(
  engine: Engine,
  owners: ReadonlyMap<number, RecordPosition>,
): Promise<Map<number, PastContent | Error>> {
  const entries = await engine.each(
    engine.db
      .selectFrom('contents')
      .select(['content_key', 'sha256', ...STATE_COLUMNS])
      .where(engine.inList('content_key', [...owners.keys()])),
    (row) => {
      const key = row[0] as number;
      const { kind, recordId } = owners.get(key) as RecordPosition;
      return [
        key,
        readOrError(() => ({ sha256: row[1] as string, state: readState(row, 2, kind, recordId) })),
      ] as const;
    },
  );
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
    for (const head of [draft.firstSnapshot, draft.terminalSnapshot]) {
      if (head !== null && head.contentKey !== draft.contentKey) owners.set(head.contentKey, draft.stored);
    }
  }
  const contents = owners.size === 0 ? new Map<number, PastContent | Error>() : await readContents(engine, owners);
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

/** Adds the time of tracking of records of which no other date is known: by it they belong to a month. */
export async function addTrackedAt(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map(
    drafts.filter(({ stored }) => isUndated(stored)).map(({ stored }) => [stored.recordKey, stored] as const),
  );
  if (asked.size === 0) return;
  const rows = await engine.rows(
    engine.db
      .selectFrom('tracked_records')
      .select(['record_key', 'tracked_at'])
      .where(engine.inList('record_key', [...asked.keys()])),
  );
  for (const [recordKey, trackedAt] of rows) {
    const stored = asked.get(recordKey as number);
    if (stored !== undefined) stored.history.trackedAt = trackedAt as number;
  }
}

function isUndated({ tracked, observation, history }: StoredCase): boolean {
  const state = observation.outcome === 'verified' ? observation.snapshot.state : history.first?.state;
  return countedDate(state?.createdAt ?? null, tracked.createdAt, Number.MAX_SAFE_INTEGER) === null;
}

/**
 * Adds the statuses that a record passed before tonight's body, where the body leaves open whether its money moved: of a released
 * record, or one that nobody has paid for yet, nothing asks.
 */
export async function addPassed(engine: Engine, drafts: readonly CaseDraft[]): Promise<void> {
  const asked = new Map<number, CaseDraft>();
  for (const draft of drafts) {
    const { observation, recordKey } = draft.stored;
    if (observation.outcome !== 'verified') continue;
    const { status } = observation.snapshot.state;
    if (status !== null && status !== FIRST_STATUS && !saysReleased(status)) asked.set(recordKey, draft);
  }
  if (asked.size === 0) return;
  const rows = await engine.rows(
    engine.db
      .selectFrom('status_changes')
      .select(['record_key', 'from_status', 'from_seen_at', 'to_status', 'to_seen_at'])
      .where(engine.inList('record_key', [...asked.keys()]))
      .orderBy('to_seen_at')
      .orderBy('change_key'),
  );
  for (const [recordKey, changes] of Map.groupBy(rows, (row) => row[0] as number)) {
    const stored = asked.get(recordKey)?.stored;
    if (stored === undefined || stored.observation.outcome !== 'verified') continue;
    const { receivedAt } = stored.observation.snapshot.evidence;
    const known = changes.filter((row) => (row[4] as number) <= receivedAt);
    stored.history.passed = known.flatMap((row) => [
      { status: row[1] as string, at: row[2] as number },
      { status: row[3] as string, at: row[4] as number },
    ]);
  }
}

const AT_QUOTE = 1;
const AT_METHOD = AT_QUOTE + QUOTE_COLUMNS.length;

/** The quote's key, the quote, and the method of the record in it; NULL where there is none. */
export const QUOTE_CELLS = ['i.quote_key', ...quoteAndMethod()] as const;

/** The same where the quote is reached from the tracked record itself. */
export const QUOTE_CELLS_OF_RECORD = ['q.quote_key', ...quoteAndMethod()] as const;

function quoteAndMethod() {
  return [
    ...QUOTE_COLUMNS.map((column) => `q.${column}` as const),
    ...METHOD_COLUMNS.map((column) => `m.${column}` as const),
  ] as const;
}

const NO_METHODS: readonly QuotedMethod[] = Object.freeze([]);

/** Whole seconds from capture to creation; negative where the quote was captured later. */
function ageSeconds(state: RecordState | null, capturedAt: number): number | null {
  const createdAt = state?.createdAt ?? null;
  return createdAt === null ? null : Math.floor((createdAt - capturedAt) / 1000);
}

/** The columns of QUOTE_CELLS, or of QUOTE_CELLS_OF_RECORD, begin at `at`. */
export function readLinked(row: Row, at: number, state: RecordState | null): StoredCase['linked'] {
  if (row[at] === null) return null;
  const method = row[at + AT_METHOD] === null ? null : readMethod(row, at + AT_METHOD);
  const quote = readQuote(row, at + AT_QUOTE, method === null ? NO_METHODS : [method]);
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
