/** Tables that processes share: leases, and the log of the rate limiter with its circuit. */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../engine.ts';

export function limits(t: ColumnTypes): Migration {
  return {
    async up(db) {
      await sql`create table leases (
        name ${t.id} primary key,
        token ${t.integer} not null,
        holder ${t.text},
        held_until ${t.integer} not null
      ) ${t.clustered}`.execute(db);

      await sql`create table bookings (
        booking_key ${t.key},
        egress ${t.id} not null,
        domain ${t.id} not null,
        at ${t.real} not null
      ) ${t.end}`.execute(db);
      await sql`create index bookings_time on bookings (egress, domain, at)`.execute(db);

      await sql`create table circuits (
        egress ${t.id} primary key,
        state ${t.text} not null,
        until ${t.real} not null,
        trips ${t.integer} not null,
        refusals ${t.integer} not null,
        closed_at ${t.real},
        reason ${t.text},
        domain ${t.text} not null
      ) ${t.clustered}`.execute(db);
    },
  };
}
