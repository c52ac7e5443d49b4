/** Additions of people to breaks: notes, attachments, requests for waivers and saved views; and the queue. */
import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { WorkListStore } from '../../ports/store/store.ts';
import { ATTACHMENT_QUOTA } from '../../ports/store/work-list.ts';
import { breakMoves } from '../break-steps.ts';
import { flagCell } from '../cells.ts';
import type { Engine } from '../engine.ts';
import { addRows, deleteRows, setRows } from '../rows.ts';
import { requireSealer } from '../sealing.ts';
import { noteSealingKey } from '../sealing-key.ts';
import { findRow, newestKey } from '../statements.ts';
import { insertRows } from '../write-rows.ts';
import { queueReader } from './queue.ts';

export function workListStore(engine: Engine): WorkListStore {
  return {
    ...queueReader(engine),
    version: () => newestKey(engine.db, 'break_events', 'event_key'),
    moves: breakMoves(engine),
    ...notes(engine),
    ...attachments(engine),
    ...requests(engine),
    ...views(engine),
  };
}

function notes(engine: Engine): Pick<WorkListStore, 'notes' | 'addNote' | 'mentionsOf'> {
  const all = engine.db.selectFrom('break_notes').select(['at', 'name', 'account', 'text', 'mentions']);
  const read = <Row extends { mentions: string }>(row: Row) => ({
    ...row,
    mentions: JSON.parse(row.mentions) as string[],
  });
  return {
    notes: async (breakId) => (await all.where('break_id', '=', breakId).orderBy('note_key').execute()).map(read),
    mentionsOf: async (name, limit) => {
      // Written by JSON.stringify: a name in it stands as JSON has it.
      const rows = all
        .select('break_id as breakId')
        .where(sql<SqlBool>`replace(mentions, ${JSON.stringify(name)}, '') <> mentions`)
        .orderBy('note_key', 'desc')
        .limit(limit);
      return (await rows.execute()).map(read);
    },
    addNote: ({ breakId, at, name, account, text, mentions }) =>
      engine.write((tx) =>
        insertRows(tx, 'break_notes', [
          { break_id: breakId, at, name, account, text, mentions: JSON.stringify(mentions) },
        ]),
      ),
  };
}

const DAY_MS = 86_400_000;

/** Sealed for their break, because uploaded evidence may contain secrets. */
const attachmentOwner = (breakId: string) => ({ what: 'attachment', kind: 'purchase', recordId: breakId }) as const;

function attachments(engine: Engine): Pick<WorkListStore, 'attachments' | 'attach' | 'attachment'> {
  return {
    attachments: (breakId) =>
      engine.db
        .selectFrom('break_attachments')
        .select(['at', 'name', 'account', 'file_name as fileName', 'bytes', 'sha256'])
        .where('break_id', '=', breakId)
        .orderBy('attachment_key')
        .execute(),
    attach: async (breakId, { at, name, account, fileName, bytes }, content) => {
      const sealed = requireSealer(engine.sealer).seal(content, attachmentOwner(breakId));
      const sha256 = createHash('sha256').update(content).digest('hex');
      return engine.write(async (tx) => {
        const { files } = await tx.db
          .selectFrom('break_attachments')
          .select(({ fn }) => fn.countAll<number>().as('files'))
          .where('break_id', '=', breakId)
          .executeTakeFirstOrThrow();
        const { held } = await tx.db
          .selectFrom('break_attachments')
          .select(({ fn }) => fn.sum<number | null>('bytes').as('held'))
          .where('account', '=', account)
          .where('at', '>', at - DAY_MS)
          .executeTakeFirstOrThrow();
        if (Number(files) >= ATTACHMENT_QUOTA.files || Number(held ?? 0) + bytes > ATTACHMENT_QUOTA.bytes) return false;
        await noteSealingKey(tx);
        const head = { break_id: breakId, at, name, account, file_name: fileName, bytes, sha256 };
        const row = { ...head, key_id: sealed.keyId, sealed: sealed.bytes };
        await insertRows(tx, 'break_attachments', [row], { skipKnown: true });
        return true;
      });
    },
    attachment: async (breakId, sha256) => {
      const named = ['file_name', 'key_id', 'sealed'] as const;
      const row = await findRow(engine.db, 'break_attachments', { break_id: breakId, sha256 }, named);
      if (row === undefined) return null;
      const sealed = { keyId: row.key_id, bytes: row.sealed };
      const content = requireSealer(engine.sealer).unseal(sealed, attachmentOwner(breakId));
      return { fileName: row.file_name, content };
    },
  };
}

function requests(engine: Engine): Pick<WorkListStore, 'waiverRequests' | 'askWaiver' | 'decideWaiver'> {
  return {
    waiverRequests: (breakId) =>
      engine.db
        .selectFrom('waiver_requests')
        .select(['request_key as key', 'break_id as breakId', 'asked_by as askedBy', 'asked_account as askedAccount'])
        .select(['asked_at as askedAt', 'reason', 'until', 'events', 'outcome'])
        .where('break_id', '=', breakId)
        .orderBy('request_key')
        .execute(),
    askWaiver: ({ breakId, askedBy, askedAccount, askedAt, reason, until, events }) =>
      engine.write((tx) =>
        addRows(tx, 'waiver_requests', [
          {
            break_id: breakId,
            asked_by: askedBy,
            asked_account: askedAccount,
            asked_at: askedAt,
            reason,
            until,
            events,
          },
        ]),
      ),
    decideWaiver: (key, by, at, outcome) =>
      engine.write(async (tx) => {
        const cells = { decided_by: by, decided_at: at, outcome };
        return (await setRows(tx, 'waiver_requests', { request_key: key }, cells, { outcome: null })) > 0;
      }),
  };
}

function views(engine: Engine): Pick<WorkListStore, 'views' | 'saveView' | 'forgetView'> {
  return {
    views: async (owner) => {
      const rows = await engine.db
        .selectFrom('saved_views')
        .select(['owner', 'name', 'query', 'shared'])
        .where((eb) => eb.or([eb('owner', '=', owner), eb('shared', '=', 1)]))
        .orderBy('name')
        .orderBy('view_key')
        .execute();
      return rows.map((row) => ({ ...row, shared: row.shared === 1 }));
    },
    saveView: ({ owner, name, query, shared }) =>
      engine.write(async (tx) => {
        await deleteRows(tx, 'saved_views', { owner, name });
        await insertRows(tx, 'saved_views', [{ owner, name, query, shared: flagCell(shared) }]);
      }),
    forgetView: (owner, name) =>
      engine.write(async (tx) => {
        await deleteRows(tx, 'saved_views', { owner, name });
      }),
  };
}
