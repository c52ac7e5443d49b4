/** When to try again, apart from how to send. */
import { type ExchangeError, TlsError } from '../ports/service-errors.ts';
import type { Answer } from './answer.ts';
import { BodyTooLargeError } from './errors.ts';

/** The result of one attempt. */
export type Attempt = { type: 'answer'; answer: Answer } | { type: 'failure'; failure: ExchangeError };

/**
 * `transient`: may be gone in a second. `foreign`: a proxy answered instead of the Service. `limited`: too many
 * requests, which the limiter waits out.
 */
type RetryReason = 'transient' | 'foreign' | 'limited';

/** "Not implemented" and "HTTP version not supported" are permanent. */
const LASTING_5XX = new Set([501, 505]);

/** Null where the attempt is final: a usable answer, or a failure that another attempt would repeat. */
export function retryReasonOf(attempt: Attempt): RetryReason | null {
  if (attempt.type === 'failure')
    return attempt.failure instanceof TlsError || attempt.failure instanceof BodyTooLargeError ? null : 'transient';
  const { status, content } = attempt.answer;
  if (status === 429) return 'limited';
  if (status >= 500) return LASTING_5XX.has(status) ? null : 'transient';
  if (status >= 200 && status < 300) {
    if (content.type === 'truncated') return 'transient';
    return content.type === 'foreign' ? 'foreign' : null;
  }
  // "Not found" is about the record only if the Service says so; a proxy may say it while the Service restarts.
  return (status === 404 || status === 410) && content.type !== 'json' ? 'foreign' : null;
}

/** How often, and how long between two attempts. */
export interface RetryPolicy {
  /** Attempts after the first. */
  retries: number;
  /** Deadline of one exchange. Pauses together stay below it, so a record takes at most (retries + 2) × this. */
  timeoutMs: number;
  /** From 0 up to 1. */
  random: () => number;
}

const FIRST_PAUSE_MS = 500;
const FOREIGN_RETRIES = 1;
/** Each of these was preceded by the limiter's silence of 15 minutes or more. */
const LIMITED_RETRIES = 5;

/** The retries of one request. @returns milliseconds to pause before the next attempt, or null where there is to be none */
export function retryBudget({ retries, timeoutMs, random }: RetryPolicy): (reason: RetryReason) => number | null {
  let [spent, foreign, limited] = [0, 0, 0];
  return (reason) => {
    // The pause is the limiter's: a 429 has closed it, for this request as for all others.
    if (reason === 'limited') return limited++ < LIMITED_RETRIES ? 0 : null;
    if (reason === 'foreign' && foreign++ >= FOREIGN_RETRIES) return null;
    if (spent >= retries) return null;
    // Full jitter: requests that failed together must not return together.
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** spent++, timeoutMs / retries);
    return Math.round(longest * random());
  };
}
