/** A case is everything known about one record at judging time. Rules see nothing else. */
import type { RenamedAsset } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Decomposition, NotDecomposed } from './decompose.ts';
import type { Delivery, DeliveryFacts, DeliveryTerms } from './delivery.ts';
import type { FeeCeiling } from './fee-ceilings.ts';
import type { FeeComparison } from './fees.ts';
import type { HostShare } from './host-share.ts';
import { type Market, NO_MARKET } from './market.ts';
import type { ContractPrice, PriceList } from './price-list.ts';
import type { MatchedQuote, MatchWindow, ShownAmounts } from './quote.ts';
import type { Instant, Kind, RecordPosition } from './record.ts';
import type { ReferenceAsOf } from './reference.ts';
import type { Drift, Snapshot } from './snapshot.ts';
import type { MoneyMoved, StatusModel } from './status.ts';
import type { Survey } from './survey.ts';
import type { QuoteBinding, Tolerances } from './tolerance.ts';

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
  /** The first snapshot whose price was fixed (`isExecuted`); absent where it is one of those two, and where there is none. */
  firstExecuted?: Snapshot;
  /** The furthest status seen before tonight and when, or null. */
  peak: { status: string; at: Instant } | null;
  /** When the present status was first seen, or null where it is new tonight. */
  statusSince: Instant | null;
  /** When the id was stored; known only where the record has no date, or one that cannot be true. */
  trackedAt?: Instant;
  /** Statuses that it was seen in, oldest first; absent where no rule needs them, as for a released record. */
  passed?: readonly { status: string; at: Instant }[];
  /** An earlier body that was changed later than tonight's, by its own word: the latest one; absent where there is none. */
  younger?: { updatedAt: Instant; seenAt: Instant };
  /** The last time the record was verified before tonight, or null. */
  lastVerified: { at: Instant; status: string | null } | null;
}

/** All that is known of one record as of a run: what its rules judge, and nothing else. */
export interface Case extends RecordPosition {
  tracked: TrackedFacts;
  observation: Observation;
  history: History;
  /** Null where no quote belongs to the record. */
  quote: MatchedQuote | null;
  reference: ReferenceAsOf;
  /** What others saw around its execution. */
  market: Market;
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
  market: NO_MARKET,
  delivery: null,
} as const satisfies Omit<Case, 'kind' | 'recordId' | 'observation'>;

/** When a price was fixed, both ends included. */
export interface ExecutionWindow {
  from: Instant;
  to: Instant;
}

/** Why a record has no execution window. */
export type NotExecuted = 'not executed yet' | 'no creation time' | 'its moments are in the wrong order';

/** What is worked out of a case once, for all rules and reports. */
export interface CaseFigures {
  /** When its price was fixed, or why that cannot be told. */
  executed: ExecutionWindow | NotExecuted;
  /** The fee arithmetic; null unless the record was verified. */
  fees: FeeComparison | null;
  /** What the record cost its user against the quote, in parts, or why that cannot be told; null unless the record was verified. */
  decomposed: Decomposition | NotDecomposed | null;
  /** The delivery that the record promises, compared with its chain; null where none is expected or no chain is configured. */
  expectation: Delivery | null;
  /** What the host earned by it; null where it is not released, or nothing states a share. */
  share: HostShare | null;
  /** Whether anybody can have lost money by it (src/domain/money-moved.ts). */
  moved: MoneyMoved;
  /** What the price list allows; null where none is configured or it has no price for the record. */
  price: ContractPrice | null;
}

/** Of a record that was not verified. */
export const NO_FIGURES: CaseFigures = {
  executed: 'not executed yet',
  moved: 'unknown',
  share: null,
  fees: null,
  decomposed: null,
  expectation: null,
  price: null,
};

/** The same for every case of a run. */
export interface JudgingTerms {
  /** The instant judged at: the end of the business date, or the fetch where that is earlier. */
  asOf: Instant;
  /** Of the business days; working days are counted in it. */
  timezone: string;
  statuses: StatusModel;
  tolerances: Tolerances;
  /** What a quote promises. */
  binding: QuoteBinding;
  /** Where captured quotes were looked for. */
  window: MatchWindow;
  /** The maker's name in identifiers (`base<Name>Fee`), for explanations. */
  identifierName: string;
  /** Kinds whose quotes are captured as a rule: only there is a record without one a finding. */
  quotesCaptured: Readonly<Record<Kind, boolean>>;
  /** In order: the first that fits counts. */
  feeCeilings: readonly FeeCeiling[];
  /** Names that are one asset; absent in older terms, which had the built-in ones. */
  renamedAssets?: readonly RenamedAsset[];
  /** The host's fee in most quotes of the night's purchases, as a share of the value; absent where they have none. */
  hostShare?: Decimal;
  /** What the run's records and quotes have in common. */
  common?: Pick<Survey, 'margins' | 'fiatRates'>;
  /** Deliveries that several records name, with those records; by `nameOfTx`. */
  reusedTx: ReadonlyMap<string, readonly string[]>;
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
