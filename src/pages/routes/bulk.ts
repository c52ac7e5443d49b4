/** One decision about all breaks of a view: chosen, previewed, applied. And the view as CSV, and saved views. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ageInDays } from '../../domain/break.ts';
import { lastFullDate } from '../../domain/calendar.ts';
import { UsageError } from '../../domain/errors.ts';
import { breakCells } from '../../publish/break-cells.ts';
import { profileOf } from '../../publish/profiles.ts';
import { counted } from '../../text/counts.ts';
import { csvText } from '../../text/csv-text.ts';
import { type BulkPlan, planBulk } from '../../worklist/bulk.ts';
import { filterOf, requireView, type View, viewQuery } from '../../worklist/view.ts';
import type { PagesEdges } from '../contract.ts';
import { note } from '../people.ts';
import { done, download, field, filled, personIn, queryOf, send } from '../request.ts';
import { bulkChoiceHtml, bulkPreviewHtml } from '../views/bulk.ts';
import { decidingIn, newDecisionIn } from './break.ts';
import type { Groups } from './groups.ts';
import { breaksOf, homeOf, queryOfTarget, type Target, targetIn } from './target.ts';

const CSV_PAGE = 1000;

export function bulkRoutes(app: FastifyInstance, edges: PagesEdges, groups: Groups): void {
  const { store } = edges;
  const work = { config: { permission: 'work' as const } };

  const read = (target: Target) => breaksOf(target, edges, groups);

  const planned = async (request: FastifyRequest) => {
    const target = targetIn(new URLSearchParams(field(request, 'query')));
    const deciding = decidingIn(request, edges);
    const proposed = newDecisionIn(request, deciding);
    const breaks = await read(target);
    const records = await store.workList.ofSameRecords(breaks.map(({ breakId }) => breakId));
    return { target, deciding, proposed, plan: planBulk(breaks, records, proposed, deciding) };
  };

  app.get('/bulk', { config: { permission: 'work', query: 'own' } }, async (request, reply) => {
    const target = targetIn(queryOf(request));
    const breaks = await read(target);
    const people = await store.access.people();
    return send(request, reply, {
      title: `Decide about ${counted(breaks.length, 'break')}`,
      at: '/breaks',
      body: (frame) => bulkChoiceHtml(frame, { target, total: breaks.length, people }),
    });
  });

  app.post('/bulk/preview', work, async (request, reply) => {
    const { target, proposed, plan } = await planned(request);
    return send(request, reply, {
      title: 'What will change',
      at: '/breaks',
      body: (frame) => bulkPreviewHtml(frame, { target, proposed, plan }),
    });
  });

  app.post('/bulk/apply', work, async (request, reply) => {
    const { target, deciding, proposed, plan } = await planned(request);
    if (plan.version !== field(request, 'version')) {
      throw new UsageError(
        'the breaks have changed since the preview, so nothing was changed; look at the preview again',
      );
    }
    await store.breaks.append(plan.events);
    await note(edges, deciding.actor, {
      at: deciding.at,
      action: `bulk.${proposed.type}`,
      subject: subjectOf(target, plan),
      outcome: 'done',
      detail: String(plan.events.length),
    });
    const said = `${counted(plan.events.length, 'break is', 'breaks are')} ${proposed.type}.`;
    return done(request, reply, target.group === '' ? homeOf(target) : '/groups', said);
  });

  app.get('/breaks.csv', { config: { permission: 'view', query: 'own' } }, (request, reply) => {
    const view = requireView(queryOf(request));
    return download(reply, 'text/csv; charset=utf-8', 'breaks.csv', Readable.from(csvOf(edges, view)));
  });

  app.post('/views', { config: { permission: 'view' } }, async (request, reply) => {
    const { account } = personIn(request).actor;
    const name = filled(request, 'name', 'the name', 80);
    const query = viewQuery(requireView(new URLSearchParams(field(request, 'query'))));
    const views = (await store.workList.views(account)).filter(({ owner }) => owner === account);
    if (views.length >= 100) throw new UsageError('100 views are saved; forget one first');
    await store.workList.saveView({ owner: account, name, query, shared: field(request, 'shared') === 'yes' });
    return done(request, reply, `/breaks?${query}`, 'The view is saved.');
  });

  app.post('/views/forget', { config: { permission: 'view' } }, async (request, reply) => {
    await store.workList.forgetView(personIn(request).actor.account, field(request, 'name'));
    return done(request, reply, '/breaks', 'The view is forgotten.');
  });
}

/** A longer list of chosen breaks has 70 KB, in a record that is never deleted. */
const MOST_NAMED = 20;

/**
 * What the act was about. Of a longer list its length, and the SHA-256 of the ids of the decided breaks, sorted, one per
 * line: they are the break events of the same instant and account.
 */
function subjectOf(target: Target, plan: BulkPlan): string {
  const { length } = target.chosen;
  if (length <= MOST_NAMED) return queryOfTarget(target);
  const hash = createHash('sha256');
  for (const breakId of plan.events.map(({ after }) => after.breakId).sort()) hash.update(`${breakId}\n`);
  const view = queryOfTarget({ ...target, chosen: [] });
  return `${view === '' ? '' : `${view}&`}chosen=${length}&sha256=${hash.digest('hex')}`;
}

const COLUMNS = (
  'break_id rule severity state kind record_id host_reference field expected actual difference currency tolerance ' +
  'first_seen_date last_seen_date times_reopened assignee explanation evidence_sha256 unit money_at_stake ' +
  'leading_break_id record_currency age_days claim_id'
).split(' ');

/** Page by page, so that a million rows need no memory. */
async function* csvOf({ store, settings, now }: PagesEdges, view: View): AsyncGenerator<string> {
  const asOf = lastFullDate(now(), settings.timezone);
  const profile = profileOf('standard');
  yield csvText([COLUMNS]);
  const filter = filterOf(view, settings.timezone);
  for (let after: string | undefined; ; ) {
    const rows = await store.workList.page(filter, {
      sort: view.sort,
      reversed: view.reversed,
      limit: CSV_PAGE,
      ...(after === undefined ? {} : { after }),
    });
    const cells = rows.map((each) => ({ ...breakCells(each, profile), age_days: ageInDays(each, asOf) }));
    yield csvText(cells, { columns: COLUMNS });
    after = rows.at(-1)?.breakId;
    if (rows.length < CSV_PAGE) return;
  }
}
