/** Settings that are addresses: the Service, databases, and where to notify. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { ALLOWED, delegate, filledList, flag, type Reader, reader, SettingProblem } from './readers.ts';
import { shaped, shapeOf } from './shape.ts';

/** View tokens travel in the query (spec §5), so plain HTTP is for names that cannot leave the machine or its private network. */
function isNear(hostname: string): boolean {
  if (hostname === '[::1]' || hostname.endsWith('.localhost')) return true;
  return isIP(hostname) === 4 ? hostname.startsWith('127.') : !hostname.includes('.') && !hostname.startsWith('[');
}

/**
 * The base that every path of the Service is below (spec §1). Without its `/api` every record would be answered with
 * 404, and look missing; so that is refused here.
 */
export const serviceUrl: Reader<string> = reader(
  'the https address of the Service that ends in /api, such as https://service.example/api',
  (text) => {
    const url = URL.parse(text);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
    if (url.username !== '' || url.password !== '') return new SettingProblem('must not hold a user name or password');
    if (url.search !== '' || url.hash !== '') return new SettingProblem('must not have a query or a fragment');
    if (url.protocol === 'http:' && !isNear(url.hostname)) {
      return new SettingProblem(
        'must be https: view tokens would travel in clear text (http is allowed on this machine only)',
      );
    }
    const path = url.pathname.replace(/\/{1,8}$/, '');
    if (!path.endsWith('/api')) return new SettingProblem('must end in /api (the base path of the API)');
    return `${url.origin}${path}`;
  },
);

/** The way out of a closed network. Basic credentials may stand in it: `config check` and every message mask the password. */
export const proxyUrl: Reader<string> = reader(
  'http://proxy.example:3128 or https://user:password@host:port',
  (text) => {
    const url = URL.parse(text);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
    return url.pathname === '/' && url.search === '' && url.hash === ''
      ? url.href
      : new SettingProblem('must not have a path, a query or a fragment');
  },
);

/** `sqlite:PATH` or `postgres://…`, for the store and for SQL sources. */
export const databaseUrl: Reader<string> = reader(
  'sqlite:PATH, such as sqlite:var/tieout.db, or postgres://user@host:5432/name',
  (text) => {
    if (text.startsWith('sqlite:')) {
      const path = text.slice('sqlite:'.length);
      if (path.startsWith('//'))
        return new SettingProblem(
          'takes a path right after the colon: sqlite:var/tieout.db or sqlite:/var/lib/tieout.db',
        );
      return path === '' ? undefined : text;
    }
    const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text) : null;
    if (url === null) return undefined;
    if (url.pathname.length < 2) return new SettingProblem('must name the database: postgres://user@host:5432/name');
    return text;
  },
);

export const notifyUrl: Reader<string> = reader('an http or https address', (text) => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? text : undefined;
});

/** A mail server. The password is a secret as a whole and has a variable of its own. */
export const smtpUrl: Reader<string> = reader('smtp://user@host:587 (STARTTLS) or smtps://user@host:465', (text) => {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return undefined;
  if (url.hostname === '') return undefined;
  if (url.password !== '') return new SettingProblem('must not hold the password; set TIEOUT_SMTP_PASSWORD');
  if (url.search !== '' || url.hash !== '') return new SettingProblem('must not have a query or a fragment');
  return text;
});

/** Where one sale is read (spec §4.1); some deployments have it below /host-api/v3. */
export const salePath: Reader<string> = reader('a path with {id} in it, such as /host-api/offramp/sale/{id}', (text) =>
  /^\/[A-Za-z0-9/_.-]*\{id\}[A-Za-z0-9/_.-]*$/.test(text) && !text.includes('..') ? text : undefined,
);

const network: Reader<string> = reader('an IP address or a network, such as 10.0.0.7 or 10.1.0.0/16', (text) => {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isFitting = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number.parseInt(prefix, 10) <= bits);
  return bits > 0 && isFitting && more.length === 0 ? text : undefined;
});
export const networks = filledList(network);

/** Which proxies may say in X-Forwarded-For where a request came from: none, all, or those listed. */
const TRUSTED = 'true, false, or a list of IP addresses and networks, such as [10.1.0.0/16]';
export const trustProxy: Reader<boolean | readonly string[]> = shaped(
  z.unknown().transform((value, context): boolean | readonly string[] => {
    if (Array.isArray(value)) return delegate(networks, value, context);
    const read = flag.safeParse(value);
    if (read.success) return read.data;
    context.issues.push({ code: 'custom', message: `is not valid; allowed: ${TRUSTED}`, input: value });
    return z.NEVER;
  }),
  () => ({ anyOf: [shapeOf(flag), shapeOf(networks)] }),
).register(ALLOWED, { allowed: TRUSTED });
