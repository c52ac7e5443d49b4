/** Sign-in links, sessions, and the record of acts. Secrets come in as hashes only. */
import { type SqlBool, sql } from 'kysely';
import type { Role } from '../domain/actor.ts';
import type { Instant } from '../domain/record.ts';
import type { AccessSession, AccessStore } from '../ports/store/access.ts';
import type { Engine } from './engine.ts';
import { addRows, setRows } from './rows.ts';

const COMMON = ['secret_hash as secretHash', 'name', 'roles', 'made_at as madeAt', 'ends_at as endsAt'] as const;
const SESSION = [...COMMON, 'account'] as const;
const LINK = [...COMMON, 'made_by as madeBy'] as const;
const ACT = ['at', 'name', 'account', 'proof', 'action', 'subject', 'outcome', 'detail'] as const;

const withRoles = <Row extends { roles: string }>(row: Row) => ({
  ...row,
  roles: row.roles.split(',').filter((role) => role !== '') as Role[],
});

const commonCells = ({ secretHash, name, roles, madeAt, endsAt }: Omit<AccessSession, 'account'>) => ({
  secret_hash: secretHash,
  name,
  roles: roles.join(','),
  made_at: madeAt,
  ends_at: endsAt,
});

const openLink = (now: Instant) => sql<SqlBool>`used_at is null and revoked_at is null and ends_at > ${now}`;
const openSession = (now: Instant) => sql<SqlBool>`ended_at is null and ends_at > ${now}`;

export function accessStore(engine: Engine): AccessStore {
  return {
    addLink: (link) =>
      engine.write((tx) => addRows(tx, 'access_links', [{ ...commonCells(link), made_by: link.madeBy }])),
    useLink: (secretHash, now) =>
      engine.write(async (tx) => {
        const found = await tx.db
          .selectFrom('access_links')
          .select(['link_key', ...LINK])
          .where('secret_hash', '=', secretHash)
          .where(openLink(now))
          .executeTakeFirst();
        if (found === undefined) return null;
        const { link_key: key, ...link } = found;
        await setRows(tx, 'access_links', { link_key: key }, { used_at: now });
        return withRoles(link);
      }),
    addSession: (session) =>
      engine.write((tx) => addRows(tx, 'access_sessions', [{ ...commonCells(session), account: session.account }])),
    session: async (secretHash, now) => {
      const row = await engine.db
        .selectFrom('access_sessions')
        .select(SESSION)
        .where('secret_hash', '=', secretHash)
        .where(openSession(now))
        .executeTakeFirst();
      return row === undefined ? null : withRoles(row);
    },
    endSession: (secretHash, now) =>
      engine.write(async (tx) => {
        await setRows(tx, 'access_sessions', { secret_hash: secretHash }, { ended_at: now }, { ended_at: null });
      }),
    list: async (now) => {
      const links = engine.db.selectFrom('access_links').select(LINK).where(openLink(now)).orderBy('link_key', 'desc');
      const sessions = engine.db.selectFrom('access_sessions').select(SESSION).where(openSession(now));
      return {
        links: (await links.execute()).map(withRoles),
        sessions: (await sessions.orderBy('session_key', 'desc').execute()).map(withRoles),
      };
    },
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
    note: ({ at, name, account, proof, action, subject, outcome, detail }) =>
      engine.write((tx) =>
        addRows(tx, 'access_acts', [{ at, name, account, proof, action, subject, outcome, detail }]),
      ),
    acts: async ({ action, subject, outcome, limit }) => {
      let query = engine.db.selectFrom('access_acts').select(ACT).orderBy('act_key', 'desc').limit(limit);
      if (action !== undefined) query = query.where('action', '=', action);
      if (outcome !== undefined) query = query.where('outcome', '=', outcome);
      if (subject !== undefined) query = query.where('subject', '=', subject);
      return query.execute();
    },
  };
}
