/** Stores bodies: readable ones once per distinct content, unreadable ones sealed. */
import { hash } from 'node:crypto';
import type { RecordPosition } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import type { ReceivedBody } from '../ports/service.ts';
import { type Cell, deflateText, type Row } from './cells.ts';
import { cellTexts, checkDigest, contentDigest } from './content-digest.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { summedColumns } from './schema/tables.ts';
import { STATE_COLUMNS, stateCells } from './schema/tracking.ts';
import { noteSealingKey, type Sealer } from './sealing.ts';
import type { Moved } from './summed-rows.ts';

/** Hash of the kept text, which an auditor can compute again; the received bytes had the token in them. */
function redactedHash({ evidence }: { evidence: string }): string {
  return hash('sha256', evidence);
}

/** A readable body of a record. */
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

const named = (engine: Engine, bodies: readonly ReadBody[]) =>
  engine.db
    .selectFrom('contents as c')
    .leftJoin('bodies as b', 'b.content_key', 'c.content_key')
    .where(
      engine.inList(
        'c.record_key',
        bodies.map(({ recordKey }) => recordKey),
      ),
    );

/**
 * Deflated texts of the bodies that are not stored yet; made before the transaction, to hold its lock for less time.
 */
export type PreparedBodies = ReadonlyMap<string, Uint8Array>;

export async function prepareBodies(engine: Engine, bodies: readonly ReadBody[]): Promise<PreparedBodies> {
  const looked = bodies.filter(({ isFirst }) => !isFirst);
  const query = named(engine, looked).select(['c.record_key', 'c.sha256']).where('b.content_key', 'is not', null);
  const rows = looked.length === 0 ? [] : await engine.rows(query);
  const known = new Set(rows.map(([recordKey, sha256]) => nameOf(recordKey as number, sha256 as string)));
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

const FOUND = ['c.record_key', 'c.sha256', 'c.content_key', 'b.content_key as text_key', 'c.digest'] as const;

export async function findBodies(
  engine: Engine,
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
): Promise<FoundBodies> {
  const states = STATE_COLUMNS.map((column) => `c.${column}` as const);
  const [rows, keys] = await Promise.all([
    tx.rows(named(engine, bodies).select([...FOUND, ...states])),
    tx.reserveKeys('contents', 'content_key', bodies.length),
  ]);
  const known = rows.map(([recordKey, sha256, key, text, digest, ...stored]) => {
    const content = { key: key as number, hasText: text !== null, digest: digest as Uint8Array | null, stored };
    return [nameOf(recordKey as number, sha256 as string), content] as const;
  });
  return { known: new Map(known), keys };
}

/** Of the store that keeps bodies. */
export interface BodyEdges {
  /** Null where no key was given: rows then have no digest. */
  sealer: Sealer | null;
  /** Takes a message about rows that were changed outside Tieout. */
  warn: (problem: string) => void;
}

/**
 * The figures of a known body are judged as they were first read. If the row differs from the body and from its
 * digest, it was changed outside Tieout, and is written again from the body.
 */
function repairContents(
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
  { known }: FoundBodies,
  { sealer, warn }: BodyEdges,
): void {
  for (const { recordKey, sha256, state } of bodies) {
    const content = known.get(nameOf(recordKey, sha256));
    if (content === undefined) continue;
    const { key, digest, stored } = content;
    const fresh = stateCells(state);
    if (isSame(stored, fresh) || checkDigest(sealer, digest, sha256, recordKey, stored) !== 'changed') continue;
    warn(`${state.kind} ${state.recordId}: its stored figures were changed by other means; read again from the body`);
    const restored = [key, ...fresh, sealer === null ? null : contentDigest(sealer, sha256, recordKey, fresh)];
    tx.send([tx.updateMany('contents', ['content_key'], [...STATE_COLUMNS, 'digest'], [restored])]);
  }
}

function isSame(stored: readonly Cell[], fresh: readonly Cell[]): boolean {
  const texts = cellTexts(fresh);
  return cellTexts(stored).every((text, index) => text === texts[index]);
}

const SUMMED = summedColumns('contents');

/** Sends new bodies to be stored, and returns the content key of every body, in order, and the rows that were added. */
export function storeBodies(
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
  prepared: PreparedBodies,
  found: FoundBodies,
  edges: BodyEdges,
): { keys: readonly number[]; moved: Moved<'contents'> } {
  repairContents(tx, bodies, found, edges);
  const { sealer } = edges;
  const contents = new Map<string, KnownContent>(found.known);
  const spare = found.keys.values();
  const added: Row[] = [];
  const texts: Row[] = [];
  const currencies = new Set<string>();
  const keyOf = (body: ReadBody): number => {
    const name = nameOf(body.recordKey, body.sha256);
    const known = contents.get(name);
    const key = known?.key ?? (spare.next().value as number);
    if (known === undefined) {
      const cells = stateCells(body.state);
      const digest = sealer === null ? null : contentDigest(sealer, body.sha256, body.recordKey, cells);
      added.push([key, body.sha256, body.recordKey, redactedHash(body), digest, ...cells]);
      currencies.add(body.state.fiatCurrency);
    }
    if (known?.hasText !== true) {
      texts.push([key, prepared.get(name) ?? deflateText(body.evidence)]);
      contents.set(name, { key, hasText: true });
    }
    return key;
  };
  const keys = bodies.map(keyOf);
  const columns = [...SUMMED, 'digest', ...STATE_COLUMNS] as const;
  tx.send([
    tx.insertMany('contents', columns, added),
    tx.insertMany('bodies', ['content_key', 'deflated'], texts),
    // In order: two transactions that add the same two must not wait for each other.
    tx.insertMany(
      'currencies_seen',
      ['currency'],
      [...currencies].sort().map((currency) => [currency]),
      { skipKnown: true },
    ),
  ]);
  return { keys, moved: { table: 'contents', is: added.map((row) => row.slice(0, SUMMED.length)) } };
}

/** Seals unreadable bodies; the same bytes of one record are stored once. */
export async function sealBodies(tx: WriteTransaction, sealer: Sealer, bodies: readonly UnreadBody[]): Promise<void> {
  const rows = bodies.map((body) => {
    const owner = { what: 'body', kind: body.kind, recordId: body.recordId } as const;
    const sealed = sealer.seal(deflateText(body.evidence), owner);
    return [body.recordKey, body.sha256, redactedHash(body), body.at, sealed.keyId, sealed.bytes];
  });
  if (rows.length === 0) return;
  // Sent together, so that the commit may be sent behind them.
  const columns = ['record_key', 'sha256', 'redacted_sha256', 'stored_at', 'key_id', 'sealed'] as const;
  await Promise.all([noteSealingKey(tx, sealer), tx.insertMany('sealed_bodies', columns, rows, { skipKnown: true })]);
}
