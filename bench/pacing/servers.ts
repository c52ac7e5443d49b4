/**
 * How a server may count, as the client cannot know which it is: four models of one limit, each as strict as its kind
 * gets. `offset` shifts the servers' buckets against our clock.
 */
import type { RateLimit } from '../../src/ports/pacing.ts';

export interface ServerModel {
  /** Counts a request that arrives at `at` (ms, never decreasing); false where it is over the limit. */
  receive(at: number): boolean;
}

export type ModelName = 'fixed window' | 'sliding log' | 'sliding counter' | 'token bucket';

type Model = (limit: RateLimit, offset: number) => ServerModel;

/** Counts per clock-aligned bucket. */
const fixedWindow: Model = ({ requests, perMs }, offset) => {
  let bucket = Number.NaN;
  let count = 0;
  return {
    receive: (at) => {
      const now = Math.floor((at + offset) / perMs);
      count = now === bucket ? count + 1 : 1;
      bucket = now;
      return count <= requests;
    },
  };
};

/** Remembers every request, the refused ones too. */
const slidingLog: Model = ({ requests, perMs }) => {
  const log = new RollingCount(perMs);
  return { receive: (at) => log.add(at) <= requests };
};

/** An estimate that is the limit exactly may come out a hair above it. */
const ROUNDING = 1e-9;

/** This bucket's count, plus the last one's faded by how far this one has come. */
const slidingCounter: Model = ({ requests, perMs }, offset) => {
  let bucket = Number.NaN;
  let count = 0;
  let before = 0;
  return {
    receive: (at) => {
      const now = Math.floor((at + offset) / perMs);
      if (now !== bucket) {
        before = now === bucket + 1 ? count : 0;
        bucket = now;
        count = 0;
      }
      count++;
      const elapsed = (at + offset) / perMs - now;
      return before * (1 - elapsed) + count <= requests + ROUNDING;
    },
  };
};

/** Fills evenly, up to one window's allowance; a refused request costs a token all the same. */
const tokenBucket: Model = ({ requests, perMs }) => {
  let tokens = requests;
  let filledAt = Number.NEGATIVE_INFINITY;
  return {
    receive: (at) => {
      tokens = Math.min(requests, tokens + ((at - filledAt) * requests) / perMs);
      filledAt = at;
      tokens--;
      return tokens >= 0;
    },
  };
};

export const MODELS: Readonly<Record<ModelName, Model>> = {
  'fixed window': fixedWindow,
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
  'token bucket': tokenBucket,
};

export const MODEL_NAMES = Object.keys(MODELS) as readonly ModelName[];

/** One server with several limits; a request is over where any of them says so. */
export function createServer(name: ModelName, limits: readonly RateLimit[], random: () => number): ServerModel {
  const parts = limits.map((limit) => MODELS[name](limit, random() * limit.perMs));
  return { receive: (at) => parts.map((part) => part.receive(at)).every((within) => within) };
}

/** How many fall into the half-open window that ends now, and the most there ever were. */
export class RollingCount {
  readonly #perMs: number;
  readonly #times: number[] = [];
  #first = 0;
  peak = 0;

  constructor(perMs: number) {
    this.#perMs = perMs;
  }

  add(at: number): number {
    this.#times.push(at);
    while ((this.#times[this.#first] ?? at) <= at - this.#perMs) this.#first++;
    const count = this.#times.length - this.#first;
    this.peak = Math.max(this.peak, count);
    return count;
  }
}
