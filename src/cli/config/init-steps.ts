/** What `tieout init` asks, in its order: each answer with its flag, and what it becomes in the settings. */
import type { RawMap } from '../../../config/raw.ts';

type Asked =
  | 'rateLimits'
  | 'identifierName'
  | 'service'
  | 'sql'
  | 'query'
  | 'csv'
  | 'database'
  | 'keyFile'
  | 'timezone'
  | 'schedule';

export type Answers = Readonly<Partial<Record<Asked, string>>>;

export type InitFlags = Answers & { webhooks?: boolean };

export interface Step {
  name: Asked;
  question: string;
  /** What Enter means; without one, and without a terminal, the flag must be given. */
  fallback?: string;
  /** Asked only where this is true of the answers before; its flag is taken at any rate. */
  isAsked?: (answers: Answers) => boolean;
}

/** `--key-file` of keyFile. */
export const flagOf = ({ name }: Step) => `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;

const never = () => false;

export const STEPS: readonly Step[] = [
  { name: 'rateLimits', question: '', isAsked: never },
  { name: 'identifierName', question: '', isAsked: never },
  { name: 'service', question: 'Base address of the Service, which ends in /api' },
  {
    name: 'sql',
    question: "The app's database with ids and view tokens (postgres://… or sqlite:PATH; Enter for a CSV export)",
    fallback: '',
    isAsked: ({ csv }) => csv === undefined,
  },
  {
    name: 'query',
    question: 'The query; it returns columns named kind, id and view_token',
    isAsked: ({ sql = '' }) => sql !== '',
  },
  {
    name: 'csv',
    question: 'Path of the CSV export, such as inbox/*.csv (Enter if all ids arrive by webhook)',
    fallback: '',
    isAsked: ({ sql = '' }) => sql === '',
  },
  {
    name: 'database',
    question: "Tieout's own database (sqlite:PATH or postgres://…)",
    fallback: 'sqlite:var/tieout.db',
  },
  {
    name: 'keyFile',
    question: 'File with the key that seals view tokens; made if it does not exist',
    fallback: 'tieout.key',
    isAsked: ({ database = '' }: Answers) => /^postgres/.test(database),
  },
  { name: 'timezone', question: 'Time zone in which your business days end', fallback: 'UTC' },
  { name: 'schedule', question: 'Nights by cron, systemd or none', fallback: 'cron' },
];

/** Only the answers: every other setting keeps its default. */
export function rawOf({ service, rateLimits, identifierName, database, timezone, sql, query, csv }: Answers): RawMap {
  const file: RawMap[] = csv ? [{ name: 'app', type: 'file', path: csv }] : [];
  const source = sql && query ? [{ name: 'app', type: 'sql', url: sql, query }] : file;
  return {
    service: {
      ...(service === undefined ? {} : { url: service }),
      ...(identifierName === undefined ? {} : { identifierName }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
    },
    ...(source.length === 0 ? {} : { sources: source }),
    ...(database === undefined ? {} : { database: { url: database } }),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

const COMMENTS: Readonly<Record<string, string>> = {
  service: 'The Service whose records are checked.',
  sources: 'Where ids and view tokens are read before every night.',
  database: "Tieout's own database.",
  timezone: 'Business days begin and end in this zone.',
};

/** @param toYaml of one section */
export function settingsText(raw: RawMap, schema: string, toYaml: (value: RawMap) => string): string {
  const head = [
    `# yaml-language-server: $schema=${schema}`,
    '# Written by `tieout init`. Every other setting has its default; `tieout config check` prints all of them.',
    '# Secrets come from the environment: TIEOUT_HOST_API_KEY asks for quotes, TIEOUT_SECRET_KEY seals view tokens.',
  ];
  const sections = Object.entries(raw).map(([name, value]) => `\n# ${COMMENTS[name]}\n${toYaml({ [name]: value })}`);
  return `${head.join('\n')}\n${sections.join('')}`;
}

const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * Lines for `crontab -e`, or two units for the night and two for the hourly lists.
 * @param config ` --config FILE`, or nothing
 * @param node folder of this Node: cron and systemd do not read a shell's profile, and would find another one or none
 */
export function scheduleFiles(
  kind: string,
  folder: string,
  key: string | undefined,
  config: string,
  node: string,
): { name: string; text: string }[] {
  const path = [...new Set([node, ...SYSTEM_FOLDERS])].join(':');
  if (kind === 'cron') {
    const quoted = folder.replaceAll("'", "'\\''");
    // To cron, a bare % is a line break.
    const at =
      `cd '${quoted}' && ${key === undefined ? '' : `TIEOUT_SECRET_KEY_FILE=${key} `}npx tieout${config} run`.replaceAll(
        '%',
        '\\%',
      );
    const text = [
      '# crontab -e: limits and methods every hour, the night at 04:15 in the time zone of this machine.',
      `PATH=${path}`,
      `0 * * * *   ${at} reference-data -q >/dev/null`,
      `15 4 * * *  ${at} -q`,
    ];
    return [{ name: 'tieout.crontab', text: `${text.join('\n')}\n` }];
  }
  if (kind !== 'systemd') return [];
  // To systemd, a bare % begins a specifier.
  const escaped = (text: string) => text.replaceAll('%', '%%');
  const common = [
    'Type=oneshot',
    `WorkingDirectory=${escaped(folder)}`,
    `Environment="PATH=${escaped(path)}"`,
    ...(key === undefined ? [] : [`Environment=TIEOUT_SECRET_KEY_FILE=${key}`]),
  ];
  const command = `/usr/bin/env npx tieout${config} run`;
  const service = (what: string, lines: readonly string[]) => ['[Unit]', what, '[Service]', ...common, ...lines];
  const timer = (what: string, when: string) => [
    '[Unit]',
    what,
    '[Timer]',
    `OnCalendar=${when}`,
    'Persistent=true',
    '[Install]',
    'WantedBy=timers.target',
  ];
  const night = [
    `ExecStart=${command}`,
    '# Exit code 1 means open breaks, which is a result and no failure.',
    'SuccessExitStatus=1',
    'TimeoutStartSec=infinity',
  ];
  const hourly = 'tieout-reference-data';
  const units = {
    'tieout-nightly.service': [
      `# Copy the four units to /etc/systemd/system, then: systemctl enable --now tieout-nightly.timer ${hourly}.timer`,
      ...service('Description=Tieout nightly run', night),
    ],
    'tieout-nightly.timer': timer('Description=Tieout every night', '*-*-* 04:15:00'),
    [`${hourly}.service`]: service('Description=Limits, fees and methods for Tieout', [
      `ExecStart=${command} reference-data`,
    ]),
    [`${hourly}.timer`]: timer('Description=Limits, fees and methods for Tieout, every hour', 'hourly'),
  };
  return Object.entries(units).map(([name, lines]) => ({ name, text: `${lines.join('\n')}\n` }));
}
