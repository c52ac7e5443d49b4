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

type Rows = AsyncIterable<unknown> | Iterable<unknown>;

export function isIterable(value: unknown): value is Rows {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** What comes one after the other, each within that time of the one before. @throws what `late` makes */
export async function* timely(rows: Rows, quietMs: number, late: () => Error): AsyncGenerator<unknown> {
  if (!(Symbol.asyncIterator in rows)) return yield* rows;
  const from = rows[Symbol.asyncIterator]();
  for (;;) {
    const next = await inTime(from.next(), quietMs, late);
    if (next.done === true) return;
    yield next.value;
  }
}
