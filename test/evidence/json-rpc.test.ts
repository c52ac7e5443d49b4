/** Batches: what belongs together by id, and what an endpoint that refuses them costs. */
import { afterEach, expect, it } from 'vitest';
import { httpEndpoint } from '../../src/evidence/chain/endpoint.ts';
import { jsonRpc } from '../../src/evidence/chain/json-rpc.ts';
import { type Served, serveText } from '../local-chains/loopback.ts';

let served: Served | undefined;
afterEach(async () => served?.close());

type Asked = { id: number; method: string };

async function ask(count: number, answer: (calls: readonly Asked[]) => unknown) {
  served = await serveText(async (_path, body) => {
    const read = JSON.parse(body) as Asked | Asked[];
    const calls = Array.isArray(read) ? read : [read];
    const all = answer(calls);
    return JSON.stringify(Array.isArray(all) && !Array.isArray(read) ? all[0] : all);
  });
  const endpoint = httpEndpoint({ url: served.url, timeoutMs: 20_000, concurrency: 1, limiter: null, retries: 0 });
  const calls = Array.from({ length: count }, (_, n) => ({ method: `m${n}`, params: [] }));
  return jsonRpc(endpoint, 100).under(new AbortController().signal).calls(calls);
}

const right = (calls: readonly Asked[]) => calls.map(({ id, method }) => ({ id, result: method }));

it('answers in another order belong to their calls by id', async () => {
  expect(await ask(3, (calls) => right(calls).reverse())).toEqual(
    ['m0', 'm1', 'm2'].map((result) => ({ ok: true, result })),
  );
  expect(served?.stats().requests).toBe(1);
});

it('a batch that is refused as a whole is halved until it is answered', async () => {
  const refusing = (calls: readonly Asked[]) =>
    calls.length > 3 ? { id: null, error: { code: -32_600, message: 'batch too long' } } : right(calls);
  expect((await ask(10, refusing)).map((each) => each.ok && each.result)).toEqual(
    Array.from({ length: 10 }, (_, n) => `m${n}`),
  );
  // 10, 5 and 5, then 3 and 2 of each.
  expect(served?.stats().requests).toBe(7);
});

it('one answer that is too large costs only itself', async () => {
  const answers = await ask(4, (calls) =>
    right(calls).map((each) => (each.result === 'm2' ? { ...each, result: 'x'.repeat(5 * 1024 * 1024) } : each)),
  );
  expect(answers.map((each) => (each.ok ? each.result : each.reason))).toEqual([
    'm0',
    'm1',
    'answered with more than 4 MiB',
    'm3',
  ]);
});

it.each<[string, (calls: readonly Asked[]) => unknown, string]>([
  ['ids of other calls', (calls) => calls.map(({ id }) => ({ id: id + 7, result: 1 })), 'answered another call'],
  ['one call answered twice', (calls) => [...right(calls), ...right(calls)], 'answered one call twice'],
  ['nothing', () => [], 'answered another call'],
  ['an answer without a result', (calls) => calls.map(({ id }) => ({ id })), 'gave no result'],
  [
    'an error for each',
    (calls) => calls.map(({ id }) => ({ id, error: { code: -32_005 } })),
    'refused with code -32005',
  ],
])('%s is not an answer', async (_what, answer, reason) => {
  for (const each of await ask(2, answer)) expect(each).toEqual({ ok: false, reason });
});
