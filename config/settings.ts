/**
 * The one schema of all settings: how each is read, its default, and its documentation. A new setting is one entry here.
 * Names are those of the file; durations are milliseconds once they are read.
 */
import { validate as isCronLine } from 'node-cron';
import { z } from 'zod';
import { suggestion } from '../src/text/nearest-name.ts';
import { databaseUrl } from './addresses.ts';
import { books } from './books.ts';
import { listenHost, listenPort, notify, path, service, sources, webhooks } from './connections.ts';
import { deliver } from './deliver.ts';
import { evidence } from './evidence.ts';
import { feeCeilings, renamedAssets, severities, statuses, tolerances } from './judging.ts';
import { access, fourEyes, pages } from './pages.ts';
import {
  duration,
  flag,
  list,
  namedMap,
  oneOf,
  optional,
  orOff,
  orWord,
  type Reader,
  reader,
  SettingProblem,
  strict,
  text,
  timezone,
  wholeNumber,
} from './readers.ts';
import { reports } from './reports.ts';
import { section, setting } from './setting.ts';

/** Names that are defined in other rooms and handed in; where they are absent, any name is accepted. */
export interface KnownNames {
  rules?: readonly string[];
  jobs?: readonly string[];
  pluginSources?: readonly string[];
}

export type Settings = z.output<ReturnType<typeof settingsSchema>>;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const keep = optional(duration('1d', '36500d'), ['none', 'off']);

const cron: Reader<string> = reader('a cron line of five fields, such as 15 4 * * *, or off', (line) => {
  const fields = line.split(/\s+/).length;
  // With six fields the first would be seconds, and a nightly job would run sixty times an hour.
  if (fields !== 5)
    return new SettingProblem(
      `needs five fields (minute hour day month weekday), such as 15 4 * * *, and has ${fields}`,
    );
  // No field has three digits; the library counts through a range before it looks at its ends.
  return line.length <= 256 && !/\d{3}/.test(line) && isCronLine(line) ? line : undefined;
});

/** The key is never part of a message; its length is, because a wrong length is the usual mistake. */
const secretKey: Reader<Uint8Array> = reader('32 bytes in base64; make one with `openssl rand -base64 32`', (value) => {
  const bytes = Buffer.from(value, 'base64');
  const exact = [bytes.toString('base64'), bytes.toString('base64').replaceAll('=', '')].includes(value);
  if (!exact) return new SettingProblem('is not base64; 32 bytes in base64 are needed, from `openssl rand -base64 32`');
  if (bytes.length !== 32) {
    return new SettingProblem(`is ${bytes.length} bytes long; 32 are needed, from \`openssl rand -base64 32\``);
  }
  return new Uint8Array(bytes);
});

const BINDING = ['indicative', 'locked'] as const;

const quotes = section('How captured quotes are matched with records.', {
  matchWindow: setting(
    '30m',
    duration('0s', '7d'),
    'A captured quote belongs to a record that was created at most this long after it.',
  ),
  matchWindowAfter: setting(
    '10m',
    duration('0s', '1d'),
    'A quote that was captured on the CREATED webhook belongs to a record that was created at most this long before it.',
  ),
  price: setting(
    'indicative',
    oneOf(BINDING),
    'indicative: the quoted price is that of its moment, and a record is held against the market of its execution. ' +
      'locked: the quoted amounts bind.',
  ),
  networkFee: setting(
    'indicative',
    oneOf(BINDING),
    'indicative: a network fee may move within tolerances.networkFee. locked: the quoted one binds.',
  ),
  captureOnCreated: setting('true', flag, 'Ask for a quote as soon as a CREATED webhook arrives and there is none.'),
});

const judging = section('How stored records are judged and rendered.', {
  threads: setting(
    'auto',
    orWord('auto', wholeNumber(1, 64)),
    'Threads that judge a run, each with its own read connection. auto is one for each core in replay and report, and ' +
      'in a run that workers fetch; one thread for fewer than 40,000 records, and in a run that this process fetches ' +
      'itself, so that it stays under 300 MB. The files are the same at any number.',
  ),
});

const publish = section('Signatures of published sets. `tieout keys generate` makes a key pair.', {
  signingKeyFile: setting(
    null,
    optional(path),
    'Path of the Ed25519 private key (PEM) that manifests are signed with; none leaves them unsigned. The key itself is ' +
      'never a setting.',
    { env: { name: 'TIEOUT_SIGNING_KEY_FILE' } },
  ),
  verifyKeys: setting(
    [],
    list(text('the path of a public key in PEM, or the PEM itself', /^[^\0]{1,4096}$/)),
    'Public keys that `tieout verify` checks signatures with. Keep the old one here after a rotation.',
  ),
});

const prices = section('The fees that your contract with the partner allows.', {
  list: setting(
    null,
    optional(path),
    'Path of the price list (YAML); without one, the rule FEE_DIFFERS_FROM_CONTRACT is skipped. `tieout prices check` checks the list.',
  ),
});

const metrics = (where: string) =>
  section(where, {
    host: setting('127.0.0.1', listenHost, 'Address to listen on.'),
    port: setting('off', orOff(listenPort), 'Port; 0 takes any free one, and off opens none.'),
  });

const workers = section(
  'Runs that several machines fetch: `tieout worker` on each, PostgreSQL between them. Each needs an address of its own.',
  {
    enabled: setting(
      'false',
      flag,
      'Cut runs into batches for workers, instead of fetching in the process that runs them.',
    ),
    batch: setting(
      '200',
      wholeNumber(1, 10_000),
      'Records in one batch. Fewer than 200 mean more writes, because the answers of a batch are stored at once.',
    ),
    heartbeat: setting(
      '30s',
      duration('10s', '1h'),
      'A worker that is silent for this long is considered dead, and its batches go to others.',
    ),
    patience: setting(
      '15m',
      duration('1s', '7d'),
      'After this long without progress, a run publishes its results so far and defers the rest.',
    ),
    metrics: metrics('Where a worker answers /healthz, /readyz and /metrics.'),
  },
);

const due = section('When records are fetched again, in days of the business time zone.', {
  postTerminalDays: setting(
    ['1', '7', '30'],
    list(wholeNumber(1, 3650)),
    'Days after a clean end on which a record is fetched again, because restatements and returns come late.',
  ),
  breakDailyDays: setting(
    '30',
    wholeNumber(0, 3650),
    'A record with an open break is fetched every night for this many days.',
  ),
  breakEveryDays: setting(
    '7',
    wholeNumber(1, 3650),
    'After that it is fetched again whenever this many days have passed.',
  ),
  cardDays: setting(
    '130',
    wholeNumber(0, 3650),
    'A clean released purchase that was paid by card is fetched once more after this many days, because chargebacks come late. 0: never.',
  ),
});

/** The whole, given the names of rules, jobs and sources of plugins that exist. */
export function settingsSchema(known: KnownNames) {
  const oneOfKnown =
    (names: readonly string[] | undefined, what: string, says = `is set for a ${what} that does not exist`) =>
    (name: string) =>
      names === undefined ||
      names.includes(name) ||
      (names.length === 0 ? says : `${says}; ${suggestion(name, names)}`);
  const isRule = oneOfKnown(known.rules, 'rule');
  return strict({
    service,
    database: section('The database.', {
      url: setting('sqlite:var/tieout.db', databaseUrl, 'Where records, runs and breaks are stored.', {
        env: { name: 'TIEOUT_DATABASE_URL', file: true },
      }),
      lease: section('One run at a time.', {
        ttl: setting(
          '60s',
          duration('5s', '1h'),
          'How long a run that does not renew its lease keeps it before another run may start.',
        ),
      }),
    }),
    out: setting('out', path, 'Folder that report sets are published to.', { env: { name: 'TIEOUT_OUT' } }),
    timezone: setting('UTC', timezone, 'Time zone in which business days begin and end.'),
    sources: setting(
      [],
      sources(oneOfKnown(known.pluginSources, 'source', 'is a source of no plugin in `plugins`')),
      'Where ids and tokens come from; read before every nightly run. `path` may be a glob. A query returns columns named ' +
        'kind, id and view_token, and optionally created_at, host_reference, quote_id, expected_status, shown_total and ' +
        'shown_fee. `kind` here applies to lines without one; `format` (csv or ndjson) is detected if it is not given. A source of a plugin ' +
        'has `type: plugin`, its name as `source`, and `options`.',
      {
        example:
          "- name: app\n  type: sql\n  url: sqlite:var/app.db\n  query: select 'purchase' as kind, id, view_token, created_at from purchases\n" +
          '- { name: inbox, type: file, path: "inbox/*.csv", format: csv, kind: purchase }',
      },
    ),
    schedule: section('The jobs of `tieout schedule`.', {
      timezone: setting('UTC', timezone, 'Time zone of the cron lines; business days have their own.'),
      jobs: setting(
        { nightly: '15 4 * * *', 'reference-data': '0 * * * *', recheck: '*/10 * * * *', retention: '30 5 * * 0' },
        namedMap(orOff(cron), 'a job', oneOfKnown(known.jobs, 'job')).pipe(
          z.transform((jobs) => new Map([...jobs].filter(([, line]) => line !== 'off'))),
        ),
        'Cron lines (minute hour day month weekday) by job; off switches a job off. Jobs that are not named keep their ' +
          'default. Where clocks change, the hour from 02:00 to 03:00 is skipped or doubled.',
      ),
      maxDuration: setting(
        '20h',
        duration('1s', '7d'),
        'A run that the schedule starts sends no request after this time: what is left is deferred, and comes first the next night.',
      ),
      maxDurations: setting(
        {},
        namedMap(duration('1s', '7d'), 'a job', oneOfKnown(known.jobs, 'job')),
        'The same for single jobs.',
        { example: '{ nightly: 6h, recheck: 30m }' },
      ),
      metrics: metrics('Where `tieout schedule` answers /healthz, /readyz and /metrics.'),
    }),
    quotes,
    tolerances: tolerances(isRule),
    feeCeilings,
    renamedAssets,
    statuses,
    rules: severities(isRule),
    reports,
    books,
    judging,
    publish,
    workers,
    due,
    evidence,
    prices,
    webhooks,
    pages: pages(secretKey),
    access,
    fourEyes,
    notify,
    deliver,
    plugins: setting(
      [],
      list(text('a path or a package, such as ./our-rules.js', /^[^\s\0][^\0]{0,499}$/)),
      'Modules with rules, reports, sources and formats of your own, each a path (relative to this file) or a package. Their names and ' +
        'hashes are in manifests.',
      { example: '[./our-rules.js]' },
    ),
    retention: section('How long data are kept, or none for ever. Breaks and the totals of runs are always kept.', {
      snapshots: setting(
        '400d',
        keep,
        'Bodies of records, and figures of bodies that nothing refers to once their runs are archived.',
      ),
      events: setting('400d', keep, 'Webhooks and SDK events.'),
    }),
    secretKey: setting(
      null,
      optional(secretKey, []),
      '32 bytes in base64 (openssl rand -base64 32) that seal view tokens at rest. Without it a key file is made beside ' +
        'an SQLite database.',
      { env: { name: 'TIEOUT_SECRET_KEY', file: true }, hide: 'secret' },
    ),
    logLevel: setting('info', oneOf(LOG_LEVELS), 'The least severe lines of the log, which goes to standard error.', {
      env: { name: 'TIEOUT_LOG_LEVEL' },
    }),
  });
}

/** Without the names of rules and jobs: for the documentation, the defaults and the masks. */
export const SCHEMA = settingsSchema({});
