/** Milliseconds of processor time that the work takes on this thread: other work on the machine adds nothing to it. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The least of two sizes, measured in turn: three rounds, and up to eight where the large one is over its bound, since a collection
 * of garbage may fall on it.
 */
export async function leastOf(
  small: () => Promise<number> | number,
  large: () => Promise<number> | number,
  isLinear: (small: number, large: number) => boolean,
): Promise<readonly [number, number]> {
  let least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  for (let round = 0; round < 3 || (round < 8 && !isLinear(...least)); round++)
    least = [Math.min(least[0], await small()), Math.min(least[1], await large())];
  return least;
}
