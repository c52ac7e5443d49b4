/** What is for the person who asks: breaks that are assigned to them, and notes that mention them. */
import type { FastifyInstance } from 'fastify';
import type { PagesEdges } from '../contract.ts';
import { html, isolated } from '../html.ts';
import { instant } from '../layout.ts';
import { personIn, send } from '../request.ts';

const SHOWN = 100;

export function mentionRoutes(app: FastifyInstance, { store }: PagesEdges): void {
  app.get('/mentions', { config: { permission: 'view' } }, async (request, reply) => {
    const { name } = personIn(request).actor;
    const notes = await store.workList.mentionsOf(name, SHOWN);
    const mine = `/breaks?${new URLSearchParams({ assignee: name })}`;
    const body = html`<h1>For me</h1><p><a href="${mine}">Breaks that are assigned to me</a></p>
<section class="card"><h2>Notes that mention me</h2>${
      notes.length === 0
        ? html`<div class="empty"><p>No note has mentioned you yet. Colleagues do it with @ and your name.</p></div>`
        : html`<ol class="life">${notes.map((each) => html`<li data-row>${instant(each.at)} <strong>${isolated(each.name)}</strong> on <a data-open href="/breaks/${each.breakId}">break ${each.breakId.slice(0, 12)}</a><br>${isolated(each.text)}</li>`)}</ol>`
    }</section>`;
    return send(request, reply, { title: 'For me', at: '/mentions', body });
  });
}
