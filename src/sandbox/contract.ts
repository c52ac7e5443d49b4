/**
 * What the rest of Tieout may expect of the sandbox: the Service itself, embedded, on a loopback port, with a seeded
 * population whose defects are known. It keeps no record in memory: every body, quote and export line is computed from
 * (seed, index) when it is asked for, so a million records cost as much room as ten.
 */
import type { LiveSide } from './live/contract.ts';

/** Sandbox instants are milliseconds since 1970-01-01T00:00:00Z. */
export type SandboxInstant = number;

export type SandboxKind = 'purchase' | 'sale';

/** At most `requests` in any window of `perMs` milliseconds. */
export interface SandboxRateLimit {
  requests: number;
  perMs: number;
}

/** Field facts: 100 a minute and 1,000 per 15 minutes and address; passing the second blocks the address for an hour. */
export const DEFAULT_RATE_LIMITS: readonly SandboxRateLimit[] = [
  { requests: 100, perMs: 60_000 },
  { requests: 1_000, perMs: 900_000 },
];

/** The integration key that the sandbox knows unless told otherwise. Not a secret: it opens nothing but the sandbox. */
export const SANDBOX_HOST_API_KEY = 'sandbox-host-key';

export interface SandboxOptions {
  /** Where the sandbox gets the time from, in milliseconds since 1970. Its own clock is this plus what it was moved by. */
  clock: () => SandboxInstant;
  /** 0 (the default) takes a free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Equal seeds, counts, days and `now` give equal bytes. Default 7. */
  seed?: number;
  /** Purchases and sales together. Default 2,000. */
  records?: number;
  /** How far back from `now` the population's creation times reach. Default 30. */
  days?: number;
  /** The instant of the first night: the population is as it was then. Default: what `clock` says at the start. */
  now?: SandboxInstant;
  /** Share of records with a defect, 0 to 1. Default 0: a clean population. */
  defects?: number;
  /** Only these: names of defects or break codes. Default: all of them, in turn. */
  defectKinds?: readonly string[];
  /** `on` (the default), `off`, or limits of one's own, from the shortest window to the longest. */
  rateLimits?: 'on' | 'off' | readonly SandboxRateLimit[];
  /** The maker's name in identifiers: `base<Name>Fee`. Default `Service`. */
  identifierName?: string;
  /** Integration keys that are accepted. Default: `SANDBOX_HOST_API_KEY`. */
  hostApiKeys?: readonly string[];
  /**
   * How many times faster than by the clock live records move on and webhooks are repeated, 0.001 to 100,000. The clock
   * itself is not touched by it: times in bodies, prices and limits stay what they are to everybody else. Default 1.
   */
  speed?: number;
  /**
   * `moving` (the default): prices change with the minute. `still`: all quotes and live records have the prices of the
   * first night, so that a quote asked for a minute after a purchase is the one that its user was shown.
   */
  prices?: 'moving' | 'still';
  /** PEM, a private key on secp256k1 to sign webhooks with. Default: one made at the start. */
  webhookPrivateKey?: string;
}

/** The population is seen as of the first night, or a day later, when the defects that need a change have changed. */
export type Night = 1 | 2;

/** One line of the answer key: everything that is due for one defective record, and nothing else is due for any other. */
export interface AnswerKeyEntry {
  kind: SandboxKind;
  id: string;
  /** The defect's name, for people. */
  defect: string;
  /** All break codes due for the record. */
  codes: readonly string[];
  /** The first night on which they are due. */
  night: Night;
}

/** One line of `tieout import`. Null cells are left empty. */
export interface TrackedLine {
  kind: SandboxKind;
  id: string;
  view_token: string;
  /** ISO 8601. */
  created_at: string;
  host_reference: string | null;
  quote_id: string | null;
  expected_status: string | null;
}

/** One captured quote: request and response exactly as the endpoint would have them at `captured_at`. */
export interface QuoteLine {
  quote_id: string;
  direction: 'onramp' | 'offramp';
  api_version: 'v1' | 'v3';
  /** ISO 8601. */
  captured_at: string;
  request: Readonly<Record<string, unknown>>;
  response: Readonly<Record<string, unknown>>;
}

export interface SandboxStats {
  /** Requests that arrived at the API, rejected ones included; requests to `/sandbox/…` are not counted. */
  requests: number;
  /** By `METHOD /path` with parameters named, such as `GET /host-api/purchase/:id`. */
  byEndpoint: Readonly<Record<string, number>>;
  /** Per limit in force, the most requests of one address seen in any rolling window of that length. */
  limits: readonly (SandboxRateLimit & { maxSeen: number })[];
  /** Requests answered 429, those of blocked addresses included. */
  rejected: number;
  /** Requests that came while their address was blocked for the hour. */
  whileBlocked: number;
}

export interface Sandbox {
  /** The base that `TIEOUT_SERVICE_URL` wants; ends in `/api`. */
  readonly url: string;
  /** Scheme, host and port; the control endpoints are under `<origin>/sandbox/`. */
  readonly origin: string;
  readonly port: number;
  readonly hostApiKey: string;
  /** The instant of the first night. */
  readonly now: SandboxInstant;
  stats(): SandboxStats;
  /** Moves the sandbox's own clock; the limiter and all prices follow. */
  advanceClock(ms: number): void;
  /** Sets the sandbox's own clock, back in time too: reference data is then what it was. The limiter forgets its windows. */
  setClock(at: SandboxInstant): void;
  setNight(night: Night): void;
  /** PEM: what a receiver of webhooks is configured with (`webhooks.publicKeys`). */
  readonly webhookPublicKey: string;
  /** Purchases and sales that are made while the sandbox runs. */
  readonly live: LiveSide;
  answerKey(): Generator<AnswerKeyEntry>;
  trackedLines(): Generator<TrackedLine>;
  quoteLines(): Generator<QuoteLine>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
