/** Sign-in and sign-out. */
import type { FastifyInstance } from 'fastify';
import { isSamePerson } from '../../domain/actor.ts';
import type { PagesEdges } from '../contract.ts';
import { RefusedError } from '../errors.ts';
import { html } from '../html.ts';
import { token } from '../layout.ts';
import { closeSession, hashOf, localAccount, openSession } from '../people.ts';
import { localPath, param, queryOf, send } from '../request.ts';

export function signInRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const open = { config: { permission: 'public' as const } };
  app.get('/', { config: { permission: 'view', query: 'own' } }, (_request, reply) => reply.redirect('/breaks', 303));

  app.get('/sign-in', open, (request, reply) => {
    const next = localPath(queryOf(request).get('next'));
    if (request.person !== null) return reply.redirect(next, 303);
    const { oidc, localLinks } = edges.settings;
    const body = html`<h1>Sign in</h1>
${oidc !== null && html`<p><a class="button" href="/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${new URL(oidc.issuer).host}</a></p>`}
${localLinks !== 'off' && html`<p class="lead">${oidc === null ? 'Open the link that you were given' : 'Or open a link that you were given'}: an administrator makes one under Access.</p>`}`;
    return send(request, reply, { title: 'Sign in', body });
  });

  // A scanner of e-mails, a preview or HEAD opens the address too: only the button uses the link up.
  app.get('/sign-in/link/:secret', open, (request, reply) =>
    send(request, reply, {
      title: 'Sign in',
      body: (frame) => html`<h1>Sign in</h1>
<p class="lead">The link works once.</p>
<form method="post">${token(frame)}<button>Sign in</button></form>`,
    }),
  );

  app.post('/sign-in/link/:secret', open, async (request, reply) => {
    if (edges.settings.localLinks === 'off')
      throw new RefusedError('Links do not sign people in here (access.localLinks: off).');
    const link = await edges.store.access.useLink(hashOf(param(request, 'secret')), edges.now());
    if (link === null) {
      throw new RefusedError(
        'This link does not work: it was used before, it is too old, or it was revoked. An administrator makes another under Access.',
      );
    }
    const { person } = request;
    if (person?.session != null && !isSamePerson(person.actor.name, link.name)) await closeSession(request, edges);
    await openSession(request, edges, { name: link.name, account: localAccount(link.name), roles: link.roles });
    return reply.redirect('/breaks', 303);
  });

  app.post('/sign-out', { config: { permission: 'view' } }, async (request, reply) => {
    await closeSession(request, edges);
    request.person = null;
    return reply.redirect('/sign-in', 303);
  });
}
