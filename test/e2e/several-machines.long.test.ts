/** Receivers and schedules of two machines on one database: an event that both see has one effect, and there is no leader. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ScheduleOptions, startSchedule } from '../../src/app/schedule.ts';
import { aReceiver, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { aMethodQuote, aPurchase, aV3Asset } from '../service/bodies.ts';
import { makeDatabase, onServer, type TestDatabase } from '../store/postgres/database.ts';
import { isSwitchedOff } from '../store/postgres/server.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { type FrozenWorld, openFrozenWorld } from './support/frozen-world.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const KEY = { TIEOUT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 180_000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`it did not come to pass that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.skipIf(isSwitchedOff())('two receivers', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const sender = { TIEOUT_WEBHOOK_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
  let database: TestDatabase;
  let service: RecordServer;
  let receivers: Receiver[];
  beforeEach(async () => {
    database = await makeDatabase();
    service = await startRecordServer();
    receivers = [];
    for (const name of ['north', 'south']) {
      receivers.push(
        await aReceiver(
          { ...KEY, ...sender, TIEOUT_HOST_API_KEY: 'integration-key' },
          { 'database.url': database.url, 'service.url': service.url, 'service.egress': name },
        ),
      );
    }
  });
  afterEach(async () => {
    for (const receiver of receivers) await receiver.close();
    await service.close();
    await database[Symbol.asyncDispose]();
  });

  const created = (id: string) =>
    `{"type":"CREATED","purchase":${aPurchase({ id: `"${id}"`, status: '"INITIALIZED"', finalTxHash: undefined })}}`;
  const released = (id: string) =>
    `{"type":"RELEASED","purchase":${aPurchase({ id: `"${id}"`, updatedAt: '"2026-11-01T10:20:00.000Z"' })}}`;
  const count = async (table: string) =>
    Number((await onServer<{ n: string }>(database.url, `select count(*) as n from ${table}`))[0]?.n);

  it('that get the same webhook at once store it once, and acknowledge it both', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `p-${index}`);
    // All at once: every record to both of them, and to each of them twice.
    const answers = await Promise.all(
      ids.map((id) =>
        Promise.all(
          [...receivers, ...receivers].map((each) => each.webhook('purchase', created(id), { key: privateKey })),
        ),
      ),
    );
    for (const [index, four] of answers.entries()) {
      expect(four.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(four.map(({ text }) => text).sort(), ids[index]).toEqual([
        '{"outcome":"repeated"}',
        '{"outcome":"repeated"}',
        '{"outcome":"repeated"}',
        '{"outcome":"stored"}',
      ]);
    }
    expect(await count('tracked_records')).toBe(10);
    expect(await count('snapshots')).toBe(10);
    // Each of the ten was stored by one of the two, and together they count so.
    const counted = await Promise.all(receivers.map(async (each) => (await each.get('/metrics')).text));
    const stored = counted.map((text) => Number(/purchase",result="stored"\} (\d+)/.exec(text)?.[1] ?? 0));
    expect((stored[0] ?? 0) + (stored[1] ?? 0)).toBe(10);

    await Promise.all(
      ids.flatMap((id) => receivers.map((each) => each.webhook('purchase', released(id), { key: privateKey }))),
    );
    expect(await count(`status_changes where learned_from = 'webhook'`)).toBe(10);
    expect(await count('snapshots')).toBe(20);
  });

  it('ask for one quote between them when a record is created', async () => {
    const asset = aV3Asset({ symbol: '"ETH"', chain: '"ETH"', decimals: '18', type: '"NATIVE"', address: 'null' });
    service.paths.set('/host-api/v3/onramp/quote/all', {
      body: `{"asset":${asset},"CARD_PAYMENT":${aMethodQuote({ fiatValue: '104.76' })}}`,
    });
    const asked = () => service.requests.filter(({ method }) => method === 'POST').length;
    await Promise.all(receivers.map((each) => each.webhook('purchase', created('p-new'), { key: privateKey })));
    await until('a quote is stored', async () => (await count('quotes')) === 1);
    // The process that was refused tries again after two seconds.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect([await count('quotes'), asked()]).toEqual([1, 1]);
  });
});

/** A machine with a schedule whose clock and ticks are the test's. */
interface Machine {
  world: FrozenWorld;
  tick(name: string): void;
  stop(): Promise<void>;
  log: string[];
}

describe.skipIf(isSwitchedOff())('two schedules', () => {
  let database: TestDatabase;
  let service: RecordServer;
  let machines: Machine[];

  async function aMachine(): Promise<Machine> {
    const stopped = new AbortController();
    const jobs = { 'schedule.jobs.reference-data': 'off', 'schedule.jobs.recheck': 'off' };
    const settings = { ...jobs, 'database.url': database.url, 'service.url': service.url };
    const world = await openFrozenWorld(settings, KEY, stopped.signal);
    world.goTo('2026-11-20T03:00:00Z');
    const ticks = new Map<string, () => void>();
    const log: string[] = [];
    const options: ScheduleOptions = {
      signal: stopped.signal,
      scrub: (text) => text,
      ticks: (name, _line, _timezone, onTick) => {
        ticks.set(name, onTick);
        return { stop: () => void ticks.delete(name) };
      },
    };
    const say = (level: string) => (message: string) => void log.push(`${level} ${message}`);
    const info = (facts: object, message: string) => void log.push(`${message} ${JSON.stringify(facts)}`);
    const app = { ...world.app, log: { info, warn: say('warn'), error: say('error') } };
    const scheduler = startSchedule(app, options);
    return {
      world,
      log,
      tick: (name) => ticks.get(name)?.(),
      stop: () => {
        stopped.abort();
        return scheduler.stop();
      },
    };
  }

  beforeEach(async () => {
    database = await makeDatabase();
    service = await startRecordServer({
      'p-1': { body: aPurchase({ id: '"p-1"', purchaseViewToken: undefined }) },
      'p-2': { body: aPurchase({ id: '"p-2"', status: '"PAYMENT_STARTED"', purchaseViewToken: undefined }) },
    });
    machines = [await aMachine(), await aMachine()];
    await machines[0]?.world.track('kind,id,view_token\npurchase,p-1,t1\npurchase,p-2,t2\n');
  });
  afterEach(async () => {
    for (const machine of machines) await machine.stop();
    for (const { world } of machines) await world.close();
    await service.close();
    await database[Symbol.asyncDispose]();
  });

  const both = (act: (machine: Machine) => void) => machines.forEach(act);
  const tickInTurn = (...order: (Machine | undefined)[]) => {
    for (const each of order) each?.tick('nightly');
  };
  const runs = async () => {
    const list = (await machines[0]?.world.app.store.runs.list({ job: 'nightly', limit: 50 })) ?? [];
    return list.map(({ businessDate, revision, state }) => `${businessDate} r${revision} ${state}`).reverse();
  };
  const finished = async (date: string) =>
    until(`the night of ${date} is complete`, async () => (await runs()).includes(`${date} r1 complete`));
  const errors = () => machines.flatMap(({ log }) => log.filter((line) => /^(error|warn)/.test(line)));

  it('run each night once, also where both see the tick at once', async () => {
    const [one, other] = machines;
    // Both at once; then one before the other; then the other before the one; then both, and again, and once more.
    const nights: readonly [string, string, () => void][] = [
      ['2026-11-20T04:15:00Z', '2026-11-19', () => both((each) => each.tick('nightly'))],
      ['2026-11-21T04:15:00Z', '2026-11-20', () => tickInTurn(one, other)],
      ['2026-11-22T04:15:00Z', '2026-11-21', () => tickInTurn(other, one)],
      ['2026-11-23T04:15:00Z', '2026-11-22', () => both((each) => ['nightly', 'nightly again'].map(each.tick))],
    ];
    const expected: string[] = [];
    for (const [time, date, happen] of nights) {
      both(({ world }) => world.goTo(time));
      happen();
      await finished(date);
      expected.push(`${date} r1 complete`);
      // What looks again five minutes later, on both, finds nothing to do.
      both(({ world }) => world.goTo(time.replace('04:15', '04:20')));
      both((each) => each.tick('nightly again'));
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await runs()).toEqual(expected);
    }
    expect(errors()).toEqual([]);
  });

  it('ask for a record once a night, though both had the tick', async () => {
    both(({ world }) => world.goTo('2026-11-20T04:15:00Z'));
    both((each) => each.tick('nightly'));
    await finished('2026-11-19');
    both(({ world }) => world.goTo('2026-11-20T04:25:00Z'));
    both((each) => each.tick('nightly again'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([service.count('p-1'), service.count('p-2')]).toEqual([1, 1]);
  });

  it('catch up with missed nights once, when both start after them', async () => {
    both(({ world }) => world.goTo('2026-11-20T04:15:00Z'));
    machines[0]?.tick('nightly');
    await finished('2026-11-19');
    both(({ world }) => world.goTo('2026-11-23T12:00:00Z'));
    both((each) => each.tick('nightly again'));
    for (let look = 1; look <= 6; look++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      // A run is under way: a clock that jumps further than the lease would be another matter.
      both(({ world }) => world.goTo(`2026-11-23T12:00:0${look}Z`));
      both((each) => each.tick('nightly again'));
    }
    await finished('2026-11-22');
    expect(await runs()).toEqual([
      '2026-11-19 r1 complete',
      '2026-11-20 r1 complete',
      '2026-11-21 r1 complete',
      '2026-11-22 r1 complete',
    ]);
    expect(errors()).toEqual([]);
  });

  it('go on with the night of a machine that was stopped in the midst of it', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.answers.set('p-2', { body: aPurchase({ id: '"p-2"', purchaseViewToken: undefined }), hold });
    both(({ world }) => world.goTo('2026-11-20T04:15:00Z'));
    const [one, other] = machines;
    one?.tick('nightly');
    await until('p-2 is asked for', () => service.count('p-2') === 1);
    // The other one sees the tick a little later: it is refused, and does not wait.
    other?.tick('nightly');
    await until('the other is refused', () => other?.log.some((line) => line.startsWith('refused')) ?? false);
    const stopping = one?.stop();
    release();
    await stopping;
    other?.world.goTo('2026-11-20T04:20:00Z');
    other?.tick('nightly again');
    await finished('2026-11-19');
    expect(await runs()).toEqual(['2026-11-19 r1 complete']);
    expect([service.count('p-1'), errors()]).toEqual([1, []]);
  });
});
