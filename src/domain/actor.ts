/** Who does something: a person by name, the account behind the name, and whether the name was stated or proved. */

/**
 * `stated`: typed on a command line, or signed in by a link of one, unless access.localLinks is `proved`. `proved`: signed in on the pages
 * by a provider or a proxy.
 */
export type Proof = 'stated' | 'proved';

export interface NamedAccount {
  /** As it is shown beside a decision. */
  name: string;
  /** The operating system's user of a command; of a page `local:ann`, `oidc:ISSUER:SUBJECT` or `proxy:ann`. */
  account: string;
}

/** Who did something, and what the program took the name from. */
export interface Actor extends NamedAccount {
  proof: Proof;
}

export const ROLES = ['viewer', 'analyst', 'closer', 'reviewer', 'administrator'] as const;
/** What a person may do on the pages; see `worklist/roles.ts`. */
export type Role = (typeof ROLES)[number];

/**
 * Names compare without regard to case, blanks and what is not seen: `Ann  Lee` and `annlee` are one person. By way of capitals, because a Greek
 * word has its own small letter at its end; composed again, because an accent may have stood behind what is not seen.
 */
export function isSamePerson(a: string, b: string): boolean {
  const plain = (name: string) =>
    name
      .normalize('NFKC')
      .replace(/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '')
      .toLowerCase()
      .toUpperCase()
      .normalize('NFKC');
  return plain(a) === plain(b);
}

/** What is known of a person who acts: also the accounts that made the sign-in links of the name. */
export interface Known extends NamedAccount {
  linksMadeBy: readonly string[];
}

/** Two people are two names and two accounts, neither of which made the other's sign-in link. */
export function areTwoPeople(a: Known, b: Known): boolean {
  const madeLinkOf = (maker: Known, other: Known) =>
    other.linksMadeBy.some((by) => by === maker.account || isSamePerson(by.replace(/^os:/, ''), maker.name));
  return a.account !== b.account && !isSamePerson(a.name, b.name) && !madeLinkOf(a, b) && !madeLinkOf(b, a);
}
