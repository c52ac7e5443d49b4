/** Protects a run from the code of plugins: bounds its time, freezes what it receives, and reads what it throws or returns. */
import { createContext, Script } from 'node:vm';
import { codeOf } from './errors.ts';

/** Of one call, about one record. */
const LONGEST_MS = 10_000;
/** After as many calls that took longer, none is made: otherwise a night would take days. */
const MOST_TIMEOUTS = 10;

/**
 * Makes calls that end after ten seconds, also where they would never return: only a script of `node:vm` can be stopped from outside.
 * That costs a tenth of a millisecond a call.
 * @throws what the call throws; Error where it took too long
 */
export function boundedCalls(longestMs = LONGEST_MS): <T>(call: () => T) => T {
  const late = `it did not return within ${longestMs / 1000} s`;
  const script = new Script('call()');
  const globals: { call?: () => unknown } = {};
  const context = createContext(globals);
  let timeouts = 0;
  return <T>(call: () => T) => {
    if (timeouts >= MOST_TIMEOUTS) throw new Error(`${late} for ${MOST_TIMEOUTS} records: it is not called again`);
    try {
      globals.call = call;
      return script.runInContext(context, { timeout: longestMs }) as T;
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      timeouts++;
      throw new Error(late);
    }
  };
}

/** A plugin may throw the whole page that it got from a server. */
const LONGEST = 200;

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

/** Without control characters and lone surrogates, which databases, logs or cells cannot hold; of one sentence's length. */
export function plainText(text: string): string {
  return text
    .slice(0, LONGEST)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed();
}

/** The value itself. A promise gets a handler, because an unhandled rejection would end the process. */
export function handled<T>(value: T): T {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** Why a return value is not a list. */
export function whyNoList(answer: unknown, of: string): string {
  return `its answer is ${handled(answer) instanceof Promise ? 'a promise, not' : 'not'} a list of ${of}`;
}
