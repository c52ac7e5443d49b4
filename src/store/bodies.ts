/** Stores bodies: readable ones once per distinct content, unreadable ones sealed. */
import { hash } from 'node:crypto';
import type { RecordPosition } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { ReceivedBody } from '../ports/service.ts';
import { deflateText, type Row } from './cells.ts';
import { cellTexts, checkDigest, contentDigest } from './content-digest.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { STATE, STATE_COLUMNS, stateCells, stateRow } from './schema/state.ts';
import { TRACKING } from './schema/tracking.ts';
import { requireSealer } from './sealing.ts';
import { noteSealingKey } from './sealing-key.ts';
import { type Moved, summedCells } from './summed-rows.ts';
import { insertRows, type NewRow, updateRows } from './write-rows.ts';

/** Hash of the kept text, which an auditor can compute again; the received bytes had the token in them. */
function redactedHash({ evidence }: { evidence: string }): string {
  return hash('sha256', evidence);
}

export interface ReadBody extends ReceivedBody {
  recordKey: number;
  state: RecordState;
  /** Whether the record had no snapshot when it was asked for, and so no stored body. */
  isFirst: boolean;
}

/** A body that could not be read. */
export interface UnreadBody extends RecordPosition, ReceivedBody {
  recordKey: number;
  at: number;
}

/** The same bytes may be the body of a purchase and of a sale with one id, and have another state in each. */
function nameOf(recordKey: number, sha256: string): string {
  return `${sha256} ${recordKey}`;
}

/** A stored content; its text may have been deleted after its retention. */
interface KnownContent {
  key: number;
  hasText: boolean;
}

const named = (reader: Reader, bodies: readonly ReadBody[]) => {
  const keys = bodies.map(({ recordKey }) => recordKey);
  const contents = reader.db.selectFrom('contents as c').where(reader.inList('c.record_key', keys));
  return contents.leftJoin('bodies as b', 'b.content_key', 'c.content_key');
};

/**
 * Deflated texts of the bodies that are not stored yet; made before the transaction, to hold its lock for less time.
 */
export type PreparedBodies = ReadonlyMap<string, Uint8Array>;

export async function prepareBodies(engine: Engine, bodies: readonly ReadBody[]): Promise<PreparedBodies> {
  const looked = bodies.filter(({ isFirst }) => !isFirst);
  const query = named(engine, looked).select(['c.record_key', 'c.sha256']).where('b.content_key', 'is not', null);
  const rows = looked.length === 0 ? [] : await query.execute();
  const known = new Set(rows.map((row) => nameOf(row.record_key, row.sha256)));
  const prepared = new Map<string, Uint8Array>();
  for (const body of bodies) {
    const name = nameOf(body.recordKey, body.sha256);
    if (!known.has(name)) prepared.set(name, deflateText(body.evidence));
  }
  return prepared;
}

/** The bodies of a transaction that are stored already, and keys for the new ones. */
export interface FoundBodies {
  known: ReadonlyMap<string, KnownContent & { digest: Uint8Array | null; stored: Row }>;
  keys: readonly number[];
}

const FOUND = selection({
  content: of('c', only(TRACKING.contents.columns, 'record_key', 'sha256', 'content_key', 'digest')),
  text: of('b', only(TRACKING.bodies.columns, 'content_key')),
  state: of('c', STATE),
});

export async function findBodies(tx: WriteTransaction, bodies: readonly ReadBody[]): Promise<FoundBodies> {
  const [rows, keys] = await Promise.all([
    tx.rows(named(tx, bodies).select(FOUND.columns)),
    tx.reserveKeys('contents', 'content_key', bodies.length),
  ]);
  const { content, text, state } = FOUND.at;
  const places = STATE_COLUMNS.map((column) => state[column]);
  const known = rows.map((row) => {
    const textKey: number | null = cell(row, text.content_key);
    const found = {
      key: cell(row, content.content_key),
      hasText: textKey !== null,
      digest: cell(row, content.digest),
      stored: places.map((place) => row[place] ?? null),
    };
    return [nameOf(cell(row, content.record_key), cell(row, content.sha256)), found] as const;
  });
  return { known: new Map(known), keys };
}

/** Takes a message about rows that were changed outside Tieout. */
export type Warn = (problem: string) => void;

/**
 * The figures of a known body are judged as they were first read. If the row differs from the body and from its
 * digest, it was changed outside Tieout, and is written again from the body.
 */
function repairContents(tx: WriteTransaction, bodies: readonly ReadBody[], { known }: FoundBodies, warn: Warn): void {
  const { sealer } = tx;
  for (const { recordKey, sha256, state } of bodies) {
    const content = known.get(nameOf(recordKey, sha256));
    if (content === undefined) continue;
    const { key, digest, stored } = content;
    const cells = stateCells(state);
    const read = stateRow(cells);
    if (isSame(stored, read) || checkDigest(sealer, digest, { sha256, recordKey, cells: stored }) !== 'changed')
      continue;
    warn(`${state.kind} ${state.recordId}: its stored figures were changed by other means; read again from the body`);
    const renewed = sealer === null ? null : contentDigest(sealer, { sha256, recordKey, cells: read });
    tx.send([updateRows(tx, 'contents', [{ content_key: key, ...cells, digest: renewed }])]);
  }
}

function isSame(stored: Row, read: Row): boolean {
  const texts = cellTexts(read);
  return cellTexts(stored).every((text, index) => text === texts[index]);
}

/** Sends new bodies to be stored, and returns the content key of every body, in order, and the rows that were added. */
export function storeBodies(
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
  prepared: PreparedBodies,
  found: FoundBodies,
  warn: Warn,
): { keys: readonly number[]; moved: Moved } {
  repairContents(tx, bodies, found, warn);
  const { sealer } = tx;
  const contents = new Map<string, KnownContent>(found.known);
  const spare = found.keys.values();
  const added: NewRow<'contents'>[] = [];
  const texts: NewRow<'bodies'>[] = [];
  const currencies = new Set<string>();
  const keyOf = (body: ReadBody): number => {
    const { recordKey, sha256, state } = body;
    const name = nameOf(recordKey, sha256);
    const known = contents.get(name);
    const key = known?.key ?? (spare.next().value as number);
    if (known === undefined) {
      const cells = stateCells(state);
      const digest = sealer === null ? null : contentDigest(sealer, { sha256, recordKey, cells: stateRow(cells) });
      const head = { content_key: key, sha256, redacted_sha256: redactedHash(body), record_key: recordKey, digest };
      added.push({ ...head, ...cells });
      currencies.add(state.fiatCurrency);
    }
    if (known?.hasText !== true) {
      texts.push({ content_key: key, deflated: prepared.get(name) ?? deflateText(body.evidence) });
      contents.set(name, { key, hasText: true });
    }
    return key;
  };
  const keys = bodies.map(keyOf);
  // In order: two transactions that add the same two must not wait for each other.
  const seen = [...currencies].sort().map((currency) => ({ currency }));
  tx.send([
    insertRows(tx, 'contents', added),
    insertRows(tx, 'bodies', texts),
    insertRows(tx, 'currencies_seen', seen, { skipKnown: true }),
  ]);
  return { keys, moved: { table: 'contents', is: summedCells('contents', added) } };
}

/** Seals unreadable bodies; the same bytes of one record are stored once. */
export async function sealBodies(tx: WriteTransaction, bodies: readonly UnreadBody[]): Promise<void> {
  const sealer = requireSealer(tx.sealer);
  const rows = bodies.map((body) => {
    const owner = { what: 'body', kind: body.kind, recordId: body.recordId } as const;
    const sealed = sealer.seal(deflateText(body.evidence), owner);
    return {
      record_key: body.recordKey,
      sha256: body.sha256,
      redacted_sha256: redactedHash(body),
      stored_at: body.at,
      key_id: sealed.keyId,
      sealed: sealed.bytes,
    };
  });
  if (rows.length === 0) return;
  // Sent together, so that the commit may be sent behind them.
  await Promise.all([noteSealingKey(tx), insertRows(tx, 'sealed_bodies', rows, { skipKnown: true })]);
}
