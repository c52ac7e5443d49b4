/** Sign-in links, sessions, and the record of acts. Secrets come in as hashes only. */
import { type SqlBool, sql } from 'kysely';
import type { Role } from '../domain/actor.ts';
import type { Instant } from '../domain/record.ts';
import type { AccessStore } from '../ports/store/store.ts';
import type { Engine } from './engine.ts';
import type { RowOf } from './schema/tables.ts';
import { changeSealed, insertSealed } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';

const rolesOf = (cell: string) => cell.split(',').filter((role) => role !== '') as Role[];

const COMMON = ['secret_hash', 'name', 'roles', 'made_at', 'ends_at'] as const;
const SESSION = [...COMMON, 'account'] as const;
const LINK = [...COMMON, 'made_by'] as const;
const ACT = ['at', 'name', 'account', 'proof', 'action', 'subject', 'outcome', 'detail'] as const;

function common(row: Pick<RowOf<'access_sessions'>, (typeof COMMON)[number]>) {
  const { secret_hash: secretHash, name } = row;
  return { secretHash, name, roles: rolesOf(row.roles), madeAt: row.made_at, endsAt: row.ends_at };
}

const readSession = (row: Pick<RowOf<'access_sessions'>, (typeof SESSION)[number]>) => ({
  ...common(row),
  account: row.account,
});

const readLink = (row: Pick<RowOf<'access_links'>, (typeof LINK)[number]>) => ({ ...common(row), madeBy: row.made_by });

const openLink = (now: Instant) => sql<SqlBool>`used_at is null and revoked_at is null and ends_at > ${now}`;
const openSession = (now: Instant) => sql<SqlBool>`ended_at is null and ends_at > ${now}`;

export function accessStore(engine: Engine, sealer: Sealer | null): AccessStore {
  return {
    addLink: ({ secretHash, name, roles, madeBy, madeAt, endsAt }) =>
      engine.write((tx) =>
        insertSealed(tx, sealer, 'access_links', LINK, [[secretHash, name, roles.join(','), madeAt, endsAt, madeBy]]),
      ),
    useLink: (secretHash, now) =>
      engine.write(async (tx) => {
        const link = await tx.db
          .selectFrom('access_links')
          .select(['link_key', ...LINK])
          .where('secret_hash', '=', secretHash)
          .where(openLink(now))
          .executeTakeFirst();
        if (link === undefined) return null;
        await changeSealed(tx, sealer, 'access_links', sql`link_key = ${link.link_key}`, () =>
          tx.db.updateTable('access_links').set({ used_at: now }).where('link_key', '=', link.link_key).execute(),
        );
        return readLink(link);
      }),
    addSession: ({ secretHash, name, account, roles, madeAt, endsAt }) =>
      engine.write((tx) =>
        insertSealed(tx, sealer, 'access_sessions', SESSION, [
          [secretHash, name, roles.join(','), madeAt, endsAt, account],
        ]),
      ),
    session: async (secretHash, now) => {
      const row = await engine.db
        .selectFrom('access_sessions')
        .select(SESSION)
        .where('secret_hash', '=', secretHash)
        .where(openSession(now))
        .executeTakeFirst();
      return row === undefined ? null : readSession(row);
    },
    endSession: (secretHash, now) =>
      engine.write(async (tx) => {
        await changeSealed(tx, sealer, 'access_sessions', sql`secret_hash = ${secretHash}`, () =>
          tx.db
            .updateTable('access_sessions')
            .set({ ended_at: now })
            .where('secret_hash', '=', secretHash)
            .where('ended_at', 'is', null)
            .execute(),
        );
      }),
    list: async (now) => {
      const links = await engine.db
        .selectFrom('access_links')
        .select(LINK)
        .where(openLink(now))
        .orderBy('link_key', 'desc')
        .execute();
      const sessions = await engine.db
        .selectFrom('access_sessions')
        .select(SESSION)
        .where(openSession(now))
        .orderBy('session_key', 'desc')
        .execute();
      return { links: links.map(readLink), sessions: sessions.map(readSession) };
    },
    revoke: (name, now) =>
      engine.write(async (tx) => {
        const links = await changeSealed(tx, sealer, 'access_links', sql`name = ${name}`, () =>
          tx.db
            .updateTable('access_links')
            .set({ revoked_at: now })
            .where('name', '=', name)
            .where(openLink(now))
            .executeTakeFirst(),
        );
        const sessions = await changeSealed(tx, sealer, 'access_sessions', sql`name = ${name}`, () =>
          tx.db
            .updateTable('access_sessions')
            .set({ ended_at: now })
            .where('name', '=', name)
            .where(openSession(now))
            .executeTakeFirst(),
        );
        return Number(links.numUpdatedRows + sessions.numUpdatedRows);
      }),
    linkMakers: async (name) => {
      const rows = await engine.db
        .selectFrom('access_links')
        .select('made_by')
        .distinct()
        .where('name', '=', name)
        .execute();
      return rows.map((row) => row.made_by);
    },
    people: async () => {
      const rows = await engine.db.selectFrom('access_sessions').select('name').distinct().orderBy('name').execute();
      return rows.map(({ name }) => name);
    },
    note: ({ at, name, account, proof, action, subject, outcome, detail }) =>
      engine.write((tx) =>
        insertSealed(tx, sealer, 'access_acts', ACT, [[at, name, account, proof, action, subject, outcome, detail]]),
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
