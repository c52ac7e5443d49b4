/** The settings of connections to other systems: the Service, sources of ids, the server of `tieout serve`, notifications. */
import { z } from 'zod';
import { KINDS } from '../src/domain/record.ts';
import { databaseUrl, notifyUrl, proxyUrl, salePath, serviceUrl, smtpUrl, trustProxy } from './addresses.ts';
import {
  always,
  distinct,
  duration,
  filledList,
  flag,
  ipAddress,
  list,
  namedMap,
  oneOf,
  optional,
  orWord,
  rateLimits,
  strict,
  text,
  wholeNumber,
} from './readers.ts';
import { section, setting } from './setting.ts';

export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const path = text('a path', /^[^\0]{1,4096}$/);
export const listenHost = text('an address or host name to listen on', /^[A-Za-z0-9.:_-]{1,255}$/);
export const listenPort = wholeNumber(0, 65_535);

export const service = section('The Service, and how requests are sent to it.', {
  url: setting(
    null,
    optional(serviceUrl),
    'The base address of the Service. Everything that sends a request to the Service needs it.',
    { env: { name: 'TIEOUT_SERVICE_URL' }, example: 'https://service.example/api' },
  ),
  identifierName: setting(
    'Service',
    text('the maker’s name as it stands in identifiers, letters and digits', /^[A-Za-z][A-Za-z0-9]{0,39}$/),
    "The maker's name in identifiers on the wire: base<Name>Fee.",
  ),
  hostApiKey: setting(
    null,
    optional(text('the integration key, without spaces', /^[\x21-\x7e]{1,256}$/), []),
    'The integration key. Quotes need it.',
    { env: { name: 'TIEOUT_HOST_API_KEY', file: true }, hide: 'secret' },
  ),
  concurrency: setting(
    '8',
    wholeNumber(1, 256),
    'Requests in flight at once. The rate is bounded by rateLimits alone.',
  ),
  rateLimits: setting(
    [
      { requests: '100', per: '1m' },
      { requests: '1000', per: '15m' },
    ],
    rateLimits(1_000_000),
    'The allowance of one address at the Service: no window of `per` ever has more than `requests`. Or off, for a Service of ' +
      'your own on this machine.',
  ),
  guard: setting(
    '5s',
    duration('0s', '1m'),
    'The longest time between sending a request and the moment at which the Service counts it.',
  ),
  timeout: setting(
    '20s',
    duration('1s', '5m'),
    'Deadline of one whole exchange, from connecting to the last byte of the answer.',
  ),
  retries: setting(
    '3',
    wholeNumber(0, 10),
    'Attempts after the first, for transient failures: lost connections, timeouts, 500, 502, 503 and 504.',
  ),
  salePath: setting(
    '/host-api/offramp/sale/{id}',
    salePath,
    'Path of one sale below url. Some deployments have it at /host-api/v3/offramp/sale/{id}.',
  ),
  egress: setting(
    null,
    optional(text('a name of letters, digits, dots and hyphens', NAME)),
    'A name for the address that requests leave from; none is one name for the database. All processes with the same ' +
      'database and egress share one allowance. Set it only where processes leave from addresses of their own, as workers do.',
  ),
  localAddress: setting(
    null,
    optional(ipAddress),
    'IP address of this machine to send from, where it has several; none leaves the choice to the system.',
  ),
  proxy: setting(
    null,
    optional(proxyUrl),
    'The proxy that requests to the Service leave by, as a tunnel (CONNECT): it sees the host and no token. The allowance is that of the ' +
      'address it sends from, shared with all who send by it. All else obeys HTTPS_PROXY where NODE_USE_ENV_PROXY is 1, as Node does.',
    { env: { name: 'TIEOUT_SERVICE_PROXY', file: true }, example: 'http://proxy.example:3128' },
  ),
});

const kind = optional(oneOf(KINDS));
const sourceName = text('a name', NAME);
const source = z.discriminatedUnion(
  'type',
  [
    strict({
      name: sourceName,
      type: z.literal('file'),
      path,
      format: optional(oneOf(['csv', 'ndjson'])),
      kind,
      optional: flag.prefault('false'),
    }),
    strict({
      name: sourceName,
      type: z.literal('sql'),
      url: databaseUrl,
      query: text('one SQL query that returns kind, id and view_token', /\S/),
      kind,
    }),
    strict({
      name: sourceName,
      type: z.literal('plugin'),
      source: text('the name of a source of a plugin', /^[a-z][a-z0-9-]{0,40}$/),
      options: namedMap(text('a text', /^[^\0]{0,2000}$/), 'an option', () => true)
        .pipe(z.transform((options) => Object.fromEntries(options)))
        .prefault({}),
      kind,
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'is not valid; allowed: file, sql or plugin'
        : 'is not valid; allowed: a map with name, type and what that type needs',
  },
);

/** @param problemOf what is wrong with the name of a source of a plugin, or true */
export const sources = (problemOf: (name: string) => true | string) =>
  list(source)
    .check(distinct('name', 'is the name of another source too'))
    .check(
      always((value, bad) => {
        for (const [index, item] of value.entries()) {
          if (item?.type !== 'plugin' || typeof item.source !== 'string') continue;
          const problem = problemOf(item.source);
          if (problem !== true) bad(problem, [index, 'source'], item.source);
        }
      }),
    );

export const mailAddress = text(
  'a mail address, such as finance@example.com',
  /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,255}$/,
);

export const webhooks = section('The server of `tieout serve`.', {
  host: setting('127.0.0.1', listenHost, 'Address to listen on.'),
  port: setting('8080', listenPort, 'Port; 0 takes any free one.'),
  requireSignature: setting('true', flag, 'Refuse webhooks whose X-Body-Signature does not verify.'),
  publicKeys: setting(
    [],
    list(text('a public key in PEM, -----BEGIN PUBLIC KEY-----…', /-----BEGIN [A-Z ]*PUBLIC KEY-----/)),
    'Public keys of the Service; a webhook may be signed with any of them. Name the keys of one environment only: a webhook signed with the key of the demo environment is then refused, and joins no live record.',
    { env: { name: 'TIEOUT_WEBHOOK_PUBLIC_KEY', file: true } },
  ),
  intakeToken: setting(
    null,
    optional(text('at least 16 characters without spaces', /^[\x21-\x7e]{16,256}$/), []),
    'Bearer token for POST /events and POST /quotes. Without it both are closed.',
    { env: { name: 'TIEOUT_INTAKE_TOKEN', file: true }, hide: 'secret' },
  ),
  trustProxy: setting(
    'false',
    trustProxy,
    'Proxies whose X-Forwarded-For is trusted, so that each sender behind them has its own allowance. true trusts every sender, so that a sender can claim any address.',
  ),
  docs: setting(
    'auto',
    orWord('auto', flag),
    'Show the OpenAPI document at /openapi.json and /docs. auto: only while host is a loopback address and no proxy is ' +
      'trusted, so that only this machine can read it.',
  ),
});

export const notify = section('Where runs are announced.', {
  heartbeatUrl: setting(
    null,
    optional(notifyUrl),
    'Called when a nightly run starts (/start is appended), after each that succeeded (the bare address) and after each ' +
      'that failed (/fail), as healthchecks-style services expect. So a missing call is an alarm too.',
    { hide: 'path' },
  ),
  webhookUrl: setting(
    null,
    optional(notifyUrl),
    'Receives a short summary of each nightly run and audit as JSON, {"text": …}, as Slack and similar services accept it; for other jobs, only new breaks and failures.',
    { hide: 'path' },
  ),
  email: setting(
    null,
    optional(strict({ url: smtpUrl, from: mailAddress, to: filledList(mailAddress) })),
    'The same by mail. smtp changes to TLS by STARTTLS, smtps is TLS from the start; with a password, nothing is sent ' +
      'unencrypted.',
    { example: '{ url: smtp://user@mail.example:587, from: tieout@example.com, to: [finance@example.com] }' },
  ),
  smtpPassword: setting(
    null,
    optional(text('the password of the mail server, on one line', /^[^\r\n]{1,1024}$/), []),
    'Password of the user in notify.email.url.',
    { env: { name: 'TIEOUT_SMTP_PASSWORD', file: true }, hide: 'secret' },
  ),
  stormCap: setting(
    '200',
    wholeNumber(1, 1_000_000),
    'If a run opens more new breaks of one rule than this, they are announced as one.',
  ),
});
