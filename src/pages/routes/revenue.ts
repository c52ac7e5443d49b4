/** The host's revenue: months and payments, a statement read before it is stored, and a price list against a month. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isMonth, lastFullDate } from '../../domain/calendar.ts';
import { UsageError } from '../../domain/errors.ts';
import { payoutsIn } from '../../domain/payout.ts';
import type { PagesEdges } from '../contract.ts';
import { note } from '../people.ts';
import { done, field, fileIn, personIn, send } from '../request.ts';
import { pricesHtml, revenueHtml, type Statement, statementHtml } from '../views/revenue.ts';

/** Of a statement: the second form sends it again as a field. */
export const MOST_STATEMENT_BYTES = 1024 * 1024;

export function revenueRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const [view, work] = [{ config: { permission: 'view' as const } }, { config: { permission: 'work' as const } }];
  const { payments } = edges;
  const readIn = (request: FastifyRequest, fileName: string, bytes: Uint8Array): Statement => {
    const [isLines, columns] = [field(request, 'lines') === 'yes', field(request, 'columns')];
    if (bytes.length > MOST_STATEMENT_BYTES)
      throw new UsageError('the statement is longer than 1 MiB; send it in parts');
    const lines = payments.read(Buffer.from(bytes).toString('utf8'), { isLines, columns });
    return { fileName, bytes, isLines, columns, lines };
  };

  app.get('/revenue', view, async (request, reply) => {
    const revenue = await payments.revenue();
    return send(request, reply, { title: 'Revenue', at: '/revenue', body: (frame) => revenueHtml(frame, revenue) });
  });

  app.post('/revenue/preview', work, async (request, reply) => {
    const { fileName, content } = await fileIn(request);
    const statement = readIn(request, fileName, content);
    const [before, after] = [await payments.revenue(), await payments.revenue(payoutsIn(statement.lines))];
    const known = await payments.known();
    return send(request, reply, {
      title: 'What the statement would add',
      at: '/revenue',
      body: (frame) => statementHtml(frame, statement, { before, after, known }),
    });
  });

  app.post('/revenue', work, async (request, reply) => {
    const fileName = field(request, 'name').slice(0, 200);
    const statement = readIn(request, fileName, Buffer.from(field(request, 'statement'), 'base64'));
    const added = await payments.add(payoutsIn(statement.lines));
    const act = { action: 'payouts.import', subject: fileName, outcome: 'done', detail: `${added} added` } as const;
    await note(edges, personIn(request).actor, act);
    const said = `${added} added from ${fileName}. The next night opens or resolves its breaks.`;
    return done(request, reply, '/revenue', said);
  });

  const sendPrices = (request: FastifyRequest, reply: FastifyReply, model: Parameters<typeof pricesHtml>[1]) =>
    send(request, reply, { title: 'Prices', at: '/revenue', body: (frame) => pricesHtml(frame, model) });

  app.get('/prices', view, (request, reply) => {
    const month = lastFullDate(edges.now(), edges.settings.timezone).slice(0, 7);
    return sendPrices(request, reply, { month, found: null });
  });

  app.post('/prices', work, async (request, reply) => {
    const month = field(request, 'month');
    if (!isMonth(month)) throw new UsageError(`month ${month.slice(0, 20)}: write it as 2026-10`);
    const { fileName, content } = await fileIn(request);
    const found = await edges.comparePrices(Buffer.from(content).toString('utf8'), fileName, month);
    return sendPrices(request, reply, { month, found });
  });
}
