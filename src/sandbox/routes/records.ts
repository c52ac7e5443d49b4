/** One purchase, one sale (spec §4.1, §4.3). The sale is also under the path that one integrator calls. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxKind } from '../contract.ts';
import { applicationError, ERROR_CODES, type ServiceError } from '../errors.ts';
import { isObject, parameter } from './query.ts';
import type { Routes, Site } from './site.ts';

export const recordRoutes: Routes = (app, site) => {
  app.get('/host-api/purchase/:id', (request, reply) => answer(request, reply, site, 'purchase'));
  app.get('/host-api/offramp/sale/:id', (request, reply) => answer(request, reply, site, 'sale'));
  app.get('/host-api/v3/offramp/sale/:id', (request, reply) => answer(request, reply, site, 'sale'));
};

function answer(request: FastifyRequest, reply: FastifyReply, site: Site, kind: SandboxKind): FastifyReply {
  const secret = parameter(request, 'secret');
  if (secret === undefined || secret === '') throw refusal(401);
  const { population, live } = site;
  const id = pathId(request);
  const made = live.desk.find(kind, id);
  if (made !== null) {
    if (made.token !== secret) throw refusal(403);
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(live.desk.answer(made)));
  }
  const plan = population.find(kind, id);
  if (plan === null) throw refusal(404);
  if (!population.accepts(plan, secret)) throw refusal(403);
  const answered = population.answer(plan, site.night.current);
  if ('refusal' in answered) throw refusal(answered.refusal);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answered.body));
}

/** The `:id` of the path. */
export function pathId({ params }: FastifyRequest): string {
  return isObject(params) ? String(params.id) : '';
}

export function refusal(status: 401 | 403 | 404 | 410): ServiceError {
  switch (status) {
    case 401:
      return applicationError(401, ERROR_CODES.secretMissing);
    case 403:
      return applicationError(403, ERROR_CODES.secretWrong);
    case 404:
      return applicationError(404, ERROR_CODES.recordUnknown);
    case 410:
      return applicationError(410, ERROR_CODES.recordGone);
  }
}
