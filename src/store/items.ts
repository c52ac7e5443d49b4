/** The records of one run: planned, fetched, observed, judged. */
import { sql } from 'kysely';
import type { Asset } from '../domain/asset.ts';
import { REFUSED_BEFORE } from '../domain/rule-codes.ts';
import { nameOfTx, type ReusedTx } from '../domain/survey.ts';
import type { ItemStore } from '../ports/store/store.ts';
import type { Warn } from './bodies.ts';
import { readCases, readVerified } from './cases.ts';
import { inflateText } from './cells.ts';
import type { Engine } from './engine.ts';
import { planRun, previewPlan } from './plan.ts';
import { findStatusChanges, ofRun, requireItems, runHead } from './run-rows.ts';
import { saveItems } from './save-items.ts';
import { only } from './schema/column.ts';
import { cell, of, selection } from './schema/places.ts';
import { RUNS } from './schema/runs.ts';
import { PROJECTION, readProjection, TRACKING } from './schema/tracking.ts';
import { requireSealer } from './sealing.ts';
import { BLOCKS, findRow, literals, ofRecord, reportRange } from './statements.ts';

const refusedBefore = sql<number>`case when exists (
  select 1 from breaks as known where known.record_key = record.record_key
    and known.rule in (${literals(REFUSED_BEFORE)}) and known.state <> 'resolved') then 1 else 0 end`;

const ITEM = selection({
  item: of('item', only(RUNS.run_items.columns, 'position', 'record_key', 'kind', 'record_id', 'due_class')),
  sealed: of('record', only(TRACKING.tracked_records.columns, 'key_id', 'token')),
  projection: of('record', PROJECTION),
});

/** The next items without an observation, with their tokens unsealed. */
const nextItems =
  (engine: Engine): ItemStore['next'] =>
  async (runId, after, limit, upTo) => {
    const sealer = requireSealer(engine.sealer);
    const { run_key: runKey } = await runHead(engine, runId);
    const query = engine.db
      .selectFrom('run_items as item')
      .innerJoin('tracked_records as record', 'record.record_key', 'item.record_key')
      .select(ITEM.columns)
      .select(refusedBefore.as('refused_before'))
      .where('item.run_key', '=', runKey)
      .where('item.outcome', 'is', null)
      .where('item.position', '>', after)
      .$if(upTo !== undefined, (items) => items.where('item.position', '<=', upTo ?? after))
      .orderBy('item.position')
      .limit(limit);
    const { item, sealed, projection } = ITEM.at;
    return engine.each(query, (row) => {
      const [kind, id] = [cell(row, item.kind), cell(row, item.record_id)];
      const token = { keyId: cell(row, sealed.key_id), bytes: cell(row, sealed.token) };
      return {
        position: cell(row, item.position),
        recordKey: cell(row, item.record_key),
        kind,
        id,
        dueClass: cell(row, item.due_class),
        token: Buffer.from(sealer.unseal(token, { what: 'token', kind, recordId: id })).toString('utf8'),
        projection: readProjection(row, projection),
        refusedBefore: row[ITEM.end] === 1,
      };
    });
  };

const quarantinedBody =
  (engine: Engine): ItemStore['quarantinedBody'] =>
  async (kind, recordId, sha256) => {
    const sealer = requireSealer(engine.sealer);
    const isOne = sql`${ofRecord(kind, recordId)} and sha256 = ${sha256}`;
    const row = await findRow(engine.db, 'sealed_bodies', isOne, ['key_id', 'sealed']);
    if (row === undefined) return null;
    const sealed = { keyId: row.key_id, bytes: row.sealed };
    return inflateText(sealer.unseal(sealed, { what: 'body', kind, recordId }));
  };

/** A flood of them is one defect: so many rows prove it, and no more are kept with a run. */
const MOST_ROWS = 20_000;
/** Records that a finding can name. */
const MOST_NAMED = 20;

/** Transactions that bodies of several records name for one receiver and asset, found in one pass over the stored bodies. */
const reusedTx = (engine: Engine) => async (): Promise<readonly ReusedTx[]> => {
  const rows = await engine.db
    .selectFrom('contents as c')
    .innerJoin('tracked_records as r', 'r.record_key', 'c.record_key')
    .select(['r.kind', 'r.record_id', 'c.final_tx_hash', 'c.receiver_address', 'c.asset_address', 'c.asset_symbol'])
    .distinct()
    .where('r.retracted_at', 'is', null)
    .where('c.receiver_address', 'is not', null)
    .where(
      sql<boolean>`lower(c.final_tx_hash) in (select lower(final_tx_hash) from contents
        where final_tx_hash is not null group by lower(final_tx_hash) having min(record_key) <> max(record_key))`,
    )
    .orderBy(sql`r.kind, r.record_id`)
    .limit(MOST_ROWS)
    .execute();
  const claims = new Map<string, Set<string>>();
  for (const row of rows) {
    const asset = { address: row.asset_address, symbol: row.asset_symbol } as Asset;
    const tx = nameOfTx({ finalTxHash: row.final_tx_hash, receiverAddress: row.receiver_address, asset });
    if (tx === null) continue;
    const records = claims.get(tx) ?? new Set();
    if (records.size < MOST_NAMED) claims.set(tx, records.add(`${row.kind} ${row.record_id}`));
  }
  return [...claims].flatMap(([tx, records]) => (records.size > 1 ? [{ tx, records: [...records] }] : []));
};

export function itemStore(engine: Engine, warn: Warn): ItemStore {
  return {
    preview: previewPlan(engine),
    plan: planRun(engine),
    next: nextItems(engine),
    save: saveItems(engine, warn),
    unverified: async (runId) => {
      const { run_key: runKey } = await runHead(engine, runId);
      const rows = await engine.db
        .selectFrom('run_items')
        .select(['reason', 'http_status', ({ fn }) => fn.countAll<number>().as('records')])
        .where('run_key', '=', runKey)
        .where('outcome', 'in', ['deferred', 'unreachable'])
        .groupBy(['reason', 'http_status'])
        .orderBy(sql`reason, http_status`)
        .execute();
      const inWords = (status: number | null) => (status === null ? '' : ` (HTTP ${status})`);
      return new Map(rows.map((row) => [`${row.reason}${inWords(row.http_status)}`, Number(row.records)]));
    },
    progress: async (runId) => {
      const run = await runHead(engine, runId);
      return { planned: run.population, observed: run.observed };
    },
    cases: readCases(engine),
    reusedTx: reusedTx(engine),
    positionAfter: async (runId, after, count) => {
      const head = await runHead(engine, runId);
      requireItems(head, runId);
      const row = await engine.db
        .selectFrom('run_items as i')
        .select(['i.kind', 'i.record_id as recordId'])
        .where('i.run_key', '=', head.run_key)
        .where(reportRange('i', { after }, null))
        .orderBy(sql`i.kind, i.record_id`)
        .limit(1)
        .offset(count - 1)
        .executeTakeFirst();
      return row ?? null;
    },
    verified: readVerified(engine),
    statusChanges: (runId, from, to) =>
      findStatusChanges(engine.db, sql`run_key = ${ofRun(runId)} and ${reportRange('status_changes', { from }, to)}`),
    /** Rows with one hash have one text, so any of them will do. */
    evidence: async (sha256) => {
      const { rows } = await sql<{ deflated: Uint8Array }>`
        select body.deflated from ${BLOCKS} cross join contents as content
        join bodies as body on body.content_key = content.content_key
        where content.content_key / 1024 = block.number and content.sha256 = ${sha256} limit 1`.execute(engine.db);
      return rows[0] === undefined ? null : inflateText(rows[0].deflated);
    },
    quarantinedBody: quarantinedBody(engine),
  };
}
