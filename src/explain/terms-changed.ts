/** How the settings that decide verdicts have changed since a run, setting by setting. */

/** A setting that differs between a run and today, both in words. */
export interface ChangedTerm {
  /** `tolerances.fiat.relative`, `statuses.purchase.RELEASING.stuckAfter`. */
  path: string;
  /** As the frozen terms have it; null where it was not set. */
  was: string | null;
  is: string | null;
}

/**
 * @param then frozen terms, as `freezeTerms` writes them.
 * @param now the same of the settings in force.
 * @returns in order of path; none where both judge alike.
 */
export function changedTerms(then: string, now: string): readonly ChangedTerm[] {
  if (then === now) return [];
  const [before, after] = [leaves(JSON.parse(then)), leaves(JSON.parse(now))];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .map((path) => ({ path, was: before.get(path) ?? null, is: after.get(path) ?? null }))
    .filter((term) => term.was !== term.is);
}

/** Every value that is not a group, by its path. A list of named things is a group by their names. */
function leaves(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) {
    found.set(path, String(value));
    return found;
  }
  for (const [key, item] of Object.entries(value)) {
    const name = Array.isArray(value) ? nameOf(item, key) : key;
    leaves(item, path === '' ? name : `${path}.${name}`, found);
  }
  return found;
}

function nameOf(item: unknown, position: string): string {
  const named = typeof item === 'object' && item !== null && 'value' in item ? item.value : position;
  return String(named);
}
