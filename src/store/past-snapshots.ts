/** What was seen of a record before tonight: its first snapshot and its first terminal one, for a page of records. */
import type { History } from '../domain/case.ts';
import type { Instant, Kind, Origin } from '../domain/record.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Engine, Row } from './engine.ts';
import { readState, STATE_COLUMNS } from './state-columns.ts';

/** The frozen past of an item, in the order in which `historyOf` reads. */
export const PAST_CELLS = [
  'i.before_first_snapshot',
  'i.before_terminal_snapshot',
  'i.before_status',
  'i.before_status_since',
  'i.before_peak_status',
  'i.before_peak_at',
  'i.before_verified_at',
  'i.before_verified_status',
] as const;

/** A snapshot's own few bytes. */
interface SnapshotHead {
  contentKey: number;
  origin: Origin;
  receivedAt: Instant;
}

export interface PastSnapshots {
  heads: ReadonlyMap<number, SnapshotHead>;
  /** Rows of `contents` (sha256, then the state) by key: only those that differ from what the record has tonight. */
  contents: ReadonlyMap<number, Row>;
}

const NOTHING: PastSnapshots = { heads: new Map(), contents: new Map() };

async function readHeads(engine: Engine, keys: readonly number[]): Promise<Map<number, SnapshotHead>> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('snapshots')
      .select(['snapshot_key', 'content_key', 'origin', 'received_at'])
      .where(engine.inList('snapshot_key', keys)),
  );
  return new Map(
    rows.map((row) => [
      row[0] as number,
      { contentKey: row[1] as number, origin: row[2] as Origin, receivedAt: row[3] as number },
    ]),
  );
}

async function readContents(engine: Engine, keys: readonly number[]): Promise<Map<number, Row>> {
  const rows = await engine.rows(
    engine.db
      .selectFrom('contents')
      .select(['content_key', 'sha256', ...STATE_COLUMNS])
      .where(engine.inList('content_key', keys)),
  );
  return new Map(rows.map((row) => [row[0] as number, row]));
}

/** Reads what a page needs. A body that is the same tonight is not read again. */
export async function pastSnapshots(
  engine: Engine,
  rows: readonly Row[],
  atPast: number,
  atContentKey: number,
): Promise<PastSnapshots> {
  const keys = new Set<number>();
  for (const row of rows) {
    const first = row[atPast] as number | null;
    const terminal = row[atPast + 1] as number | null;
    if (first !== null) keys.add(first);
    if (terminal !== null) keys.add(terminal);
  }
  if (keys.size === 0) return NOTHING;
  const heads = await readHeads(engine, [...keys]);
  const contentKeys = new Set<number>();
  for (const row of rows) {
    for (const key of [row[atPast], row[atPast + 1]]) {
      const contentKey = heads.get(key as number)?.contentKey;
      if (contentKey !== undefined && contentKey !== row[atContentKey]) contentKeys.add(contentKey);
    }
  }
  return { heads, contents: contentKeys.size === 0 ? new Map() : await readContents(engine, [...contentKeys]) };
}

interface Tonight {
  kind: Kind;
  recordId: string;
  current: Snapshot | null;
  contentKey: number | null;
}

function snapshotOf(key: number | null, tonight: Tonight, past: PastSnapshots): Snapshot | null {
  const head = key === null ? undefined : past.heads.get(key);
  if (head === undefined) return null;
  const { receivedAt, origin, contentKey } = head;
  if (tonight.current !== null && contentKey === tonight.contentKey) {
    const { state, evidence } = tonight.current;
    return { state, evidence: { sha256: evidence.sha256, receivedAt, origin } };
  }
  const row = past.contents.get(contentKey);
  if (row === undefined) return null;
  const state = readState(row, 2, tonight.kind, tonight.recordId);
  return { state, evidence: { sha256: row[1] as string, receivedAt, origin } };
}

/** The columns of PAST_CELLS begin at `at`. */
export function historyOf(row: Row, at: number, tonight: Tonight, past: PastSnapshots): History {
  const first = row[at] as number | null;
  const terminal = row[at + 1] as number | null;
  const status = row[at + 2] as string | null;
  const peak = row[at + 4] as string | null;
  const peakAt = row[at + 5] as number | null;
  const verifiedAt = row[at + 6] as number | null;
  // A body whose status differs from the last one known has it since tonight.
  const unchanged = tonight.current === null || tonight.current.state.status === status;
  const firstSnapshot = snapshotOf(first, tonight, past);
  return {
    first: firstSnapshot,
    firstTerminal: terminal === first ? firstSnapshot : snapshotOf(terminal, tonight, past),
    peak: peak === null || peakAt === null ? null : { status: peak, at: peakAt },
    statusSince: unchanged ? (row[at + 3] as number | null) : null,
    lastVerified: verifiedAt === null ? null : { at: verifiedAt, status: row[at + 7] as string | null },
  };
}
