/**
 * What Tieout expects of a store. SQLite implements it here; PostgreSQL is a second engine behind the same contract.
 * All methods are batched: a page in, a page out, so that a population never has to fit in memory. Every method commits
 * before it resolves. Times are wall-clock instants given by the caller; the store reads no clock.
 */
import type { Instant } from '../../domain/record.ts';
import type { BookingLog } from '../pacing.ts';
import type { BreakStore } from './breaks.ts';
import type { DeliveryStore } from './deliveries.ts';
import type { HistoryStore } from './history.ts';
import type { ItemStore } from './items.ts';
import type { PeriodStore } from './periods.ts';
import type { QuoteStore, ReferenceStore } from './quotes.ts';
import type { LeaseStore, RunStore } from './runs.ts';
import type { TrackedStore } from './tracked.ts';

export type * from './breaks.ts';
export type * from './deliveries.ts';
export type * from './history.ts';
export type * from './items.ts';
export type * from './quotes.ts';
export type * from './runs.ts';
export type * from './tracked.ts';

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly tracked: TrackedStore;
  readonly quotes: QuoteStore;
  readonly reference: ReferenceStore;
  readonly runs: RunStore;
  readonly items: ItemStore;
  readonly history: HistoryStore;
  readonly deliveries: DeliveryStore;
  readonly breaks: BreakStore;
  readonly periods: PeriodStore;
  readonly bookings: BookingLog;
  readonly leases: LeaseStore;
  close(): Promise<void>;
}

/** Rows forgotten, or that would be. */
export interface Pruned {
  bodies: number;
  sealedBodies: number;
  deliveries: number;
}

/** Opening, migrating and looking at a database; apart from Store, which demands an up-to-date schema. */
export interface Upkeep {
  /** Applies what is missing; several processes may start it at once. Returns the names applied now. */
  migrate(): Promise<readonly string[]>;
  status(): Promise<{
    engine: string;
    location: string;
    applied: readonly string[];
    pending: readonly string[];
    /** `ok`, or what the engine's integrity check said. */
    integrity: string;
    counts: Readonly<Record<string, number>>;
    /** Ids of the keys that tokens and bodies are sealed with at present; more than one while a rotation is under way. */
    sealingKeys: readonly string[];
  }>;
  /**
   * Forgets evidence texts, sealed bodies and looked-at deliveries older than the given instants; null keeps them for
   * ever. What a standing break rests on is kept. Runs stay replayable.
   */
  prune(before: { snapshots: Instant | null; events: Instant | null }, dryRun: boolean): Promise<Pruned>;
  /** A consistent copy while others write (SQLite: VACUUM INTO). */
  backup(path: string): Promise<void>;
  /**
   * Seals everything again that an older key sealed, with the newest key, batch by batch. Resumable: it works on what is
   * left. Returns how many seals were renewed. @throws MissingKeyError, WrongKeyError, BrokenSealError
   */
  reseal(onProgress?: (renewed: number) => void): Promise<number>;
  close(): Promise<void>;
}
