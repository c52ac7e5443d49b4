/** What closing a month and stating a delta share: the lock, the terms in force, and what an earlier process left behind. */
import { hostname } from 'node:os';
import type { App } from '../app/app.ts';
import { CODE_VERSION } from '../app/version.ts';
import type { Statement } from '../ports/store/periods.ts';
import { freezeTerms, termsHash } from '../rules/terms.ts';
import { holderOf, isDeadHolder } from '../runner/holder.ts';
import { type HeldLease, holdLease } from '../runner/lease.ts';
import { isInPlace } from './publish.ts';
import { RunBook } from './runs.ts';
import type { StageOptions } from './stage.ts';

/** Who states what now, by the terms in force. @param timezone of the month: that of its close, whatever the settings say today. */
export function stageOptions(app: App, by: string, timezone: string, signal: AbortSignal): StageOptions {
  const terms = freezeTerms(app.terms);
  return {
    store: app.store,
    book: new RunBook(app.store.periods),
    signal,
    stating: {
      timezone,
      by,
      at: app.clock.wall.now(),
      terms,
      rulesHash: termsHash(terms),
      configHash: app.configHash(),
      codeVersion: CODE_VERSION,
    },
  };
}

/** One process at a time. @throws LockHeldError */
export function periodLease(app: App): Promise<HeldLease> {
  const host = hostname();
  return holdLease({
    leases: app.store.leases,
    name: 'periods',
    holder: holderOf(host, process.pid),
    isDead: (holder) => isDeadHolder(host, holder),
    now: () => app.clock.wall.now(),
    ttlMs: app.settings.database.lease.ttl,
  });
}

/**
 * What an earlier process staged and put in its place without living to say so: it is to be finished, as it is. What never
 * came into its place is forgotten, for whoever closes now closes what is known now.
 */
export async function stagedStatement(app: App, period: string, type: 'close' | 'delta'): Promise<Statement | null> {
  const statements = await app.store.periods.statements(period);
  const staged = statements.find((each) => each.type === type && each.state === 'staged');
  if (staged === undefined) return null;
  if (isInPlace(app, staged)) return staged;
  await app.store.periods.forget(staged.key);
  return null;
}

/** After a failure: nothing of a statement counts whose set nobody can see. */
export async function forgetUnlessInPlace(
  app: App,
  name: Pick<Statement, 'period' | 'number'>,
  begun: readonly Statement[],
): Promise<void> {
  if (isInPlace(app, name)) return;
  for (const { key } of begun) await app.store.periods.forget(key);
}
