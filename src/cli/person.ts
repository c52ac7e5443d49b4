/** The actor of a command: a stated name, and the account of the operating system. */
import { userInfo } from 'node:os';
import type { Actor } from '../domain/actor.ts';
import { UsageError } from '../domain/errors.ts';

/** @param by the value of --by; else the name of the account. @throws UsageError for a blank one */
export function statedActor(by: string | undefined): Actor {
  const account = userInfo().username;
  requireText('--by', by);
  return { name: by ?? account, account: `os:${account}`, proof: 'stated' };
}

/** What a decision is recorded with. @throws UsageError for a blank text */
export function requireText(flag: string, text: string | undefined): void {
  if (text?.trim() === '') throw new UsageError(`${flag} must not be empty`);
}
