/** The statements that a piece of work really sends, and how the server would run them. */
import pg from 'pg';
import { vi } from 'vitest';
import { PLANNER_HINT } from '../../../src/store/postgres/dialect.ts';

interface Sent {
  text: string;
  values: readonly unknown[];
}

/** A node of EXPLAIN's answer, with the fields that are read here. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: readonly PlanNode[];
}

/** How one table is reached: by which indexes, and whether it is also read from end to end. */
export interface Access {
  indexes: Set<string>;
  whole: boolean;
}

/**
 * Runs the work to its end, well or not (rows that were made up here need not make sense), and returns what it asked.
 */
async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work().catch(() => undefined);
    for (const [query, values] of spy.mock.calls as unknown as [string | Partial<Sent>, unknown[] | undefined][]) {
      if (typeof query === 'string') sent.push({ text: query, values: values ?? [] });
      else if (query.text !== undefined) sent.push({ text: query.text, values: query.values ?? [] });
    }
  } finally {
    spy.mockRestore();
  }
  return sent.filter(({ text }) => /^\s*(select|insert|update|delete|begin read only|commit|set)\b/i.test(text));
}

function look(node: PlanNode, found: Map<string, Access>, above: string): void {
  // The nodes below a bitmap scan have the index, but not the table.
  const table = node['Relation Name'] ?? above;
  const index = node['Index Name'];
  const whole = node['Node Type'] === 'Seq Scan';
  if (table !== '' && (index !== undefined || whole)) {
    const access = found.get(table) ?? { indexes: new Set(), whole: false };
    if (index !== undefined) access.indexes.add(index);
    access.whole ||= whole;
    found.set(table, access);
  }
  for (const child of node.Plans ?? []) look(child, found, table);
}

/** How the statements of a piece of work reach their tables; those that modify are explained and not run again. */
export async function accessOf(url: string, work: () => Promise<unknown>): Promise<ReadonlyMap<string, Access>> {
  const sent = await sentBy(work);
  if (sent.length === 0) throw new Error('nothing was asked');
  const found = new Map<string, Access>();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(PLANNER_HINT);
  try {
    for (const { text, values } of sent) {
      // The planner settings of the product apply here too.
      if (/^(begin|commit|set)/.test(text)) {
        await client.query(text);
        continue;
      }
      const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
      const [plan] = (rows[0] as { 'QUERY PLAN': readonly { Plan: PlanNode }[] })['QUERY PLAN'];
      if (plan !== undefined) look(plan.Plan, found, '');
    }
  } finally {
    await client.end();
  }
  return found;
}
