/** Finds the breaks that a run opened or reopened, for its message. */
import type { Run } from '../domain/run.ts';
import type { Tally } from '../ports/settled.ts';
import type { BreakStore, CurrentBreak } from '../ports/store/store.ts';
import type { FreshBreak, FreshBreaks } from './notify-message.ts';

const PAGE = 500;
/** The number of breaks searched for new ones; beyond it the message gives only their number. */
const MAX_PAGES = 20;

/**
 * By rule, in report order. Rules with more than `stormCap` fresh breaks are left out, and cost nothing.
 * @param stormCap notify.stormCap
 */
export async function freshBreaks(
  run: Run,
  tally: Tally,
  breaks: Pick<BreakStore, 'list' | 'events'>,
  stormCap: number,
): Promise<FreshBreaks> {
  /** Cheap tests first: an old break must not cost a query. */
  const isFresh = async (each: CurrentBreak): Promise<boolean> => {
    if (each.state === 'open' && each.firstSeenDate !== run.businessDate) return false;
    if (each.lastSeenDate !== run.businessDate) return false;
    const events = await breaks.events(each.breakId);
    return events.some(({ runId, type }) => runId === run.runId && (type === 'opened' || type === 'reopened'));
  };
  const freshOf = async (rule: string, wanted: number): Promise<FreshBreak[]> => {
    const fresh: FreshBreak[] = [];
    for (let page = 0; page < MAX_PAGES && fresh.length < wanted; page++) {
      const candidates = await breaks.list({ rule, states: ['open', 'reopened'], limit: PAGE, offset: page * PAGE });
      for (const each of candidates) {
        if (fresh.length === wanted) break;
        if (await isFresh(each)) fresh.push({ ...each, reopened: each.state === 'reopened' });
      }
      if (candidates.length < PAGE) break;
    }
    return fresh;
  };
  const found = new Map<string, readonly FreshBreak[]>();
  for (const [rule, { fresh }] of tally.rules) {
    if (fresh === 0 || fresh > stormCap) continue;
    const list = await freshOf(rule, fresh);
    if (list.length > 0) found.set(rule, list);
  }
  return found;
}
