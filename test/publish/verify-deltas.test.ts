/** A delta names the closed month that it is about, by the hash of that month's manifest. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Publication } from '../../src/publish/publication.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { facts, publishSet } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const MONTH = 'periods/2026-10';
const DELTA = 'periods/2026-10-delta-001';
const tempFolder = tempFolders();
let out = '';

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const publish = (delta: number, deltaOf?: unknown) =>
  new Publication({ out, period: '2026-10', delta, profile: 'standard', decimals: 'exact', suffix: 'test' }).publish(
    facts({
      run_id: `period-2026-10-r${delta + 1}`,
      job: 'period',
      business_date: '2026-10-31',
      revision: delta + 1,
      selection: { type: 'all' },
      ...(deltaOf === undefined ? {} : { delta_of: deltaOf }),
    }),
  );
const problemsOf = async (path: string) => (await verifySets(path)).flatMap(({ problems }) => problems);
const isDeltaTo = () => ({ path: MONTH, manifest_sha256: sha256(join(out, MONTH, 'manifest.json')) });

beforeEach(async () => {
  out = tempFolder();
  await publish(0);
});

it('lies beside its month, moves no link, and holds as a whole and alone', async () => {
  await publishSet({ out });
  expect(await publish(1, isDeltaTo())).toBe(DELTA);
  const verified = await verifySets(out);
  expect(verified.map(({ path, problems }) => [path.slice(out.length + 1), ...problems])).toEqual([
    ['2026-11-20/nightly-r1'],
    [MONTH],
    [DELTA],
  ]);
  expect((await verifySets(join(out, 'periods'))).map(({ path }) => path)).toEqual([
    join(out, MONTH),
    join(out, DELTA),
  ]);
  expect(await problemsOf(join(out, DELTA))).toEqual([]);
  expect(sha256(join(out, 'latest/manifest.json'))).toBe(sha256(join(out, '2026-11-20/nightly-r1/manifest.json')));
});

it('to a month alone, without any night, leaves no link missing', async () => {
  await publish(1, isDeltaTo());
  expect(existsSync(join(out, 'latest'))).toBe(false);
  expect(await problemsOf(out)).toEqual([]);
});

it('to a month whose manifest is another one names both hashes', async () => {
  const named = 'b'.repeat(64);
  await publish(1, { path: MONTH, manifest_sha256: named });
  const found = sha256(join(out, MONTH, 'manifest.json'));
  expect(await problemsOf(join(out, DELTA))).toEqual([
    `manifest.json: is a delta to ${MONTH} with the manifest ${named}, but that set's manifest is ${found}; one of the two was changed: restore both from a backup`,
  ]);
});

it.each([
  ['is not an object', 'periods/2026-10'],
  ['has no hash', { path: MONTH }],
  ['has no path', { manifest_sha256: 'b'.repeat(64) }],
  ['names no set', { path: '../2026-10', manifest_sha256: 'b'.repeat(64) }],
])('that %s is reported', async (_, deltaOf) => {
  await publish(1, deltaOf);
  expect(await problemsOf(join(out, DELTA))).toEqual([
    'manifest.json: delta_of does not name a set; restore the set from a backup',
  ]);
});

it('to a month that is gone is reported in its own folder; a copy alone cannot be compared', async () => {
  await publish(1, isDeltaTo());
  const elsewhere = join(tempFolder(), 'copy');
  cpSync(join(out, DELTA), elsewhere, { recursive: true });
  rmSync(join(out, MONTH), { recursive: true });
  expect(await problemsOf(join(out, DELTA))).toEqual([
    `manifest.json: is a delta to ${MONTH}, which is gone; restore it from a backup`,
  ]);
  expect(await problemsOf(elsewhere)).toEqual([]);
});

it('without its list, is found by the folder of the periods, and from below it', async () => {
  await publish(1, isDeltaTo());
  rmSync(join(out, 'manifests.ndjson'));
  writeFileSync(join(out, MONTH, 'manifest.json'), readFileSync(join(out, MONTH, 'manifest.json'), 'utf8').trimEnd());
  const told = [expect.stringContaining(`is a delta to ${MONTH} with the manifest`)];
  expect(await problemsOf(join(out, 'periods'))).toEqual(told);
  expect(await problemsOf(join(out, DELTA))).toEqual(told);
  // The same folder by another name holds no sets of months.
  renameSync(join(out, 'periods'), join(out, 'months'));
  expect(await problemsOf(join(out, 'months'))).toEqual([expect.stringContaining('there is no manifest.json in it')]);
});
