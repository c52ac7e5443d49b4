/**
 * The units of docs/deploy: what they start, and what they may do. `systemd-analyze` verifies and rates each where it is installed; the
 * directives that the rating comes from are looked up here, as not every machine has it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../config/environment.ts';
import { tieout } from '../cli/world.ts';
import { textOf } from './manifests.ts';

const UNITS = readdirSync(new URL('../../docs/deploy', import.meta.url)).filter((name) => name.endsWith('.service'));
/** Directive → its values in order, of the section [Service]. */
const serviceOf = (name: string): ReadonlyMap<string, readonly string[]> => {
  const [, text = ''] = textOf(name).split('[Service]\n');
  const values = new Map<string, string[]>();
  for (const line of text.split('\n[')[0]?.split('\n') ?? []) {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== '') values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
};

it('are the night, the hourly lists, the schedule, the receiver and the worker', () => {
  expect(UNITS).toEqual([
    'tieout-nightly.service',
    'tieout-reference-data.service',
    'tieout-schedule.service',
    'tieout-serve.service',
    'tieout-worker.service',
  ]);
});

describe.each(UNITS)('%s', (name) => {
  const service = serviceOf(name);

  it('calls commands that exist, with flags that they have', async () => {
    const lines = [...(service.get('ExecStartPre') ?? []), ...(service.get('ExecStart') ?? [])];
    for (const line of lines) {
      const words = line.split('tieout.js ')[1]?.split(' ') ?? [];
      const command = words[0] === 'db' ? 'db migrate' : (words[0] ?? '');
      const { code, out } = await tieout(`${command} --help`);
      expect(code, line).toBe(0);
      for (const flag of words.filter((word) => word.startsWith('--'))) expect(out).toMatch(new RegExp(`${flag} `));
    }
  });

  it('takes database, keys and tokens from the one file that all units share', () => {
    expect(service.get('EnvironmentFile')).toEqual(['/etc/tieout/tieout.env']);
    expect(service.has('Environment')).toBe(false);
  });

  it('may write its own folder, reach the network, and nothing else', () => {
    const set = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, service.get(key)?.join('; ')]));
    expect(set('User', 'StateDirectory', 'StateDirectoryMode', 'UMask')).toEqual({
      User: 'tieout',
      StateDirectory: 'tieout',
      StateDirectoryMode: '0700',
      UMask: '0077',
    });
    const on = ['NoNewPrivileges', 'LockPersonality', 'PrivateDevices', 'PrivateTmp', 'PrivateUsers', 'ProtectClock'];
    const more = [
      'ProtectControlGroups',
      'ProtectHome',
      'ProtectHostname',
      'ProtectKernelLogs',
      'ProtectKernelModules',
    ];
    const last = ['ProtectKernelTunables', 'RemoveIPC', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID'];
    for (const key of [...on, ...more, ...last]) expect(service.get(key), key).toEqual(['true']);
    const values = [
      ['ProtectSystem', 'strict'],
      ['ProtectProc', 'invisible'],
      ['CapabilityBoundingSet', ''],
      ['AmbientCapabilities', ''],
      ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX'],
      ['SystemCallArchitectures', 'native'],
      ['SystemCallFilter', '@system-service; ~@privileged @resources'],
    ] as const;
    for (const [key, value] of values) expect(service.get(key)?.join('; '), key).toBe(value);
    // The name of this boot is in /proc/sys: without it a lease could not recognise a process that has ended.
    expect(service.has('ProcSubset')).toBe(false);
  });
});

it('tieout.env names the database, the integration key and the secrets, and holds none', () => {
  const lines = textOf('tieout.env').split('\n');
  const given = lines.filter((line) => /^#?TIEOUT_/.test(line)).map((line) => line.replace(/^#/, '').split('='));
  const known = new Set(VARIABLES.flatMap(({ name, file }) => (file ? [name, `${name}_FILE`] : [name])));
  for (const [name = ''] of given) expect(known).toContain(name);
  expect(given.map(([name]) => name)).toEqual([
    'TIEOUT_CONFIG',
    'TIEOUT_DATABASE_URL',
    'TIEOUT_SECRET_KEY',
    'TIEOUT_HOST_API_KEY',
    'TIEOUT_INTAKE_TOKEN',
    'TIEOUT_WEBHOOK_PUBLIC_KEY_FILE',
  ]);
  for (const [name, value] of given) if (/KEY$|TOKEN$/.test(name ?? '')) expect(value).toBe('');
});

describe.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('systemd-analyze', () => {
  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };

  it('finds nothing wrong in a unit', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tieout-units-'));
    try {
      // Its programs are looked up on this machine.
      const units = [...UNITS, 'tieout-nightly.timer', 'tieout-reference-data.timer'].map((name) => {
        const file = join(folder, name);
        writeFileSync(file, textOf(name).replaceAll('/usr/bin/node', process.execPath));
        return file;
      });
      expect(analyze('verify', '--man=no', ...units)).toEqual({ status: 0, text: '' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(UNITS)('rates the exposure of %s below 2.0 of 10', (name) => {
    const file = new URL(`../../docs/deploy/${name}`, import.meta.url).pathname;
    expect(analyze('security', '--offline=true', '--threshold=20', file).status).toBe(0);
  });
});

it('start a worker or a receiver again after a failure, but not after a mistake in the settings', () => {
  for (const name of ['tieout-worker.service', 'tieout-serve.service']) {
    const service = serviceOf(name);
    expect(service.get('Restart')).toEqual(['on-failure']);
    expect(service.get('RestartPreventExitStatus')).toEqual(['2']);
    expect(Number(service.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(35);
  }
});

it('name no address apart: the units of one machine leave by one, and share its allowance', () => {
  for (const name of UNITS) expect(textOf(name)).not.toMatch(/tieout\.js .*--egress/);
});

it('an image is built from the sources alone', () => {
  const lines = textOf('../../.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toBe('*');
  const copied = [...textOf('Dockerfile').matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
  expect(copied.length).toBeGreaterThan(4);
  for (const file of copied) expect(lines, file).toContain(`!${file}`);
});

it('the image has the optional packages in the versions that are tested', () => {
  const { devDependencies, peerDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<'devDependencies' | 'peerDependencies', Record<string, string>>;
  const extras = /^ARG EXTRAS="(.+)"$/m.exec(textOf('Dockerfile'))?.[1]?.split(' ') ?? [];
  expect(extras.length).toBeGreaterThan(3);
  for (const each of extras) {
    const [name = '', version] = each.split('@');
    expect([name, version]).toEqual([name, devDependencies[name]]);
    expect(peerDependencies[name]).toBe(`^${version}`);
  }
});
