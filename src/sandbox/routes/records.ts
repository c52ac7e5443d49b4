/** One purchase, one sale (spec §4.1, §4.3). Among observed bodies the sale is also under the path that one integrator calls. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SandboxKind } from '../contract.ts';
import { applicationError, ERROR_CODES, type ServiceError } from '../errors.ts';
import { answer, ERROR_SCHEMAS, limited, RECORD_REFUSALS } from '../schemas/answers.ts';
import { examplesFor } from '../schemas/examples.ts';
import { about, documentedOnly, type Routes, type Site, stringOf } from './site.ts';

export const recordId = z.object({ id: z.string().describe('From an SDK event or a webhook.') });

const QUERY = z.object({
  secret: z.string().min(1).describe('The view token that came with the creation (spec §5.3).'),
});

interface RecordRequest {
  params: { id: string };
  query: { secret?: string | undefined };
}

export const recordRoutes: Routes = (app, site) => {
  const { schemas } = site;
  const examples = examplesFor(`base${site.identifierName}Fee`);
  // A missing secret is answered 401 and not 400.
  const common = { validatorCompiler: documentedOnly };
  const parts = { params: recordId, querystring: QUERY };

  const recordsAt = (path: string, kind: SandboxKind, documented: ReturnType<typeof about>) =>
    app.get(`/host-api/${path}/:id`, { ...common, ...documented }, (request, reply) =>
      sendRecord(request as FastifyRequest & RecordRequest, reply, site, kind),
    );

  const purchase = answer('The purchase, as it is now.', schemas.Purchase, examples.purchase);
  recordsAt(
    'purchase',
    'purchase',
    about('v1', 'getPurchase', 'One purchase', {
      description: 'Spec §2.9. `appliedFee` includes the network fee, and `fiatValue` includes `appliedFee`.',
      ...parts,
      response: limited({ 200: purchase, ...RECORD_REFUSALS }),
    }),
  );
  const sale = limited({ 200: answer('The sale, as it is now.', schemas.Sale, examples.sale), ...RECORD_REFUSALS });
  const description = 'Spec §2.8. Amounts may be strings.';
  recordsAt('offramp/sale', 'sale', about('v3', 'getSale', 'One sale', { description, ...parts, response: sale }));
  // The specification has no such path (§9.1).
  if (site.bodies === 'observed') {
    const summary = 'The same sale, under the path that one integrator calls';
    recordsAt('v3/offramp/sale', 'sale', about('v3', 'getSaleV3', summary, { ...parts, response: sale }));
  }

  /**
   * An endpoint of staging deployments that ends a purchase at once. Seeded purchases are fixed by the seed, and
   * unknown here.
   */
  app.post(
    '/widget/testing/purchase/:id/release',
    {
      ...common,
      ...about('sandbox', 'releasePurchase', 'Releases a purchase at once, as staging deployments can', {
        description: 'Only purchases that were made while the sandbox runs; a seeded one is fixed by its seed.',
        ...parts,
        response: limited({
          200: answer('The released purchase; the same when repeated.', schemas.Purchase),
          401: RECORD_REFUSALS[401],
          403: RECORD_REFUSALS[403],
          404: RECORD_REFUSALS[404],
          409: answer('It has ended otherwise.', ERROR_SCHEMAS.ApplicationError),
        }),
      }),
    },
    (request, reply) => {
      const secret = secretOf(request);
      const { live } = site;
      const record = live.find('purchase', request.params.id);
      if (record === null) throw refusal(404);
      if (record.token !== secret) throw refusal(403);
      return sendAsIs(reply, live.answer(live.release(record.id)));
    },
  );
};

function sendRecord(request: RecordRequest, reply: FastifyReply, site: Site, kind: SandboxKind): FastifyReply {
  const secret = secretOf(request);
  const { clock, population, live, partner } = site;
  const { id } = request.params;
  const made = live.find(kind, id);
  if (made !== null) {
    if (made.token !== secret) throw refusal(403);
    return sendAsIs(reply, live.answer(made));
  }
  const paid = kind === 'purchase' ? partner?.answer(id, secret, clock.now()) : null;
  if (paid != null) return sendAsIs(reply, paid);
  const plan = population.find(kind, id);
  if (plan === null) throw refusal(404);
  if (!population.accepts(plan, secret)) throw refusal(403);
  const answered = population.answer(plan, site.night.current);
  if ('refusal' in answered) throw refusal(answered.refusal);
  return sendAsIs(reply, answered.body);
}

/** As text, which is not serialised by the schema: a defect or a tampered field may break the declared shape. */
function sendAsIs(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** @throws ServiceError 401 */
function secretOf({ query }: Pick<FastifyRequest, 'query'>): string {
  const secret = stringOf(query, 'secret');
  if (secret === undefined || secret === '') throw refusal(401);
  return secret;
}

const CODES = {
  401: ERROR_CODES.secretMissing,
  403: ERROR_CODES.secretWrong,
  404: ERROR_CODES.recordUnknown,
  410: ERROR_CODES.recordGone,
};

export function refusal(status: keyof typeof CODES): ServiceError {
  return applicationError(status, CODES[status]);
}
