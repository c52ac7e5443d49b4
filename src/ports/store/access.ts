/** Access to the pages, and the record of acts and refusals. */
import type { Actor, Role } from '../../domain/actor.ts';
import type { Instant } from '../../domain/record.ts';

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
  /** Ends every link and session of a name; returns their number. */
  revoke(name: string, now: Instant): Promise<number>;
  /** Accounts that ever made a link for the name. */
  linkMakers(name: string): Promise<readonly string[]>;
  /** Names that ever signed in, sorted; a note can mention them. */
  people(): Promise<readonly string[]>;
  note(act: Act): Promise<void>;
  /** Newest first. */
  acts(filter: { action?: string; subject?: string; outcome?: Act['outcome']; limit: number }): Promise<readonly Act[]>;
}
