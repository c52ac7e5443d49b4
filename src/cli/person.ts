/** The actor of a command: a stated name, and the account of the operating system. */
import { userInfo } from 'node:os';
import type { Actor } from '../domain/actor.ts';
import { UsageError } from '../domain/errors.ts';

/** @param by the value of --by; else the name of the account. */
export function statedActor(by: string | undefined): Actor {
  const account = userInfo().username;
  return { name: by ?? account, account: `os:${account}`, proof: 'stated' };
}

/** Of a decision. @throws UsageError for a blank one */
export function requireReason(reason: string): void {
  if (reason.trim() === '') throw new UsageError('--reason must not be empty');
}
