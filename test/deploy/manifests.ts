/** The manifests of docs/deploy as data: documents, and the pods in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const DEPLOY = new URL('../../docs/deploy/', import.meta.url);

/** A file of docs/deploy, by its path there. */
export function textOf(path: string): string {
  return readFileSync(new URL(path, DEPLOY), 'utf8');
}

/** With anchors and merges resolved, as Compose does it. */
export function yamlOf(path: string): unknown {
  return parse(textOf(path), { merge: true });
}

const labels = z.record(z.string(), z.string());
const document = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.literal('tieout'), labels: labels.optional() }),
  spec: z.record(z.string(), z.unknown()).optional(),
});
export type Manifest = z.infer<typeof document> & { file: string };

/** Every document of docs/deploy/kubernetes, with the file that it is in. */
export function manifests(): readonly Manifest[] {
  const files = readdirSync(new URL('kubernetes/', DEPLOY)).filter((name) => name.endsWith('.yaml'));
  return files.sort().flatMap((file) =>
    parseAllDocuments(textOf(`kubernetes/${file}`)).map((read) => {
      if (read.errors.length > 0) throw new Error(`${file}: ${read.errors[0]?.message}`);
      return { ...document.parse(read.toJS()), file };
    }),
  );
}

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(['/healthz', '/readyz']), port: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().optional(),
  failureThreshold: z.number().optional(),
});

/** What is asked of every container: strict where anything else would be wrong. */
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() })),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z.unknown().optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }),
  ),
});

const volume = z.strictObject({
  name: z.string(),
  configMap: z.strictObject({ name: z.string() }).optional(),
  secret: z
    .strictObject({
      secretName: z.string(),
      defaultMode: z.number(),
      items: z.array(z.strictObject({ key: z.string(), path: z.string() })),
    })
    .optional(),
  emptyDir: z.strictObject({ sizeLimit: z.string() }).optional(),
  persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
});

const podTemplate = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    serviceAccountName: z.literal('tieout'),
    automountServiceAccountToken: z.literal(false),
    restartPolicy: z.literal('Never').optional(),
    terminationGracePeriodSeconds: z.number().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.literal(1000),
      runAsGroup: z.literal(1000),
      fsGroup: z.literal(1000),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    affinity: z.unknown().optional(),
    topologySpreadConstraints: z.unknown().optional(),
    initContainers: z.array(container).default([]),
    containers: z.array(container).min(1),
    volumes: z.array(volume),
  }),
});

export type Container = z.infer<typeof container>;
export interface Pod {
  file: string;
  kind: string;
  name: string;
  labels: Record<string, string>;
  spec: z.infer<typeof podTemplate>['spec'];
  containers: readonly Container[];
}

const TEMPLATES: Readonly<Record<string, (spec: Record<string, unknown>) => unknown>> = {
  Deployment: (spec) => spec.template,
  StatefulSet: (spec) => spec.template,
  Job: (spec) => spec.template,
  CronJob: (spec) =>
    z.looseObject({ spec: z.looseObject({ template: z.unknown() }) }).parse(spec.jobTemplate).spec.template,
};

/** Every pod that some manifest makes. @throws a ZodError for one that is not confined as all of them shall be */
export function pods(): readonly Pod[] {
  return manifests().flatMap(({ file, kind, metadata, spec }) => {
    const template = TEMPLATES[kind];
    if (template === undefined) return [];
    const pod = podTemplate.parse(template(spec ?? {}));
    const containers = [...pod.spec.initContainers, ...pod.spec.containers];
    return [{ file, kind, name: metadata.name, labels: pod.metadata.labels, spec: pod.spec, containers }];
  });
}

/** Command lines of `tieout` in a container: its arguments, or the lines of a shell that call it. */
export function tieoutLines({ command, args }: Pick<Container, 'command' | 'args'>): readonly string[] {
  if (command === undefined) return [args.join(' ')];
  return args.flatMap((text) => [...text.matchAll(/tieout\.js (.+)$/gm)].map(([, line = '']) => line));
}
