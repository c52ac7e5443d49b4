/** Sign-in links, sessions, and the record of acts. Secrets come in as hashes only. */
import { sql } from 'kysely';
import { isSamePerson } from '../domain/actor.ts';
import type { Instant } from '../domain/record.ts';
import type { AccessStore } from '../ports/store/work-list.ts';
import type { Engine } from './engine.ts';
import { addRows, setRows } from './rows.ts';
import { namesOf } from './schema/column.ts';
import { readerOf, writerOf } from './schema/places.ts';
import { ACT, LINK, SESSION } from './schema/work-list.ts';
import { findObjects, findRow, findRows, given } from './statements.ts';

const UNUSED = sql`used_at is null and revoked_at is null`;
const UNENDED = sql`ended_at is null`;
const openLink = (now: Instant) => sql`${UNUSED} and ends_at > ${now}`;
const openSession = (now: Instant) => sql`${UNENDED} and ends_at > ${now}`;

export function accessStore(engine: Engine): AccessStore {
  const { db } = engine;
  return {
    addLink: (link) => engine.write((tx) => addRows(tx, 'access_links', [writerOf(LINK)(link)])),
    useLink: (secretHash, now) =>
      engine.write(async (tx) => {
        const isOne = sql`secret_hash = ${secretHash} and ${openLink(now)}`;
        const found = await findRow(tx.db, 'access_links', isOne, ['link_key', ...namesOf(LINK)]);
        if (found === undefined) return null;
        await setRows(tx, 'access_links', { link_key: found.link_key }, { used_at: now });
        return readerOf(LINK)(found);
      }),
    addSession: (session) => engine.write((tx) => addRows(tx, 'access_sessions', [writerOf(SESSION)(session)])),
    session: async (secretHash, now) => {
      const isOne = sql`secret_hash = ${secretHash} and ${openSession(now)}`;
      return (await findObjects(db, 'access_sessions', SESSION, isOne))[0] ?? null;
    },
    endSession: (secretHash, now) =>
      engine.write(async (tx) => {
        await setRows(tx, 'access_sessions', { secret_hash: secretHash }, { ended_at: now }, { ended_at: null });
      }),
    list: async (now) => ({
      links: await findObjects(db, 'access_links', LINK, openLink(now), 'link_key desc'),
      sessions: await findObjects(db, 'access_sessions', SESSION, openSession(now), 'session_key desc'),
    }),
    revoke: (name, now) =>
      engine.write(async (tx) => {
        const spellings = async (table: 'access_links' | 'access_sessions', isOpen: ReturnType<typeof openLink>) => {
          const names = (await findRows(tx.db, table, isOpen, ['name'])).map((row) => row.name);
          return [...new Set(names)].filter((each) => isSamePerson(each, name));
        };
        let ended = 0;
        // Those that are over are not counted, and end too: the clock may be ahead, and be set back.
        for (const own of await spellings('access_links', UNUSED)) {
          ended += await setRows(tx, 'access_links', { name: own }, { revoked_at: now }, openLink(now));
          await setRows(tx, 'access_links', { name: own }, { revoked_at: now }, UNUSED);
        }
        for (const own of await spellings('access_sessions', UNENDED)) {
          ended += await setRows(tx, 'access_sessions', { name: own }, { ended_at: now }, openSession(now));
          await setRows(tx, 'access_sessions', { name: own }, { ended_at: now }, UNENDED);
        }
        return ended;
      }),
    linkMakers: async (name) => {
      const links = await findRows(db, 'access_links', { name }, ['made_by']);
      return [...new Set(links.map((row) => row.made_by))];
    },
    people: async () => {
      const sessions = await findRows(db, 'access_sessions', {}, ['name'], 'name');
      return [...new Set(sessions.map(({ name }) => name))];
    },
    note: (act) => engine.write((tx) => addRows(tx, 'access_acts', [writerOf(ACT)(act)])),
    acts: ({ limit, ...filter }) => findObjects(db, 'access_acts', ACT, given(filter), 'act_key desc', { limit }),
  };
}
