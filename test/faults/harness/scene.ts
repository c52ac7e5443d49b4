/**
 * The sandbox, a proxy before it, and a folder with settings and tracked ids in which the real command line runs. The caller that
 * opens a scene closes it.
 */
import { cpSync } from 'node:fs';
import type { SandboxRateLimit } from '../../../src/sandbox/contract.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openWorkspace, type Workspace } from '../../e2e/support/workspace.ts';
import { type FaultProxy, startProxy } from './proxy.ts';

/** Independent of today's date: the nights of all scenes are the same. */
export const SCENE_NOW = Date.parse('2026-11-20T04:15:00Z');
export const SCENE_DATE = '2026-11-19';
export const SCENE_SET = `${SCENE_DATE}/nightly-r1`;

/** Further settings of the service, by name; they win over the scene's own. */
export type ServiceSettings = Readonly<Record<string, string>>;

export interface SceneOptions {
  records: number;
  /** Share of records with a defect. */
  defects?: number;
  /** Enforced and counted by the sandbox. */
  limits?: readonly SandboxRateLimit[];
  service?: ServiceSettings;
  /** Further top-level YAML. */
  settings?: string;
  /** The sandbox lives now instead of in the night of the scenes: for rows in which records are made meanwhile. */
  realTime?: boolean;
}

export interface Scene extends AsyncDisposable {
  sandbox: Sandbox;
  proxy: FaultProxy;
  place: Workspace;
  ids: readonly string[];
  /** Writes tieout.yaml again, in this place or another one. */
  configure(service?: ServiceSettings, settings?: string, place?: Workspace): void;
  /** A second folder with the same ids and settings. */
  another(): Workspace;
}

/** Environment that makes a child's wall clock stand still: equal runs then give equal bytes. Monotonic time goes on. */
export function frozenClock(at = SCENE_NOW): Record<string, string> {
  const preload = new URL('../children/frozen-clock.ts', import.meta.url);
  return { NODE_OPTIONS: `--import ${preload.href}`, TIEOUT_FAULTS_NOW: String(at) };
}

export async function openScene(options: SceneOptions): Promise<Scene> {
  const { records, defects = 0.05, limits = [], realTime = false } = options;
  const now = realTime ? Date.now() : SCENE_NOW;
  const started = performance.now();
  const sandbox = await createSandbox({
    bodies: 'observed',
    clock: () => now + performance.now() - started,
    now,
    records,
    defects,
    seed: 7,
    rateLimits: limits.length === 0 ? 'off' : limits,
    prices: 'still',
  });
  const proxy = await startProxy(sandbox.url);
  const lines = [...sandbox.trackedLines()];
  // A defect of the population is that some come in twice.
  const ids = [...new Set(lines.map(({ id }) => id))];
  const tracked = lines.map((line) => JSON.stringify(line));
  const quotes = [...sandbox.quoteLines()].map((line) => JSON.stringify(line));
  const places: Workspace[] = [];
  const configureIn = (place: Workspace, service: ServiceSettings, settings: string) =>
    place.write(
      'tieout.yaml',
      settingsText(proxy.url, { ...options.service, ...service }, `${options.settings ?? ''}${settings}`),
    );
  const open = (): Workspace => {
    const place = openWorkspace(null);
    places.push(place);
    configureIn(place, {}, '');
    return place;
  };
  const close = async () => {
    for (const each of places) each.remove();
    await proxy.close();
    await sandbox.close();
  };
  const template = open();
  // Ids come in at the instant of the night, so that nothing in two folders differs but what a row makes differ.
  const env = frozenClock(now);
  for (const [args, stdin] of [
    [['import', '-', '-q'], tracked],
    [['quotes', 'import', '-', '-q'], quotes],
  ] as const) {
    const { code, err } = await template.process(args, { stdin: stdin.join('\n'), env });
    if (code === 0) continue;
    await close();
    throw new Error(`the scene could not be set: ${err}`);
  }
  const another = (): Workspace => {
    const place = open();
    cpSync(template.path('var'), place.path('var'), { recursive: true });
    return place;
  };
  const place = another();
  return {
    sandbox,
    proxy,
    place,
    ids,
    another,
    configure: (service = {}, settings = '', where = place) => configureIn(where, service, settings),
    [Symbol.asyncDispose]: close,
  };
}

/** No limits and no guard unless a row is about them; one retry, at once. */
function settingsText(url: string, service: ServiceSettings, settings: string): string {
  const all: ServiceSettings = { url, rateLimits: 'off', guard: '0s', retries: '1', timeout: '20s', ...service };
  const lines = Object.entries(all).map(([name, value]) => `  ${name}: ${value}`);
  return `service:\n${lines.join('\n')}\nlogLevel: warn\n${settings}`;
}
