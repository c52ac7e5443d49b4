/** The actor of a command: a stated name, and the account of the operating system. */
import { userInfo } from 'node:os';
import type { Actor } from '../domain/actor.ts';

/** @param by the value of --by; else the name of the account. */
export function statedActor(by: string | undefined): Actor {
  const account = userInfo().username;
  return { name: by ?? account, account: `os:${account}`, proof: 'stated' };
}
