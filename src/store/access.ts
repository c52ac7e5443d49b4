/** Sign-in links, sessions, and the record of acts. Secrets come in as hashes only. */
import { type SqlBool, sql } from 'kysely';
import type { Instant } from '../domain/record.ts';
import type { AccessStore } from '../ports/store/work-list.ts';
import type { Engine } from './engine.ts';
import { addRows, setRows } from './rows.ts';
import { namesOf } from './schema/column.ts';
import { readerOf, writerOf } from './schema/places.ts';
import { ACT, LINK, SESSION } from './schema/work-list.ts';

const [linkCells, sessionCells, actCells] = [writerOf(LINK), writerOf(SESSION), writerOf(ACT)];
const [readLink, readSession, readAct] = [readerOf(LINK), readerOf(SESSION), readerOf(ACT)];

const openLink = (now: Instant) => sql<SqlBool>`used_at is null and revoked_at is null and ends_at > ${now}`;
const openSession = (now: Instant) => sql<SqlBool>`ended_at is null and ends_at > ${now}`;

export function accessStore(engine: Engine): AccessStore {
  const linksAt = (db: Engine['db'], now: Instant) =>
    db
      .selectFrom('access_links')
      .select(['link_key', ...namesOf(LINK)])
      .where(openLink(now));
  const sessionsAt = (now: Instant) =>
    engine.db.selectFrom('access_sessions').select(namesOf(SESSION)).where(openSession(now));
  return {
    addLink: (link) => engine.write((tx) => addRows(tx, 'access_links', [linkCells(link)])),
    useLink: (secretHash, now) =>
      engine.write(async (tx) => {
        const found = await linksAt(tx.db, now).where('secret_hash', '=', secretHash).executeTakeFirst();
        if (found === undefined) return null;
        await setRows(tx, 'access_links', { link_key: found.link_key }, { used_at: now });
        return readLink(found);
      }),
    addSession: (session) => engine.write((tx) => addRows(tx, 'access_sessions', [sessionCells(session)])),
    session: async (secretHash, now) => {
      const row = await sessionsAt(now).where('secret_hash', '=', secretHash).executeTakeFirst();
      return row === undefined ? null : readSession(row);
    },
    endSession: (secretHash, now) =>
      engine.write(async (tx) => {
        await setRows(tx, 'access_sessions', { secret_hash: secretHash }, { ended_at: now }, { ended_at: null });
      }),
    list: async (now) => ({
      links: (await linksAt(engine.db, now).orderBy('link_key', 'desc').execute()).map(readLink),
      sessions: (await sessionsAt(now).orderBy('session_key', 'desc').execute()).map(readSession),
    }),
    revoke: (name, now) =>
      engine.write(async (tx) => {
        const links = await setRows(tx, 'access_links', { name }, { revoked_at: now }, openLink(now));
        return links + (await setRows(tx, 'access_sessions', { name }, { ended_at: now }, openSession(now)));
      }),
    linkMakers: async (name) => {
      const links = engine.db.selectFrom('access_links').select('made_by').distinct().where('name', '=', name);
      return (await links.execute()).map((row) => row.made_by);
    },
    people: async () => {
      const rows = await engine.db.selectFrom('access_sessions').select('name').distinct().orderBy('name').execute();
      return rows.map(({ name }) => name);
    },
    note: (act) => engine.write((tx) => addRows(tx, 'access_acts', [actCells(act)])),
    acts: async ({ action, subject, outcome, limit }) => {
      let query = engine.db.selectFrom('access_acts').select(namesOf(ACT)).orderBy('act_key', 'desc').limit(limit);
      if (action !== undefined) query = query.where('action', '=', action);
      if (outcome !== undefined) query = query.where('outcome', '=', outcome);
      if (subject !== undefined) query = query.where('subject', '=', subject);
      return (await query.execute()).map(readAct);
    },
  };
}
