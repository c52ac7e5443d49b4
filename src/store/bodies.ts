/** Stores bodies: readable ones once per distinct content, unreadable ones sealed. */
import { createHash } from 'node:crypto';
import type { Kind } from '../domain/record.ts';
import type { RecordState } from '../domain/snapshot.ts';
import { type Cell, deflateText, type Row } from './cells.ts';
import { cellTexts, checkDigest, contentDigest } from './content-digest.ts';
import type { ArrayReader, Engine, WriteTransaction } from './engine.ts';
import { STATE_COLUMNS, stateCells } from './schema/tracking.ts';
import { noteSealingKey, type Sealer } from './sealing.ts';

/** Of the text that is kept: what an auditor can compute again, as the bytes received had the token in them. */
function redactedHash({ evidence }: { evidence: string }): string {
  return createHash('sha256').update(evidence, 'utf8').digest('hex');
}

/** A readable body of a record. */
export interface ReadBody {
  recordKey: number;
  state: RecordState;
  sha256: string;
  evidence: string;
}

/** A body that could not be read. */
export interface UnreadBody {
  recordKey: number;
  kind: Kind;
  recordId: string;
  sha256: string;
  evidence: string;
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

async function knownContents(
  engine: Engine,
  reader: ArrayReader,
  bodies: readonly ReadBody[],
): Promise<Map<string, KnownContent>> {
  const hashes = bodies.map((body) => body.sha256);
  const rows = await reader.rows(
    engine.db
      .selectFrom('contents as c')
      .leftJoin('bodies as b', 'b.content_key', 'c.content_key')
      .select(['c.sha256', 'c.record_key', 'c.content_key', 'b.content_key as text_key'])
      .where(engine.inList('c.sha256', hashes)),
  );
  return new Map(
    rows.map((row) => [
      nameOf(row[1] as number, row[0] as string),
      { key: row[2] as number, hasText: row[3] !== null },
    ]),
  );
}

/**
 * Deflated texts of the bodies that are not stored yet; made before the transaction, to hold its lock for less time.
 */
export type PreparedBodies = ReadonlyMap<string, Uint8Array>;

export async function prepareBodies(engine: Engine, bodies: readonly ReadBody[]): Promise<PreparedBodies> {
  const known = await knownContents(engine, engine, bodies);
  const prepared = new Map<string, Uint8Array>();
  for (const body of bodies) {
    const name = nameOf(body.recordKey, body.sha256);
    if (known.get(name)?.hasText !== true) prepared.set(name, deflateText(body.evidence));
  }
  return prepared;
}

/** Of the store that keeps bodies. */
export interface Keeping {
  /** Null where no key was given: rows then have no digest. */
  sealer: Sealer | null;
  /** Told of rows that were changed by other means. */
  tell: (problem: string) => void;
}

/**
 * The figures of a known body are judged as they were read when it came first. Where the row says something else than the
 * body says now, and its digest does not hold, the row was changed by other means: it gets what the body says.
 */
async function repairContents(
  engine: Engine,
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
  known: ReadonlyMap<string, KnownContent>,
  { sealer, tell }: Keeping,
): Promise<void> {
  const owners = new Map<number, ReadBody>();
  for (const body of bodies) {
    const content = known.get(nameOf(body.recordKey, body.sha256));
    if (content !== undefined) owners.set(content.key, body);
  }
  if (owners.size === 0) return;
  const rows = await tx.rows(
    engine.db
      .selectFrom('contents')
      .select(['content_key', 'digest', ...STATE_COLUMNS])
      .where(engine.inList('content_key', [...owners.keys()])),
  );
  for (const [key, digest, ...stored] of rows) {
    const body = owners.get(Number(key));
    if (body === undefined) continue;
    const fresh = stateCells(body.state);
    if (isSame(stored, fresh)) continue;
    const { sha256, recordKey, state } = body;
    if (checkDigest(sealer, digest as Uint8Array | null, sha256, recordKey, stored) !== 'changed') continue;
    tell(`${state.kind} ${state.recordId}: its stored figures were changed by other means; read again from the body`);
    const restored = [Number(key), ...fresh, sealer === null ? null : contentDigest(sealer, sha256, recordKey, fresh)];
    await tx.updateMany('contents', ['content_key'], [...STATE_COLUMNS, 'digest'], [restored]);
  }
}

function isSame(stored: readonly Cell[], fresh: readonly Cell[]): boolean {
  const texts = cellTexts(fresh);
  return cellTexts(stored).every((text, index) => text === texts[index]);
}

/** Stores new bodies and returns the content key of every body, in order. */
export async function storeBodies(
  engine: Engine,
  tx: WriteTransaction,
  bodies: readonly ReadBody[],
  prepared: PreparedBodies,
  { sealer, tell }: Keeping,
): Promise<readonly number[]> {
  const keys = await knownContents(engine, tx, bodies);
  await repairContents(engine, tx, bodies, keys, { sealer, tell });
  const added = new Map<string, ReadBody>();
  const texts: Row[] = [];
  for (const body of bodies) {
    const name = nameOf(body.recordKey, body.sha256);
    const known = keys.get(name);
    if (known === undefined) added.set(name, body);
    else if (!known.hasText) {
      texts.push([known.key, prepared.get(name) ?? deflateText(body.evidence)]);
      known.hasText = true;
    }
  }
  const rows: Row[] = [];
  const currencies = new Set<string>();
  for (const body of added.values()) {
    const cells = stateCells(body.state);
    const digest = sealer === null ? null : contentDigest(sealer, body.sha256, body.recordKey, cells);
    rows.push([body.sha256, redactedHash(body), body.recordKey, digest, ...cells]);
    currencies.add(body.state.fiatCurrency);
  }
  const newKeys = await tx.insertForKeys(
    'contents',
    'content_key',
    ['sha256', 'redacted_sha256', 'record_key', 'digest', ...STATE_COLUMNS],
    rows,
  );
  for (const [index, [name, body]] of [...added].entries()) {
    const key = newKeys[index];
    if (key === undefined) continue;
    keys.set(name, { key, hasText: true });
    texts.push([key, prepared.get(name) ?? deflateText(body.evidence)]);
  }
  await tx.insertMany('bodies', ['content_key', 'deflated'], texts);
  await tx.insertMany(
    'currencies_seen',
    ['currency'],
    [...currencies].map((currency) => [currency]),
    { skipKnown: true },
  );
  return bodies.map((body) => (keys.get(nameOf(body.recordKey, body.sha256)) as KnownContent).key);
}

/** Seals unreadable bodies; the same bytes of one record are stored once. */
export async function sealBodies(tx: WriteTransaction, sealer: Sealer, bodies: readonly UnreadBody[]): Promise<void> {
  const rows = bodies.map((body) => {
    const owner = { what: 'body', kind: body.kind, recordId: body.recordId } as const;
    const sealed = sealer.seal(deflateText(body.evidence), owner);
    return [body.recordKey, body.sha256, redactedHash(body), body.at, sealed.keyId, sealed.bytes];
  });
  if (rows.length === 0) return;
  await noteSealingKey(tx, sealer);
  await tx.insertMany(
    'sealed_bodies',
    ['record_key', 'sha256', 'redacted_sha256', 'stored_at', 'key_id', 'sealed'],
    rows,
    {
      skipKnown: true,
    },
  );
}
