/** `POST /api/widget/testing/purchase/{id}/release?secret=`: what staging deployments have, to end a purchase at will. */
import { parameter } from './query.ts';
import { pathId, refusal } from './records.ts';
import type { Routes } from './site.ts';

export const testingRoutes: Routes = (app, site) => {
  /** Answers with the released purchase. A seeded one is fixed by its seed, and unknown here. */
  app.post('/widget/testing/purchase/:id/release', (request, reply) => {
    const secret = parameter(request, 'secret');
    if (secret === undefined || secret === '') throw refusal(401);
    const { desk } = site.live;
    const record = desk.find('purchase', pathId(request));
    if (record === null) throw refusal(404);
    if (record.token !== secret) throw refusal(403);
    return reply.send(desk.answer(desk.release(record.id)));
  });
};
