import type { PagesEdges } from './contract.ts';

const MOST = 1000;

/** Results by key, kept until a break has a new event: each takes longer to compute than its page. A failure is not kept. */
export function keptUntilEvent<T>({ workList }: PagesEdges['store']) {
  let keptAt = -1;
  let kept = new Map<string, Promise<T>>();
  return async (key: string, compute: () => Promise<T>): Promise<T> => {
    const version = await workList.version();
    if (version !== keptAt) {
      keptAt = version;
      kept = new Map();
    }
    const now = kept;
    const known = now.get(key);
    if (known !== undefined) return known;
    const result = compute();
    if (now.size < MOST) now.set(key, result);
    // The caller gets the error, and the next request computes again.
    result.catch(() => now.delete(key));
    return result;
  };
}
