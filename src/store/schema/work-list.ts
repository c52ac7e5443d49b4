/** Tables for the work of people on breaks: access, notes, attachments, requests, views and claims. */
import type { Proof, Role } from '../../domain/actor.ts';
import type { ClaimState } from '../../domain/claim.ts';
import type { Act } from '../../ports/store/store.ts';
import { bytes, decimal, flag, id, integer, json, key, ROWS, risingKey, table, text } from './column.ts';

const KEY = 'a number that the store gives; what it names is under the seal';
const REMARK = 'a remark of a person: no figure and no decision rests on it';

const ACCESS = {
  secret_hash: id,
  name: text,
  roles: text.holds(
    (cell) => cell.split(',').filter((role) => role !== '') as readonly Role[],
    (roles) => roles.join(','),
  ),
  made_at: integer,
  ends_at: integer,
};

export const LINK = { ...ACCESS, made_by: text };
export const SESSION = { ...ACCESS, account: text };

export const ACT = {
  at: integer,
  name: text,
  account: text,
  proof: text.as<Proof>(),
  action: text,
  subject: text,
  outcome: text.as<Act['outcome']>(),
  detail: text.orNull,
};

export const VIEW = { owner: text, name: text, query: text, shared: flag };

export const NOTE = { at: integer, name: text, account: text, text, mentions: json<readonly string[]>() };

export const ATTACHMENT = {
  at: integer,
  name: text,
  account: text,
  file_name: text,
  bytes: integer,
  sha256: id,
};

export const WAIVER_REQUEST = {
  break_id: id,
  asked_by: text,
  asked_account: text,
  asked_at: integer,
  reason: text,
  until: text.orNull,
  events: integer,
};

export const CLAIM = {
  claim_id: id,
  title: text,
  state: text.as<ClaimState>(),
  reference: text.orNull,
  opened_at: integer,
  opened_by: text,
  remind_on: text.orNull,
  events: integer,
};

export const CLAIM_ITEM = { break_id: id, currency: text, claimed: decimal, recovered: decimal };

export const CLAIM_EVENT = {
  at: integer,
  state: text.as<ClaimState>(),
  name: text,
  account: text,
  proof: text.as<Proof>(),
  reason: text,
};

export const WORK_LIST = {
  access_links: table(
    { link_key: key.unsealed(KEY), ...LINK, used_at: integer.orNull, revoked_at: integer.orNull },
    { seal: ROWS, unique: [['secret_hash']] },
  ),

  access_sessions: table(
    { session_key: key.unsealed(KEY), ...SESSION, ended_at: integer.orNull },
    { seal: ROWS, unique: [['secret_hash']] },
  ),

  /** Append-only. */
  access_acts: table({ act_key: risingKey.unsealed(KEY), ...ACT }, { seal: ROWS }),

  saved_views: table({ view_key: key, ...VIEW }, { seal: 'a saved filter', unique: [['owner', 'name']] }),

  /** Append-only. */
  break_notes: table(
    { note_key: risingKey, break_id: id, ...NOTE },
    { seal: REMARK, indexes: ['break_notes_break (break_id, note_key)'] },
  ),

  break_attachments: table(
    { attachment_key: key, break_id: id, ...ATTACHMENT, key_id: text, sealed: bytes },
    { seal: REMARK, unique: [['break_id', 'sha256']] },
  ),

  waiver_requests: table(
    {
      request_key: key.unsealed(KEY),
      ...WAIVER_REQUEST,
      decided_by: text.orNull,
      decided_at: integer.orNull,
      outcome: text.as<'approved' | 'refused'>().orNull,
    },
    { seal: ROWS, indexes: ['waiver_requests_break (break_id, request_key)'] },
  ),

  claims: table({ claim_key: key, ...CLAIM }, { seal: ROWS, unique: [['claim_id']] }),

  claim_items: table(
    { claim_key: integer.references('claims'), ...CLAIM_ITEM },
    { seal: ROWS, key: ['claim_key', 'break_id'], indexes: ['claim_items_break (break_id)'] },
  ),

  /** Append-only. */
  claim_events: table(
    { event_key: risingKey.unsealed(KEY), claim_key: integer.references('claims'), ...CLAIM_EVENT },
    { seal: ROWS, indexes: ['claim_events_claim (claim_key, event_key)'] },
  ),
};
