import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import type { OpenApp } from '../../src/cli/session.ts';
import { aWorld, tieout } from './world.ts';

describe('the command line', () => {
  it('without a command shows help, as a usage error', async () => {
    const { code, out, err } = await tieout('');
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('Usage: tieout [options] [command]');
  });

  it('prints the options of every command once, and not under each', async () => {
    expect((await tieout('help options')).out).toContain('--log-level <level>');
    const one = (await tieout('help verify')).out;
    expect(one).not.toContain('--log-level');
    expect(one).toContain('tieout help options');
    for (const line of ['help', 'help breaks', 'breaks help']) expect((await tieout(line)).code).toBe(0);
    expect((await tieout('breaks ack --help')).out).toContain('reason to record (required)');
  });

  it('shows help on request, on standard output', async () => {
    const { code, out, err } = await tieout('--help');
    expect([code, err]).toEqual([0, '']);
    for (const word of ['import', 'breaks', 'runs', 'db', 'config', 'Exit codes:']) expect(out).toContain(word);
  });

  it('prints its version', async () => {
    expect(await tieout('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it.each([
    'import',
    'quotes import',
    'breaks list',
    'breaks show',
    'evidence',
    'revenue accrual',
    'runs list',
    'runs show',
    'db migrate',
    'db status',
    'db backup',
    'config check',
  ])('explains %s with an example, and says where the flags of all commands are', async (command) => {
    const { code, out } = await tieout(`${command} --help`);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: tieout ${command}`);
    expect(out).toMatch(new RegExp(`Examples:\\n  .*tieout ${command}`));
    expect(out).toContain('tieout help options');
  });

  it.each([
    ['lst', "tieout: unknown command 'lst'"],
    ['breaks lst', "tieout: unknown command 'lst'\n(Did you mean list?)"],
    ['help nope', "tieout: unknown command 'nope'\n`tieout --help`"],
    ['-q help brekas', "tieout: unknown command 'brekas'\n(Did you mean breaks?)"],
    ['nope --help', "tieout: unknown command 'nope'"],
    ['breaks help lst', "tieout: unknown command 'lst'\n(Did you mean list?)"],
    ['runs list --limt 3', "tieout: unknown option '--limt'\n(Did you mean --limit?)"],
    ['import', "tieout: missing required argument 'file'"],
    ['runs list extra', "tieout: too many arguments for 'list'. Expected 0 arguments but got 1: extra."],
    ['config check --fail-on never', "tieout: option '--fail-on <what>' argument 'never' is invalid."],
    ['config check -q -v', 'tieout: -q and -v contradict each other; give one of them'],
  ])('refuses %j', async (line, message) => {
    const { code, out, err } = await tieout(line);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
  });
});

describe('common flags', () => {
  const timezone = (out: string) =>
    (JSON.parse(out) as { settings: { path: string; value: string; origin: string }[] }).settings.find(
      ({ path }) => path === 'timezone',
    );

  it.each([
    '--json --timezone Asia/Tokyo config check',
    'config --timezone Asia/Tokyo check --json',
    'config check --json --timezone Asia/Tokyo',
  ])('work wherever they stand: %s', async (line) => {
    const { code, out } = await tieout(line);
    expect(code).toBe(0);
    expect(timezone(out)).toEqual({
      path: 'timezone',
      value: 'Asia/Tokyo',
      origin: 'flag --timezone',
      about: 'Time zone in which business days begin and end.',
    });
  });

  it('that are settings are checked with all the other settings', async () => {
    const { code, err } = await tieout('config check --timezone Mars/Base --concurrency 0 --log-level loud', {
      env: { TIEOUT_SERVICE_URL: 'https://service.example' },
    });
    expect(code).toBe(2);
    expect(err.split('\n').slice(0, 5)).toEqual([
      'tieout: 4 problems in the settings:',
      '  service.url (env TIEOUT_SERVICE_URL): "https://service.example" must end in /api (the base path of the API)',
      '  service.concurrency (flag --concurrency): "0" is not valid; allowed: a whole number from 1 to 256',
      '  timezone (flag --timezone): "Mars/Base" is not valid; allowed: an IANA time zone, such as UTC or Europe/Berlin',
      '  logLevel (flag --log-level): "loud" is not valid; allowed: trace, debug, info, warn, error, fatal, silent',
    ]);
  });

  it.each([
    ['-v', 'debug', 'flag -v'],
    ['-q', 'warn', 'flag -q'],
    ['-v --log-level error', 'error', 'flag --log-level'],
    ['', 'fatal', 'env TIEOUT_LOG_LEVEL'],
  ])('%j gives the log level %s', async (flags, value, origin) => {
    const { out } = await tieout(`config check --json ${flags}`, { env: { TIEOUT_LOG_LEVEL: 'fatal' } });
    const { settings } = JSON.parse(out) as { settings: { path: string }[] };
    expect(settings.find(({ path }) => path === 'logLevel')).toMatchObject({ value, origin });
  });
});

describe('tieout config check', () => {
  it('prints each value with its origin, secrets masked', async () => {
    const { code, out } = await tieout('config check', {
      env: { TIEOUT_HOST_API_KEY: 'live-key-1', TIEOUT_DATABASE_URL: 'postgres://app:hunter2@db/tieout' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^service\.hostApiKey +\*{8} +env TIEOUT_HOST_API_KEY$/m);
    expect(out).toMatch(/^database\.url +postgres:\/\/app:\*{8}@db\/tieout +env TIEOUT_DATABASE_URL$/m);
    expect(out).toMatch(/^service\.guard +5s +default$/m);
    expect(out).not.toMatch(/live-key-1|hunter2/);
  });

  it('remarks on what it does not understand', async () => {
    const { code, err } = await tieout('config check', { env: { TIEOUT_OUTT: 'x' } });
    expect(code).toBe(0);
    expect(err).toBe('note: the variable TIEOUT_OUTT means nothing here; did you mean TIEOUT_OUT?\n');
  });
});

describe('secrets', () => {
  it('never show in an error, in any text', async () => {
    const openApp: OpenApp = () => Promise.reject(new Error('GET /purchase/1?secret=tok with live-key-1 and hunter2'));
    const { code, err } = await tieout('runs list -v', {
      openApp,
      env: { TIEOUT_HOST_API_KEY: 'live-key-1', TIEOUT_DATABASE_URL: 'postgres://app:hunter2@db/x' },
    });
    expect(code).toBe(4);
    expect(err).toContain('GET /purchase/1?secret=[secret] with [secret] and [secret]');
    expect(err).not.toMatch(/live-key-1|hunter2|=tok/);
  });
});

describe('signals', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the work, with its own exit code', async (name, expected) => {
    const world = aWorld();
    const openApp: OpenApp = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        setImmediate(() => world.send(name));
      });
    expect(await runCli(['runs', 'list'], world, openApp)).toBe(expected);
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.err()).toBe('tieout: stopped; saved progress stays\n');
    expect(world.exits).toEqual([]);
  });

  it('a second one does not wait', async () => {
    const world = aWorld();
    const openApp: OpenApp = ({ signal }) =>
      new Promise((_, reject) => {
        setImmediate(async () => {
          world.send('SIGTERM');
          await setTimeout(1_000);
          world.send('SIGTERM');
          reject(signal.reason);
        });
      });
    await runCli(['runs', 'list'], world, openApp);
    expect(world.exits).toEqual([143]);
  });
});

describe('a terminal that has gone', () => {
  const gone = Object.assign(new Error('write EIO'), { code: 'EIO' });
  it.each([
    { of: 'a terminal', tty: true, exits: [] },
    { of: 'a file on a broken disk', tty: false, exits: [4] },
  ])('what cannot be written: $of', async ({ tty, exits }) => {
    const world = aWorld({ tty });
    const openApp: OpenApp = async () => {
      world.stderr.emit('error', gone);
      throw new Error('over');
    };
    await runCli(['runs', 'list'], world, openApp);
    expect(world.exits).toEqual(exits);
  });
});
