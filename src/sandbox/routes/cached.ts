/** Reference data: cacheable for 15 minutes, with a weak ETag and conditional requests (field facts "Reference data"). */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, answer, limited } from '../schemas/answers.ts';

const CACHED = {
  'Cache-Control': { type: 'string', description: 'Fifteen minutes: `public, max-age=900`.' },
  ETag: { type: 'string', description: 'Weak: changes with the content.' },
};

const IF_NONE_MATCH = z.object({
  'If-None-Match': z.string().optional().describe('An `ETag` that was answered before.'),
});

/** Headers and answers of a reference endpoint. */
export function reference(schema: z.ZodType, refusals: Readonly<Record<number, Answer>> = {}) {
  return {
    headers: IF_NONE_MATCH,
    response: limited({
      200: { ...answer('Reference data at this moment.', schema), headers: CACHED },
      304: z.undefined().meta({ description: 'Nothing has changed since that `ETag`.', headers: CACHED }),
      ...refusals,
    }),
  };
}

/** An onSend hook. */
export async function cacheable(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const hash = createHash('sha1').update(payload).digest('base64url');
  const etag = `W/"${Buffer.byteLength(payload).toString(16)}-${hash}"`;
  reply.header('cache-control', 'public, max-age=900').header('etag', etag);
  if (request.headers['if-none-match'] !== etag) return payload;
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return null;
}
