/**
 * A publication is killed, or fails, at every single system call. After each of them the set before it is complete, the
 * new one is whole or absent, and publishing once more completes it.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PublicationError } from '../../src/publish/errors.ts';
import type { FileSystem } from '../../src/publish/file-system.ts';
import { verifySets } from '../../src/publish/verify.ts';
import { aRecord, publishSet, THREE_RECORDS } from './support/a-set.ts';
import { failingAt, KilledError, killedAt, type Watched, watchedFileSystem } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const tempFolder = tempFolders();

const OLD = '2026-11-19/nightly-r1';
const NEW = '2026-11-20/nightly-r1';

const original = mkdtempSync(join(tmpdir(), 'tieout-publish-'));
afterAll(() => rmSync(original, { recursive: true, force: true }));
let old: Promise<string> | null = null;
/** Published once, and copied. */
async function publishOld(out: string): Promise<void> {
  old ??= publishSet({ out: original, businessDate: '2026-11-19', records: [...THREE_RECORDS] });
  await old;
  cpSync(original, out, { recursive: true, verbatimSymlinks: true });
}
const publishNew = (out: string, suffix: string, fileSystem?: FileSystem) =>
  publishSet({
    out,
    suffix,
    isGone: (who) => who === 'first try',
    records: [aRecord({ id: 'a' }), ...THREE_RECORDS.slice(1)],
    ...(fileSystem === undefined ? {} : { fileSystem }),
  });

async function callsOfAPublication(): Promise<string[]> {
  const out = tempFolder();
  await publishOld(out);
  const { fileSystem, calls } = watchedFileSystem(() => {});
  await publishNew(out, 'first try', fileSystem);
  return calls;
}

/** The old set is whole; the new one is whole or absent. Answers which. */
async function stateOf(out: string): Promise<'old' | 'new'> {
  const verified = await verifySets(out);
  expect(verified.flatMap(({ problems }) => problems)).toEqual([]);
  const paths = verified.map(({ path }) => path.slice(out.length + 1));
  const isNew = existsSync(join(out, NEW));
  expect(paths).toEqual(isNew ? [OLD, NEW] : [OLD]);
  expect(readlinkSync(join(out, 'latest'))).toBeOneOf(isNew ? [OLD, NEW] : [OLD]);
  return isNew ? 'new' : 'old';
}

async function expectRecovery(out: string): Promise<void> {
  expect(await publishNew(out, 'second try')).toBe(NEW);
  expect(await stateOf(out)).toBe('new');
  expect(readlinkSync(join(out, 'latest'))).toBe(NEW);
  const left = readdirSync(out, { recursive: true }).filter((name) => /(^|\/)\./.test(String(name)));
  expect(left).toEqual([]);
}

async function attempt(out: string, { fileSystem }: Watched): Promise<unknown> {
  await publishOld(out);
  return publishNew(out, 'first try', fileSystem).then(
    () => null,
    (error: unknown) => error,
  );
}

it('killed at any call, leaves the old set or the new one, and is completed by the next try', async () => {
  const calls = await callsOfAPublication();
  expect(calls.length).toBeGreaterThan(50);
  const states: string[] = [];
  for (let index = 0; index < calls.length; index++) {
    const out = tempFolder();
    const error = await attempt(out, killedAt(index));
    expect(error, calls[index]).toSatisfy((e: unknown) => e instanceof Error && e.cause instanceof KilledError);
    states.push(await stateOf(out));
    await expectRecovery(out);
  }
  // Once the new set is there it stays: the matrix has one turning point.
  const turn = states.indexOf('new');
  expect(turn).toBeGreaterThan(0);
  expect(states.slice(turn)).toEqual(states.slice(turn).map(() => 'new'));
});

describe.each([
  // The kind of failure changes the words alone, so one code goes through all calls and the others through some.
  { code: 'ENOSPC', step: 1 },
  { code: 'EIO', step: 5 },
  { code: 'EACCES', step: 6 },
  { code: 'EROFS', step: 7 },
])('$code', ({ code, step }) => {
  it('at any call is reported with a remedy, leaves nothing half done, and is completed by the next try', async () => {
    const calls = await callsOfAPublication();
    for (let index = 0; index < calls.length; index += step) {
      const out = tempFolder();
      const error = await attempt(out, failingAt(index, code));
      const where = `${code} at ${calls[index]}`;
      // Removing a leftover file may fail without failing the publication.
      if (error !== null) {
        expect(error, where).toBeInstanceOf(PublicationError);
        expect((error as Error).message, where).toMatch(/(free some space|check it|let this user write|point --out)/);
        expect((error as Error).message, where).toContain('--resume');
      }
      const state = await stateOf(out);
      if (error !== null && state === 'old') expect((error as Error).message).toContain('nothing was published');
      if (error !== null && !calls[index]?.startsWith('remove')) {
        const dates = readdirSync(join(out)).filter((name) => name.startsWith('2026'));
        const partial = dates
          .flatMap((date) => readdirSync(join(out, date)))
          .filter((name) => name.includes('partial'));
        expect(partial, where).toEqual([]);
      }
      await expectRecovery(out);
    }
  });
});
