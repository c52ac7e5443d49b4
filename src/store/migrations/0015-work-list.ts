/**
 * Tables of the pages: the queue's order as columns of a break, proved names, notes, attachments, claims, saved views
 * and the sessions of people.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';
import { queueCells } from '../schema/queue-order.ts';

export function workList(t: ColumnTypes): Migration {
  return {
    async up(db) {
      for (const table of ['break_events', 'staged_break_events']) {
        await sql`alter table ${sql.table(table)} add column proof ${t.text}`.execute(db);
        await sql`alter table ${sql.table(table)} add column account ${t.text}`.execute(db);
        await sql`alter table ${sql.table(table)} add column claim_id ${t.id}`.execute(db);
      }
      await sql`alter table breaks add column severity_rank ${t.integer} not null default 0`.execute(db);
      await sql`alter table breaks add column stake_key ${t.id} not null default ''`.execute(db);
      await sql`alter table breaks add column currency ${t.text}`.execute(db);
      const cells = queueCells('e');
      await sql`update breaks set severity_rank = s.severity_rank, stake_key = s.stake_key, currency = s.currency
        from (select e.event_key, ${cells.severityRank} as severity_rank, ${cells.stakeKey} as stake_key, coalesce(e.record_currency, e.currency) as currency
          from break_events as e) as s
        where s.event_key = breaks.last_event_key`.execute(db);
      // For the default view, breaks that need a decision. The condition must have the text of the query in
      // work-list/queue.ts.
      const open = sql`where state <> 'waived' and state <> 'resolved'`;
      await sql`create index breaks_by_stake on breaks (stake_key, break_key) ${open}`.execute(db);
      await sql`create index breaks_by_age on breaks (first_seen_day, break_key) ${open}`.execute(db);
      await sql`create index breaks_by_severity on breaks (severity_rank, break_key) ${open}`.execute(db);

      await sql`create table access_links (
        link_key ${t.key},
        secret_hash ${t.id} not null,
        name ${t.text} not null,
        roles ${t.text} not null,
        made_by ${t.text} not null,
        made_at ${t.integer} not null,
        ends_at ${t.integer} not null,
        used_at ${t.integer},
        revoked_at ${t.integer},
        unique (secret_hash)
      ) ${t.end}`.execute(db);
      await sql`create table access_sessions (
        session_key ${t.key},
        secret_hash ${t.id} not null,
        name ${t.text} not null,
        account ${t.text} not null,
        roles ${t.text} not null,
        made_at ${t.integer} not null,
        ends_at ${t.integer} not null,
        ended_at ${t.integer},
        unique (secret_hash)
      ) ${t.end}`.execute(db);
      await sql`create table access_acts (
        act_key ${t.risingKey},
        at ${t.integer} not null,
        name ${t.text} not null,
        account ${t.text} not null,
        proof ${t.text} not null,
        action ${t.text} not null,
        subject ${t.text} not null,
        outcome ${t.text} not null,
        detail ${t.text}
      ) ${t.end}`.execute(db);
      await sql`create table saved_views (
        view_key ${t.key},
        owner ${t.text} not null,
        name ${t.text} not null,
        query ${t.text} not null,
        shared ${t.integer} not null,
        unique (owner, name)
      ) ${t.end}`.execute(db);
      await sql`create table break_notes (
        note_key ${t.risingKey},
        break_id ${t.id} not null,
        at ${t.integer} not null,
        name ${t.text} not null,
        account ${t.text} not null,
        text ${t.text} not null,
        mentions ${t.text} not null
      ) ${t.end}`.execute(db);
      await sql`create index break_notes_break on break_notes (break_id, note_key)`.execute(db);
      await sql`create table break_attachments (
        attachment_key ${t.key},
        break_id ${t.id} not null,
        at ${t.integer} not null,
        name ${t.text} not null,
        account ${t.text} not null,
        file_name ${t.text} not null,
        bytes ${t.integer} not null,
        sha256 ${t.id} not null,
        key_id ${t.text} not null,
        sealed ${t.bytes} not null,
        unique (break_id, sha256)
      ) ${t.end}`.execute(db);
      await sql`create table waiver_requests (
        request_key ${t.key},
        break_id ${t.id} not null,
        asked_by ${t.text} not null,
        asked_account ${t.text} not null,
        asked_at ${t.integer} not null,
        reason ${t.text} not null,
        until ${t.text},
        events ${t.integer} not null,
        decided_by ${t.text},
        decided_at ${t.integer},
        outcome ${t.text}
      ) ${t.end}`.execute(db);
      await sql`create index waiver_requests_break on waiver_requests (break_id, request_key)`.execute(db);

      await sql`create table claims (
        claim_key ${t.key},
        claim_id ${t.id} not null,
        title ${t.text} not null,
        state ${t.text} not null,
        reference ${t.text},
        opened_at ${t.integer} not null,
        opened_by ${t.text} not null,
        remind_on ${t.text},
        events ${t.integer} not null,
        unique (claim_id)
      ) ${t.end}`.execute(db);
      await sql`create table claim_items (
        claim_key ${t.integer} not null references claims,
        break_id ${t.id} not null,
        currency ${t.text} not null,
        claimed ${t.text} not null,
        recovered ${t.text} not null,
        primary key (claim_key, break_id)
      ) ${t.end}`.execute(db);
      await sql`create index claim_items_break on claim_items (break_id)`.execute(db);
      await sql`create table claim_events (
        event_key ${t.risingKey},
        claim_key ${t.integer} not null references claims,
        at ${t.integer} not null,
        state ${t.text} not null,
        name ${t.text} not null,
        account ${t.text} not null,
        proof ${t.text} not null,
        reason ${t.text} not null
      ) ${t.end}`.execute(db);
      await sql`create index claim_events_claim on claim_events (claim_key, event_key)`.execute(db);
    },
  };
}
