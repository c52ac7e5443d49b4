/** Builders for the sandbox's own tests: a sandbox with a fixed clock, and short ways to ask it things. */
import type { Night, SandboxOptions } from '../../src/sandbox/contract.ts';
import { createPopulation, type Population } from '../../src/sandbox/population.ts';
import type { RecordPlan } from '../../src/sandbox/record-plan.ts';
import { createSandbox, createWorld, type Sandbox } from '../../src/sandbox/sandbox.ts';

/** 2026-11-01T03:10:00Z. */
export const NOW = Date.UTC(2026, 10, 1, 3, 10);

const DEFAULTS = { clock: () => NOW, now: NOW, bodies: 'observed' } as const;

export type Json = Record<string, unknown>;

/** Limits are off, the clock stands still, and bodies are of all forms, unless a test says otherwise. */
export function aSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return createSandbox({ ...DEFAULTS, records: 60, rateLimits: 'off', ...options });
}

/** A population without a server before it. */
export function aPopulation(options: Partial<SandboxOptions> = {}): Population {
  return createPopulation(createWorld({ ...DEFAULTS, records: 3000, ...options }));
}

/** Its plans, and what is answered for them. */
export function bodiesOf(population: Population) {
  const plans = Array.from({ length: population.size }, (_, index) => population.plan(index));
  function bodyOf(plan: RecordPlan, night: Night = 1, from = population): Json {
    const answered = from.answer(plan, night);
    if ('refusal' in answered) throw new Error(`record ${plan.index} is refused with ${answered.refusal}`);
    return JSON.parse(JSON.stringify(answered.body)) as Json;
  }
  const ofKind = (of: string) => plans.filter(({ kind }) => kind === of).map((plan) => ({ plan, body: bodyOf(plan) }));
  return { plans, bodyOf, purchases: ofKind('purchase'), sales: ofKind('sale') };
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
  /** For answers that are lists. */
  list: Json[];
}

export async function get(base: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return answer(await fetch(base + path, { headers }));
}

export async function post(base: string, path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return answer(await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answer(response: Response): Promise<Answer> {
  const text = await response.text();
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  const list = Array.isArray(parsed) ? parsed.map(asObject) : [];
  return { status: response.status, headers: response.headers, body: asObject(parsed), list };
}

export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** A number of a body; fails the test where it is none. */
export function asNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`not a number: ${JSON.stringify(value)}`);
}
