/** Sends a request until an attempt is final: a slot for every attempt, a report after it, pauses between. */

import type { Limiter, Pace } from '../ports/pacing.ts';
import { ExchangeError, TlsError } from '../ports/service-errors.ts';
import { readAnswer } from './answer.ts';
import { ConnectionRefusedError } from './errors.ts';
import { type Attempt, type RetryPolicy, retryBudget, retryReasonOf } from './retry.ts';
import type { HttpRequest, Transport } from './transport.ts';

/** The last attempt, and how many there were. */
export type LastAttempt = Attempt & { attempts: number };

interface AskOptions {
  pace: Pace;
  /** Ends waits for a slot or a retry. A request in flight is finished, because the Service has counted it. */
  signal?: AbortSignal | undefined;
  /** False: an open circuit is an error, not a wait. */
  mayWait?: boolean | undefined;
  /** True: a 403 is known to be this record's own, and no sign of a block. */
  refusalExpected?: boolean | undefined;
}

interface AskerEdges {
  transport: Transport;
  limiter: Limiter;
  policy: RetryPolicy;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** One question to the Service: paced, retried, and given up at its deadline. */
export type Ask = (request: HttpRequest, options: AskOptions) => Promise<LastAttempt>;

/**
 * @throws TlsError, as it is not about the request; what the limiter throws while waiting (an AbortError,
 * CircuitOpenError, …).
 */
export function createAsk({ transport, limiter, policy, sleep }: AskerEdges): Ask {
  return async (request, { pace, signal, mayWait = true, refusalExpected = false }) => {
    const pauseBefore = retryBudget(policy);
    for (let attempts = 1; ; attempts++) {
      await limiter.acquire({ pace, signal, mayWait });
      const attempt = await attemptOf(transport, request);
      await report(limiter, attempt, refusalExpected);
      if (attempt.type === 'failure' && attempt.failure instanceof TlsError) throw attempt.failure;
      const reason = retryReasonOf(attempt);
      const pause = reason === null ? null : pauseBefore(reason);
      if (pause === null) return { ...attempt, attempts };
      if (pause > 0) await sleep(pause, signal);
    }
  };
}

async function attemptOf(transport: Transport, request: HttpRequest): Promise<Attempt> {
  try {
    return { type: 'answer', answer: readAnswer(await transport.send(request)) };
  } catch (error) {
    if (error instanceof ExchangeError) return { type: 'failure', failure: error };
    throw error;
  }
}

/** A reset or a timeout is no sign of a block, so only answers and refusals are reported to the circuit. */
async function report(limiter: Limiter, attempt: Attempt, refusalExpected: boolean): Promise<void> {
  if (attempt.type === 'answer') {
    const { status, retryAfterMs } = attempt.answer;
    if (status === 403 && refusalExpected) return;
    await limiter.report({ kind: status === 429 ? 'limited' : status === 403 ? 'forbidden' : 'ok', retryAfterMs });
  } else if (attempt.failure instanceof ConnectionRefusedError) {
    await limiter.report({ kind: 'refused', retryAfterMs: null });
  }
}
