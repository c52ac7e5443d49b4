/** A new sealing key on both engines: what the old one sealed is read, and checked, by the new one alone. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { aBreakEvent } from '../support/a-break.ts';
import { aPurchase } from '../support/builders.ts';
import { nightWith } from './support/break-nights.ts';
import { ENGINES, type TestEngine, testKey } from './support/engines.ts';
import { aLine, keyOf, plan, TRACKED_AT, verified } from './support/scenario.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe.each(ENGINES)('a database of $name', (engine: TestEngine) => {
  let place: Awaited<ReturnType<TestEngine['place']>>;
  beforeEach(async () => {
    place = await engine.place();
  });
  afterEach(() => place[Symbol.asyncDispose]());

  const open = (...keys: [string, ...string[]]) => openStore({ url: place.url, sealer: createSealer(keys) });

  it('goes over to a new key', async () => {
    const first = await open(testKey('a'));
    await first.store.tracked.add([aLine({ id: 'r0' })], 'import', TRACKED_AT);
    const { run, fence } = await plan(first.store);
    await first.store.items.save(run.runId, fence, [
      verified(await keyOf(first.store, 'r0'), aPurchase({ recordId: 'r0' }), '2026-11-20'),
    ]);
    const mail = { at: TRACKED_AT, name: 'Ann', account: 'local:Ann', fileName: 'mail.txt', bytes: 5 };
    await first.store.workList.attach('b1', mail, Buffer.from('proof'));
    await nightWith(first.store, aBreakEvent({ recordId: 'r0' }));
    await first.store.close();

    const rotating = await open(testKey('b'), testKey('a'));
    // The token, the attachment, the digest; the findings of the night, the night and its items; the tracked record.
    expect(await rotating.upkeep.reseal()).toBe(7);
    expect(await rotating.upkeep.reseal()).toBe(0);
    await rotating.store.close();

    const { store, upkeep } = await open(testKey('b'));
    const attached = await store.workList.attachment('b1', createHash('sha256').update('proof').digest('hex'));
    expect(Buffer.from(attached?.content ?? []).toString()).toBe('proof');
    expect(await upkeep.check()).toEqual({ checked: 1, unchecked: 0, problems: [] });
    await store.close();
  });
});
