/** A publication and the ledger: the right is taken before the rename and confirmed after it. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublishingRight } from '../../src/ports/publishing.ts';
import { LeaseLostError } from '../../src/ports/store/errors.ts';
import type { SetPlacement } from '../../src/ports/store/publications.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { publishSet } from './support/a-set.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();
const OLD = '2026-11-19/nightly-r1';
const NEW = '2026-11-20/nightly-r1';

function ledger(standing: SetPlacement, steps: Partial<PublishingRight> = {}): PublishingRight {
  return {
    databaseId: 'd1',
    newFolderId: () => 'f1',
    take: async () => undefined,
    confirm: async () => undefined,
    standing: async (_, sets) => new Map(sets.map(({ path }) => [path, standing])),
    ...steps,
  };
}

const lost = () => Promise.reject(new LeaseLostError('nightly'));
const old = (out: string) => publishSet({ out, businessDate: '2026-11-19', right: ledger('known') });
const paths = (out: string) =>
  readFileSync(join(out, 'manifests.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { path: string }).path);
const problems = async (out: string) => (await verifySets(out)).flatMap((set) => set.problems);

describe('a process that lost its lease', () => {
  it('before the rename publishes nothing', async () => {
    const out = tempFolder();
    await old(out);
    await expect(publishSet({ out, right: ledger('aborted', { take: lost }) })).rejects.toThrow(LeaseLostError);
    expect(paths(out)).toEqual([OLD]);
    expect(readdirSync(join(out, '2026-11-20'))).toEqual([]);
    expect(await problems(out)).toEqual([]);
  });

  it('between the rename and the list takes its set back, where its run was aborted', async () => {
    const out = tempFolder();
    await old(out);
    let wasInPlace = false;
    const confirm = () => {
      wasInPlace = existsSync(join(out, NEW, 'manifest.json'));
      return lost();
    };
    await expect(publishSet({ out, right: ledger('aborted', { confirm }) })).rejects.toThrow(LeaseLostError);
    expect(wasInPlace).toBe(true);
    expect(paths(out)).toEqual([OLD]);
    expect(readdirSync(join(out, '2026-11-20'))).toEqual([]);
    expect(readlinkSync(join(out, 'latest'))).toBe(OLD);
    expect(await problems(out)).toEqual([]);
  });

  it('leaves its set where the successor stands for it; the next publication lists it', async () => {
    const out = tempFolder();
    await old(out);
    await expect(publishSet({ out, right: ledger('known', { confirm: lost }) })).rejects.toThrow(LeaseLostError);
    expect(paths(out)).toEqual([OLD]);
    await publishSet({ out, businessDate: '2026-11-21', right: ledger('known') });
    expect(paths(out)).toEqual([OLD, NEW, '2026-11-21/nightly-r1']);
    expect(await problems(out)).toEqual([]);
  });
});

describe('a set in its place that is not listed', () => {
  const unlisted = async (out: string) => {
    await old(out);
    await publishSet({ out, right: ledger('known', { confirm: lost }) }).catch(() => undefined);
  };

  it('is removed where its run was aborted: it is never in the chain', async () => {
    const out = tempFolder();
    await unlisted(out);
    await publishSet({ out, businessDate: '2026-11-21', right: ledger('aborted') });
    expect(paths(out)).toEqual([OLD, '2026-11-21/nightly-r1']);
    expect(existsSync(join(out, NEW))).toBe(false);
    expect(await problems(out)).toEqual([]);
  });

  it('is neither listed nor removed where the ledger does not know it, and verification reports it', async () => {
    const out = tempFolder();
    await unlisted(out);
    await publishSet({ out, businessDate: '2026-11-21', right: ledger('unknown') });
    expect(paths(out)).toEqual([OLD, '2026-11-21/nightly-r1']);
    expect(existsSync(join(out, NEW))).toBe(true);
    expect(await problems(out)).toEqual([expect.stringContaining('it was not published here')]);
  });
});

it('marks a new folder with its id and its database, for its owner alone', async () => {
  const out = tempFolder();
  const places: unknown[] = [];
  const take: PublishingRight['take'] = async (place) => void places.push(place);
  await publishSet({ out, right: ledger('known', { take }) });
  await publishSet({ out, revision: 2, right: ledger('known', { take, newFolderId: () => 'another' }) });
  expect(places).toEqual([
    { folderId: 'f1', path: NEW },
    { folderId: 'f1', path: '2026-11-20/nightly-r2' },
  ]);
  expect(JSON.parse(readFileSync(join(out, '.tieout-folder.json'), 'utf8'))).toEqual({
    folder_id: 'f1',
    database_id: 'd1',
  });
});
