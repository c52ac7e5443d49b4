/** The edges of the pages: what they need of other rooms, and who is asking. */
import type { Actor, Role } from '../domain/actor.ts';
import type { Claim } from '../domain/claim.ts';
import type { HostShare } from '../domain/host-share.ts';
import type { Payout, StatementLine } from '../domain/payout.ts';
import type { PriceList, SimulatedRow } from '../domain/price-list.ts';
import type { Instant, Kind } from '../domain/record.ts';
import type { Reporting } from '../domain/reporting.ts';
import type { KnownRecordStory } from '../explain/explain-record.ts';
import type { BreakStory } from '../explain/story.ts';
import type { PeriodEdges } from '../periods/edges.ts';
import type { Log } from '../ports/log.ts';
import type { SettledRevenue } from '../ports/settled.ts';
import type { CurrentBreak, Store } from '../ports/store/store.ts';
import type { ClaimChange } from '../worklist/claims.ts';
import type { WaiverLimits } from '../worklist/work.ts';

interface PagesSettings {
  /** The origin that browsers use, without a path: `http://127.0.0.1:8080`; null until it is known. */
  url: string | null;
  sessionMs: number;
  timezone: string;
  /** What the Service allows; empty for no limit. */
  rateLimits: readonly { requests: number; perMs: number }[];
  /** Folder of published sets. */
  out: string;
  limits: WaiverLimits;
  /** What a sign-in by a link of `tieout access link` proves. */
  localLinks: 'stated' | 'proved' | 'off';
  /** A month is closed and reviewed by people who proved who they are. */
  provedPeriods: boolean;
  oidc: OidcSettings | null;
  proxy: ProxySettings | null;
  /** Of a value in the claim or header of roles, the role it gives. */
  roles: ReadonlyMap<string, Role>;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  nameClaim: string;
  rolesClaim: string;
  scope: string;
}

export interface ProxySettings {
  /** The only addresses whose headers are believed. */
  addresses: readonly string[];
  nameHeader: string;
  rolesHeader: string;
}

export interface PagesEdges {
  store: Store;
  settings: PagesSettings;
  /** 32 bytes that cookies are sealed with. */
  cookieKey: Uint8Array;
  now: () => Instant;
  random: (bytes: number) => Uint8Array;
  /** The reporting currency with its rates of now; null where the settings have none. */
  reporting: () => Promise<Reporting | null>;
  story: (standing: CurrentBreak) => Promise<BreakStory>;
  /** Null for a record that is not tracked. */
  recordStory: (kind: Kind, recordId: string) => Promise<{ story: KnownRecordStory; share: HostShare | null } | null>;
  periods: PeriodEdges;
  openClaim: (breakIds: readonly string[], opening: { title: string; reason: string; actor: Actor }) => Promise<Claim>;
  updateClaim: (claim: Claim, change: ClaimChange, why: { reason: string; actor: Actor }) => Promise<Claim>;
  /** The evidence of a claim as a ZIP. */
  packClaim: (claim: Claim) => Promise<Uint8Array>;
  packBreak: (standing: CurrentBreak) => Promise<Uint8Array>;
  /** The month-end pack of a closed month as a ZIP. @throws PeriodDamagedError */
  packMonth: (period: string) => Promise<Uint8Array>;
  /** Formats of `journal`. */
  journalFormats: readonly string[];
  /** The journal of a closed month, or the draft of an open one; several files where the program needs them. @throws UsageError */
  journal: (
    period: string,
    wish: { format: string; isClosed: boolean; corrections: boolean },
  ) => Promise<readonly { name: string; content: Uint8Array }[]>;
  payments: PaymentsEdge;
  /** @throws PriceListError with every problem in a line of its own */
  comparePrices: (
    text: string,
    file: string,
    period: string,
  ) => Promise<{ list: PriceList; rows: readonly SimulatedRow[] }>;
  makeLink: (link: { name: string; roles: readonly Role[]; by: string }) => Promise<{ url: string; endsAt: Instant }>;
  log: Log;
}

interface PaymentsEdge {
  /** @param columns its own names of columns, as `date=Paid amount=Net`. @throws UsageError */
  read: (text: string, how: { isLines: boolean; columns: string }) => readonly StatementLine[];
  /** Ids of all that is stored: payments, lines, and what they correct. */
  known: () => Promise<ReadonlySet<string>>;
  /** Adds those that are not stored yet; returns their number. */
  add: (payouts: readonly Payout[]) => Promise<number>;
  /** Months and payments as of now. @param more payments that are not stored */
  revenue: (more?: readonly Payout[]) => Promise<Pick<SettledRevenue, 'months' | 'payouts'>>;
}

/** The person of a request. */
export interface Person {
  actor: Actor;
  roles: readonly Role[];
  /** The hash of the session's secret; null where a proxy says who it is. */
  session: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    person: Person | null;
  }
}
