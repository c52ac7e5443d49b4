import { describe, expect, it } from 'vitest';
import { SandboxOptionError } from '../../src/sandbox/sandbox.ts';
import { aSandbox, get, NOW, post } from './a-sandbox.ts';

const text = async (url: string) => (await fetch(url)).text();

describe('exports', () => {
  it('streams tracked records as CSV and as NDJSON, both with the same lines as in process', async () => {
    await using sandbox = await aSandbox({ records: 500, defects: 0.1 });
    const lines = [...sandbox.trackedLines()];
    const csv = (await text(`${sandbox.origin}/sandbox/tracked`)).split('\n');
    expect(csv[0]).toBe('kind,id,view_token,created_at,host_reference,quote_id,expected_status,shown_total,shown_fee');
    expect(csv.at(-1)).toBe('');
    expect(csv.slice(1, -1)).toEqual(
      lines.map((line) =>
        Object.values(line)
          .map((cell) => cell ?? '')
          .join(','),
      ),
    );
    const ndjson = (await text(`${sandbox.origin}/sandbox/tracked?format=ndjson`)).trimEnd().split('\n');
    expect(ndjson.map((line): unknown => JSON.parse(line))).toEqual(lines);
    expect((await get(sandbox.origin, '/sandbox/tracked?format=xml')).status).toBe(400);
  });

  it('streams quotes as NDJSON, one for each record that has one', async () => {
    await using sandbox = await aSandbox({ records: 500, defects: 0.1 });
    const lines = (await text(`${sandbox.origin}/sandbox/quotes`)).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([...sandbox.quoteLines()]);
    const defects = Map.groupBy(sandbox.answerKey(), ({ defect }) => defect);
    const missing = defects.get('quote-missing')?.length ?? 0;
    // The key names the copied purchase too, which has its quote.
    const copies = (defects.get('one-transaction-twice')?.length ?? 0) / 2;
    expect(lines).toHaveLength(500 - missing - copies);
  });

  it('gives the answer key', async () => {
    await using sandbox = await aSandbox({ records: 500, defects: 0.1 });
    expect((await get(sandbox.origin, '/sandbox/answers')).list).toEqual([...sandbox.answerKey()]);
  });
});

describe('the levers of time', () => {
  it('moves the clock forwards, or to an instant', async () => {
    await using sandbox = await aSandbox();
    const set = (body: unknown) => post(sandbox.origin, '/sandbox/clock', body);
    expect((await set({ advanceMs: 60_000 })).body).toEqual({ now: '2026-11-01T03:11:00.000Z' });
    expect((await set({ advanceMs: 30_000 })).body).toEqual({ now: '2026-11-01T03:11:30.000Z' });
    expect((await set({ at: '2026-10-02T00:00:00Z' })).body).toEqual({ now: '2026-10-02T00:00:00.000Z' });
    for (const body of [{}, { advanceMs: -1 }, { advanceMs: '60000' }, { at: 'yesterday' }]) {
      expect((await set(body)).status).toBe(400);
    }
  });

  it('passes to the second night, when records have moved on and defects have changed', async () => {
    await using sandbox = await aSandbox({ records: 100, defects: 0.05, defectKinds: ['status-fell-back'] });
    const [entry] = sandbox.answerKey();
    const line = [...sandbox.trackedLines()].find(({ id }) => id === entry?.id);
    const status = async () =>
      (await get(sandbox.url, `/host-api/purchase/${line?.id}?secret=${line?.view_token}`)).body.status;
    expect(await status()).toBe('FIAT_RECEIVED');
    expect((await post(sandbox.origin, '/sandbox/night', { night: 2 })).body).toEqual({ night: 2 });
    expect(await status()).toBe('PAYMENT_STARTED');
    expect((await post(sandbox.origin, '/sandbox/night', { night: 3 })).status).toBe(400);
  });
});

describe('options', () => {
  it('takes its population from now and its time from the clock, which may differ', async () => {
    await using sandbox = await aSandbox({ now: NOW - 86_400_000 });
    expect(sandbox.now).toBe(NOW - 86_400_000);
    expect((await post(sandbox.origin, '/sandbox/clock', { advanceMs: 0 })).body.now).toBe('2026-11-01T03:10:00.000Z');
  });

  it('gives the base that ends in /api, on loopback', async () => {
    await using sandbox = await aSandbox();
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}/api`);
  });

  it.each([{ records: -1 }, { records: 1.5 }, { defects: 1.1 }, { days: 0 }, { seed: -1 }, { identifierName: 'a b' }])(
    'refuses %j',
    async (options) => {
      await expect(aSandbox(options)).rejects.toThrow(SandboxOptionError);
    },
  );

  it('refuses a port in use, and names the remedy', async () => {
    await using first = await aSandbox();
    const second = aSandbox({ port: first.port });
    await expect(second).rejects.toThrow(SandboxOptionError);
    await expect(second).rejects.toThrow(/^the sandbox cannot start: .*EADDRINUSE.*; choose a free port with --port$/);
  });

  it('works without a single record', async () => {
    await using sandbox = await aSandbox({ records: 0, defects: 0.5 });
    expect([[...sandbox.trackedLines()], [...sandbox.answerKey()]]).toEqual([[], []]);
    expect((await get(sandbox.url, '/host-api/v3/assets')).status).toBe(200);
  });
});
