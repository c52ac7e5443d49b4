-- What each part of Tieout may do in its database, and no more.
--
-- Run it as the owner of the tables (the user that runs `tieout db migrate`), who may also make roles, and again after every
-- migration: it gives and takes until what is written here is what there is.
--
--   psql "$OWNER_URL" --set ON_ERROR_STOP=1 --file roles.sql
--
-- The roles are groups without a login. Give each process a user of its own:
--
--   create role tieout_night login password '…' in role tieout_run;       -- schedule, run, worker, audit, breaks, db prune, db archive
--   create role tieout_hooks login password '…' in role tieout_intake;    -- serve without pages, import, quotes import
--   create role tieout_pages_1 login password '…' in role tieout_pages;   -- serve with pages: webhooks need tieout_intake as well
--   create role tieout_desk  login password '…' in role tieout_report;    -- report, replay, runs list, breaks list
--
-- View tokens are sealed in any case: without TIEOUT_SECRET_KEY, which tieout_desk does not need, none can be opened. These
-- grants keep even the sealed ones from roles that have no use for them.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['tieout_run', 'tieout_intake', 'tieout_pages', 'tieout_report'] loop
    if not exists (select 1 from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    execute format('revoke all on all tables in schema %I from %I', current_schema(), role_name);
    execute format('grant usage on schema %I to %I', current_schema(), role_name);
  end loop;
  -- Before PostgreSQL 15, every role may make tables in `public`.
  execute format('revoke create on schema %I from public', current_schema());
end $$;

-- `revoke all on all tables` leaves grants on single columns alone; these go one by one.
do $$
declare
  held record;
begin
  for held in
    select grantee, table_name, column_name, privilege_type from information_schema.column_privileges
    where table_schema = current_schema() and grantee in ('tieout_run', 'tieout_intake', 'tieout_pages', 'tieout_report')
  loop
    execute format('revoke %s (%I) on %I from %I',
      held.privilege_type, held.column_name, held.table_name, held.grantee);
  end loop;
end $$;

-- Columns with something sealed in them, or made from a token.
create or replace function pg_temp.columns_but(of_table regclass, variadic left_out text[]) returns text language sql as $$
  select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
  where attrelid = of_table and attnum > 0 and not attisdropped and attname <> all (left_out)
$$;

-- --- tieout_run: a night, and what people decide about its breaks; tieout_pages: the latter alone -------------------------

do $$
declare
  name text;
begin
  for name in select tablename from pg_tables where schemaname = current_schema() and tablename not like 'kysely%' loop
    execute format('grant select, insert, update, delete on %I to tieout_run', name);
  end loop;
  -- Keys of new bodies and snapshots are asked for before the rows are written.
  execute format('grant usage on sequence %s, %s to tieout_run, tieout_intake',
    pg_get_serial_sequence('contents', 'content_key'), pg_get_serial_sequence('snapshots', 'snapshot_key'));
  -- What people do on the pages, without a token and without a sealed body.
  for name in
    select tablename from pg_tables
    where schemaname = current_schema() and tablename not like 'kysely%'
      and tablename not in ('tracked_records', 'tracking_conflicts', 'sealed_bodies')
  loop
    execute format('grant select, insert, update, delete on %I to tieout_pages', name);
  end loop;
  -- History is appended to, never changed.
  execute 'revoke update, delete on break_events, tracking_conflicts, tracking_events, status_changes from tieout_run, tieout_pages';
  execute 'revoke update, delete on access_acts, break_notes, claim_events from tieout_run, tieout_pages';
  -- But for the run that reports a change, and for the seal of a claim when the key is rotated.
  execute 'grant update (run_key) on status_changes to tieout_run';
  execute 'grant update (key_id, token, token_fingerprint, settled_at) on tracking_conflicts to tieout_run';
  execute 'grant select on kysely_migration to tieout_run, tieout_intake, tieout_pages, tieout_report';
end $$;

-- --- tieout_intake: ids, webhooks, events and quotes come in; no token and no evidence goes out --------------------------

do $$
begin
  execute 'grant insert on tracked_records, tracking_conflicts, contents, bodies, snapshots, sealed_bodies, deliveries,
    currencies_seen, sealing_keys, quotes, quote_methods, quote_bodies, status_changes to tieout_intake';
  -- Seals of the rows that it writes: it has the key.
  execute 'grant select, insert, update, delete on sealed_rows to tieout_intake';
  execute 'grant select, insert, update on row_seals to tieout_intake';
  execute format('grant select (%s) on tracked_records to tieout_intake', pg_temp.columns_but('tracked_records', 'token'));
  -- What is learned of a record may change; who it is, and its token, may not.
  execute format('grant update (%s) on tracked_records to tieout_intake', pg_temp.columns_but('tracked_records',
    'record_key', 'kind', 'record_id', 'origin', 'tracked_at', 'key_id', 'token', 'token_fingerprint', 'retracted_at'));
  execute format('grant select (%s) on tracking_conflicts to tieout_intake',
    pg_temp.columns_but('tracking_conflicts', 'token'));
  execute 'grant select on contents, snapshots, deliveries, currencies_seen, sealing_keys, quotes, quote_methods,
    status_changes, runs, doubted_runs to tieout_intake';
  execute 'grant select (content_key) on bodies to tieout_intake';
  execute 'grant select (quote_key, content_sha256) on quote_bodies to tieout_intake';
  -- Counts for its metrics; nothing of what a break says.
  execute 'grant select (state, last_event_key) on breaks to tieout_intake';
  execute 'grant select (event_key, severity) on break_events to tieout_intake';
  -- `serve` asks for a quote when a record is created, within the limits that all processes share.
  execute 'grant select, insert, update, delete on bookings, circuits, leases to tieout_intake';
end $$;

-- --- tieout_report: looks, and changes nothing ----------------------------------------------------------------------------

do $$
declare
  name text;
begin
  for name in
    select tablename from pg_tables
    where schemaname = current_schema() and tablename not like 'kysely%'
      and tablename not in ('tracked_records', 'tracking_conflicts', 'sealed_bodies', 'access_links', 'access_sessions',
        'break_attachments')
  loop
    execute format('grant select on %I to tieout_report', name);
  end loop;
  execute format('grant select (%s) on tracked_records to tieout_report, tieout_pages',
    pg_temp.columns_but('tracked_records', 'token', 'token_fingerprint'));
  execute format('grant select (%s) on tracking_conflicts to tieout_report, tieout_pages',
    pg_temp.columns_but('tracking_conflicts', 'token', 'token_fingerprint'));
  execute format('grant select (%s) on sealed_bodies to tieout_report, tieout_pages',
    pg_temp.columns_but('sealed_bodies', 'sealed'));
end $$;

-- --- the queue of batches, where there are workers (`tieout db migrate` with workers.enabled makes it) --------------------

do $$
declare
  role_name text;
begin
  if not exists (select 1 from pg_namespace where nspname = 'tieout_queue') then
    return;
  end if;
  foreach role_name in array array['tieout_run', 'tieout_intake', 'tieout_pages', 'tieout_report'] loop
    execute format('revoke all on all tables in schema tieout_queue from %I', role_name);
  end loop;
  -- Coordinators send batches, workers take them: both are part of a night.
  grant usage on schema tieout_queue to tieout_run, tieout_intake;
  grant select, insert, update, delete on all tables in schema tieout_queue to tieout_run;
  -- For metrics: how many wait, not what for.
  grant select (name, state, created_on) on tieout_queue.job to tieout_intake;
end $$;
