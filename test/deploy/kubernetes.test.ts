/** The manifests of docs/deploy/kubernetes: they cannot be run here, so everything they refer to is looked up. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { VARIABLES } from '../../config/environment.ts';
import { JOBS } from '../../jobs/index.ts';
import { tieout } from '../cli/world.ts';
import { load } from '../config/loading.ts';
import { manifests, type Pod, pods, textOf, tieoutLines } from './manifests.ts';

const PODS = pods();
const pod = (name: string): Pod => {
  const found = PODS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};
const named = (kind: string, name: string) => {
  const found = manifests().find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
/** Whether a selector's labels are all among those. */
const fits = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

it('are a coordinator, workers, a receiver, a migration, and the one machine', () => {
  expect(PODS.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'Deployment tieout-coordinator',
    'Deployment tieout-intake',
    'Job tieout-migrate',
    'Deployment tieout',
    'StatefulSet tieout-worker',
  ]);
});

describe.each(PODS)('the pod of $kind $name', ({ spec, containers }) => {
  it('calls commands that exist, with flags that they have', async () => {
    for (const line of containers.flatMap(tieoutLines)) {
      const words = line.split(' ');
      const flags = words.filter((word) => word.startsWith('--'));
      const command = words[0] === 'db' ? 'db migrate' : (words[0] ?? '');
      const { code, out } = await tieout(`${command} --help`);
      expect(code, line).toBe(0);
      expect(out, line).toContain(`tieout ${command} `);
      for (const flag of flags) expect(out, line).toMatch(new RegExp(`(^| )${flag} `, 'm'));
      if (command === 'run') expect(JOBS.map(({ name }) => name)).toContain(words[1]);
    }
  });

  it('sets variables that exist, and secrets by file alone', () => {
    const known = VARIABLES.flatMap(({ name, file }) => (file ? [name, `${name}_FILE`] : [name]));
    const secret = VARIABLES.filter(({ file }) => file).map(({ name }) => name);
    for (const { env } of containers) {
      for (const { name } of env.filter((each) => each.name.startsWith('TIEOUT_'))) {
        expect(known).toContain(name);
        expect(secret).not.toContain(name);
      }
    }
  });

  it('mounts what there is, where its variables point to', () => {
    const volumes = new Map(spec.volumes.map((each) => [each.name, each]));
    const claims = manifests().filter(({ kind }) => kind === 'PersistentVolumeClaim');
    for (const each of spec.volumes) {
      if (each.configMap !== undefined) named('ConfigMap', each.configMap.name);
      // Readable by the group of the pod only: a key that all may read is refused.
      if (each.secret !== undefined) expect(each.secret).toMatchObject({ secretName: 'tieout', defaultMode: 0o440 });
      const claim = each.persistentVolumeClaim?.claimName;
      if (claim !== undefined) expect(claims.map(({ metadata }) => metadata.name)).toContain(claim);
    }
    for (const { env, volumeMounts } of containers) {
      for (const { name } of volumeMounts) expect([...volumes.keys()]).toContain(name);
      const files = env.flatMap(({ value }) => (value?.startsWith('/') ? [value] : []));
      const mounted = volumeMounts.flatMap(({ name, mountPath }) => {
        const { secret, configMap } = volumes.get(name) ?? {};
        if (configMap !== undefined) return [`${mountPath}/tieout.yaml`];
        return (secret?.items ?? []).map(({ path }) => `${mountPath}/${path}`);
      });
      for (const file of files) expect(mounted).toContain(file);
    }
  });

  it('may take half a minute to stop', () => {
    if (spec.containers.some(({ args }) => args[0] === 'db')) return;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(35);
  });

  it('runs this version', () => {
    const { version } = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
    for (const { image } of containers) expect(image).toBe(`registry.example/tieout:${version}`);
  });
});

it('restart dead processes, and send no traffic to processes that are not ready', () => {
  for (const name of ['tieout-intake', 'tieout-worker', 'tieout-coordinator', 'tieout']) {
    const [container] = pod(name).spec.containers;
    const ports = container?.ports.map((port) => port.name);
    expect(container?.startupProbe?.httpGet.path).toBe('/healthz');
    // A restart mends no database.
    expect(container?.livenessProbe?.httpGet.path).toBe('/healthz');
    expect(container?.readinessProbe?.httpGet.path).toBe('/readyz');
    for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]) {
      expect(ports).toContain(probe?.httpGet.port);
    }
  }
});

it('keep the time in a process that stays: a database that is away for a moment must not cost a night', () => {
  expect(pod('tieout-coordinator')).toMatchObject({ kind: 'Deployment', containers: [{ args: ['schedule'] }] });
  expect(named('Deployment', 'tieout-coordinator').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
});

it('give each worker a name of its own that outlives its pod', () => {
  const [worker] = pod('tieout-worker').spec.containers;
  expect(worker?.args).toEqual(['worker', '--egress', '$(POD_NAME)']);
  expect(worker?.env).toContainEqual({ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } });
  expect(named('StatefulSet', 'tieout-worker').spec).toMatchObject({ serviceName: 'tieout-worker' });
});

it('have settings that load, with the ports that the pods show', () => {
  const { data } = z
    .looseObject({ data: z.strictObject({ 'tieout.yaml': z.string() }) })
    .parse(named('ConfigMap', 'tieout'));
  const { settings } = load({
    yaml: data['tieout.yaml'],
    env: { TIEOUT_DATABASE_URL: 'postgres://db.example/tieout' },
  });
  expect(settings.schedule.jobs).toEqual(load({}).settings.schedule.jobs);
  expect(settings.workers).toMatchObject({ enabled: true, metrics: { host: '0.0.0.0', port: 9464 } });
  expect(settings.webhooks).toMatchObject({ host: '0.0.0.0', port: 8080, requireSignature: true });
  // Pods get new names with every start; an allowance must not.
  expect(settings.service.egress).toBe('cluster');
  expect(settings.out.startsWith('/data/')).toBe(true);
  expect(pod('tieout-intake').spec.containers[0]?.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
  expect(settings.schedule.metrics).toEqual({ host: '0.0.0.0', port: 9465 });
  for (const name of ['tieout-coordinator', 'tieout'])
    expect(pod(name).spec.containers[0]?.ports).toEqual([{ name: 'metrics', containerPort: 9465 }]);
  expect(pod('tieout-worker').spec.containers[0]?.ports).toEqual([{ name: 'metrics', containerPort: 9464 }]);
});

it('select pods that there are', () => {
  const selecting = z.looseObject({
    selector: z.union([
      z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
      z.record(z.string(), z.string()),
    ]),
  });
  const seen = manifests().flatMap(({ kind, metadata, spec }) => {
    if (!['Service', 'PodDisruptionBudget', 'Deployment', 'StatefulSet'].includes(kind)) return [];
    const { selector } = selecting.parse(spec);
    const labels = 'matchLabels' in selector ? (selector.matchLabels as Record<string, string>) : selector;
    expect(
      PODS.some((each) => fits(labels, each.labels)),
      `${kind} ${metadata.name}`,
    ).toBe(true);
    return [`${kind} ${metadata.name}`];
  });
  expect(seen).toHaveLength(8);
});

describe('the network', () => {
  const policy = z.object({
    podSelector: z.object({
      matchLabels: z.record(z.string(), z.string()).default({}),
      matchExpressions: z
        .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
        .default([]),
    }),
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z
      .array(z.object({ from: z.array(z.unknown()), ports: z.array(z.object({ port: z.unknown() })) }))
      .default([]),
    egress: z
      .array(z.object({ to: z.array(z.unknown()), ports: z.array(z.object({ port: z.unknown() })) }))
      .default([]),
  });
  const policies = manifests()
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => policy.parse(spec));
  const applying = ({ labels }: Pod) =>
    policies.filter(
      ({ podSelector: { matchLabels, matchExpressions } }) =>
        fits(matchLabels, labels) && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    );
  const reach = (name: string) =>
    applying(pod(name)).flatMap(({ egress }) => egress.flatMap(({ to, ports }) => ports.map(({ port }) => [port, to])));
  const cidr = (block: string) => [{ ipBlock: { cidr: block } }];
  const comes = (name: string) => applying(pod(name)).flatMap(({ ingress }) => ingress);

  it('lets through nothing by itself', () => {
    expect(policies).toContainEqual({
      podSelector: { matchLabels: {}, matchExpressions: [] },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [],
    });
  });

  it('lets workers reach the Service, the database, and the names of both', () => {
    const reached = reach('tieout-worker');
    expect(reached.map(([port]) => port)).toEqual([5432, 53, 53, 443]);
    expect(reached).toContainEqual([5432, cidr('10.20.0.0/24')]);
    expect(reached).toContainEqual([443, cidr('203.0.113.0/24')]);
  });

  it('lets the coordinator send notices and read the databases of sources; the others do neither', () => {
    const reached = reach('tieout-coordinator');
    expect(reached).toContainEqual([443, cidr('198.51.100.0/24')]);
    expect(reached).toContainEqual([587, cidr('198.51.100.0/24')]);
    expect(reached).toContainEqual([5432, cidr('10.30.0.0/24')]);
    for (const other of ['tieout-worker', 'tieout-intake', 'tieout-migrate'])
      expect(reach(other)).not.toContainEqual([443, cidr('198.51.100.0/24')]);
  });

  it('keeps a migration from the Service', () => {
    expect(reach('tieout-migrate').map(([port]) => port)).toEqual([5432, 53, 53]);
  });

  it('lets the ingress controller in to the receiver, and Prometheus to all', () => {
    const from = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
    expect(comes('tieout-intake')).toEqual([
      { from: [from('ingress-nginx'), from('monitoring')], ports: [{ port: 'http' }] },
    ]);
    expect(comes('tieout-worker')).toEqual([{ from: [from('monitoring')], ports: [{ port: 'metrics' }] }]);
    expect(comes('tieout-coordinator')).toEqual(comes('tieout-worker'));
  });

  it('exposes the receiver to the outside, and no page about the deployment', () => {
    const paths = [...textOf('kubernetes/intake.yaml').matchAll(/- path: (\S+)/g)].map(([, path]) => path);
    expect(paths).toEqual(['/webhooks', '/events', '/quotes']);
  });
});

it('hold no secret', () => {
  expect(manifests().map(({ kind }) => kind)).not.toContain('Secret');
  for (const { file } of manifests()) {
    expect(textOf(`kubernetes/${file}`)).not.toMatch(/postgres:\/\/|BEGIN |password/i);
  }
});
