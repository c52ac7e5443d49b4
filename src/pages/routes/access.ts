/** Sign-in and sign-out; for administrators, access, acts and refusals. */
import type { FastifyInstance } from 'fastify';
import { ROLES } from '../../domain/actor.ts';
import { UsageError } from '../../domain/errors.ts';
import type { PagesEdges } from '../contract.ts';
import { html, isolated } from '../html.ts';
import { instant, token } from '../layout.ts';
import { actInWords, closeSession, hashOf, localAccount, note, openSession } from '../people.ts';
import { done, field, filled, localPath, param, personIn, queryOf, RefusedError, send } from '../request.ts';

const ACTS = 200;

export function accessRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const { access } = edges.store;
  const administer = { config: { permission: 'administer' as const } };
  app.get('/access', { config: { permission: 'administer', query: ['outcome'] } }, async (request, reply) => {
    const isRefusals = queryOf(request).get('outcome') === 'refused';
    const [{ links, sessions }, acts] = await Promise.all([
      access.list(edges.now()),
      access.acts({ limit: ACTS, ...(isRefusals ? { outcome: 'refused' } : {}) }),
    ]);
    const all = [
      ...sessions.map((each) => ({ ...each, what: 'signed in', by: each.account })),
      ...links.map((each) => ({ ...each, what: 'link, not used yet', by: `made by ${each.madeBy}` })),
    ];
    return send(request, reply, {
      title: 'Access',
      at: '/access',
      body: (frame) => html`<h1>Access</h1>
<section class="card"><div class="scroll" role="region" aria-label="People" tabindex="0"><table class="fold"><caption>Sessions, and sign-in links that are still valid</caption><thead><tr><th scope="col">Name</th><th scope="col">How</th><th scope="col">Roles</th><th scope="col">Account</th><th scope="col">Until</th><th scope="col">End</th></tr></thead><tbody>${all.map(
        (each) =>
          html`<tr><th scope="row">${isolated(each.name)}</th><td>${each.what}</td><td>${each.roles.join(', ')}</td><td>${isolated(each.by)}</td><td>${instant(each.endsAt)}</td><td><form method="post" action="/access/revoke">${token(frame)}<input type="hidden" name="name" value="${each.name}"><button class="plain">Revoke all of <bdi>${each.name}</bdi></button></form></td></tr>`,
      )}</tbody></table></div></section>
${edges.settings.localLinks === 'stated' && html`<section class="card"><h2>Make a sign-in link</h2><form class="row" method="post" action="/access/link">${token(frame)}<label>Name<input name="name" required maxlength="100"></label>${ROLES.map((role) => html`<label class="check"><input type="checkbox" name="role:${role}" value="yes">${role}</label>`)}<button>Make the link</button></form><p class="faint">It works once. Who made a link is never the second person beside its bearer.</p></section>`}
<section class="card"><h2>Acts and refusals</h2><p class="crumb">${isRefusals ? html`<a href="/access">Everything</a><strong>Refused only</strong>` : html`<strong>Everything</strong><a href="/access?outcome=refused">Refused only</a>`}</p>${
        acts.length === 0
          ? html`<p class="faint">Nothing was refused.</p>`
          : html`<div class="scroll" role="region" aria-label="Acts" tabindex="0"><table class="fold"><caption>The newest ${ACTS}, newest first; people who are not signed in are listed by address, their equal refusals within ten minutes once</caption><thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">About</th><th scope="col">Outcome</th></tr></thead><tbody>${acts.map(
              ({ at, name, account, proof, action, subject, outcome, detail }) =>
                html`<tr><td>${instant(at)}</td><td>${isolated(name)} <span class="faint">(${proof}, ${isolated(account)})</span></td><td>${actInWords(action)}</td><td class="id">${isolated(subject)}</td><td><span class="${outcome === 'refused' ? 'bad' : ''}">${outcome}</span>${detail !== null && html`<br><span class="faint">${detail}</span>`}</td></tr>`,
            )}</tbody></table></div>`
      }</section>`,
    });
  });

  app.post('/access/link', administer, async (request, reply) => {
    const { actor } = personIn(request);
    const name = filled(request, 'name', 'the name', 100);
    const roles = ROLES.filter((role) => field(request, `role:${role}`) === 'yes');
    if (roles.length === 0) throw new UsageError('tick at least one role');
    // Elsewhere a link proves its bearer, so that two made here would be two people.
    if (edges.settings.localLinks !== 'stated') throw new RefusedError('Sign-in links are not made on these pages.');
    const { url, endsAt } = await edges.makeLink({ name, roles, by: actor.account });
    await note(edges, actor, { action: 'access.link', subject: name, outcome: 'done', detail: roles.join(', ') });
    return send(request, reply, {
      title: 'A sign-in link',
      at: '/access',
      body: html`<h1>A sign-in link for ${isolated(name)}</h1><p class="lead">It works once, until ${instant(endsAt)}, and is shown only here. Give it to ${isolated(name)} alone.</p><pre tabindex="0">${url}</pre><p><a href="/access">Back to Access</a></p>`,
    });
  });

  app.post('/access/revoke', administer, async (request, reply) => {
    const name = filled(request, 'name', 'the name');
    const ended = await access.revoke(name, edges.now());
    await note(edges, personIn(request).actor, {
      action: 'access.revoke',
      subject: name,
      outcome: 'done',
      detail: String(ended),
    });
    return done(request, reply, '/access', `${ended} ended.`);
  });
}

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
    await openSession(request, edges, { name: link.name, account: localAccount(link.name), roles: link.roles });
    return reply.redirect('/breaks', 303);
  });

  app.post('/sign-out', { config: { permission: 'view' } }, async (request, reply) => {
    await closeSession(request, edges);
    request.person = null;
    return reply.redirect('/sign-in', 303);
  });
}
