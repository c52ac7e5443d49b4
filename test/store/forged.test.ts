/** Rows that were changed by other means than Tieout: the check names each, and a body that comes again is read anew. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { aBreak, aBreakEvent } from '../support/a-break.ts';
import { aPurchase } from '../support/builders.ts';
import { nightWith } from './support/break-nights.ts';
import { SEALER, temporaryFolder, testKey } from './support/engines.ts';
import { aLine, complete, keyOf, plan, TRACKED_AT, verified } from './support/scenario.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
const told: string[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'tieout.db');
  told.length = 0;
});
afterEach(() => folder[Symbol.dispose]());

type Opened = Awaited<ReturnType<typeof openStore>>;
const using = async <T>(work: (opened: Opened) => Promise<T>, sealer = SEALER): Promise<T> => {
  const opened = await openStore({ url: `sqlite:${file}`, sealer, warn: (problem) => told.push(problem) });
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
};
const forge = (...statements: string[]) => {
  const raw = new Database(file);
  for (const statement of statements) raw.exec(statement);
  raw.close();
};
const problems = (sealer = SEALER) => using(async ({ upkeep }) => (await upkeep.check()).problems, sealer);
const ID = aBreak({ recordId: 'r0' }).breakId;

/** A night with one body and one finding, and a decision on it. */
const aNightAndADecision = () =>
  using(async ({ store }) => {
    await store.tracked.add([aLine({ id: 'r0' })], 'import', TRACKED_AT);
    const night = await plan(store, { job: 'past' });
    const body = verified(await keyOf(store, 'r0'), aPurchase({ recordId: 'r0' }), '2026-11-20');
    await store.items.save(night.run.runId, night.fence, [body]);
    await complete(store, night);
    await nightWith(store, aBreakEvent({ recordId: 'r0' }));
    const waived = aBreakEvent({ recordId: 'r0', state: 'waived' }, { type: 'waived', who: 'Ann' });
    await store.breaks.append([{ ...waived, expectedEvents: 1 }]);
  });

describe('the check of a database', () => {
  beforeEach(aNightAndADecision);

  it('finds nothing where nothing was changed', async () => {
    expect(await problems()).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    [
      'a finding',
      ["update break_events set explanation = 'nothing' where event_key = 1"],
      ['findings of nightly-2026-11-20-r1: was changed'],
    ],
    [
      'an amount of a finding',
      ["update break_events set money_at_stake = '0.01' where event_key = 1"],
      ['findings of nightly-2026-11-20-r1: was changed'],
    ],
    [
      'who decided',
      ["update break_events set who = 'Bob' where event_key = 2"],
      [`decision of Bob on break ${ID}: was changed`],
    ],
    [
      'a reason',
      ["update break_events set reason = 'other' where event_key = 2"],
      [`decision of Ann on break ${ID}: was changed`],
    ],
    ['the rule of a break', ["update breaks set rule = 'QUOTE_MISSING'"], ['findings of', 'decision of']],
    [
      'the state of a break',
      ["update breaks set state = 'resolved'"],
      [`breaks: ${ID}: its state is not that of its last event`],
    ],
    [
      'a history, by an event more',
      [
        'create temporary table copied as select * from break_events where event_key = 2',
        'update copied set event_key = 99',
        'insert into break_events select * from copied',
      ],
      [
        `breaks: ${ID}: events were added to its history or taken out of it`,
        `decision of Ann on break ${ID}: has no seal`,
      ],
    ],
    [
      'a decision, taken out with its seal left',
      [
        'pragma foreign_keys = off',
        'delete from break_events where event_key = 2',
        "update breaks set last_event_key = 1, events = 1, state = 'open'",
      ],
      ['event 2: was sealed, and its rows are gone'],
    ],
    ['a seal', ["delete from row_seals where name = 'event 2'"], [`decision of Ann on break ${ID}: has no seal`]],
    [
      'the figures of a body',
      ["update contents set applied_fee = '0.01'"],
      ['contents: purchase r0: the figures of body'],
    ],
  ])('names %s', async (_, statements, expected) => {
    forge(...statements);
    const found = await problems();
    expect(found).toHaveLength(expected.length);
    for (const [i, start] of expected.entries()) expect(found[i]?.slice(0, start.length)).toBe(start);
  });

  it('says nothing of seals under a key that it does not have, and what was changed stays named under a new key', async () => {
    forge("update break_events set who = 'Bob' where event_key = 2");
    await using(async ({ upkeep }) => upkeep.reseal(), createSealer([testKey('b'), testKey('a')]));
    const named = [`decision of Bob on break ${ID}: was changed by other means than Tieout`];
    expect(await problems(createSealer([testKey('b')]))).toEqual(named);
  });
});

it('stops at a signal, which an embedded database lets through between its pages', async () => {
  await aNightAndADecision();
  await using(async ({ upkeep }) => {
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    await expect(upkeep.check(stop.signal)).rejects.toThrow('aborted');
  });
});

it('names a token, an unreadable body and an attachment that were changed, or put in the row of another one', async () => {
  await using(async ({ store }) => {
    await store.tracked.add([aLine({ id: 'r0' }), aLine({ id: 'r1', token: 'another-token' })], 'import', TRACKED_AT);
    const { run, fence } = await plan(store);
    for (const id of ['r0', 'r1']) {
      const body = { sha256: `body of ${id}`, evidence: `{"id":"${id}"` };
      const observed = {
        outcome: 'quarantined',
        reason: 'UNREADABLE_BODY',
        detail: '',
        httpStatus: 200,
        body,
      } as const;
      const item = {
        recordKey: await keyOf(store, id),
        attempts: 1,
        observed: { ...observed, drift: [], at: TRACKED_AT },
      };
      await store.items.save(run.runId, fence, [item]);
    }
    const attached = { at: TRACKED_AT, name: 'Ann', account: 'a', fileName: 'mail.txt', bytes: 5 };
    await store.workList.attach(ID, attached, Buffer.from('agreed'));
  });
  expect(await problems()).toEqual([]);
  const fromOther = (column: string, table: string) =>
    `update ${table} set ${column} = (select ${column} from ${table} where record_key = 2) where record_key = 1`;
  forge(
    fromOther('token', 'tracked_records'),
    fromOther('sealed', 'sealed_bodies'),
    "update break_attachments set sealed = x'00'",
  );
  expect(await problems()).toEqual([
    'tracked_records: the token of purchase r0 was changed or copied',
    'sealed_bodies: the body of purchase r0 was changed or copied',
    `break_attachments: the attachment of break ${ID} was changed or copied`,
  ]);
});

it('a body that comes again is read anew where its stored figures were changed, and that is told', async () => {
  await aNightAndADecision();
  forge("update contents set applied_fee = '0.01'");
  await using(async ({ store }) => {
    const { run, fence } = await plan(store, { date: '2026-11-21', selection: { type: 'all', kind: null } });
    const body = verified(await keyOf(store, 'r0'), aPurchase({ recordId: 'r0' }), '2026-11-20');
    await store.items.save(run.runId, fence, [body]);
  });
  expect(told).toEqual(['purchase r0: its stored figures were changed by other means; read again from the body']);
  const raw = new Database(file, { readonly: true });
  expect(raw.prepare('select applied_fee from contents').all()).toEqual([{ applied_fee: '4.76' }]);
  raw.close();
  expect(await problems()).toEqual([]);
});
