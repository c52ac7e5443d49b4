import type { PagesEdges } from './contract.ts';

const MOST = 1000;

/** Results by key, kept until a break has a new event: each takes longer to compute than its page. A failure is not kept. */
export class KeptUntilEvent<T> {
  readonly #store: PagesEdges['store'];
  #version = -1;
  #kept = new Map<string, Promise<T>>();

  constructor(store: PagesEdges['store']) {
    this.#store = store;
  }

  async get(key: string, compute: () => Promise<T>): Promise<T> {
    const version = await this.#store.workList.version();
    if (version !== this.#version) {
      this.#version = version;
      this.#kept = new Map();
    }
    const kept = this.#kept;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const result = compute();
    if (kept.size < MOST) kept.set(key, result);
    // The caller gets the error, and the next request computes again.
    result.catch(() => kept.delete(key));
    return result;
  }
}
