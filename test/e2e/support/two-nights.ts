/** One population over two nights in a frozen world, and what of a report set may differ between two such worlds. */
import type { RawValue } from '../../../config/raw.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from './frozen-world.ts';
import { firstNight, IDS, QUOTES, referenceAnswers, secondNight } from './population.ts';

/** Ids that a language sorts otherwise than bytes do: upper before lower case, punctuation before letters. */
export const ODD_IDS = ['P01-upper', 'p01_underscore', 'p01-dash', 'P-02', 'p-02', 'p02', 'z01', 'Z01'];
const MORE = ODD_IDS.map((id) => `purchase,${id},tok-${id},2026-11-18T10:00:00Z,${id},,\n`).join('');

export interface Nights {
  world: FrozenWorld;
  first: Reconciled;
  second: Reconciled;
}

/** @param others called before the first night and whenever the clock is advanced, for other actors of the same world */
export async function twoNights(
  settings: Readonly<Record<string, RawValue>>,
  env: Record<string, string>,
  {
    onOpen = async () => undefined,
    onClock = () => undefined,
  }: { onOpen?: (world: FrozenWorld) => Promise<void>; onClock?: (iso: string) => void } = {},
): Promise<Nights> {
  const world = await openFrozenWorld(settings, env);
  for (const [path, answer] of Object.entries(referenceAnswers())) world.server.paths.set(path, answer);
  world.goTo('2026-11-18T09:00:00Z');
  await world.captureReferenceData();
  world.goTo('2026-11-18T10:01:00Z');
  await world.track(IDS + MORE);
  await world.quote(QUOTES);
  for (const [id, answer] of Object.entries(firstNight())) world.server.answers.set(id, answer);
  await onOpen(world);
  const goTo = (iso: string) => {
    world.goTo(iso);
    onClock(iso);
  };
  goTo('2026-11-20T04:15:00Z');
  const first = await world.night('2026-11-19');
  for (const [id, answer] of Object.entries(secondNight())) world.server.answers.set(id, answer);
  goTo('2026-11-21T04:15:00Z');
  const second = await world.night('2026-11-20');
  return { world, first, second };
}

/** The settings name another database and another folder, so their hash differs, and with it the chain of manifests. */
export function comparable(text: string): string {
  return text
    .replace(/("configuration_sha256": )"[0-9a-f]{64}"/, '$1"(settings)"')
    .replace(/("previous_manifest_sha256": )"[0-9a-f]{64}"/, '$1"(the night before)"');
}
