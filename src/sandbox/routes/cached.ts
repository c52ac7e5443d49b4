/** Reference data answers: cacheable for 15 minutes, with a weak ETag, and 304 for who has it already (field facts). */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

export function sendReference(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
  const text = JSON.stringify(body);
  const hash = createHash('sha1').update(text).digest('base64url');
  const etag = `W/"${Buffer.byteLength(text).toString(16)}-${hash}"`;
  reply.header('cache-control', 'public, max-age=900').header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}
