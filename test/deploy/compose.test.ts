/** docs/deploy/compose: services, secrets and settings that fit together. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { VARIABLES } from '../../config/environment.ts';
import { tieout } from '../cli/world.ts';
import { load } from '../config/loading.ts';
import { textOf, yamlOf } from './manifests.ts';

const service = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  mem_limit: z.string(),
  stop_grace_period: z.string(),
  restart: z.string(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});
const file = z.looseObject({
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});
const { services, secrets } = file.parse(yamlOf('compose/compose.yaml'));
const ours = Object.entries(services).filter(([, { image }]) => image === 'tieout');

it('has a database, a migration, a coordinator, two workers and a receiver', () => {
  expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'coordinator', 'worker-a', 'worker-b', 'intake']);
});

describe.each(ours)('%s', (_name, each) => {
  it('is confined', () => {
    expect(each).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'], stop_grace_period: '35s' });
    expect(each.security_opt).toEqual(['no-new-privileges:true']);
  });

  it('calls a command that exists, with flags that it has', async () => {
    const command = each.command[0] === 'db' ? 'db migrate' : (each.command[0] ?? '');
    const { code, out } = await tieout(`${command} --help`);
    expect(code).toBe(0);
    expect(out).toContain(`tieout ${command} `);
    for (const flag of each.command.filter((word) => word.startsWith('--'))) expect(out).toContain(` ${flag} `);
  });

  it('sets variables that exist, each secret as a file that it is given', () => {
    const variables = new Map(
      VARIABLES.flatMap((one) => [
        [one.name, one],
        [`${one.name}_FILE`, one],
      ]),
    );
    for (const [name, value] of Object.entries(each.environment)) {
      expect([...variables.keys()]).toContain(name);
      if (name === 'TIEOUT_CONFIG') continue;
      expect(name.endsWith('_FILE')).toBe(true);
      expect(each.secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value);
    }
  });
});

it('keeps every secret in a file', () => {
  expect(Object.keys(secrets).sort()).toEqual(
    [...new Set(Object.values(services).flatMap((one) => one.secrets))].sort(),
  );
  for (const [name, secret] of Object.entries(secrets)) expect(secret.file).toBe(`./secrets/${name}`);
});

it('shows nothing to other machines', () => {
  for (const { ports } of Object.values(services)) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

it('has a worker on each address, under a name of its own', () => {
  const lines = ['worker-a', 'worker-b'].map((name) => services[name]?.command.join(' '));
  expect(lines).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose fills it in.
    'worker --egress worker-a --metrics-port 9464 --local-address ${WORKER_A_ADDRESS:?an address of this machine}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose fills it in.
    'worker --egress worker-b --metrics-port 9474 --local-address ${WORKER_B_ADDRESS:?another address of this machine}',
  ]);
  for (const name of ['worker-a', 'worker-b']) expect(services[name]?.network_mode).toBe('host');
});

it('asks every process that stays whether it lives, on the port where it answers', () => {
  const asked = Object.entries(services).flatMap(([name, { healthcheck }]) =>
    healthcheck === undefined ? [] : [[name, /127\.0\.0\.1:(\d+)/.exec(healthcheck.test.join(' '))?.[1]]],
  );
  expect(Object.fromEntries(asked)).toEqual({
    postgres: undefined,
    coordinator: '9465',
    'worker-a': '9464',
    'worker-b': '9474',
    intake: '8080',
  });
  for (const [name, { restart }] of Object.entries(services))
    expect(restart, name).toBe(name === 'migrate' ? 'no' : 'unless-stopped');
});

it('has settings that load: coordinator and receiver share the name of the address that they share', () => {
  const { settings } = load({
    yaml: textOf('compose/tieout.yaml'),
    env: { TIEOUT_DATABASE_URL: 'postgres://postgres/tieout' },
  });
  expect(settings.workers.enabled).toBe(true);
  expect(settings.schedule.metrics).toEqual({ host: '0.0.0.0', port: 9465 });
  expect(settings.service.egress).toBe('worker-a');
  expect(settings.webhooks).toMatchObject({ host: '0.0.0.0', port: 8080 });
});
