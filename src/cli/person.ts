/** The person of a command: a name that is stated, and the account of the operating system that stated it. */
import { userInfo } from 'node:os';
import type { Actor } from '../domain/actor.ts';

/** @param by the value of --by; else the name of the account. */
export function statedActor(by: string | undefined): Actor {
  const account = userInfo().username;
  return { name: by ?? account, account: `os:${account}`, proof: 'stated' };
}
