/**
 * A map that forgets, so that a scan over a million records stays flat in memory. It keeps two generations: what is asked
 * for again outlives the generation it was put in with, and a hit in the young one, which most are, moves nothing.
 */
export class BoundedCache<K, V> {
  #young = new Map<K, V>();
  #old: ReadonlyMap<K, V> = new Map();
  readonly #halfLimit: number;

  /** @param limit entries held at most; at least half as many of those asked for last are kept. */
  constructor(limit: number) {
    this.#halfLimit = Math.max(1, Math.floor(limit / 2));
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#halfLimit && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
