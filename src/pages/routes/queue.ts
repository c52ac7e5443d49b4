/** The queue of breaks. */
import type { FastifyInstance } from 'fastify';
import { isOpen } from '../../domain/break.ts';
import type { CurrentBreak, QueueFilter } from '../../ports/store/store.ts';
import { MOST_IN_BULK } from '../../worklist/bulk.ts';
import { filterOf, readView, viewQuery } from '../../worklist/view.ts';
import type { PagesEdges } from '../contract.ts';
import { keptUntilEvent } from '../kept.ts';
import { queryOf, send } from '../request.ts';
import { type QueueModel, queueHtml } from '../views/queue.ts';

const PAGE_ROWS = 50;
const BREAK_ID = /^[0-9a-f]{64}$/;

/** Counts are exact where one index has them; other filters are counted up to the most that one decision takes. */
const MOST_COUNTED = MOST_IN_BULK + 1;

const NOTHING = {
  rows: [],
  led: new Map(),
  total: 0,
  isMore: false,
  saved: [],
  previous: null,
  next: null,
  reporting: null,
} as const;

/** A month, one rule or the default view: counted exactly. */
function isOneIndex({ states: _, text, ...others }: QueueFilter): boolean {
  return text === undefined && Object.keys(others).length <= 1;
}

export function queueRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const { store, settings } = edges;
  const counts = keptUntilEvent<number>(store);
  const countOf = (filter: QueueFilter) =>
    counts(JSON.stringify(filter), () => store.workList.count(filter, isOneIndex(filter) ? undefined : MOST_COUNTED));
  app.get('/breaks', { config: { permission: 'view', query: 'own' } }, async (request, reply) => {
    const query = queryOf(request);
    const view = readView(query, ['after', 'before']);
    const sendQueue = (shown: Pick<QueueModel, 'currencies'> & Partial<QueueModel>) =>
      send(request, reply, {
        title: 'Breaks',
        at: '/breaks',
        body: (frame) =>
          queueHtml(frame, { ...NOTHING, view, ...shown, now: edges.now(), timezone: settings.timezone }),
      });
    if (view.wrong.length > 0) {
      reply.code(400);
      return sendQueue({ currencies: await store.tracked.currenciesInUse() });
    }
    const filter = filterOf(view, settings.timezone);
    const [after, before] = [placeIn(query, 'after'), placeIn(query, 'before')];
    const backwards = after === undefined && before !== undefined;
    const place = backwards ? before : after;
    const reporting = await edges.reporting();
    const [rows, total, currencies, saved] = await Promise.all([
      store.workList.page(filter, {
        sort: view.sort,
        reversed: view.reversed,
        reporting,
        backwards,
        limit: PAGE_ROWS + 1,
        ...(place === undefined ? {} : { after: place }),
      }),
      countOf(filter),
      store.tracked.currenciesInUse(),
      request.person === null ? [] : store.workList.views(request.person.actor.account),
    ]);
    const isMore = rows.length > PAGE_ROWS;
    const page = backwards ? rows.slice(isMore ? 1 : 0) : rows.slice(0, PAGE_ROWS);
    const led = await ledBy(store, page);
    const [first, last] = [page[0]?.breakId, page.at(-1)?.breakId];
    const link = (name: string, id: string | undefined) =>
      id === undefined ? null : `/breaks?${viewQuery(view, { [name]: id })}`;
    const previous = (backwards ? isMore : after !== undefined) ? link('before', first) : null;
    const next = (backwards || isMore) && last !== undefined ? link('after', last) : null;
    const isMoreCounted = total === MOST_COUNTED && !isOneIndex(filter);
    return sendQueue({ reporting, rows: page, led, total, isMore: isMoreCounted, currencies, saved, previous, next });
  });
}

/** The breaks that these lead, unless they are resolved or waived. */
async function ledBy({ workList }: Pick<PagesEdges['store'], 'workList'>, page: readonly CurrentBreak[]) {
  const leading = page.filter(({ leadingBreakId, breakId }) => leadingBreakId === breakId);
  const records = await workList.ofSameRecords(leading.map(({ breakId }) => breakId));
  const led = records.filter(({ state, leadingBreakId, breakId }) => isOpen(state) && leadingBreakId !== breakId);
  return Map.groupBy(led, ({ leadingBreakId }) => leadingBreakId);
}

function placeIn(query: URLSearchParams, name: string): string | undefined {
  const id = query.get(name) ?? '';
  return BREAK_ID.test(id) ? id : undefined;
}
