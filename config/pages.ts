/** The settings of the pages: where they are, who may sign in and how, and what needs two people. */
import { ROLES } from '../src/domain/actor.ts';
import { SEVERITIES } from '../src/domain/finding.ts';
import { networks, notifyUrl } from './addresses.ts';
import { listenHost, listenPort } from './connections.ts';
import {
  decimal,
  duration,
  flag,
  list,
  namedMap,
  oneOf,
  optional,
  orWord,
  type Reader,
  reader,
  type SettingProblem,
  strict,
  text,
} from './readers.ts';
import { section, setting } from './setting.ts';

const claimName = text('the name of a claim', /^[A-Za-z0-9_.:/-]{1,200}$/);
const headerName = text('the name of a header, such as x-forwarded-user', /^[A-Za-z0-9-]{1,64}$/);

const origin: Reader<string> = reader(
  'an http or https address without a path',
  (value): string | SettingProblem | undefined => {
    const url = URL.parse(value);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
    return isOrigin && url.username === '' ? url.origin : undefined;
  },
);

export const pages = (cookieKey: Reader<Uint8Array>) =>
  section('The pages on which people work on breaks, part of `tieout serve`.', {
    enabled: setting('false', flag, 'Serve them, as `tieout serve --pages` does.'),
    host: setting('127.0.0.1', listenHost, 'Address to listen on, where they have a port of their own.'),
    port: setting(
      'shared',
      orWord('shared', listenPort),
      'Port of their own; shared puts them on the port of the webhooks. Give them their own where the webhooks can be ' +
        'reached from the internet.',
    ),
    url: setting(
      null,
      optional(origin),
      'The address by which browsers reach them, for sign-in links and OIDC; none is the address that they listen on.',
      { example: 'https://tieout.internal.example' },
    ),
    sessionFor: setting('12h', duration('5m', '30d'), 'How long a sign-in is valid.'),
    linkFor: setting('15m', duration('1m', '7d'), 'How long a one-time link of `tieout access link` is valid.'),
    cookieKey: setting(
      null,
      optional(cookieKey, []),
      '32 bytes in base64 that cookies are sealed with. Without it each process has its own, so that people sign in again ' +
        'after a restart.',
      { env: { name: 'TIEOUT_COOKIE_KEY', file: true }, hide: 'secret' },
    ),
    oidc: setting(
      null,
      optional(
        strict({
          issuer: notifyUrl,
          clientId: text('the id of this client', /^[\x21-\x7e]{1,200}$/),
          nameClaim: claimName.prefault('email'),
          rolesClaim: claimName.prefault('roles'),
          scope: text('scopes, separated by blanks', /^[\x20-\x7e]{1,300}$/).prefault('openid email profile'),
        }),
      ),
      'Sign-in by OpenID Connect (authorization code with PKCE). The address to register is <url>/sign-in/oidc/return.',
      { example: '{ issuer: "https://id.example", clientId: tieout, nameClaim: email, rolesClaim: groups }' },
    ),
    oidcClientSecret: setting(
      null,
      optional(text('the secret of this client', /^[\x21-\x7e]{1,512}$/), []),
      'Secret of the client in pages.oidc; none for a public client.',
      { env: { name: 'TIEOUT_OIDC_CLIENT_SECRET', file: true }, hide: 'secret' },
    ),
    proxy: setting(
      null,
      optional(
        strict({
          addresses: networks,
          nameHeader: headerName.prefault('x-forwarded-user'),
          rolesHeader: headerName.prefault('x-forwarded-groups'),
        }),
      ),
      'A reverse proxy that signs people in and names them in headers. It is trusted only on connections from these addresses; the proxy must remove such headers from the requests of its clients.',
      { example: '{ addresses: [10.0.0.7], nameHeader: x-forwarded-user, rolesHeader: x-forwarded-groups }' },
    ),
    roles: setting(
      {},
      namedMap(oneOf(ROLES), 'a value of the roles claim or header', () => true),
      'Which role a value of the roles claim or header gives. A person without any cannot sign in.',
      { example: '{ finance-team: analyst, finance-lead: reviewer }' },
    ),
  });

export const access = section('How far sign-ins are trusted.', {
  localLinks: setting(
    null,
    optional(oneOf(['stated', 'proved', 'off'])),
    'What a sign-in by a link of `tieout access link` proves; any user who can write to the database can make one. stated: no more than a name on the command line. proved: the person may be the second of two. off: such links are refused. Default: off where pages.oidc or fourEyes is set, else stated.',
  ),
});

export const fourEyes = section('Acts that need two signed-in people, on the pages.', {
  periods: setting('false', flag, 'Close and review a month on the pages only; the command line is refused.'),
  claims: setting(
    'false',
    flag,
    'Open and change claims on the pages only. The person who records that a claim was sent, recovered or written off must not be the one who recorded the step before.',
  ),
  waiversAbove: setting(
    {},
    namedMap(decimal(null, 'such as 1000'), 'a currency', (name) =>
      /^[A-Za-z0-9_-]{1,40}$/.test(name) ? true : 'is not a currency code',
    ),
    'Per currency, the difference above which a waiver needs a second person; where any is set, a waiver of a break whose money is unknown needs one too.',
    { example: '{ EUR: 1000, JPY: 150000 }' },
  ),
  waiversOf: setting(
    [],
    list(oneOf(SEVERITIES)),
    'Severities whose waiver always needs a second person, also below waiversAbove.',
    { example: '[critical, high]' },
  ),
});
