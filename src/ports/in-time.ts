/** Waits with a limit: a source or target that stops answering would hold up a night, and the later dates. */

/** @throws what `late` makes, after so many milliseconds; the work itself goes on */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, waiting]);
  } finally {
    clearTimeout(timer);
  }
}
