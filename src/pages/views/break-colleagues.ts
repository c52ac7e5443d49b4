/** Notes and attachments of a break. */

import type { Note } from '../../ports/store/store.ts';
import { count } from '../../text/counts.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated } from '../html.ts';
import { type Frame, instant, token } from '../layout.ts';
import type { BreakModel } from './break-model.ts';

export function colleaguesHtml(frame: Frame, { story, notes, attachments }: BreakModel): Html {
  const { breakId } = story.standing;
  const works = frame.person !== null && may(frame.person.roles, 'work');
  return html`<section class="card"><h2>Notes</h2>
${notes.length === 0 ? html`<p class="faint">None yet.</p>` : html`<ol class="life">${notes.map(noteHtml)}</ol>`}
${works && html`<form class="stack" method="post" action="/breaks/${breakId}/notes">${token(frame)}<label>A note; @name mentions a colleague<textarea name="text" required maxlength="4000"></textarea></label><button class="second">Add the note</button></form>`}</section>
<section class="card"><h2>Attachments</h2>
${attachments.length === 0 ? html`<p class="faint">None yet.</p>` : html`<ul>${attachments.map((each) => html`<li><a href="/breaks/${breakId}/attachments/${each.sha256}" download>${isolated(each.fileName)}</a> <span class="faint">${count(each.bytes)} bytes, by ${isolated(each.name)}, ${instant(each.at)}</span></li>`)}</ul>`}
${works && html`<form class="stack" method="post" action="/breaks/${breakId}/attachments" enctype="multipart/form-data">${token(frame)}<label>A file of at most 5 MiB<input type="file" name="file" required></label><button class="second">Attach</button></form>`}</section>`;
}

function noteHtml({ at, name, text, mentions }: Note): Html {
  return html`<li>${instant(at)} <strong>${isolated(name)}</strong><br>${text.split('\n').map((line, i) => html`${i > 0 && html`<br>`}${line}`)}${mentions.length > 0 && html`<br><span class="faint">for ${mentions.map((each, i) => html`${i > 0 && ', '}${isolated(each)}`)}</span>`}</li>`;
}
