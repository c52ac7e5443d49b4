/** A known path that is asked with a method that it lacks is answered with 405 and `Allow`: fastify alone says 404. */
import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * @param routes what its paths are added to afterwards: the server, or a part of it
 * @param refuse sends the answer, or throws it; the header is set
 */
export function refuseOtherMethods(
  server: FastifyInstance,
  routes: FastifyInstance,
  refuse: (reply: FastifyReply) => unknown,
): void {
  const methods = new Map<string, string[]>();
  routes.addHook('onRoute', ({ url, method }) => void methods.set(url, [method, methods.get(url) ?? []].flat(2)));
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...methods].filter(([pattern]) => isOf(pattern, path)).flatMap(([, some]) => some);
    if (allowed.length > 0) return refuse(reply.header('allow', [...new Set(allowed)].sort().join(', ')));
  });
}

function isOf(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = pattern.split('/');
  return wanted.length === parts.length && wanted.every((part, i) => part.startsWith(':') || part === parts[i]);
}
