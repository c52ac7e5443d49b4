/** Maps and lists of settings, strict, with messages that say what would have been right. */
import { z } from 'zod';
import { suggestion } from '../src/domain/nearest-name.ts';
import { delegate, type Leaf } from './leaves.ts';

/**
 * A map with exactly these settings. The message of an unknown one has a line per key, in the order of the issue's
 * `keys`, each with the nearest name.
 */
export function strict<T extends z.core.$ZodLooseShape>(shape: T) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `unknown setting; ${suggestion(key, names)}`).join('\n')
        : `is not valid; allowed: a map with ${names.join(', ')}`,
  });
}

export function list<T extends z.core.SomeType>(item: T) {
  return z.array(item, { error: 'is not valid; allowed: a list' });
}

/** A list that has at least one item. */
export function filledList<T extends z.core.SomeType>(item: T) {
  return list(item).check(z.minLength(1, { error: 'needs at least one item' }));
}

/** A map from names of one's own to values of one sort; every entry is read, whatever is wrong with its neighbours. */
export function namedMap<T>(inner: Leaf<T>, what: string, isKnown: (name: string) => true | string) {
  return z.unknown().transform((value, context): ReadonlyMap<string, T> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const message = `is not valid; allowed: a map from ${what} to its settings`;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }
    const read = new Map<string, T>();
    for (const [name, entry] of Object.entries(value)) {
      const known = isKnown(name);
      if (known !== true) context.issues.push({ code: 'custom', message: known, path: [name], input: name });
      read.set(name, delegate(inner, entry, context, [name]));
    }
    return read;
  });
}

/** A check of a whole list that runs even where single items are wrong, so that all problems come at once. */
export function always<T>(run: (payload: z.core.ParsePayload<T>) => void) {
  const check = z.check<T>(run);
  check._zod.def.when = () => true;
  return check;
}
