/** What code from outside is given, and what it throws and answers: a plugin may be wrong, and its run goes on. Pure. */

/**
 * The same, and nothing in it can be changed: whoever tries it fails, instead of changing what others judge. Maps and the objects of
 * classes stay as they are.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value;
  Object.freeze(value);
  for (const each of Object.values(value)) frozen(each);
  return value;
}

/** In a sentence; what was thrown may itself throw when it is read. */
export function thrownText(thrown: unknown): string {
  try {
    return plainText(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'it threw what cannot be read';
  }
}

/** One that a database, a line of a log and a cell can hold. */
export function plainText(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, ' ');
}

/** A promise that nobody waits for ends the process when it fails. */
export function whyNoList(answer: unknown, of: string): string {
  if (!(answer instanceof Promise)) return `its answer is not a list of ${of}`;
  answer.catch(() => undefined);
  return `its answer is a promise, not a list of ${of}`;
}
