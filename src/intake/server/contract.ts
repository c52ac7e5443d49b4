/** The edges of `tieout serve`: everything that the server needs of other rooms. */

import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Bearer } from '../../domain/break.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { Severity } from '../../domain/finding.ts';
import type { Instant, Kind, Origin } from '../../domain/record.ts';
import type { Run } from '../../domain/run.ts';
import type { Log } from '../../ports/log.ts';
import type { QueueFigures } from '../../ports/queue.ts';
import type { BodyReading, QuoteAnswer } from '../../ports/service.ts';
import type { QuoteReading } from '../contract.ts';
import type { AcceptOutcome, Incoming } from '../webhooks/contract.ts';

export interface ServerEdges {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Whether the Service signed this body; null where configuration requires no signature. */
  verify: ((bodyText: string, signature: string) => Promise<boolean>) | null;
  /** Null closes /events and /quotes. */
  intakeToken: string | null;
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number;
  readWebhook: (bytes: Buffer, kind: Kind) => BodyReading;
  readEvent: (bytes: Buffer) => BodyReading;
  readQuote: (text: string) => QuoteReading;
  /** Resolves when the delivery is durable. */
  accept: (incoming: Incoming) => Promise<AcceptOutcome>;
  addQuote: (quote: QuoteAnswer) => Promise<'added' | 'unchanged' | 'conflict'>;
  /** Rejects where the database cannot be used. */
  isReady: () => Promise<void>;
  figures: () => Promise<Figures>;
  /** Called after the answer to a delivery that was stored. */
  onStored: (delivered: { kind: Kind; eventType: string | null }) => void;
  log: Log;
  /** Per address; absent: three times the burst that must be taken. */
  rateLimit?: { requests: number; perMs: number };
  /** From the first byte of a request to its last; absent: 15 s. */
  requestTimeoutMs?: number;
  /** Whose `X-Forwarded-For` is trusted: no sender's (absent, false), every sender's (true), or these addresses and networks. */
  trustProxy?: boolean | readonly string[];
  documentation: Documentation;
  /** Adds the other routes of the server, encapsulated, and its answer for unknown paths. */
  mount?: (server: FastifyInstance) => Promise<void>;
  /** Whether there are `/openapi.json` and `/docs`. */
  showsDocumentation: boolean;
}

export interface Documentation {
  schemas: WebhookSchemas;
  /** Of the code that takes the deliveries. */
  version: string;
}

/** The schemas of deliveries, from the Service room. */
export interface WebhookSchemas {
  purchase: z.ZodType;
  purchaseWebhook: z.ZodType;
  sale: z.ZodType;
  saleWebhook: z.ZodType;
  quoteLine: z.ZodType;
  /** Fields that have another name on the wire than in the schemas. */
  renamed: Readonly<Record<string, string>>;
}

/** The metrics apart from the deliveries; read from the store at each scrape. */
export interface Figures {
  now: Instant;
  jobs: readonly JobFigures[];
  /** Breaks that need action. */
  openBreaks: Readonly<Record<Severity, number>>;
  /** Money at stake of open breaks, by currency and bearer. */
  moneyAtStake: readonly { currency: string; bearer: Bearer; total: Decimal }[];
  /** Batches for workers, of all runs; null where there are no workers. */
  queue: QueueFigures | null;
  /** The address that this process sends from, by the name that it has in the settings. */
  egress: string;
  /** Of the egress; as are the windows. */
  circuit: { open: boolean; trips: number };
  windows: readonly { requests: number; perMs: number; used: number }[];
  requestsSent: number;
  /** Status changes by the origin that brought them first. */
  learnedFrom: Readonly<Record<Origin, number>>;
  /** Records with a delivery that were not fetched since. */
  awaitingRecheck: number;
  /** Bytes that can still be written, by `database` and `out`. */
  free: ReadonlyMap<'database' | 'out', number>;
  /** Bytes of the newest published night; null where there is none. */
  lastNight: number | null;
  /** How far this machine's clock is ahead of the Service's; null where this process has not asked it yet. */
  clockAheadMs: number | null;
}

export interface JobFigures {
  job: string;
  /** End of its newest run that saw everything due; null where there is none. */
  lastSuccessAt: Instant | null;
  /** The newest run that was judged; null where there is none. */
  newest:
    | (Pick<Run, 'sources'> & {
        finishedAt: Instant;
        requestsSent: number;
        verdicts: Readonly<Record<string, number>>;
        /** By its published manifest; absent where this machine does not have it. */
        withoutData?: { records: number; lacking: ReadonlyMap<string, number> };
      })
    | null;
}

export type IntakeEndpoint = 'purchase' | 'sale' | 'event' | 'quote';

/** The result of a delivery, for metrics: the outcomes of the intake, and the reasons of refusals. */
export type IntakeResult =
  | AcceptOutcome
  | 'ignored'
  | 'conflict'
  | 'unauthorized'
  | 'closed'
  | 'malformed'
  | 'too-large'
  | 'unsupported'
  | 'limited'
  | 'failed';
