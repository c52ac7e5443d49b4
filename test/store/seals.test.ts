/** Each column of each table of a filled database, changed by SQL: `db check` finds it, or the schema says why it decides nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import { NOTHING_SEEN } from '../../src/domain/delivery.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { openStore, openUpkeep } from '../../src/store/open.ts';
import { isGuarded, TABLE_NAMES, TABLES } from '../../src/store/schema/tables.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { aPurchase, aQuote, at, someAssetTerms, someGlobalTerms } from '../support/builders.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { aBreakEvent } from './support/break-events.ts';
import { judging, nightWith, standingOf } from './support/break-nights.ts';
import { ENGINES, SEALER, temporaryFolder, testKey } from './support/engines.ts';
import { aLine, bodyOf, keyOf, NO_VERDICTS, plan, settle, track, unreachable, verified } from './support/scenario.ts';

const NOW = at('2026-11-02 04:15');

/** Something of everything that is sealed, by the ways that the program has, changes included. */
async function fill(store: Store): Promise<void> {
  const line = aLine({ id: 'a', token: 'token-of-a' });
  await store.tracked.add([line, aLine({ id: 'b', token: 'token-of-b' })], 'import', NOW);
  await store.tracked.add([{ ...line, expectedStatus: 'RELEASED', hostReference: 'order-1' }], 'import', NOW);
  const decided = { actor: 'ann', reason: 'a test', at: NOW };
  await store.tracked.correct('purchase', 'b', { type: 'retract', ...decided });
  await store.quotes.add([{ quote: aQuote(), request: '{}', response: '{}' }], NOW);
  const payout = {
    payoutId: 'p',
    source: 'csv',
    paidAt: NOW,
    currency: 'EUR',
    amount: Decimal.parse('170.36'),
    reference: 'REV',
    period: '2026-10',
    sha256: 'ff',
    withheld: null,
    settles: null,
    tx: null,
    statementId: 's',
    type: 'invoice' as const,
  };
  await store.evidence.addPayouts([payout], NOW);
  const got = await store.leases.acquire('chains', 'host:1', NOW, 60_000);
  if (!('fence' in got)) throw new Error('the lease is held');
  const tx = { chain: 'ETH', txHash: `0x${'ab'.repeat(32)}` };
  const sighting = {
    ...NOTHING_SEEN,
    ...tx,
    seen: 'found',
    final: true,
    at: NOW,
    sha256: 'aa',
    transfers: [],
  } as const;
  const delivery = {
    ...tx,
    kind: 'purchase',
    recordId: 'a',
    receiver: '0x1',
    asset: null,
    units: 5n,
    createdAt: NOW,
  } as const;
  for (let times = 0; times < 2; times++)
    await store.evidence.add(got.fence, { sightings: [{ sighting, evidence: '{}' }], claims: [delivery, delivery] });
  await store.evidence.forget('ETH', null, 'why', NOW);
  const who = { name: 'Ann', account: 'os:ann', proof: 'stated' } as const;
  const claim = {
    claimId: 'claim-0123456789ab',
    title: 'fees',
    state: 'open',
    reference: null,
    openedAt: NOW,
    openedBy: 'Ann',
    remindOn: null,
    events: 1,
  } as const;
  const item = { breakId: 'aa', currency: 'EUR', claimed: Decimal.parse('1.5'), recovered: Decimal.ZERO };
  await store.claims.open(claim, [item], { at: NOW, state: 'open', reason: 'x', ...who }, []);
  const recovered = [{ ...item, recovered: Decimal.ONE }];
  const change = { at: NOW, state: 'sent', reason: 'sent', ...who } as const;
  await store.claims.update({ ...claim, state: 'sent', reference: 'R' }, recovered, change, 1, []);
  const asked = { breakId: 'aa', askedBy: 'Ann', askedAccount: 'os:ann', askedAt: NOW, reason: 'agreed' };
  await store.workList.askWaiver({ ...asked, until: null, events: 1 });
  const [request] = await store.workList.waiverRequests('aa');
  await store.workList.decideWaiver(request?.key ?? 0, 'Bo', NOW, 'approved');
  const access = { name: 'Ann', roles: ['analyst'], madeAt: NOW, endsAt: NOW + 9 } as const;
  await store.access.addLink({ ...access, secretHash: 'a1', madeBy: 'os:ann' });
  await store.access.useLink('a1', NOW);
  await store.access.addSession({ ...access, secretHash: 'a2', account: 'local:Ann' });
  await store.access.revoke('Ann', NOW);
  await store.access.note({
    at: NOW,
    ...who,
    action: 'period.close',
    subject: '2026-10',
    outcome: 'done',
    detail: 'd',
  });
  await store.access.note({
    at: NOW,
    ...who,
    action: 'period.open',
    subject: '2026-10',
    outcome: 'done',
    detail: null,
  });
  const audit = await judging(store, 'audit');
  const revenue = { accrued: new Map(), posted: new Map(), payoutKey: 4, dueDays: 30, minimum: new Map() };
  for (const payoutKey of [3, 4])
    await store.evidence.keepRevenue(audit.run.runId, audit.fence, { ...revenue, payoutKey });
  await settle(store, audit);
  await nightOfRecords(store);
  await listsOf(store);
  await nightWith(store, aBreakEvent({ recordId: 'a' }));
  await decideOn(store);
  await closeMonth(store);
}

/** A body that was delivered, two that were fetched, a change of status, one record that could not be read, and a price that moved. */
async function nightOfRecords(store: Store): Promise<void> {
  await track(store, 'c', 'd', 'e');
  const [c, d, e] = [await keyOf(store, 'c'), await keyOf(store, 'd'), await keyOf(store, 'e')];
  const state = aPurchase({ recordId: 'c', status: 'RELEASING' });
  const read = {
    state,
    basis: null,
    statusChange: null,
    projection: verified(c, state, '2026-11-01').observed.projection,
  };
  const delivery = {
    recordKey: c,
    origin: 'webhook',
    eventType: 'CREATED',
    at: NOW,
    body: bodyOf(state),
    read,
  } as const;
  await store.deliveries.save([delivery]);
  const night = await plan(store, { job: 'sums', selection: { type: 'all', kind: null } });
  const released = aPurchase({ recordId: 'c', status: 'RELEASED', finalTxHash: `0x${'ab'.repeat(32)}` });
  const statusChange = { from: 'RELEASING', to: 'RELEASED', fromSeenAt: NOW, legal: true };
  await store.items.save(night.run.runId, night.fence, [
    verified(c, released, '2026-11-20', { statusChange, projection: { firstSnapshot: 1, statusSince: NOW } }),
    verified(d, aPurchase({ recordId: 'd', paymentMethod: null }), '2026-11-20'),
    unreachable(e, '2026-11-20'),
  ]);
  await store.runs.startJudging(night.run.runId, night.fence, 'late');
  const none = { records: 0, quoted: 0 };
  await store.runs.keepSurvey(night.run.runId, night.fence, {
    of: 'run',
    quotes: { onramp: none, offramp: none },
  } as never);
  const move = {
    recordKey: d,
    market: 'ETH/EUR/onramp',
    fromHour: 5,
    toHour: 6,
    share: 7n,
    loss: Decimal.parse('0.5'),
  };
  await store.moves.keep(night.fence, [move]);
  await store.runs.settle(night.run.runId, night.fence, { verdicts: NO_VERDICTS, finishedAt: NOW });
  await store.runs.finish(night.run.runId, night.fence, 'complete', 'out/sums');
}

/** Lists that were captured twice, the second time with other figures alone. */
async function listsOf(store: Store): Promise<void> {
  for (const [hour, price] of [
    [10, '2000'],
    [11, '2001'],
  ] as const) {
    const { capturedAt: _asset, ...asset } = someAssetTerms({ price });
    const { capturedAt: _global, ...global } = someGlobalTerms({});
    const captured = { at: at(`2026-11-01 ${hour}:00`), sha256: `hash of ${price}` };
    const methods = [{ name: 'CARD_PAYMENT', currencies: ['EUR'], countries: ['DE'] }];
    await store.reference.save(
      { type: 'assets', direction: 'onramp', currency: 'EUR', global, assets: [asset], body: price, ...captured },
      { type: 'methods', direction: 'onramp', methods, body: '[]', ...captured },
      { type: 'currencies', currencies: [{ code: 'EUR', onramp: true, offramp: true }], body: '{}', ...captured },
    );
  }
}

async function decideOn(store: Store): Promise<void> {
  const [standing] = await standingOf(store, 'a');
  if (standing === undefined) throw new Error('no break');
  const decided = {
    type: 'assigned',
    at: NOW,
    who: 'Ann',
    reason: 'mine',
    account: 'os:ann',
    proof: 'stated',
  } as const;
  await store.breaks.append([{ ...decided, after: { ...standing, assignee: 'Bo' }, expectedEvents: 1 } as never]);
}

async function closeMonth(store: Store): Promise<void> {
  const { key } = await store.periods.begin({
    period: '2026-10',
    type: 'close',
    number: 0,
    carriedIn: null,
    timezone: 'UTC',
    by: 'Ann',
    at: NOW,
    basis: await store.periods.basis(0),
    terms: '{}',
    rulesHash: 'rules',
    configHash: 'config',
    codeVersion: '1',
  });
  const record = { kind: 'purchase', recordId: 'c', recordKey: 3, lookRun: 1, verifiedRun: 1, contentKey: 1 } as const;
  await store.periods.add(key, [{ ...record, verdict: 'matched', present: true, changes: [] } as never]);
  await store.periods.stage(key, '{}', null);
  await store.periods.seal([key], { folder: 'out/2026-10', manifestSha256: 'ff' });
  await store.periods.review('2026-10', 'Bo', NOW);
}

describe.each(ENGINES)('a database that the program alone has written ($name)', ({ open }) => {
  it('has no problem, also after its key was replaced', async () => {
    await using opened = await open();
    await fill(opened.store);
    expect((await opened.upkeep.check()).problems).toEqual([]);
  });
});

describe('a change by SQL', () => {
  const folder = temporaryFolder();
  const path = join(folder.path, 'tieout.db');
  const url = `sqlite:${path}`;
  let filled: Buffer;
  beforeAll(async () => {
    const { store } = await openStore({ url, sealer: SEALER });
    await fill(store);
    await store.close();
    filled = readFileSync(path);
  });
  afterAll(() => folder[Symbol.dispose]());

  function execute(sql: string): void {
    using file = openSqliteFile(path);
    file.exec(`pragma foreign_keys = off; ${sql}`);
  }

  async function problemsAfter(sql: string): Promise<readonly string[]> {
    writeFileSync(path, filled);
    execute(sql);
    const upkeep = await openUpkeep({ url, sealer: SEALER, create: false });
    try {
      return (await upkeep.check()).problems;
    } finally {
      await upkeep.close();
    }
  }

  const sealed = TABLE_NAMES.flatMap((table) =>
    Object.keys(TABLES[table].columns)
      .filter((column) => isGuarded(table, column))
      .map((column) => [table, column] as const),
  );
  it.each(sealed)('of %s.%s is found', async (table, column) => {
    writeFileSync(path, filled);
    let type = '';
    {
      using file = openSqliteFile(path);
      const columns = file.prepare(`select name, type from pragma_table_info('${table}')`).all();
      type = String(columns.find(({ name }) => name === column)?.type).toLowerCase();
      expect(file.prepare(`select count(*) as n from ${table}`).get()).not.toEqual({ n: 0 });
    }
    // Another value of the same type, whatever it is; null becomes one.
    const other = {
      integer: `coalesce(${column}, 0) + 1`,
      text: `'x' || coalesce(${column}, '')`,
      blob: `x'00'`,
    }[type];
    expect(await problemsAfter(`update or replace ${table} set ${column} = ${other}`)).not.toEqual([]);
  });

  const FILLED = [...new Set(sealed.map(([table]) => table))];
  it.each(FILLED)('that deletes the rows of %s is found, also with their seals', async (table) => {
    expect(await problemsAfter(`delete from ${table}`)).not.toEqual([]);
    const seals = `delete from sealed_rows where table_name = '${table}'`;
    expect(await problemsAfter(`${seals}; delete from ${table}`)).not.toEqual([]);
  });

  const COPY = `insert into access_acts (at, name, account, proof, action, subject, outcome, detail)
    select at, name, account, proof, action, subject, outcome, detail from access_acts where`;
  const DIGESTS = "(select digest from sealed_rows where table_name = 'access_acts' order by digest limit 1)";
  it('that deletes an act with its seal and copies another act with its own is found', async () => {
    // Of two acts one is deleted: the seals of both are tried, because a digest does not say whose it is.
    const seals = `update sealed_rows set n = 2 where table_name = 'access_acts' and digest`;
    const deleted = `delete from sealed_rows where table_name = 'access_acts' and digest`;
    for (const [act, is] of [
      ['period.close', '='],
      ['period.close', '<>'],
      ['period.open', '='],
      ['period.open', '<>'],
    ]) {
      const other = is === '=' ? '<>' : '=';
      const forged = `${seals} ${is} ${DIGESTS}; ${deleted} ${other} ${DIGESTS};
        delete from access_acts where action <> '${act}'; ${COPY} action = '${act}'`;
      expect(await problemsAfter(forged)).not.toEqual([]);
    }
  });

  it.each(["key_id = 'none'", "digest = ''", 'n = -1', 'n = 1e15'])(
    'of seals themselves (%s) hides nothing',
    async (set) => {
      expect(
        await problemsAfter(
          `update claims set title = 'other'; update sealed_rows set ${set} where table_name = 'claims'`,
        ),
      ).not.toEqual([]);
    },
  );

  it.each(["'none'", 'null'])('of the key (%s) of the seals of runs, findings and statements is found', async (key) => {
    const forged = await problemsAfter(`update row_seals set key_id = ${key} where name not like 'rows%'`);
    expect(forged.length).toBeGreaterThan(4);
  });

  it('that puts a row back as it was, with its seal, is found', async () => {
    writeFileSync(path, filled);
    using before = openSqliteFile(path);
    before.exec("create table kept as select digest from sealed_rows where table_name = 'claims'");
    const { store, upkeep } = await openStore({ url, sealer: SEALER });
    const [claim] = await store.claims.list({ limit: 1 });
    if (claim === undefined) throw new Error('no claim');
    const event = { at: NOW, state: 'recovered', reason: 'x', name: 'Ann', account: 'a', proof: 'stated' } as const;
    await store.claims.update({ ...claim, state: 'recovered' }, [], event, claim.events, []);
    expect((await upkeep.check()).problems).toEqual([]);
    execute(`update claims set state = '${claim.state}', events = ${claim.events};
      update sealed_rows set digest = (select digest from kept) where table_name = 'claims'`);
    expect((await upkeep.check()).problems).toEqual([
      'claims: seals were added or taken out by other means than Tieout',
    ]);
    await store.close();
  });

  it.each(['verdicts', 'population', 'terms', 'state', 'business_day', 'as_of', 'quote_watermark'])(
    'of runs.%s is found',
    async (column) => {
      const sql = `update runs set ${column} = case typeof(${column}) when 'integer' then ${column} + 1 else 'incomplete' end`;
      expect(await problemsAfter(sql)).not.toEqual([]);
    },
  );

  it.each(['figures', 'stated_by', 'manifest_sha256', 'accepted_open'])(
    'of period_statements.%s is found',
    async (column) => {
      expect(await problemsAfter(`update period_statements set ${column} = 'x'`)).not.toEqual([]);
    },
  );

  it.each(['outcome', 'content_key', 'shown_fee', 'expected_status', 'quote_key'])(
    'of run_items.%s is found',
    async (column) => {
      const value = column === 'outcome' ? "'verified'" : column.endsWith('key') ? '99' : "'9'";
      expect(await problemsAfter(`update run_items set ${column} = ${value}`)).not.toEqual([]);
    },
  );

  it('is not covered up by a change that the program makes afterwards', async () => {
    writeFileSync(path, filled);
    execute("update claims set title = 'other'");
    const { store, upkeep } = await openStore({ url, sealer: SEALER });
    const [claim] = await store.claims.list({ limit: 1 });
    if (claim === undefined) throw new Error('no claim');
    const event = { at: NOW, state: 'sent', reason: 'x', name: 'Ann', account: 'a', proof: 'stated' } as const;
    await store.claims.update({ ...claim, state: 'sent' }, [], event, claim.events, []);
    expect((await upkeep.check()).problems.join()).toContain('claims: claim_key');
    await store.close();
  });
});

it('seals follow a new key, and rows older than seals are sealed where a person asks for it', async () => {
  const [engine] = ENGINES;
  if (engine === undefined) throw new Error('no engine');
  await using place = await engine.place();
  const first = await openStore({ url: place.url, sealer: SEALER });
  await fill(first.store);
  await first.store.close();
  const both = createSealer([testKey('b'), testKey('a')]);
  const second = await openStore({ url: place.url, sealer: both });
  await second.upkeep.reseal();
  await second.store.close();
  const third = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await third.upkeep.check()).problems).toEqual([]);
  await third.store.close();
  {
    using file = openSqliteFile(place.url.slice('sqlite:'.length));
    file.exec("delete from sealed_rows; delete from row_seals where name like 'rows of %'");
  }
  const fourth = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await fourth.upkeep.check()).problems.join()).toContain('quotes: 1 rows have no seal');
  await fourth.upkeep.reseal();
  expect((await fourth.upkeep.check()).problems).toEqual([]);
  await fourth.store.close();
});
