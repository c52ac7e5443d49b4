/** The schema of all settings: what each may be, and what it is read into. Names are the file's own. */
import { validate as isCronLine } from 'node-cron';
import { z } from 'zod';
import { minorUnitDigits } from '../src/domain/currency.ts';
import type { Decimal } from '../src/domain/decimal.ts';
import { SEVERITIES } from '../src/domain/finding.ts';
import { suggestion } from '../src/domain/nearest-name.ts';
import { KINDS } from '../src/domain/record.ts';
import { databaseUrl, notifyUrl, salePath, serviceUrl, smtpUrl, trustProxy } from './addresses.ts';
import {
  Complaint,
  decimal,
  delegate,
  duration,
  flag,
  ipAddress,
  type Leaf,
  leaf,
  oneOf,
  optional,
  orAuto,
  orOff,
  text,
  timezone,
  wholeNumber,
} from './leaves.ts';
import { LOG_LEVELS, REPORT_FORMATS, REPORT_PROFILES, type Settings } from './settings.ts';
import { always, filledList, list, namedMap, strict } from './shapes.ts';
import { statusList } from './statuses.ts';

/** Names that live in other rooms and are handed in; where absent, any name goes. */
export interface KnownNames {
  rules?: readonly string[];
  jobs?: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const path = text('allowed: a path', /^[^\0]{1,4096}$/);
const formats = ['csv', 'ndjson'] as const;
const kind = optional(oneOf(KINDS));

const service = strict({
  url: optional(serviceUrl),
  identifierName: text(
    'allowed: the maker’s name as it stands in identifiers, letters and digits',
    /^[A-Za-z][A-Za-z0-9]{0,39}$/,
  ),
  hostApiKey: optional(text('allowed: the integration key, without spaces', /^[\x21-\x7e]{1,256}$/), []),
  concurrency: wholeNumber(1, 256),
  rateLimits: orOff(
    filledList(strict({ requests: wholeNumber(1, 1_000_000), per: duration('1s', '7d') })).pipe(
      z.transform((limits) => limits.map(({ requests, per }) => ({ requests, perMs: per }))),
    ),
  ),
  guard: duration('0s', '1m'),
  timeout: duration('1s', '5m'),
  retries: wholeNumber(0, 10),
  salePath,
  egress: optional(text('allowed: a name of letters, digits, dots and hyphens', NAME)),
  localAddress: optional(ipAddress),
});

const database = strict({ url: databaseUrl, lease: strict({ ttl: duration('5s', '1h') }) });

const source = z.discriminatedUnion(
  'type',
  [
    strict({
      name: text('allowed: a name', NAME),
      type: z.literal('file'),
      path,
      format: optional(oneOf(formats)),
      kind,
    }),
    strict({
      name: text('allowed: a name', NAME),
      type: z.literal('sql'),
      url: databaseUrl,
      query: text('allowed: one SQL query that returns kind, id and view_token', /\S/),
      kind,
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'is not valid; allowed: file or sql'
        : 'is not valid; allowed: a map with name, type and what that type needs',
  },
);

const sources = list(source).check(
  always(({ value, issues }) => {
    for (const [index, item] of value.entries()) {
      const name = item?.name;
      if (typeof name !== 'string' || value.findIndex((other) => other?.name === name) === index) continue;
      issues.push({ code: 'custom', message: 'is the name of another source too', path: [index, 'name'], input: name });
    }
  }),
);

const cron: Leaf<string> = leaf('allowed: a cron line of five fields, such as 15 4 * * *, or off', (line) => {
  const fields = line.split(/\s+/).length;
  // With six fields the first would be seconds, and a nightly job would run sixty times an hour.
  if (fields !== 5) return new Complaint(`needs five fields (minute hour day month weekday) and has ${fields}`);
  return isCronLine(line) ? line : undefined;
});

const relative = decimal('1', 'such as 0.001 for 0.1 %');
const absolute: Leaf<Decimal | 'minor-unit'> = z.unknown().transform((value, context): Decimal | 'minor-unit' => {
  if (value === 'minor-unit') return 'minor-unit';
  return delegate(decimal(null, 'in major units, or minor-unit'), value, context);
});
/** A part that an override leaves out stays the general one's. */
const override = strict({ absolute: absolute.optional(), relative: relative.optional() });

function tolerances(isRule: (code: string) => true | string) {
  return strict({
    fiat: strict({ absolute, relative }),
    crypto: strict({ relative }),
    requoted: strict({ percentPoints: decimal('100', 'in percentage points') }),
    rate: strict({ consistency: relative, reference: relative }),
    currencies: namedMap(override, 'a currency', (code) =>
      minorUnitDigits(code) === undefined
        ? 'is set for something that is not an ISO 4217 currency code, such as EUR'
        : true,
    ),
    rules: namedMap(override, 'a rule', isRule),
  });
}

const listenHost = text('allowed: an address or host name to listen on', /^[A-Za-z0-9.:_-]{1,255}$/);
const listenPort = wholeNumber(0, 65_535);

const webhooks = strict({
  host: listenHost,
  port: listenPort,
  requireSignature: flag,
  publicKeys: list(
    text('allowed: a public key in PEM, -----BEGIN PUBLIC KEY-----…', /-----BEGIN [A-Z ]*PUBLIC KEY-----/),
  ),
  intakeToken: optional(text('allowed: at least 16 characters without spaces', /^[\x21-\x7e]{16,256}$/), []),
  trustProxy,
  docs: orAuto(flag),
});

const mailAddress = text(
  'allowed: a mail address, such as finance@example.com',
  /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,255}$/,
);

const notify = strict({
  heartbeatUrl: optional(notifyUrl),
  webhookUrl: optional(notifyUrl),
  email: optional(strict({ url: smtpUrl, from: mailAddress, to: filledList(mailAddress) })),
  smtpPassword: optional(text('allowed: the password of the mail server, on one line', /^[^\r\n]{1,1024}$/), []),
  stormCap: wholeNumber(1, 1_000_000),
});

/** The key is never part of a message; its length is, because a wrong length is the usual mistake. */
const secretKey: Leaf<Uint8Array> = leaf(
  'allowed: 32 bytes in base64; make one with `openssl rand -base64 32`',
  (value) => {
    const bytes = Buffer.from(value, 'base64');
    const exact = [bytes.toString('base64'), bytes.toString('base64').replace(/=+$/, '')].includes(value);
    if (!exact) return new Complaint('is not base64; 32 bytes in base64 are needed, from `openssl rand -base64 32`');
    if (bytes.length !== 32) {
      return new Complaint(`is ${bytes.length} bytes long; 32 are needed, from \`openssl rand -base64 32\``);
    }
    return new Uint8Array(bytes);
  },
);

const keep = optional(duration('1d', '36500d'), ['none', 'off']);

/** The whole, given the names of rules and jobs that exist. */
export function settingsSchema(known: KnownNames): z.ZodType<Settings> {
  const oneOfKnown = (names: readonly string[] | undefined, what: string) => (name: string) =>
    names === undefined || names.includes(name)
      ? true
      : `is set for a ${what} that does not exist; ${suggestion(name, names)}`;
  const isRule = oneOfKnown(known.rules, 'rule');
  return strict({
    service,
    database,
    out: path,
    timezone,
    sources,
    schedule: strict({
      timezone,
      jobs: namedMap(orOff(cron), 'a job', oneOfKnown(known.jobs, 'job')).pipe(
        z.transform((jobs) => new Map([...jobs].filter(([, line]) => line !== 'off'))),
      ),
    }),
    quotes: strict({
      matchWindow: duration('0s', '7d'),
      matchWindowAfter: duration('0s', '1d'),
      captureOnCreated: flag,
    }),
    tolerances: tolerances(isRule),
    statuses: strict({ purchase: statusList, sale: statusList }),
    rules: namedMap(orOff(strict({ severity: oneOf(SEVERITIES) })), 'a rule', isRule).pipe(
      z.transform((rules) => Object.fromEntries(rules)),
    ),
    reports: strict({
      formats: filledList(oneOf(REPORT_FORMATS)),
      profile: oneOf(REPORT_PROFILES),
      decimals: oneOf(['exact', 'minor-units']),
    }),
    publish: strict({
      signingKeyFile: optional(path),
      verifyKeys: list(text('allowed: the path of a public key in PEM, or the PEM itself', /^[^\0]{1,4096}$/)),
    }),
    workers: strict({
      enabled: flag,
      batch: wholeNumber(1, 10_000),
      heartbeat: duration('10s', '1h'),
      patience: duration('1s', '7d'),
      metrics: strict({ host: listenHost, port: orOff(listenPort) }),
    }),
    due: strict({
      postTerminalDays: list(wholeNumber(1, 3650)),
      breakDailyDays: wholeNumber(0, 3650),
      breakEveryDays: wholeNumber(1, 3650),
    }),
    webhooks,
    notify,
    retention: strict({ snapshots: keep, events: keep }),
    secretKey: optional(secretKey, []),
    logLevel: oneOf(LOG_LEVELS),
  });
}
