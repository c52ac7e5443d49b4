import { describe, expect, it } from 'vitest';
import { parseDuration, showDuration } from '../../config/duration.ts';
import { load, problem } from './loading.ts';

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['5s', 5_000],
    ['1m', 60_000],
    ['15m', 900_000],
    ['120h', 432_000_000],
    ['400d', 34_560_000_000],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['5', '5 s', '1.5h', '-5s', '5S', '1M', '1w', 'PT5S', '', 's', '9999999999s'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [90_000, '90s'],
    [3_600_000, '1h'],
    [0, '0s'],
    [1_500, '1500ms'],
  ])('%d ms is shown as %s', (ms, text) => {
    expect(showDuration(ms)).toBe(text);
  });
});

describe('decimals', () => {
  it('are read from the text of the file, digit by digit', () => {
    const { tolerances } = load({
      yaml: 'tolerances:\n  crypto: { relative: 1e-9 }\n  fiat: { relative: 0.1000000000000000000000000001, absolute: 0.30 }\n',
    }).settings;
    expect(tolerances.crypto.relative.toString()).toBe('0.000000001');
    expect(tolerances.fiat.relative.toString()).toBe('0.1000000000000000000000000001');
    expect(String(tolerances.fiat.absolute)).toBe('0.3');
  });

  it.each(['-0.1', '1.5', '.nan', '.inf', '0x10', '1_000', 'lots'])('%s is no fraction', (text) => {
    expect(problem({ yaml: `tolerances: { crypto: { relative: ${text} } }\n` })).toBe(
      `tolerances.crypto.relative | tieout.yaml:1 | ${text} | is not valid; allowed: a decimal number from 0 to 1, such as 0.001 for 0.1 %`,
    );
  });
});

describe('tolerances', () => {
  it('take overrides by currency and by rule, each in part', () => {
    const { tolerances } = load({
      yaml: 'tolerances:\n  currencies: { JPY: { absolute: 1 }, KWD: { absolute: minor-unit, relative: 0 } }\n  rules: { FEE_BASE_DIFFERS: { relative: 0.05 } }\n',
    }).settings;
    expect(tolerances.fiat.absolute).toBe('minor-unit');
    expect(String(tolerances.currencies.get('JPY')?.absolute)).toBe('1');
    expect(tolerances.currencies.get('JPY')?.relative).toBeUndefined();
    expect(tolerances.currencies.get('KWD')?.absolute).toBe('minor-unit');
    expect(String(tolerances.rules.get('FEE_BASE_DIFFERS')?.relative)).toBe('0.05');
  });

  it('know the currencies', () => {
    expect(problem({ yaml: 'tolerances: { currencies: { EUX: { absolute: 1 } } }\n' })).toBe(
      'tolerances.currencies.EUX | tieout.yaml:1 | {absolute: 1} | is set for something that is not an ISO 4217 currency code, such as EUR',
    );
  });
});

describe('the status model', () => {
  const DAY = 86_400_000;

  it('by default lets a failed payment be followed by another', () => {
    const { purchase, sale } = load().settings.statuses;
    expect(purchase.get('PAYMENT_IN_PROGRESS')).toEqual({
      value: 'PAYMENT_IN_PROGRESS',
      stage: 2,
      terminal: false,
      stuckAfter: { workingDays: 5 },
      stuckAfterBy: { MANUAL_BANK_TRANSFER: { workingDays: 8 } },
      mayReturnTo: 1,
    });
    expect(purchase.get('INITIALIZED')?.stuckAfter).toEqual({ afterEndTime: DAY });
    expect(purchase.get('RELEASING')?.stuckAfter).toBe(DAY);
    expect(purchase.get('EXPIRED')?.mayBecome).toEqual([
      'FIAT_PENDING',
      'FIAT_RECEIVED',
      'RELEASING',
      'RELEASED',
      'FIAT_RETURNED',
      'REVIEW_REJECTED',
      'RETURNED',
    ]);
    const refunded = ['FIAT_RETURNED', 'RETURNED'];
    for (const model of [purchase, sale]) expect(model.get('REVIEW_REJECTED')?.mayBecome).toEqual(refunded);
    expect(purchase.get('CANCELLED')?.mayBecome).toEqual(refunded);
    expect(sale.get('EXPIRED')?.mayBecome).toEqual(expect.arrayContaining(['initiated', 'RELEASED', ...refunded]));
    expect(purchase.get('RELEASED')).toEqual({
      value: 'RELEASED',
      stage: 7,
      terminal: true,
      stuckAfter: null,
      mayReturnTo: null,
    });
    expect([...sale.values()].map(({ value, stage }) => `${value} ${stage}`)).toEqual([
      'CREATED 0',
      'not-started 0',
      'initiated 1',
      'FIAT_PENDING 1',
      'delayed 1',
      'failed 1',
      'completed 3',
      'RELEASED 3',
      'EXPIRED 3',
      'FIAT_RETURNED 3',
      'REVIEW_REJECTED 3',
      'RETURNED 3',
    ]);
  });

  it('is replaced per kind', () => {
    const { purchase, sale } = load({
      yaml: 'statuses:\n  purchase:\n    - { value: NEW, stage: 0, terminal: false, stuckAfter: none }\n    - { value: DONE, stage: 1, terminal: true }\n',
    }).settings.statuses;
    expect([...purchase.keys()]).toEqual(['NEW', 'DONE']);
    expect(purchase.get('NEW')?.stuckAfter).toBeNull();
    expect(sale.has('completed')).toBe(true);
  });

  it.each([
    [
      '[{ value: A, stage: 0, terminal: true }, { value: A, stage: 1, terminal: true }]',
      'statuses.sale[1].value | tieout.yaml:1 | A | is defined twice',
    ],
    [
      '[{ value: A, stage: 0, terminal: false }]',
      'statuses.sale | tieout.yaml:1 | [{value: A, stage: 0, terminal: false}] | needs a terminal status: without one nothing ever matches',
    ],
    [
      '[{ value: A, stage: 1, terminal: true, stuckAfter: 5h }]',
      'statuses.sale[0].stuckAfter | tieout.yaml:1 | 5h | must not be set: nothing follows a terminal status',
    ],
    [
      '[{ value: A, stage: 1, terminal: false, mayReturnTo: 2 }, { value: B, stage: 2, terminal: true }]',
      'statuses.sale[0].mayReturnTo | tieout.yaml:1 | 2 | must be at most its own stage, 1',
    ],
  ])('refuses %s', (sale, expected) => {
    expect(problem({ yaml: `statuses: { sale: ${sale} }\n` })).toBe(expected);
  });
});

describe('the address of the Service', () => {
  it.each([
    ['https://service.example/api', 'https://service.example/api'],
    ['https://service.example/deep/api/', 'https://service.example/deep/api'],
    ['http://127.0.0.1:4010/api', 'http://127.0.0.1:4010/api'],
    ['http://sandbox:4010/api', 'http://sandbox:4010/api'],
    ['http://[::1]:4010/api', 'http://[::1]:4010/api'],
  ])('%s is read as %s', (url, expected) => {
    expect(load({ env: { TIEOUT_SERVICE_URL: url } }).settings.service.url).toBe(expected);
  });

  it.each([
    ['https://service.example', 'must end in /api (the base path of the API)'],
    ['https://service.example/api/host-api', 'must end in /api (the base path of the API)'],
    [
      'http://service.example/api',
      'must be https: view tokens would travel in clear text (http is allowed on this machine only)',
    ],
    ['https://service.example/api?secret=x', 'must not have a query or a fragment'],
    [
      'ftp://service.example/api',
      'is not valid; allowed: the https address of the Service that ends in /api, such as https://service.example/api',
    ],
    [
      'service.example/api',
      'is not valid; allowed: the https address of the Service that ends in /api, such as https://service.example/api',
    ],
  ])('%s is refused', (url, message) => {
    expect(
      problem({ yaml: `service: { url: "${url}" }\n` })
        .split(' | ')
        .at(-1),
    ).toBe(message);
  });
});

describe('rules', () => {
  it('are off or have another severity', () => {
    const { rules } = load({
      yaml: 'rules: { QUOTE_MISSING: { severity: info }, METHOD_UNSUPPORTED: off, FEE: false }\n',
    }).settings;
    expect(rules).toEqual({ QUOTE_MISSING: { severity: 'info' }, METHOD_UNSUPPORTED: 'off', FEE: 'off' });
  });

  it('must exist, where the rules are known', () => {
    const known = { rules: ['QUOTE_MISSING', 'RESTATED'] };
    expect(problem({ known, yaml: 'rules: { QUOTE_MISING: off }\n' })).toBe(
      'rules.QUOTE_MISING | tieout.yaml:1 | off | is set for a rule that does not exist; did you mean QUOTE_MISSING?',
    );
  });
});

it.each([
  [
    'schedule: { jobs: { nightly: "0 15 4 * * *" } }',
    'needs five fields (minute hour day month weekday), such as 15 4 * * *, and has 6',
  ],
  [
    'schedule: { jobs: { nightly: "61 4 * * *" } }',
    'is not valid; allowed: a cron line of five fields, such as 15 4 * * *, or off',
  ],
  // Counted through it would take ten seconds.
  [
    'schedule: { jobs: { nightly: "15 4 1-9999999 * *" } }',
    'is not valid; allowed: a cron line of five fields, such as 15 4 * * *, or off',
  ],
  ['timezone: "+02:00"', 'is not valid; allowed: an IANA time zone, such as UTC or Europe/Berlin'],
  ['timezone: Europe/Berln', 'is not an IANA time zone; did you mean Europe/Berlin?'],
  ['service: { rateLimits: [] }', 'needs at least one item'],
  [
    'service: { salePath: /sale }',
    'is not valid; allowed: a path with {id} in it, such as /host-api/offramp/sale/{id}',
  ],
  ['reports: { formats: [csv, xls] }', 'is not valid; allowed: csv, xlsx, html, json (did you mean xlsx?)'],
  [
    'database: { url: "mysql://h/d" }',
    'is not valid; allowed: sqlite:PATH, such as sqlite:var/tieout.db, or postgres://user@host:5432/name',
  ],
  [
    'database: { url: "sqlite://var/x.db" }',
    'takes a path right after the colon: sqlite:var/tieout.db or sqlite:/var/lib/tieout.db',
  ],
  ['quotes: { captureOnCreated: yes }', 'is not valid; allowed: true or false'],
  ['webhooks: { port: 65536 }', 'is not valid; allowed: a whole number from 0 to 65535'],
  ['sources: [{ name: a, type: folder, path: x }]', 'is not valid; allowed: file, sql or plugin'],
  ['rules: { QUOTE_MISSING: hgh }', 'is not valid; allowed: a map with severity, or off'],
  ['sources: [x]', 'is not valid; allowed: a map with name, type and what that type needs'],
  ['sources: [{ name: a, type: file }]', 'is missing; allowed: a path'],
])('%s is refused: %s', (yaml, message) => {
  expect(
    problem({ yaml: `${yaml}\n` })
      .split(' | ')
      .at(-1),
  ).toBe(message);
});
