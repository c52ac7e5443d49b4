/** Records by id or host reference, and the page of one. */
import type { FastifyInstance } from 'fastify';
import { KINDS } from '../../domain/record.ts';
import type { PagesEdges } from '../contract.ts';
import { NotFoundError, param, queryOf, send } from '../request.ts';
import { recordHtml, recordsHtml } from '../views/record.ts';

const LONGEST = 200;

export function recordRoutes(app: FastifyInstance, { store, recordStory }: PagesEdges): void {
  const view = { config: { permission: 'view' as const } };
  app.get('/records', { config: { permission: 'view', query: ['q'] } }, async (request, reply) => {
    const wanted = (queryOf(request).get('q') ?? '').trim().slice(0, LONGEST);
    const found = wanted === '' ? [] : await store.tracked.named(wanted);
    return send(request, reply, { title: 'Records', at: '/records', body: recordsHtml(wanted, found) });
  });

  app.get('/records/:kind/:id', view, async (request, reply) => {
    const id = param(request, 'id');
    const kind = KINDS.find((each) => each === param(request, 'kind'));
    const found = kind === undefined || id.length > LONGEST ? null : await recordStory(kind, id);
    if (found === null) throw new NotFoundError('There is no such record.');
    const { story, share } = found;
    const quoteId = story.judgedIn?.quote?.quote.quoteId ?? null;
    const sha256 = story.record.sightings.at(-1)?.sha256 ?? null;
    const body = recordHtml({
      story,
      share,
      quote: quoteId === null ? null : await store.quotes.get(quoteId),
      evidence: sha256 === null ? null : { sha256, text: await store.items.evidence(sha256) },
      breaks: await store.workList.ofRecord(story.kind, story.recordId),
    });
    return send(request, reply, { title: `${kind} ${id}`, at: '/records', body });
  });
}
