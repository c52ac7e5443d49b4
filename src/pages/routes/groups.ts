/** Groups of one cause among the open breaks. */
import type { FastifyInstance } from 'fastify';
import { type Cause, Grouping } from '../../worklist/groups.ts';
import type { PagesEdges } from '../contract.ts';
import { keptUntilEvent } from '../kept.ts';
import { NotFoundError, param, queryOf, send } from '../request.ts';
import { groupHtml, groupsHtml } from '../views/groups.ts';

const PAGE = 2000;
const SHOWN = 200;

export type Groups = ReturnType<typeof groupsIn>;

export function groupsIn(store: PagesEdges['store']) {
  const kept = keptUntilEvent<readonly Cause[]>(store);
  const find = async (): Promise<readonly Cause[]> => {
    const grouping = new Grouping();
    for (let after = ''; ; ) {
      const rows = await store.workList.causes(after, PAGE);
      for (const row of rows) grouping.add(row);
      after = rows.at(-1)?.breakId ?? '';
      if (rows.length < PAGE) return grouping.groups();
    }
  };
  const all = () => kept('', find);
  return {
    all,
    /** @throws NotFoundError */
    async get(id: string): Promise<Cause> {
      const found = (await all()).find((each) => each.id === id);
      if (found !== undefined) return found;
      throw new NotFoundError('There is no such group any more: its breaks were decided, or others came.');
    },
  };
}

export function groupRoutes(app: FastifyInstance, { store }: PagesEdges, groups: Groups): void {
  const view = { config: { permission: 'view' as const } };
  app.get('/groups', { config: { permission: 'view', query: ['break'] } }, async (request, reply) => {
    const breakId = queryOf(request).get('break');
    const all = await groups.all();
    const shown = breakId === null ? all : all.filter(({ breakIds }) => breakIds.includes(breakId));
    const body = groupsHtml(shown.slice(0, SHOWN), shown.length, breakId);
    return send(request, reply, { title: 'Groups of one cause', at: '/groups', body });
  });

  app.get('/groups/:group', view, async (request, reply) => {
    const found = await groups.get(param(request, 'group'));
    const breaks = await store.workList.byIds(found.breakIds.slice(0, SHOWN));
    return send(request, reply, {
      title: 'A group of one cause',
      at: '/groups',
      body: (frame) => groupHtml(frame, found, breaks),
    });
  });
}
