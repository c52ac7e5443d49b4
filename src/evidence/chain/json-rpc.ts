/** JSON-RPC 2.0 over HTTP, in batches where the endpoint takes them. An answer belongs to a call by its id alone. */
import { z } from 'zod';
import { Unanswered } from './absence.ts';
import type { HttpEndpoint, Received } from './endpoint.ts';

export interface Call {
  method: string;
  params: readonly unknown[];
}

/** A refusal has its reason in words, without the address of the endpoint, which may hold a key. */
export type Answer = { ok: true; result: unknown } | { ok: false; reason: string };

const one = z.object({
  // Null where a batch is refused as a whole.
  id: z.int().nullish(),
  // Absent beside an error.
  result: z.unknown().optional(),
  error: z.object({ code: z.int().optional(), message: z.string().optional() }).nullish(),
});

export type JsonRpc = ReturnType<typeof jsonRpc>;

/** What one look-up asks. */
export type Rpc = ReturnType<JsonRpc['under']>;

const NONE: Answer = { ok: false, reason: 'gave no answer' };

/**
 * JSON-RPC 2.0 over one endpoint, with calls in batches.
 * @param batch calls in one request; 1 for an endpoint that takes no batches.
 */
export function jsonRpc(endpoint: HttpEndpoint, batch: number) {
  let lastId = 0;
  const askPart = async (calls: readonly Call[], signal: AbortSignal): Promise<readonly Answer[]> => {
    const requests = calls.map((call) => ({ jsonrpc: '2.0', id: ++lastId, ...call }));
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
    const received = await endpoint.ask({ body }, signal);
    // Traces may fill more than an answer may have, and endpoints refuse batches that are too long for them as a whole.
    if (calls.length > 1 && isRefusedWhole(received)) {
      const half = Math.ceil(calls.length / 2);
      return [...(await askPart(calls.slice(0, half), signal)), ...(await askPart(calls.slice(half), signal))];
    }
    if (!received.ok) return requests.map(() => received);
    const bodies = Array.isArray(received.body) ? received.body : [received.body];
    // Twice as many can still be read as one call that was answered twice; millions would only take time.
    if (bodies.length > 2 * requests.length)
      return requests.map(() => ({ ok: false, reason: 'answered more calls than it was asked' }));
    const all = bodies.map((each) => one.safeParse(each).data);
    return requests.map(({ id }) => answerTo(id, all));
  };
  /** Answers in the order of the calls. */
  const askAll = async (calls: readonly Call[], signal: AbortSignal): Promise<readonly Answer[]> => {
    const parts: Call[][] = [];
    for (let from = 0; from < calls.length; from += batch) parts.push(calls.slice(from, from + batch));
    return (await Promise.all(parts.map((part) => askPart(part, signal)))).flat();
  };
  return {
    /** The calls of one look-up, which a signal ends. */
    under(signal: AbortSignal) {
      const calls = (all: readonly Call[]) => askAll(all, signal);
      const call = async (method: string, params: readonly unknown[]) => (await calls([{ method, params }]))[0] ?? NONE;
      return {
        calls,
        call,
        /** The answers by what they are about. */
        about: async <K>(keys: readonly K[], callOf: (key: K) => Call): Promise<ReadonlyMap<K, Answer>> => {
          const answers = await calls(keys.map(callOf));
          return new Map(keys.map((key, i) => [key, answers[i] ?? NONE]));
        },
        /** One call, whose result has a form. @throws Unanswered */
        read: async <T>(schema: z.ZodType<T>, method: string, params: readonly unknown[]): Promise<T> => {
          const answer = await call(method, params);
          if (!answer.ok) throw new Unanswered(answer.reason);
          const { data, success } = schema.safeParse(answer.result);
          if (!success) throw new Unanswered(`answered ${method} with something else`);
          return data;
        },
      };
    },
  };
}

function isRefusedWhole(received: Received): boolean {
  if (!received.ok) return received.isTooMuch === true;
  const { data } = one.safeParse(received.body);
  return data?.error !== null && data?.error !== undefined;
}

/** Of the endpoint's own message only the code is kept: it may repeat the request, the key included. */
function answerTo(id: number, all: readonly (z.output<typeof one> | undefined)[]): Answer {
  const own = all.filter((each) => each?.id === id);
  const [first] = own;
  if (first === undefined) {
    const failure = all.find((each) => each?.error !== undefined && each.error !== null);
    return {
      ok: false,
      reason: failure === undefined ? 'answered another call' : `refused with code ${failure.error?.code ?? 'none'}`,
    };
  }
  if (own.length > 1) return { ok: false, reason: 'answered one call twice' };
  const { error, result } = first;
  if (error !== undefined && error !== null) return { ok: false, reason: `refused with code ${error.code ?? 'none'}` };
  // An answer without a result is not the null that stands for an unknown transaction.
  return result === undefined ? { ok: false, reason: 'gave no result' } : { ok: true, result };
}
