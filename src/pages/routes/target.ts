/** What a decision or a claim is about: a view, a group of one cause, or breaks that were chosen; as an address has it. */

import { UsageError } from '../../domain/errors.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { count } from '../../text/counts.ts';
import { MOST_IN_BULK } from '../../worklist/bulk.ts';
import { filterOf, requireView, type View, viewQuery } from '../../worklist/view.ts';
import type { PagesEdges } from '../contract.ts';
import type { Groups } from './groups.ts';

const MOST_CHOSEN = 1000;
/** Beside those of a view. */
const TARGET_FIELDS = ['group', 'break', 'ticked'];

export interface Target {
  view: View;
  /** Empty where it is not a group. */
  group: string;
  /** Empty where none were chosen. */
  chosen: readonly string[];
}

/** Never more than was meant: what cannot be read is refused, because without it the target would be the whole view. @throws UsageError */
export function targetIn(query: URLSearchParams): Target {
  const group = query.get('group') ?? '';
  const chosen = [...new Set(query.getAll('break'))];
  if (group !== '' && !/^[0-9a-f]{16}$/.test(group)) throw new UsageError('that is no group; choose one in the list');
  if (chosen.some((id) => !/^[0-9a-f]{64}$/.test(id)))
    throw new UsageError('one of the chosen ids is not an id of a break');
  if (chosen.length > MOST_CHOSEN) throw new UsageError(`at most ${MOST_CHOSEN} breaks can be ticked at once`);
  if (chosen.length === 0 && query.has('ticked')) throw new UsageError('no break is ticked; tick those that you mean');
  return { view: requireView(query, TARGET_FIELDS), group, chosen };
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
  { store, settings }: PagesEdges,
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
