/** Two nights of a fixed population, and the golden sets that are made of the second one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REPORTS } from '../../../reports/index.ts';
import { renderRun } from '../../../src/app/render-run.ts';
import { PROFILES, type ProfileName } from '../../../src/ports/report-definition.ts';
import { rowsOfPrinted } from '../../golden/json-rows.ts';
import { type FrozenWorld, openFrozenWorld, type Reconciled } from './frozen-world.ts';
import { firstNight, IDS, QUOTES, referenceAnswers, secondNight } from './population.ts';

export const goldenFolder = fileURLToPath(new URL('../../golden', import.meta.url));

export async function goldenNights(): Promise<{ world: FrozenWorld; first: Reconciled; second: Reconciled }> {
  const world = await openFrozenWorld();
  const { server } = world;
  for (const [path, answer] of Object.entries(referenceAnswers())) server.paths.set(path, answer);
  world.goTo('2026-11-18T09:00:00Z');
  await world.captureReferenceData();
  world.goTo('2026-11-18T10:01:00Z');
  await world.track(IDS);
  await world.quote(QUOTES);
  for (const [id, answer] of Object.entries(firstNight())) server.answers.set(id, answer);
  world.goTo('2026-11-20T04:15:00Z');
  const first = await world.night('2026-11-19');
  for (const [id, answer] of Object.entries(secondNight())) server.answers.set(id, answer);
  world.goTo('2026-11-21T04:15:00Z');
  return { world, first, second: await world.night('2026-11-20') };
}

/** The reports of a night in a profile: name of the file → bytes. */
export async function reportsAs(
  profile: ProfileName,
  world: FrozenWorld,
  night: Reconciled,
): Promise<Map<string, Buffer>> {
  const out = join(world.out, `as-${profile}`);
  const { folder } = await renderRun(world.app, night.run, { out, profile, decimals: 'by-profile' });
  const names = REPORTS.map(({ definition }) => `${definition.name}.csv`);
  return new Map(names.map((file) => [file, readFileSync(join(folder, file))]));
}

/**
 * The second night in every profile but `excel`, which is `google-sheets` in the form of Windows, its description and its manifest
 * by rows: path below `test/golden` → bytes.
 */
export async function goldenSets(world: FrozenWorld, night: Reconciled): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const profile of PROFILES.filter((each) => each !== 'excel'))
    for (const [file, bytes] of await reportsAs(profile, world, night)) files.set(`${profile}/${file}`, bytes);
  for (const file of ['datapackage.json', 'manifest.json']) {
    const text = comparable(world.file(night.folder, file).toString());
    files.set(`standard/${file}`, Buffer.from(rowsOfPrinted(text)));
  }
  return files;
}

/** Without the values that depend on the machine. */
function comparable(text: string): string {
  return text
    .replace(/("configuration_sha256": )"[0-9a-f]{64}"/, '$1"(of this machine)"')
    .replace(/("code_version": )"[^"]+"/, '$1"(of this build)"')
    .replace(/("previous_manifest_sha256": )"[0-9a-f]{64}"/, '$1"(the night before)"');
}
