/** Tables for the work of people on breaks: access, notes, attachments, requests, views and claims. */
import type { Generated } from 'kysely';
import type { Claim, ClaimEvent } from '../../domain/claim.ts';
import type { Act, Attachment, Note, SavedView } from '../../ports/store/store.ts';

interface AccessColumns {
  secret_hash: string;
  name: string;
  /** Separated by commas. */
  roles: string;
  made_at: number;
  ends_at: number;
}

export interface AccessLinkTable extends AccessColumns {
  link_key: Generated<number>;
  made_by: string;
  used_at: number | null;
  revoked_at: number | null;
}

export interface AccessSessionTable extends AccessColumns {
  session_key: Generated<number>;
  account: string;
  ended_at: number | null;
}

/** Append-only. */
export interface AccessActTable extends Act {
  act_key: Generated<number>;
}

export interface SavedViewTable extends Omit<SavedView, 'shared'> {
  view_key: Generated<number>;
  shared: number;
}

/** Append-only. */
export interface BreakNoteTable extends Omit<Note, 'mentions'> {
  note_key: Generated<number>;
  break_id: string;
  /** JSON array of names. */
  mentions: string;
}

export interface BreakAttachmentTable extends Omit<Attachment, 'fileName'> {
  attachment_key: Generated<number>;
  break_id: string;
  file_name: string;
  key_id: string;
  sealed: Uint8Array;
}

export interface WaiverRequestTable {
  request_key: Generated<number>;
  break_id: string;
  asked_by: string;
  asked_account: string;
  asked_at: number;
  reason: string;
  until: string | null;
  events: number;
  decided_by: string | null;
  decided_at: number | null;
  outcome: 'approved' | 'refused' | null;
}

export interface ClaimTable extends Pick<Claim, 'title' | 'state' | 'reference' | 'events'> {
  claim_key: Generated<number>;
  claim_id: string;
  opened_at: number;
  opened_by: string;
  remind_on: string | null;
}

export interface ClaimItemTable {
  claim_key: number;
  break_id: string;
  currency: string;
  claimed: string;
  recovered: string;
}

/** Append-only. */
export interface ClaimEventTable extends ClaimEvent {
  event_key: Generated<number>;
  claim_key: number;
}
