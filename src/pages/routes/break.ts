/** One break: its story, and what people decide about it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { businessDateOf, isBusinessDate } from '../../domain/calendar.ts';
import { UsageError } from '../../domain/errors.ts';
import type { BusinessDate } from '../../domain/record.ts';
import { BreakMovedOnError } from '../../ports/store/errors.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { claimedAllTheSame, covering } from '../../worklist/covering.ts';
import type { Decision } from '../../worklist/decide.ts';
import { planUndo, whyNotUndone, withHistory } from '../../worklist/undo.ts';
import { filterOf, requireView, viewQuery } from '../../worklist/view.ts';
import { type Deciding, type NewDecision, planDecision } from '../../worklist/work.ts';
import type { PagesEdges } from '../contract.ts';
import { done, field, filled, localPath, NotFoundError, param, personIn, queryOf, send } from '../request.ts';
import { breakHtml } from '../views/break.ts';

const TYPES = ['acknowledged', 'assigned', 'waived', 'reopened'] as const satisfies readonly Decision['type'][];

export async function breakIn(request: FastifyRequest, { store }: PagesEdges): Promise<CurrentBreak> {
  const id = param(request, 'id');
  const found = /^[0-9a-f]{6,64}$/.test(id) ? await store.breaks.get(id) : null;
  if (found === null) throw new NotFoundError('There is no such break.');
  return found;
}

/** Who decides, when, and within which limits. */
export function decidingIn(request: FastifyRequest, { settings, now }: PagesEdges): Deciding {
  const at = now();
  const today = businessDateOf(at, settings.timezone);
  return { actor: personIn(request).actor, at, today, limits: settings.limits };
}

/** The last day of a waiver; null for ever. @throws UsageError */
export function untilIn(request: FastifyRequest, { today }: Deciding): BusinessDate | null {
  const until = field(request, 'until');
  if (until === '') return null;
  if (!isBusinessDate(until)) throw new UsageError(`until ${until}: not a date; write it as 2026-12-31`);
  if (until < today) throw new UsageError(`a waiver until ${until} would be over already: today is ${today}`);
  return until;
}

/** @throws UsageError */
export function newDecisionIn(request: FastifyRequest, deciding: Deciding): NewDecision {
  const type = TYPES.find((each) => each === field(request, 'type'));
  if (type === undefined) throw new UsageError('choose what to do');
  const reason = filled(request, 'reason', 'the reason');
  const assignee = type === 'assigned' ? filled(request, 'assignee', 'the assignee', 200) : null;
  return { type, reason, until: type === 'waived' ? untilIn(request, deciding) : null, assignee };
}

/** @throws BreakMovedOnError where the break has changed since the page was made */
export function requireFresh(request: FastifyRequest, standing: CurrentBreak): void {
  if (field(request, 'events') !== String(standing.events)) throw new BreakMovedOnError(standing.breakId);
}

export function breakRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const { store, settings } = edges;
  app.get('/breaks/:id', { config: { permission: 'view', query: 'own' } }, async (request, reply) => {
    const standing = await breakIn(request, edges);
    const query = queryOf(request);
    const read = requireView(query, ['view']);
    const view = query.has('view') ? read : null;
    const [story, related, notes, attachments, requests, people, claims] = await Promise.all([
      edges.story(standing),
      store.workList.ofRecord(standing.kind, standing.recordId),
      store.workList.notes(standing.breakId),
      store.workList.attachments(standing.breakId),
      store.workList.waiverRequests(standing.breakId),
      store.access.people(),
      store.claims.ofBreaks([standing.breakId]),
    ]);
    const hash = standing.evidenceSha256;
    const evidence = hash === null ? null : await store.items.evidence(hash);
    const quoteId = story.judgedIn?.quote?.quote.quoteId ?? null;
    const quote = quoteId === null ? null : await store.quotes.get(quoteId);
    const claimId = claims.get(standing.breakId) ?? null;
    const claim = claimId === null ? null : await store.claims.get(claimId);
    const claimed = claimId === null ? [] : await store.claims.items(claimId);
    const near = async (backwards: boolean) => {
      if (view === null) return null;
      const at = { sort: view.sort, reversed: view.reversed, backwards, limit: 1, after: standing.breakId };
      const [found] = await store.workList.page(filterOf(view, settings.timezone), at);
      return found === undefined ? null : `/breaks/${found.breakId}?${viewQuery(view, { view: '1' })}`;
    };
    const [previous, next] = [await near(true), await near(false)];
    return send(request, reply, {
      title: `${standing.rule} on ${standing.recordId}`,
      at: '/breaks',
      body: (frame) =>
        breakHtml(frame, {
          story,
          evidence,
          related,
          notes,
          attachments,
          requests,
          people,
          previous,
          next,
          quote,
          claim:
            claim === null
              ? null
              : { claim, item: claimed.find(({ breakId }) => breakId === standing.breakId) ?? null },
          up: `/breaks?${view === null ? '' : viewQuery(view)}`,
          here: request.url,
          limits: settings.limits,
          mayUndo:
            whyNotUndone(story, {
              today: businessDateOf(edges.now(), settings.timezone),
              timezone: settings.timezone,
            }) === null,
        }),
    });
  });

  app.post('/breaks/:id/undo', { config: { permission: 'work' } }, async (request, reply) => {
    const standing = await breakIn(request, edges);
    requireFresh(request, standing);
    const undoing = {
      ...decidingIn(request, edges),
      reason: filled(request, 'reason', 'the reason'),
      timezone: settings.timezone,
    };
    await store.breaks.append(planUndo([standing.breakId], await withHistory(store, [standing.breakId]), undoing));
    return done(request, reply, localPath(field(request, 'back')), 'The decision is undone.');
  });

  app.post('/breaks/:id/decide', { config: { permission: 'work' } }, async (request, reply) => {
    const standing = await breakIn(request, edges);
    requireFresh(request, standing);
    const deciding = decidingIn(request, edges);
    const proposed = newDecisionIn(request, deciding);
    const event = planDecision(standing, proposed, deciding);
    const records = await store.workList.ofSameRecords([standing.breakId]);
    const events = covering([event], records, deciding);
    await store.breaks.append(events);
    const what = proposed.type === 'assigned' ? `assigned to ${event.after.assignee}` : event.after.state;
    const claimed = claimedAllTheSame(events);
    const said = `The break is ${what}.${claimed === null ? '' : ` ${claimed}.`}`;
    return done(request, reply, localPath(field(request, 'back')), said);
  });
}
