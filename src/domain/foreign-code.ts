/** Protects a run from the code of plugins: freezes what they receive, and reads what they throw or return. Pure. */

/**
 * Freezes a value and all that it contains, so that a plugin that assigns to it gets an error, and other rules judge unchanged data.
 * Maps and instances of classes are not frozen.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value;
  Object.freeze(value);
  for (const each of Object.values(value)) frozen(each);
  return value;
}

/** The message of a thrown value. Reading it may throw again: its `message` can be a getter. */
export function thrownText(thrown: unknown): string {
  try {
    return plainText(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'it threw what cannot be read';
  }
}

/** Without control characters and lone surrogates, which databases, logs or cells cannot hold. */
export function plainText(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
}

/** Why a return value is not a list. A promise gets a handler, because an unhandled rejection would end the process. */
export function whyNoList(answer: unknown, of: string): string {
  if (!(answer instanceof Promise)) return `its answer is not a list of ${of}`;
  answer.catch(() => undefined);
  return `its answer is a promise, not a list of ${of}`;
}
