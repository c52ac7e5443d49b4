/** A case is everything known about one record at judging time. Rules see nothing else. */
import type { Delivery, DeliveryFacts, DeliveryTerms } from './delivery.ts';
import type { FeeComparison } from './fees.ts';
import type { ContractPrice, PriceList } from './price-list.ts';
import type { MatchedQuote, MatchWindow, ShownAmounts } from './quote.ts';
import type { Instant, RecordPosition } from './record.ts';
import type { ReferenceAsOf } from './reference.ts';
import type { Drift, Snapshot } from './snapshot.ts';
import type { StatusModel } from './status.ts';
import type { Tolerances } from './tolerance.ts';

/** Why a record could not be read. A 404 or 403 is an answer about the record; the rest are failures to get one. */
export type UnreachableReason =
  | 'RECORD_MISSING'
  | 'ACCESS_DENIED'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'SERVER_ERROR'
  | 'NOT_JSON'
  | 'CLIENT_ERROR'
  | 'NOT_SENT';

export type QuarantineReason =
  | 'RECORD_ID_MISMATCH'
  | 'SCHEMA_DRIFT'
  | 'UNREADABLE_BODY'
  | 'BODY_TOO_LARGE'
  | 'REDIRECTED'
  /** The body was read, and judging the record failed: a defect of the program. */
  | 'NOT_JUDGED';

/** The result of tonight's observation of a record. */
export type Observation =
  | { outcome: 'verified'; snapshot: Snapshot }
  | {
      outcome: 'quarantined';
      reason: QuarantineReason;
      /** One sentence without secrets. */
      detail: string;
      drift: readonly Drift[];
      httpStatus: number | null;
      /** SHA-256 of the bytes received, or null where there were none. */
      sha256: string | null;
      at: Instant;
    }
  | {
      outcome: 'unreachable';
      reason: UnreachableReason;
      httpStatus: number | null;
      /** The Service's own `code`, where it gave one. */
      errorCode: string | null;
      at: Instant;
    }
  | { outcome: 'deferred'; reason: string };

/** What the application stated when it gave the id. */
export interface TrackedFacts {
  hostReference: string | null;
  /** When the record was created, by the application; null where it did not say. */
  createdAt: Instant | null;
  quoteId: string | null;
  expectedStatus: string | null;
  /** What the app showed its user; null where it did not say. */
  shown: ShownAmounts | null;
  /** In words, where one id came in with different tokens or kinds; null otherwise. */
  conflict: string | null;
  /** Event types the Service delivered for this record by webhook, oldest first. */
  webhookEvents: readonly { type: string; at: Instant }[];
}

/** The observations before tonight's. */
export interface History {
  /** The first readable snapshot, or null on the first night. */
  first: Snapshot | null;
  /** The snapshot in which a terminal status was first seen, or null. */
  firstTerminal: Snapshot | null;
  /** The furthest status seen before tonight and when, or null. */
  peak: { status: string; at: Instant } | null;
  /** When the present status was first seen, or null where it is new tonight. */
  statusSince: Instant | null;
  /** The last time the record was verified before tonight, or null. */
  lastVerified: { at: Instant; status: string | null } | null;
}

export interface Case extends RecordPosition {
  tracked: TrackedFacts;
  observation: Observation;
  history: History;
  /** Null where no quote belongs to the record. */
  quote: MatchedQuote | null;
  reference: ReferenceAsOf;
  /** What the record's chain says; null where it was not asked. */
  delivery: DeliveryFacts | null;
}

/** A record of which only the name is known. */
export const NOTHING_KNOWN = {
  tracked: {
    hostReference: null,
    createdAt: null,
    quoteId: null,
    expectedStatus: null,
    shown: null,
    conflict: null,
    webhookEvents: [],
  },
  history: { first: null, firstTerminal: null, peak: null, statusSince: null, lastVerified: null },
  quote: null,
  reference: { global: null, asset: null, methods: null },
  delivery: null,
} as const satisfies Omit<Case, 'kind' | 'recordId' | 'observation'>;

/** What is worked out of a case once, for all rules and reports. */
export interface CaseFigures {
  /** The fee arithmetic; null unless the record was verified. */
  fees: FeeComparison | null;
  /** The delivery that the record promises, compared with its chain; null where none is expected or no chain is configured. */
  expectation: Delivery | null;
  /** What the price list allows; null where none is configured or it has no price for the record. */
  price: ContractPrice | null;
}

/** The same for every case of a run. */
export interface JudgingTerms {
  /** The instant judged at: the end of the business date, or the fetch where that is earlier. */
  asOf: Instant;
  statuses: StatusModel;
  tolerances: Tolerances;
  /** Where captured quotes were looked for. */
  window: MatchWindow;
  /** The maker's name in identifiers (`base<Name>Fee`), for explanations. */
  identifierName: string;
  /** Null where no chain has endpoints. */
  deliveries: DeliveryTerms | null;
  /** Null where no contract's price list is configured. */
  prices: PriceList | null;
}

/** SHA-256 of the body that an observation rests on, or null where there is none. */
export function evidenceOf(observation: Observation): string | null {
  if (observation.outcome === 'verified') return observation.snapshot.evidence.sha256;
  return observation.outcome === 'quarantined' ? observation.sha256 : null;
}
