/** Every PromQL expression of docs/deploy/monitoring. */
import { z } from 'zod';
import { textOf, yamlOf } from './manifests.ts';

const rule = z.strictObject({
  alert: z.string().regex(/^Tieout[A-Za-z]+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[mh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string() }),
});
export type Rule = z.infer<typeof rule>;

export function rules(): readonly Rule[] {
  const group = z.strictObject({ name: z.string(), rules: z.array(rule) });
  return z
    .strictObject({ groups: z.array(group) })
    .parse(yamlOf('monitoring/alerts.yaml'))
    .groups.flatMap((each) => each.rules);
}

const target = z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() });
const panel = z.looseObject({
  id: z.number(),
  title: z.string(),
  type: z.enum(['stat', 'timeseries']),
  datasource: z.strictObject({ type: z.literal('prometheus'), uid: z.string() }),
  gridPos: z.strictObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(target).min(1),
});
const dashboard = z.looseObject({
  title: z.string(),
  schemaVersion: z.number(),
  templating: z.strictObject({ list: z.array(z.looseObject({ name: z.string() })) }),
  annotations: z.strictObject({ list: z.array(z.looseObject({ expr: z.string() })) }),
  panels: z.array(panel),
});

export function dashboardOf(): z.infer<typeof dashboard> {
  return dashboard.parse(JSON.parse(textOf('monitoring/grafana-dashboard.json')));
}

/** By where they stand: `TieoutCircuitOpen`, `panel Batches`. */
export function expressions(): readonly { where: string; expr: string }[] {
  const { panels, annotations } = dashboardOf();
  return [
    ...rules().map(({ alert, expr }) => ({ where: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
    ...annotations.list.map(({ expr }) => ({ where: 'annotation', expr })),
  ];
}

/** What an expression asks for: metrics, each with the labels and values that it selects. */
export function selectionsOf(expr: string): readonly { metric: string; labels: Record<string, string> }[] {
  return [...expr.matchAll(/\b(tieout_[a-z_]+)(?:\{([^}]*)\})?(?!")/g)]
    .filter(([, name]) => name !== 'tieout_job')
    .map(([, metric = '', selector = '']) => ({
      metric,
      labels: Object.fromEntries(
        [...selector.matchAll(/([a-z_]+)=~?"([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
      ),
    }));
}
