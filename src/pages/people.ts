/** Who is asking: a session that was opened by a sign-in, or a proxy at one of the named addresses. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { BlockList, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { type Actor, ROLES, type Role } from '../domain/actor.ts';
import type { Instant } from '../domain/record.ts';
import type { Act } from '../ports/store/store.ts';
import type { PagesEdges, Person, ProxySettings } from './contract.ts';
import { RefusedError } from './request.ts';

const SECRET_BYTES = 32;
const SESSION_KEY = 'secret';

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const ACTS: Readonly<Record<string, string>> = {
  'access.link': 'sign-in link',
  'access.revoke': 'end of sign-in links',
  'claim.open': 'claim',
  'payouts.import': 'import of payouts',
  'period.close': 'close',
  'period.delta': 'delta',
  'period.review': 'review',
};

/** As a page says it: `claim.sent` as `claim: sent`; what was refused is named by its method and route. */
export function actInWords(action: string): string {
  return ACTS[action] ?? action.replace(/^bulk\./, 'bulk decision: ').replace(/^([a-z]+)\./, '$1: ');
}

/** Roles from the values of a claim or header, each as the settings translate it. */
export function rolesFrom(values: readonly string[], known: ReadonlyMap<string, Role>): readonly Role[] {
  const given = values.map((value) => known.get(value)).filter((role) => role !== undefined);
  return ROLES.filter((role) => given.includes(role));
}

/** A new session with a new secret. An earlier one of the browser ends, so that no copy of its cookie keeps roles that were taken away. */
export async function openSession(
  request: FastifyRequest,
  edges: PagesEdges,
  { name, account, roles }: { name: string; account: string; roles: readonly Role[] },
): Promise<void> {
  await closeSession(request, edges);
  // Only its bearer has it; the store gets its hash.
  const secret = Buffer.from(edges.random(SECRET_BYTES)).toString('base64url');
  const now = edges.now();
  const endsAt = now + edges.settings.sessionMs;
  await edges.store.access.addSession({ secretHash: hashOf(secret), name, account, roles, madeAt: now, endsAt });
  const proof = proofOf(account, edges) ?? 'stated';
  await note(edges, { name, account, proof }, { action: 'sign-in', subject: account, outcome: 'done' });
  request.session.set(SESSION_KEY, secret);
}

export async function closeSession(request: FastifyRequest, edges: PagesEdges): Promise<void> {
  const session = request.person?.session;
  if (session != null) await edges.store.access.endSession(session, edges.now());
  request.session.clear();
}

export interface Asking {
  /** Null where the request has no session and no proxy names a person. */
  person: Person | null;
  /** A header of a proxy that was not believed, and why. */
  doubted: { name: string; why: string } | null;
}

export async function personOf(request: FastifyRequest, edges: PagesEdges, proxies: BlockList | null): Promise<Asking> {
  const { proxy, roles: known } = edges.settings;
  const asking = proxy === null || proxies === null ? ANONYMOUS : byProxy(request, proxy, proxies, known);
  if (asking.person !== null) return asking;
  const secret: unknown = request.session.get(SESSION_KEY);
  if (typeof secret !== 'string') return asking;
  const session = await edges.store.access.session(hashOf(secret), edges.now());
  if (session === null) return asking;
  const { name, account, roles, secretHash } = session;
  const proof = proofOf(account, edges);
  return proof === null
    ? asking
    : { ...asking, person: { actor: { name, account, proof }, roles, session: secretHash } };
}

/** Null where the settings refuse local links: sessions of before end. */
function proofOf(account: string, { settings }: PagesEdges): Actor['proof'] | null {
  if (!account.startsWith(LOCAL)) return 'proved';
  return settings.localLinks === 'off' ? null : settings.localLinks;
}

const LOCAL = 'local:';
export const localAccount = (name: string) => `${LOCAL}${name}`;

/** @throws RefusedError for a name that is only stated: any user of the machine can have made its link */
export function requireProved({ proof }: Actor, what: string): void {
  if (proof === 'proved') return;
  throw new RefusedError(
    `To ${what} needs a proved name: sign in by pages.oidc or pages.proxy, or set access.localLinks: proved.`,
  );
}

const ANONYMOUS: Asking = { person: null, doubted: null };

export function namedAddresses({ addresses }: ProxySettings): BlockList {
  const list = new BlockList();
  for (const each of addresses) {
    const [address = '', prefix] = each.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number.parseInt(prefix, 10), family);
  }
  return list;
}

/** The address of the connection itself: X-Forwarded-For is a header that any client can set. */
function byProxy(
  request: FastifyRequest,
  { nameHeader, rolesHeader }: ProxySettings,
  proxies: BlockList,
  known: ReadonlyMap<string, Role>,
): Asking {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  const given = headerTexts(request, nameHeader);
  if (given.length === 0) return ANONYMOUS;
  const [name = ''] = given;
  const doubt = (why: string): Asking => ({ person: null, doubted: { name: name.slice(0, 100), why } });
  if (address === '' || !proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'))
    return doubt(`${nameHeader} from an address that is not among pages.proxy.addresses`);
  // Of two headers, the client may have sent one.
  if (given.length > 1) return doubt(`${nameHeader} came twice`);
  if (name === '' || name.length > LONGEST_NAME) return doubt(`${nameHeader} is empty or too long`);
  const groups = headerTexts(request, rolesHeader);
  const roles =
    groups.length > 1
      ? []
      : rolesFrom(
          (groups[0] ?? '').split(',').map((each) => each.trim()),
          known,
        );
  if (roles.length === 0) return doubt(`${rolesHeader} gives no role that pages.roles knows`);
  return {
    person: { actor: { name, account: `proxy:${name}`, proof: 'proved' }, roles, session: null },
    doubted: null,
  };
}

const LONGEST_NAME = 512;

function headerTexts(request: FastifyRequest, name: string): string[] {
  const raw = request.raw.rawHeaders;
  return raw
    .filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name.toLowerCase())
    .map((text) => inUtf8(text).trim());
}

/** Proxies send names in UTF-8, and Node reads each byte as a letter: two spellings of a name would be two people. */
function inUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

/** Appends to the record of acts. */
export function note(
  edges: PagesEdges,
  actor: Actor,
  act: Pick<Act, 'action' | 'subject' | 'outcome'> & { at?: Instant; detail?: string },
): Promise<void> {
  return edges.store.access.note({ at: edges.now(), ...actor, detail: null, ...act });
}
