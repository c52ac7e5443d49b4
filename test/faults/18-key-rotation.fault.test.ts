/** The sealing key is exchanged, and the exchange is killed in its middle, again and again. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { sealerOfDatabase } from '../../src/store/sealing-key.ts';
import type { Workspace } from '../e2e/support/workspace.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE, type Scene } from './harness/scene.ts';

faultRow(
  {
    number: 18,
    fault: 'SIGKILL during the rotation of the sealing key',
    how: '`db reseal` is killed at random moments and repeated, for several keys in turn; then a run needs every token',
    mustHold:
      'every token stays readable with the two keys, and at the end with the new key; none is on the disk in plain text',
  },
  async (row) => {
    const random = seededRandom(row.seed);
    const rounds = row.isShort ? 2 : 5;
    const killsPerRound = row.isShort ? 4 : 5;
    // Several batches of five hundred, so that there is a middle to be killed in.
    await using scene = await openScene({ records: row.isShort ? 4_000 : 12_000, defects: 0 });
    const { place } = scene;
    // The search is able to find a token: here one in a file beside the database.
    const [first] = scene.sandbox.trackedLines();
    place.write('var/careless.log', `secret=${first?.view_token}&`);
    expect(plainTokens(scene, place)).toEqual([first?.view_token]);
    rmSync(place.path('var', 'careless.log'));
    let killed = 0;
    let midway = 0;
    // Once undisturbed, to learn how long it takes here: the kills must come in its middle.
    exchangeKey(place, 'old.key');
    const began = performance.now();
    await expectResealed(place);
    let usual = performance.now() - began;
    for (let round = 1; round < rounds; round++) {
      exchangeKey(place, 'old.key');
      for (let kill = 0; kill < killsPerRound; kill++) {
        const running = place.start(RESEAL);
        // Every other kill waits for the first renewed batch; the rest come at any moment.
        if (kill % 2 === 0) await untilBothKeys(place, running.done);
        else await Promise.race([pause(usual * (0.3 + 0.7 * random())), running.done]);
        running.child.kill('SIGKILL');
        const { code, err } = await running.done;
        if (running.child.signalCode === 'SIGKILL') killed++;
        else {
          expect(code, err).toBe(0);
          // It was quicker than the first time: the next kill comes sooner.
          usual *= 0.75;
        }
        if (keysInUse(place) > 1) midway++;
        expect(plainTokens(scene, place)).toEqual([]);
      }
      await expectResealed(place);
    }
    // The old keys are gone, and every token is asked for: as many records are matched as ever.
    const run = await place.process(['run', '--date', SCENE_DATE, '--max-requests', '300', '--json']);
    expect(run.code, run.err).toBeOneOf([0, 3]);
    const unreadable = await unreadableTokens(scene, place);
    row.measured('tokens', scene.ids.length);
    row.measured('keys', rounds + 1);
    row.measured('kills', killed);
    row.measured('kills with both keys in use', midway);
    row.measured('unreadable tokens', unreadable);
    row.measured('tokens in plain text', plainTokens(scene, place).length);
    expect(killed).toBeGreaterThan(0);
    expect(midway).toBeGreaterThan(0);
    expect(unreadable).toBe(0);
    expect(plainTokens(scene, place)).toEqual([]);
  },
);

const RESEAL = ['db', 'reseal', '--old-key-file', 'old.key'];

/** As an operator does it: the old key is put aside, a new one in its place. */
function exchangeKey(place: Workspace, old: string): void {
  const current = place.path('var', 'tieout.db.key');
  renameSync(current, place.path(old));
  writeFileSync(current, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
}

async function expectResealed(place: Workspace): Promise<void> {
  const { code, err } = await place.process(RESEAL);
  expect(code, err).toBe(0);
  expect(keysInUse(place)).toBe(1);
}

function query(place: Workspace, sql: string): number {
  const db = openSqliteFile(place.path('var', 'tieout.db'));
  try {
    return (db.prepare(sql).get() as { n: number }).n;
  } finally {
    db.close();
  }
}

const keysInUse = (place: Workspace) => query(place, 'select count(distinct key_id) as n from tracked_records');

/** Returns as soon as some tokens have the new key and others the old one, or the exchange has ended. */
async function untilBothKeys(place: Workspace, done: Promise<unknown>): Promise<void> {
  let ended = false;
  void done.finally(() => {
    ended = true;
  });
  while (!ended && keysInUse(place) < 2) await pause(1);
}

/** Tokens that stand as they are in any file beside or in the database. */
function plainTokens({ sandbox }: Scene, place: Workspace): string[] {
  const tokens = new Set([...sandbox.trackedLines()].map((line) => line.view_token));
  const length = [...tokens][0]?.length ?? 0;
  const found = new Set<string>();
  for (const name of readdirSync(place.path('var'))) {
    // Sealed bytes hardly ever look like this for long, so there is little to look up.
    const text = readFileSync(place.path('var', name), 'latin1');
    for (const [run] of text.matchAll(/[A-Za-z0-9]{16,}/g)) {
      for (let at = 0; at + length <= run.length; at++) {
        const word = run.slice(at, at + length);
        if (tokens.has(word)) found.add(word);
      }
    }
  }
  return [...found];
}

/** Every token is opened by the product's own store, with the key that is there now, and compared. */
async function unreadableTokens({ sandbox }: Scene, place: Workspace): Promise<number> {
  const url = `sqlite:${place.path('var', 'tieout.db')}`;
  const { store } = await openStore({ url, sealer: sealerOfDatabase(url, null, { make: false }).sealer });
  try {
    let unreadable = 0;
    for (const { kind, id, view_token } of sandbox.trackedLines()) {
      const token = await store.tracked.token(kind, id).catch(() => null);
      if (token !== view_token) unreadable++;
    }
    return unreadable;
  } finally {
    await store.close();
  }
}
