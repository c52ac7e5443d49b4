/** A client with a limiter that only takes notes, and a clock on which every pause is over at once. */

import type { Limiter, Pace } from '../../src/ports/pacing.ts';
import { createServiceClient, type ServiceClientOptions } from '../../src/service/client.ts';

export const NOW = Date.parse('2026-11-20T04:15:00Z');

export interface Notes {
  acquired: { pace: Pace; mayWait: boolean | undefined }[];
  reports: string[];
  pauses: number[];
}

export function noteTaker(notes: Notes): Limiter {
  return {
    acquire: async ({ pace, signal, mayWait }) => {
      signal?.throwIfAborted();
      notes.acquired.push({ pace, mayWait });
    },
    report: async ({ kind, retryAfterMs }) => {
      notes.reports.push(retryAfterMs === null ? kind : `${kind} ${retryAfterMs}`);
    },
    state: async () => ({
      circuit: { open: false, until: null, trips: 0, reason: null },
      windows: [],
      otherEgresses: [],
    }),
  };
}

export function clientUnderTest(baseUrl: string, options: Partial<ServiceClientOptions> = {}) {
  const notes: Notes = { acquired: [], reports: [], pauses: [] };
  const client = createServiceClient({
    baseUrl,
    identifierName: 'Service',
    hostApiKey: 'key-of-the-host',
    // Of a busy machine: what is about time-outs has one of its own.
    timeoutMs: 10_000,
    retries: 3,
    limiter: noteTaker(notes),
    clock: {
      now: () => NOW,
      sleep: async (ms) => {
        notes.pauses.push(ms);
      },
    },
    random: () => 0.5,
    concurrency: 4,
    ...options,
  });
  return { client, notes };
}
