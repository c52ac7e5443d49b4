/** The month: what moved, what stands in the way, and its close and review by two proved people. */
import type { FastifyInstance } from 'fastify';
import { isSamePerson } from '../../domain/actor.ts';
import { closePeriod, reviewPeriod } from '../../periods/close.ts';
import { periodRange } from '../../periods/month.ts';
import { listMonths, type PeriodStatus, periodStatus } from '../../periods/status.ts';
import type { PagesEdges } from '../contract.ts';
import { NotFoundError, RefusedError } from '../errors.ts';
import { note } from '../people.ts';
import { done, field, param, personIn, send } from '../request.ts';
import { monthHtml, monthsHtml } from '../views/months.ts';

const PERIOD = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export function monthRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const { store, periods } = edges;
  const view = { config: { permission: 'view' as const } };
  const periodIn = (text: string): string => {
    if (!PERIOD.test(text)) throw new NotFoundError('A month is written as 2026-10.');
    return text;
  };

  app.get('/months', view, async (request, reply) => {
    const months = [...(await listMonths(periods))].reverse();
    return send(request, reply, { title: 'Months', at: '/months', body: monthsHtml(months) });
  });

  app.get('/months/:month', view, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const status: PeriodStatus = await periodStatus(periods, period);
    const [moves, acts] = await Promise.all([
      store.workList.moves(status.range.from, status.range.to),
      store.access.acts({ subject: period, limit: 20 }),
    ]);
    return send(request, reply, {
      title: `Month ${period}`,
      at: '/months',
      body: (frame) => monthHtml(frame, { status, moves, acts }),
    });
  });

  app.post('/months/:month/close', { config: { permission: 'close' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    const accept = field(request, 'accept');
    await closePeriod(periods, { period, by: actor.name, acceptOpen: accept === '' ? null : accept });
    await note(edges, actor, { action: 'period.close', subject: period, outcome: 'done' });
    return done(request, reply, `/months/${period}`, `${period} is closed. Another person reviews it.`);
  });

  app.post('/months/:month/review', { config: { permission: 'review' } }, async (request, reply) => {
    const period = periodIn(param(request, 'month'));
    const { actor } = personIn(request);
    periodRange(period, edges.settings.timezone);
    // One account is one person, whatever name it shows.
    const closers = await store.access.acts({ action: 'period.close', subject: period, limit: 10 });
    const closed = await store.periods.get(period);
    const isCloser = closers.some(({ account, outcome }) => outcome === 'done' && account === actor.account);
    if (isCloser || (closed !== null && isSamePerson(closed.closedBy, actor.name))) {
      throw new RefusedError(`You closed ${period}; another person has to review it.`);
    }
    if (edges.settings.provedPeriods && closed !== null && closers.every(({ proof }) => proof !== 'proved')) {
      throw new RefusedError(`${period} was closed by a name that was not proved, so its review is refused.`);
    }
    await reviewPeriod(periods, { period, by: actor.name });
    await note(edges, actor, { action: 'period.review', subject: period, outcome: 'done' });
    return done(request, reply, `/months/${period}`, `${period} is reviewed.`);
  });
}
