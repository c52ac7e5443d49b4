import { describe, expect, it } from 'vitest';
import { environmentSecrets } from '../../config/environment.ts';
import { ConfigError } from '../../config/problems.ts';
import { load, problem, problems } from './loading.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('problems', () => {
  it('are reported all at once, each with path, place, value and what is allowed', () => {
    const yaml = [
      'servce: {}',
      'service:',
      '  guard: 5 sec',
      '  concurency: 3',
      'sources:',
      '  - { name: a, type: file, path: x }',
      '  - { name: a, type: sql, url: "postgres://u:hunter2@h", query: "select 1" }',
      'reports: { decimals: round }',
    ].join('\n');
    const env = { TIEOUT_SECRET_KEY: 'c2hvcnQ=' };
    const flags = [{ flag: '--concurrency', path: ['service', 'concurrency'], value: '0' }];
    expect(problems({ yaml, env, flags })).toEqual([
      {
        path: 'service.concurrency',
        where: 'flag --concurrency',
        value: '0',
        message: 'is not valid; allowed: a whole number from 1 to 256',
      },
      {
        path: 'service.guard',
        where: 'tieout.yaml:3',
        value: '5 sec',
        message: 'is not valid; allowed: a duration from 0s to 1m, such as 5s',
      },
      {
        path: 'service.concurency',
        where: 'tieout.yaml:4',
        value: null,
        message: 'unknown setting; did you mean concurrency?',
      },
      {
        path: 'sources[1].url',
        where: 'tieout.yaml:7',
        value: 'postgres://u:********@h',
        message: 'must name the database: postgres://user@host:5432/name',
      },
      { path: 'sources[1].name', where: 'tieout.yaml:7', value: 'a', message: 'is the name of another source too' },
      {
        path: 'reports.decimals',
        where: 'tieout.yaml:8',
        value: 'round',
        message: 'is not valid; allowed: by-profile, exact, minor-units',
      },
      {
        path: 'secretKey',
        where: 'env TIEOUT_SECRET_KEY',
        value: '********',
        message: 'is 5 bytes long; 32 are needed, from `openssl rand -base64 32`',
      },
      { path: 'servce', where: 'tieout.yaml:1', value: null, message: 'unknown setting; did you mean service?' },
    ]);
  });

  it('read as sentences in the error', () => {
    const error = (() => {
      try {
        return load({ yaml: 'out: a\nservice: { guard: 5 sec }\n', env: { TIEOUT_LOG_LEVEL: 'loud' } });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toBe(
      [
        '2 problems in the settings:',
        '  service.guard (tieout.yaml:2): "5 sec" is not valid; allowed: a duration from 0s to 1m, such as 5s',
        '  logLevel (env TIEOUT_LOG_LEVEL): "loud" is not valid; allowed: trace, debug, info, warn, error, fatal, silent',
      ].join('\n'),
    );
  });

  it.each([
    ['__proto__: {}', '__proto__'],
    ['constructor: {}', 'constructor'],
    ['service: { toString: 1 }', 'service.toString'],
  ])('%s is an unknown setting like any other', (yaml, path) => {
    expect(problem({ yaml: `${yaml}\n` })).toMatch(`${path} | tieout.yaml:1 | - | unknown setting; allowed: `);
  });
});

describe('secrets', () => {
  it('come from the environment, or from the file that a variable names', () => {
    const direct = load({ env: { TIEOUT_SECRET_KEY: KEY, TIEOUT_HOST_API_KEY: 'live-key-1' } }).settings;
    expect(direct.secretKey).toEqual(new Uint8Array(32).fill(7));
    expect(direct.service.hostApiKey).toBe('live-key-1');
    const env = { TIEOUT_SECRET_KEY_FILE: '/run/key', TIEOUT_DATABASE_URL_FILE: '/run/db' };
    const files = { '/run/key': `${KEY}\n`, '/run/db': 'postgres://app:hunter2@db/tieout\n' };
    const fromFile = load({ env, files });
    expect(fromFile.settings.secretKey).toEqual(new Uint8Array(32).fill(7));
    expect(fromFile.settings.database.url).toBe('postgres://app:hunter2@db/tieout');
    expect(fromFile.describe()).toContainEqual({
      path: 'database.url',
      value: 'postgres://app:********@db/tieout',
      origin: 'env TIEOUT_DATABASE_URL_FILE',
      about: 'Where records, runs and breaks are stored.',
    });
  });

  it('are refused in the settings file, unread and unshown', () => {
    const all = problems({
      yaml: 'service: { hostApiKey: live-key-1 }\nsecretKey: abc\nwebhooks: { intakeToken: x }\n',
    });
    expect(all).toEqual([
      {
        path: 'service.hostApiKey',
        where: 'tieout.yaml:1',
        value: null,
        message: 'secrets are not read from the file; set TIEOUT_HOST_API_KEY or TIEOUT_HOST_API_KEY_FILE',
      },
      {
        path: 'webhooks.intakeToken',
        where: 'tieout.yaml:3',
        value: null,
        message: 'secrets are not read from the file; set TIEOUT_INTAKE_TOKEN or TIEOUT_INTAKE_TOKEN_FILE',
      },
      {
        path: 'secretKey',
        where: 'tieout.yaml:2',
        value: null,
        message: 'secrets are not read from the file; set TIEOUT_SECRET_KEY or TIEOUT_SECRET_KEY_FILE',
      },
    ]);
  });

  it('may be given in one way only', () => {
    expect(
      problem({ env: { TIEOUT_SECRET_KEY: KEY, TIEOUT_SECRET_KEY_FILE: '/run/key' }, files: { '/run/key': KEY } }),
    ).toBe(
      'TIEOUT_SECRET_KEY_FILE | env TIEOUT_SECRET_KEY_FILE | - | set either TIEOUT_SECRET_KEY or TIEOUT_SECRET_KEY_FILE, not both',
    );
  });

  it('do not show a refused value of a file: it may be that of another secret', () => {
    expect(problem({ env: { TIEOUT_DATABASE_URL_FILE: '/run/key' }, files: { '/run/key': KEY } })).toMatch(
      'database.url | env TIEOUT_DATABASE_URL_FILE | - | is not valid',
    );
  });

  it('are known without the blanks around them, as messages would show them', () => {
    expect(environmentSecrets({ TIEOUT_HOST_API_KEY: ' live-key-1\n' })).toContain('live-key-1');
  });

  it('say which file cannot be read', () => {
    expect(problem({ env: { TIEOUT_HOST_API_KEY_FILE: '/run/none' } })).toBe(
      'TIEOUT_HOST_API_KEY_FILE | env TIEOUT_HOST_API_KEY_FILE | /run/none | cannot be read: there is no such file',
    );
  });

  it.each([KEY, 'postgres://app:hunter2@db/tieout'])(
    'do not show what was given in the place of a path: %s',
    (secret) => {
      expect(problem({ env: { TIEOUT_DATABASE_URL_FILE: secret } })).toBe(
        'TIEOUT_DATABASE_URL_FILE | env TIEOUT_DATABASE_URL_FILE | - | cannot be read: there is no such file',
      );
    },
  );

  it.each([
    ['not base64!', 'is not base64; 32 bytes in base64 are needed, from `openssl rand -base64 32`'],
    [Buffer.alloc(31).toString('base64'), 'is 31 bytes long; 32 are needed, from `openssl rand -base64 32`'],
    ['0'.repeat(64), 'is 48 bytes long; 32 are needed, from `openssl rand -base64 32`'],
  ])('the key %s is refused', (key, message) => {
    expect(problem({ env: { TIEOUT_SECRET_KEY: key } })).toBe(
      `secretKey | env TIEOUT_SECRET_KEY | ******** | ${message}`,
    );
  });

  it('are never shown by describe, and all known to the scrubber', () => {
    const loaded = load({
      yaml: [
        'sources: [{ name: a, type: sql, url: "postgres://u:p%40ss-word@h/d", query: select 1 }]',
        'notify: { webhookUrl: "https://hooks.example/T000/B000/hush" }',
      ].join('\n'),
      env: {
        TIEOUT_HOST_API_KEY: 'live-key-1',
        TIEOUT_SECRET_KEY: KEY,
        TIEOUT_INTAKE_TOKEN: 'bearer-token-0001',
        TIEOUT_DATABASE_URL: 'postgres://app:hunter2@db/tieout',
      },
    });
    const shown = JSON.stringify(loaded.describe());
    for (const secret of ['live-key-1', KEY, 'bearer-token-0001', 'hunter2', 'p%40ss-word', 'p@ss-word', 'hush']) {
      expect(shown).not.toContain(secret);
      expect(loaded.secrets().some((known) => known.includes(secret))).toBe(true);
    }
    expect(shown).toContain('https://hooks.example/********');
  });
});

it('remarks on variables that mean nothing, without stopping', () => {
  expect(load({ env: { TIEOUT_SERVICEURL: 'x', TIEOUT_TEST_POSTGRES_URL: 'y', PATH: 'z' } }).notes).toEqual([
    'the variable TIEOUT_SERVICEURL means nothing here; did you mean TIEOUT_SERVICE_URL?',
  ]);
});

it('takes several public keys from one variable', () => {
  const pem = (body: string) => `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`;
  const { publicKeys } = load({ env: { TIEOUT_WEBHOOK_PUBLIC_KEY: `${pem('AAA')}\n${pem('BBB')}\n` } }).settings
    .webhooks;
  expect(publicKeys).toEqual([pem('AAA'), pem('BBB')]);
});

// An unexpected error otherwise, which named neither the setting nor its line.
it.each([
  ['sources', 'allowed: a list'],
  ['deliver', 'allowed: a list'],
  ['evidence.chains', 'allowed: a list'],
  ['statuses.purchase', 'allowed: a list'],
  ['feeCeilings', 'allowed: a list'],
  ['renamedAssets', 'allowed: a list'],
])('%s is refused in words where it is a text or a map instead of a list', (path, allowed) => {
  for (const value of ['x', '{a: 1}', '{}']) {
    const yaml = path.split('.').reduceRight((inner, name) => `{${name}: ${inner}}`, value);
    expect(problem({ yaml })).toMatch(new RegExp(`^${path} \\| tieout.yaml:1 \\| .*${allowed}`));
  }
});

it('a file that has something else than a section is refused also where a variable or a flag sets a name in it', () => {
  const env = { TIEOUT_SERVICE_URL: 'https://service.example/api' };
  const flags = [{ flag: '--egress', path: ['service', 'egress'], value: 'office' }];
  for (const given of [{ env }, { flags }])
    for (const yaml of ['service: "https://other.example/api"', 'service: [{guard: 5s}]'])
      expect(problem({ yaml, ...given })).toMatch(/^service \| tieout.yaml:1 .*allowed: a map with url/);
  expect(load({ yaml: 'service:', env, flags }).settings.service.egress).toBe('office');
});
