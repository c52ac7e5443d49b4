/** The work of people: the queue of breaks, filtered, sorted and read page by page; claims; access to the pages. */
import type { Actor, Role } from '../../domain/actor.ts';
import type { BreakEvent, BreakKind, BreakState } from '../../domain/break.ts';
import type { Claim, ClaimEvent, ClaimItem, ClaimState } from '../../domain/claim.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { Severity } from '../../domain/finding.ts';
import type { BusinessDate, Instant, RecordPosition } from '../../domain/record.ts';
import type { Reporting } from '../../domain/reporting.ts';
import type { MoneyMoved } from '../../domain/status.ts';
import type { CurrentBreak } from './breaks.ts';

export const QUEUE_SORTS = ['stake', 'age', 'severity'] as const;
/** The orders that the work list can be read in. */
export type QueueSort = (typeof QUEUE_SORTS)[number];

/** As `BreakStore.append` takes it. */
type PersonsEvent = BreakEvent & { expectedEvents: number };

/** Claims: breaks raised with the Service's support. */
export interface ClaimStore {
  /** Stores a claim with the events that put breaks into it. @throws BreakMovedOnError */
  open(claim: Claim, items: readonly ClaimItem[], event: ClaimEvent, breaks: readonly PersonsEvent[]): Promise<void>;
  /** By id or an unambiguous prefix. */
  get(claimId: string): Promise<Claim | null>;
  list(filter: { states?: readonly ClaimState[]; limit: number }): Promise<readonly Claim[]>;
  items(claimId: string): Promise<readonly ClaimItem[]>;
  events(claimId: string): Promise<readonly ClaimEvent[]>;
  /** The claims that break is in, by break id; claims that were rejected are left out. */
  ofBreaks(breakIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All or nothing. @throws ClaimMovedOnError where `expectedEvents` is not the number of its events */
  update(
    claim: Claim,
    items: readonly ClaimItem[],
    event: ClaimEvent,
    expectedEvents: number,
    breaks: readonly PersonsEvent[],
  ): Promise<void>;
}

/** A one-time link; only the hash of its secret is stored. */
export interface AccessSession {
  secretHash: string;
  name: string;
  account: string;
  roles: readonly Role[];
  madeAt: Instant;
  endsAt: Instant;
}

interface AccessLink extends Omit<AccessSession, 'account'> {
  madeBy: string;
}

/** One line of the record of acts: an act or a refusal. Never changed. */
export interface Act extends Actor {
  at: Instant;
  /** `period.close`, `sign-in`, or the method and route that was refused. */
  action: string;
  subject: string;
  outcome: 'done' | 'refused';
  detail: string | null;
}

/** Access to the pages, and the record of acts and refusals. */
export interface AccessStore {
  addLink(link: AccessLink): Promise<void>;
  /** Marks the link as used; null if it is unknown, used, revoked or expired. */
  useLink(secretHash: string, now: Instant): Promise<AccessLink | null>;
  addSession(session: AccessSession): Promise<void>;
  /** Null where there is none, or it has ended. */
  session(secretHash: string, now: Instant): Promise<AccessSession | null>;
  endSession(secretHash: string, now: Instant): Promise<void>;
  /** Links and sessions that are good at `now`, newest first. */
  list(now: Instant): Promise<{ links: readonly AccessLink[]; sessions: readonly AccessSession[] }>;
  /** Ends every link and session of a person, in all spellings of the name (`isSamePerson`); returns their number. */
  revoke(name: string, now: Instant): Promise<number>;
  /** Accounts that ever made a link for the name. */
  linkMakers(name: string): Promise<readonly string[]>;
  /** Names that ever signed in, sorted; a note can mention them. */
  people(): Promise<readonly string[]>;
  note(act: Act): Promise<void>;
  /** Newest first. */
  acts(filter: { action?: string; subject?: string; outcome?: Act['outcome']; limit: number }): Promise<readonly Act[]>;
}

/** All given conditions must hold; a list holds if one of its values does. */
export interface QueueFilter {
  states: readonly BreakState[];
  rules?: readonly string[];
  severities?: readonly Severity[];
  /** A name, or null for breaks without an assignee. */
  assignee?: string | null;
  currency?: string;
  /** Status of the record, and whether its money has moved, when a run last reported the break. */
  status?: string;
  moved?: MoneyMoved;
  kind?: BreakKind;
  recordId?: string;
  hostReference?: string;
  /** Creation of the record, [from, to): what the host says, else what its newest body says. */
  created?: { from: Instant; to: Instant };
  /** Money at stake without its sign, in the record's currency. */
  atLeast?: string;
  /**
   * Words of the explanation, the record id or the host reference, in any case and order, the last one as a prefix;
   * or a prefix of the break id, or the beginning of a rule's code, as `fee_applied` or `SLIPPAGE`. As of the last run that reported the break.
   */
  text?: string;
}

export interface QueuePage {
  sort: QueueSort;
  /**
   * By `stake` what is owed to the host first, then by currency, the largest amounts of each first; or the oldest, or the most severe
   * first; unless reversed.
   */
  reversed?: boolean;
  /** By `stake`, amounts of several currencies in one order; those without a rate come after them. */
  reporting?: Reporting | null;
  /** The id of the last break of the page before; of the page after where `backwards`. */
  after?: string;
  backwards?: boolean;
  limit: number;
}

/** A break with the fields of its record's newest body that a claim or a group needs. */
export interface CauseRow extends RecordPosition {
  breakId: string;
  rule: string;
  field: string;
  difference: string;
  /** Null where no money moved. */
  moneyAtStake: string | null;
  currency: string;
  paymentMethod: string | null;
  fiatValue: string;
  appliedFee: string | null;
  createdAt: Instant;
}

/** State of a break after one of its events. */
export interface BreakMove {
  breakKey: number;
  at: Instant;
  rule: string;
  state: BreakState;
  /** Of the record; null where it was never read. */
  currency: string | null;
  /** With its sign: plus is the user's loss. Null where none is measured, or no money moved. */
  moneyAtStake: Decimal | null;
}

/** Breaks as people work on them, with notes, attachments, waivers asked for and saved views. */
export interface WorkListStore {
  /** One line a record: a break is left out where the one that leads it matches too. So it is in `count`. */
  page(filter: QueueFilter, page: QueuePage): Promise<readonly CurrentBreak[]>;
  /** At most `most`, if given: counting a million takes seconds. */
  count(filter: QueueFilter, most?: number): Promise<number>;
  /** Grows with every break event; equal numbers mean equal queues. */
  version(): Promise<number>;
  /** Other breaks of the same record, in report order. */
  ofRecord(kind: BreakKind, recordId: string): Promise<readonly CurrentBreak[]>;
  byIds(breakIds: readonly string[]): Promise<readonly CurrentBreak[]>;
  /** Every break, in any state, of the records that these breaks are of; in report order. */
  ofSameRecords(breakIds: readonly string[]): Promise<readonly CurrentBreak[]>;
  /** Open breaks with a difference in money of the record's currency, after a break id, in the order of ids. */
  causes(after: string, limit: number): Promise<readonly CauseRow[]>;
  /**
   * Every step before `to` of the next so many breaks after a key, break by break and oldest first; and the last key, null at
   * the end.
   */
  moves(after: number, breaks: number, to: Instant): Promise<{ moves: readonly BreakMove[]; last: number | null }>;

  notes(breakId: string): Promise<readonly Note[]>;
  /** The same text of the same person again within a minute is the same note. */
  addNote(note: Note & { breakId: string }): Promise<void>;
  /** Notes that mention a name, newest first. */
  mentionsOf(name: string, limit: number): Promise<readonly (Note & { breakId: string })[]>;
  attachments(breakId: string): Promise<readonly Attachment[]>;
  /** The same bytes are kept once for each break. False where it is beyond ATTACHMENT_QUOTA: nothing is stored. */
  attach(breakId: string, attachment: Omit<Attachment, 'sha256'>, content: Uint8Array): Promise<boolean>;
  /** Null where there is none, or its seal names another break. */
  attachment(breakId: string, sha256: string): Promise<{ fileName: string; content: Uint8Array } | null>;
  waiverRequests(breakId: string): Promise<readonly WaiverRequest[]>;
  /** The same request is kept once while it waits. */
  askWaiver(request: Omit<WaiverRequest, 'key' | 'outcome'>): Promise<void>;
  /** True where it was still undecided: then the events are appended with it, or nothing is done. @throws as `BreakStore.append` */
  decideWaiver(
    key: number,
    by: string,
    at: Instant,
    outcome: 'approved' | 'refused',
    events?: readonly PersonsEvent[],
  ): Promise<boolean>;
  views(owner: string): Promise<readonly SavedView[]>;
  saveView(view: SavedView): Promise<void>;
  forgetView(owner: string, name: string): Promise<void>;
}

/** A remark of a person about a break; never changed, never deleted. */
export interface Note {
  at: Instant;
  name: string;
  account: string;
  text: string;
  /** Names of colleagues in it. */
  mentions: readonly string[];
}

/** Files of one break, and bytes of one account in 24 hours: a backup has them all, and larger files belong in a ticket system. */
export const ATTACHMENT_QUOTA = { files: 20, bytes: 100 * 1024 * 1024 } as const;

/** A file that a person added to a break, by its hash. */
export interface Attachment extends Pick<Note, 'at' | 'name' | 'account'> {
  fileName: string;
  bytes: number;
  sha256: string;
}

/** A waiver above the limit, until a second person decides. */
export interface WaiverRequest {
  key: number;
  breakId: string;
  askedBy: string;
  askedAccount: string;
  askedAt: Instant;
  reason: string;
  until: BusinessDate | null;
  /** `CurrentBreak.events` at the time of the request: if the break has changed since, another request is needed. */
  events: number;
  outcome: 'approved' | 'refused' | null;
}

/** A filter that a person gave a name. */
export interface SavedView {
  owner: string;
  name: string;
  /** As in the address, without `?`. */
  query: string;
  shared: boolean;
}
