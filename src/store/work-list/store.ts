/** Additions of people to breaks: notes, attachments, requests for waivers and saved views; and the queue. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkListStore } from '../../ports/store/store.ts';
import { ATTACHMENT_QUOTA } from '../../ports/store/work-list.ts';
import { breakMoves } from '../break-steps.ts';
import { appendEvent } from '../breaks.ts';
import type { Engine } from '../engine.ts';
import { addRows, deleteRows, setRows } from '../rows.ts';
import { id } from '../schema/column.ts';
import { writerOf } from '../schema/places.ts';
import { ATTACHMENT, NOTE, VIEW, WAIVER_REQUEST, WORK_LIST } from '../schema/work-list.ts';
import { requireSealer } from '../sealing.ts';
import { noteSealingKey } from '../sealing-key.ts';
import { countRows, findObjects, findRow, findRows, newestKey } from '../statements.ts';
import { insertRows } from '../write-rows.ts';
import { queueReader } from './queue.ts';

const NOTE_OF_BREAK = { break_id: id, ...NOTE };
const { request_key, outcome } = WORK_LIST.waiver_requests.columns;
const REQUEST = { request_key: request_key.named('key'), ...WAIVER_REQUEST, outcome };

const DAY_MS = 86_400_000;
/** A button that was pressed twice, or a form that the browser sent again. */
const REPEATED_MS = 60_000;

/** Sealed for their break, because uploaded evidence may contain secrets. */
const attachmentOwner = (breakId: string) => ({ what: 'attachment', kind: 'purchase', recordId: breakId }) as const;

export function workListStore(engine: Engine): WorkListStore {
  return {
    ...queueReader(engine),
    version: () => newestKey(engine.db, 'break_events', 'event_key'),
    moves: breakMoves(engine),
    notes: (breakId) => findObjects(engine.db, 'break_notes', NOTE, { break_id: breakId }, 'note_key'),
    mentionsOf: (name, limit) => {
      // Written by JSON.stringify: a name in it stands as JSON has it.
      const isNamed = sql`replace(mentions, ${JSON.stringify(name)}, '') <> mentions`;
      return findObjects(engine.db, 'break_notes', NOTE_OF_BREAK, isNamed, 'note_key desc', { limit });
    },
    addNote: (note) =>
      engine.write(async (tx) => {
        const { breakId: break_id, account, text, at } = note;
        const last = await findRow(tx.db, 'break_notes', { break_id, account, text }, ['at'], 'note_key desc');
        if (last === undefined || Math.abs(at - last.at) > REPEATED_MS)
          await insertRows(tx, 'break_notes', [writerOf(NOTE_OF_BREAK)(note)]);
      }),
    attachments: (breakId) =>
      findObjects(engine.db, 'break_attachments', ATTACHMENT, { break_id: breakId }, 'attachment_key'),
    attach: async (breakId, attachment, content) => {
      const sealed = requireSealer(engine.sealer).seal(content, attachmentOwner(breakId));
      const sha256 = createHash('sha256').update(content).digest('hex');
      const { account, at, bytes } = attachment;
      return engine.write(async (tx) => {
        const files = await countRows(tx.db, 'break_attachments', { break_id: breakId });
        const ofDay = sql`account = ${account} and at > ${at - DAY_MS}`;
        const recent = await findRows(tx.db, 'break_attachments', ofDay, ['bytes']);
        const held = recent.reduce((sum, each) => sum + each.bytes, 0);
        if (files >= ATTACHMENT_QUOTA.files || held + bytes > ATTACHMENT_QUOTA.bytes) return false;
        await noteSealingKey(tx);
        const cells = writerOf(ATTACHMENT)({ ...attachment, sha256 });
        const row = { break_id: breakId, ...cells, key_id: sealed.keyId, sealed: sealed.bytes };
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
    waiverRequests: (breakId) =>
      findObjects(engine.db, 'waiver_requests', REQUEST, { break_id: breakId }, 'request_key'),
    askWaiver: (request) =>
      engine.write(async (tx) => {
        const { asked_at: _, ...cells } = writerOf(WAIVER_REQUEST)(request);
        const same = await countRows(tx.db, 'waiver_requests', { ...cells, outcome: null });
        if (same === 0) await addRows(tx, 'waiver_requests', [{ ...cells, asked_at: request.askedAt }]);
      }),
    decideWaiver: (key, by, at, outcome, events = []) =>
      engine.write(async (tx) => {
        const cells = { decided_by: by, decided_at: at, outcome };
        if ((await setRows(tx, 'waiver_requests', { request_key: key }, cells, { outcome: null })) === 0) return false;
        for (const event of events) await appendEvent(tx, event);
        return true;
      }),
    views: (owner) =>
      findObjects(engine.db, 'saved_views', VIEW, sql`(owner = ${owner} or shared = 1)`, 'name', 'view_key'),
    saveView: (view) =>
      engine.write(async (tx) => {
        await deleteRows(tx, 'saved_views', { owner: view.owner, name: view.name });
        await insertRows(tx, 'saved_views', [writerOf(VIEW)(view)]);
      }),
    forgetView: (owner, name) =>
      engine.write(async (tx) => {
        await deleteRows(tx, 'saved_views', { owner, name });
      }),
  };
}
