/** Two people are two accounts, neither of which made the other's sign-in link. */
import type { Known, NamedAccount } from '../domain/actor.ts';
import type { Store } from '../ports/store/store.ts';

/** An account that signed in by a link of `tieout access link`. */
const LOCAL = 'local:';

/** The person with the accounts that made the links of the name. */
export async function knownAs(access: Pick<Store['access'], 'linkMakers'>, person: NamedAccount): Promise<Known> {
  const { name, account } = person;
  const linksMadeBy = account.startsWith(LOCAL) ? await access.linkMakers(account.slice(LOCAL.length)) : [];
  return { name, account, linksMadeBy };
}
