/** What a decision or a claim is about: a view, a group of one cause, or breaks that were chosen; as an address has it. */

import { count } from '../../domain/counts.ts';
import { UsageError } from '../../domain/errors.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { MOST_IN_BULK } from '../../worklist/bulk.ts';
import { filterOf, readView, type View, viewQuery } from '../../worklist/view.ts';
import type { PagesEdges } from '../contract.ts';
import type { Groups } from './groups.ts';

export interface Target {
  view: View;
  /** Empty where it is not a group. */
  group: string;
  /** Empty where none were chosen. */
  chosen: readonly string[];
}

export function targetIn(query: URLSearchParams): Target {
  const group = /^[0-9a-f]{16}$/.exec(query.get('group') ?? '')?.[0] ?? '';
  const chosen = query.getAll('break').filter((id) => /^[0-9a-f]{64}$/.test(id));
  return { view: readView(query), group, chosen: [...new Set(chosen)].slice(0, 1000) };
}

export function queryOfTarget({ view, group, chosen }: Target): string {
  const more = chosen.map((id) => `break=${id}`);
  return [viewQuery(view, group === '' ? {} : { group }), ...more].filter((part) => part !== '').join('&');
}

/** The page to return to. */
export function homeOf({ view, group, chosen }: Target): string {
  if (group !== '') return `/groups/${group}`;
  const [only] = chosen;
  return chosen.length === 1 && only !== undefined ? `/breaks/${only}` : `/breaks?${viewQuery(view)}`;
}

/** @throws UsageError for more breaks than one decision takes, NotFoundError for a group that no longer exists */
export async function breaksOf(
  target: Target,
  { store, settings }: Pick<PagesEdges, 'store' | 'settings'>,
  groups: Groups,
): Promise<readonly CurrentBreak[]> {
  const { view, group, chosen } = target;
  if (chosen.length > 0) return store.workList.byIds(chosen);
  if (group !== '') return store.workList.byIds((await groups.get(group)).breakIds);
  const page = { sort: view.sort, reversed: view.reversed, limit: MOST_IN_BULK + 1 };
  const breaks = await store.workList.page(filterOf(view, settings.timezone), page);
  if (breaks.length > MOST_IN_BULK)
    throw new UsageError(`more than ${count(MOST_IN_BULK)} breaks match; filter them further and decide in parts`);
  return breaks;
}
