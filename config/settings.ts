/** The settings as the rest of Tieout sees them: read, checked, and named as in the file. Durations are milliseconds. */

import type { DuePolicy } from '../src/domain/due.ts';
import type { Severity } from '../src/domain/finding.ts';
import type { Kind } from '../src/domain/record.ts';
import type { StatusModel } from '../src/domain/status.ts';
import type { Tolerances } from '../src/domain/tolerance.ts';

export interface Settings {
  service: ServiceSettings;
  database: DatabaseSettings;
  /** Folder that report sets are published to, relative to the working directory. */
  out: string;
  /** IANA name; business days begin and end by it. */
  timezone: string;
  sources: readonly SourceSettings[];
  schedule: {
    /** IANA name that the cron lines are read in; apart from the business days' own. */
    timezone: string;
    /** Job name → cron line; a job that is switched off is not in it. */
    jobs: ReadonlyMap<string, string>;
  };
  quotes: QuoteSettings;
  tolerances: Tolerances;
  statuses: StatusModel;
  /** Only the rules that differ from their own defaults, by code. */
  rules: Readonly<Record<string, { severity: Severity } | 'off'>>;
  reports: {
    formats: readonly ReportFormat[];
    profile: ReportProfile;
    /** `minor-units` rounds fiat amounts to the currency's own places when printing; comparing is always exact. */
    decimals: 'exact' | 'minor-units';
  };
  publish: PublishSettings;
  workers: WorkerSettings;
  due: DuePolicy;
  webhooks: WebhookSettings;
  notify: NotifySettings;
  /** How long evidence and events are kept, in ms; null keeps them for ever. */
  retention: { snapshots: number | null; events: number | null };
  /** 32 bytes that seal tokens at rest; null where a key file beside the database is to be used. */
  secretKey: Uint8Array | null;
  logLevel: LogLevel;
}

export const REPORT_FORMATS = ['csv', 'xlsx', 'html', 'json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const REPORT_PROFILES = ['standard', 'excel', 'excel-eu', 'google-sheets'] as const;
export type ReportProfile = (typeof REPORT_PROFILES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ServiceSettings {
  /** The base that ends in `/api`, without a trailing slash; null where it is not configured. */
  url: string | null;
  /** The maker's name in identifiers on the wire: `base<Name>Fee`. */
  identifierName: string;
  /** From the environment only; null where unset. Never printed. */
  hostApiKey: string | null;
  /** Requests in flight at once; the rate is bounded by `rateLimits`. */
  concurrency: number;
  rateLimits: readonly { requests: number; perMs: number }[] | 'off';
  /** How long a request may take from leaving until the server counts it, ms. */
  guard: number;
  /** Deadline of one whole exchange, ms. */
  timeout: number;
  /** Attempts after the first. */
  retries: number;
  /** Path of one sale below `url`, with `{id}` in it (spec §4.1). */
  salePath: string;
  /** Name that processes behind one address share; null is this host's own name. */
  egress: string | null;
  /** IP address to send from; null leaves it to the system. */
  localAddress: string | null;
}

/** Runs that several machines fetch (PostgreSQL only). */
export interface WorkerSettings {
  /** A run is cut into batches for `tieout worker`, instead of being fetched by the process that runs it. */
  enabled: boolean;
  /** Records in one batch. */
  batch: number;
  /** How long a worker may be silent before its batches go to another one, ms. */
  heartbeat: number;
  /** How long a run waits for workers while nothing happens, ms; then it makes do with what it has. */
  patience: number;
  /** Where a worker answers `/healthz`, `/readyz` and `/metrics`; port 0 takes any free one. */
  metrics: { host: string; port: number | 'off' };
}

export interface DatabaseSettings {
  /** `sqlite:PATH` or `postgres://…`; may hold a password. */
  url: string;
  /** One run at a time: how long a holder that has fallen silent keeps the lock, ms. */
  lease: { ttl: number };
}

export type SourceSettings = FileSourceSettings | SqlSourceSettings;

export interface FileSourceSettings {
  type: 'file';
  name: string;
  /** A path or a glob, relative to the working directory. */
  path: string;
  /** Null: by extension, else by content. */
  format: 'csv' | 'ndjson' | null;
  /** For lines that have no kind of their own. */
  kind: Kind | null;
}

export interface SqlSourceSettings {
  type: 'sql';
  name: string;
  /** `sqlite:PATH` or `postgres://…`; may hold a password. */
  url: string;
  query: string;
  kind: Kind | null;
}

export interface PublishSettings {
  /** Path of the Ed25519 private key (PEM) that manifests are signed with; null leaves them unsigned. */
  signingKeyFile: string | null;
  /** Public keys that signatures are verified with, several for a rotation: paths, or PEM texts. */
  verifyKeys: readonly string[];
}

export interface QuoteSettings {
  /** A captured quote may be this much older than its record, ms. */
  matchWindow: number;
  /** A quote taken on the CREATED webhook may be this much younger, ms. */
  matchWindowAfter: number;
  captureOnCreated: boolean;
}

export interface WebhookSettings {
  host: string;
  /** 0 takes any free port. */
  port: number;
  requireSignature: boolean;
  /** PEM texts. */
  publicKeys: readonly string[];
  /** Bearer token for POST /events and POST /quotes, from the environment only; null closes them. */
  intakeToken: string | null;
  /** Whose X-Forwarded-For is believed: nobody's, everybody's, or that of these addresses and networks. */
  trustProxy: boolean | readonly string[];
  /** Whether /openapi.json and /docs are there; `auto`: on a loopback address that no proxy is trusted before. */
  docs: boolean | 'auto';
}

export interface NotifySettings {
  /** Called after every run that ended as it should. */
  heartbeatUrl: string | null;
  /** Sent a summary of each run. */
  webhookUrl: string | null;
  /** Sent the same summary, as a mail. */
  email: { url: string; from: string; to: readonly string[] } | null;
  /** Of the user in `email.url`; from the environment only; null where unset. Never printed. */
  smtpPassword: string | null;
  /** More new breaks of one rule in one run than this are announced as one. */
  stormCap: number;
}
