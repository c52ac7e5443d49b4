/**
 * The contract of a store. One implementation serves it on two engines, SQLite and PostgreSQL. All methods are batched:
 * a page in, a page out, so that a population never has to fit in memory. Every method commits before it resolves.
 * Times are wall-clock instants given by the caller; the store reads no clock.
 */
import type { Instant } from '../../domain/record.ts';
import type { BookingLog } from '../pacing.ts';
import type { BreakStore } from './breaks.ts';
import type { EvidenceStore, MoveStore } from './evidence.ts';
import type { HistoryStore, ItemStore, WebhookStore } from './items.ts';
import type { PeriodStore } from './periods.ts';
import type { PublicationStore } from './publications.ts';
import type { QuoteStore, ReferenceStore } from './quotes.ts';
import type { LeaseStore, RunStore } from './runs.ts';
import type { TrackedStore } from './tracked.ts';
import type { AccessStore, ClaimStore, WorkListStore } from './work-list.ts';

export type * from './breaks.ts';
export type * from './evidence.ts';
export type * from './items.ts';
export type * from './publications.ts';
export type * from './quotes.ts';
export type * from './runs.ts';
export type * from './tracked.ts';
export type * from './work-list.ts';

/** All that is kept, by feature. Both engines give the same rows in the same order. */
export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly tracked: TrackedStore;
  readonly quotes: QuoteStore;
  readonly reference: ReferenceStore;
  readonly runs: RunStore;
  readonly items: ItemStore;
  readonly history: HistoryStore;
  readonly deliveries: WebhookStore;
  readonly breaks: BreakStore;
  readonly workList: WorkListStore;
  readonly claims: ClaimStore;
  readonly access: AccessStore;
  readonly evidence: EvidenceStore;
  readonly moves: MoveStore;
  readonly periods: PeriodStore;
  readonly bookings: BookingLog;
  readonly leases: LeaseStore;
  readonly publications: PublicationStore;
  /**
   * Whether a writer has been waiting longer than a healthy one holds the lock. Fails if the database does not
   * answer.
   */
  isBlocked(): Promise<boolean>;
  close(): Promise<void>;
}

/** Number of rows deleted, or to be deleted in a dry run. */
export interface Pruned {
  bodies: number;
  sealedBodies: number;
  deliveries: number;
  /** Snapshots without references. */
  snapshots: number;
  /** Figures of bodies that no snapshot has; in a dry run without those that only the snapshots to be deleted have. */
  contents: number;
  /** Captures of reference data that nothing here is judged by; their lists go with the last capture. */
  captures: number;
}

/** Result of `tieout db check` over the rows. */
export interface RowCheck {
  /** Bodies whose figures were compared with their digest. */
  checked: number;
  /** Bodies without a digest, or with one under a missing key. */
  unchecked: number;
  /** Sentences, each with its subject. */
  problems: readonly string[];
}

/** Maintenance of a database; separate from Store, which requires an up-to-date schema. */
export interface Upkeep {
  /**
   * Applies pending migrations and returns their names; safe for concurrent processes. Seals the rows that are older than the seals, where
   * the key is known. `isUnsealed`: there are such rows, and it is not.
   * @throws WrongKeyError
   */
  migrate(): Promise<{ applied: readonly string[]; isUnsealed: boolean }>;
  status(): Promise<{
    engine: string;
    location: string;
    applied: readonly string[];
    pending: readonly string[];
    /** `ok`, or the failures that the engine's integrity check reports. */
    integrity: string;
    counts: Readonly<Record<string, number>>;
    /** Ids of the keys in use for tokens and bodies; more than one during a rotation. */
    sealingKeys: readonly string[];
  }>;
  /** Finds rows that were changed outside Tieout. @throws an AbortError where the signal comes first */
  check(signal?: AbortSignal): Promise<RowCheck>;
  /**
   * Deletes evidence texts, sealed bodies, processed deliveries and snapshots that nothing refers to, older than the given instants;
   * null keeps them all. Evidence of breaks that are not resolved, of claims under way and of closed months is kept. Runs stay replayable.
   */
  prune(before: { snapshots: Instant | null; events: Instant | null }, dryRun: boolean): Promise<Pruned>;
  /** A consistent copy while others write (SQLite: VACUUM INTO). */
  backup(path: string): Promise<void>;
  /**
   * Seals every value of an older key again with the newest key, in batches. May be interrupted and run again.
   * Returns the number of values sealed. @throws MissingKeyError, WrongKeyError, BrokenSealError
   */
  reseal(onProgress?: (renewed: number) => unknown): Promise<number>;
  /**
   * Corrects rows that a wrong clock dated after `now`: such runs no longer decide what is due, their records are due
   * again, and their leases end. Published sets stay. Returns the ids of the runs, and how many records and leases there were.
   */
  healClock(now: Instant): Promise<{ runs: readonly string[]; records: number; leases: number }>;
  close(): Promise<void>;
}
