/** Deciding about many: the choice, and the preview that says what will change. */

import { stakeInWords } from '../../domain/stake-tally.ts';
import { count, counted } from '../../text/counts.ts';
import type { BulkPlan } from '../../worklist/bulk.ts';
import { claimedAllTheSame } from '../../worklist/covering.ts';
import type { NewDecision } from '../../worklist/work.ts';
import { type Html, html, isolated } from '../html.ts';
import { type Frame, money, pairs, token } from '../layout.ts';
import { homeOf, queryOfTarget, type Target } from '../routes/target.ts';

export function bulkChoiceHtml(
  frame: Frame,
  { target, total, people }: { target: Target; total: number; people: readonly string[] },
): Html {
  return html`<p class="crumb"><a data-up href="${homeOf(target)}">← Back to the view</a></p>
<h1>Decide about ${counted(total, 'break')}</h1>
<p class="lead">Nothing changes yet: the next page says what will.</p>
<section class="card"><form class="stack" method="post" action="/bulk/preview">${token(frame)}<input type="hidden" name="query" value="${queryOfTarget(target)}">
<label>Decision<select name="type"><option value="acknowledged">Acknowledge: they are being worked on</option><option value="assigned">Assign to a person</option><option value="waived">Waive: accept them</option><option value="reopened">Reopen</option></select></label>
<label>Assign to (for “Assign” only)<input name="assignee" list="people" maxlength="200"></label><datalist id="people">${people.map((name) => html`<option value="${name}"></option>`)}</datalist>
<label>Waived until (empty: no end)<input name="until" type="date"></label>
<label>Reason, kept for ever with each break<textarea name="reason" required maxlength="2000"></textarea></label>
<button>Preview</button></form></section>`;
}

export function bulkPreviewHtml(
  frame: Frame,
  { target, proposed, plan }: { target: Target; proposed: NewDecision; plan: BulkPlan },
): Html {
  const { events, refused, stake, version } = plan;
  const n = events.length;
  const claimed = claimedAllTheSame(events);
  const hidden = {
    query: queryOfTarget(target),
    type: proposed.type,
    reason: proposed.reason,
    until: proposed.until ?? '',
    assignee: proposed.assignee ?? '',
    version,
  };
  return html`<h1>What will change</h1>
<p class="lead">${counted(n, 'break')} will be ${proposed.type}${proposed.assignee !== null && html` to ${isolated(proposed.assignee)}`}${proposed.type === 'waived' && ` until ${proposed.until ?? 'further notice'}`}.</p>
<section class="card"><h2>In figures</h2>${pairs([
    ['Reason', proposed.reason],
    ['Money at stake', stakeInWords(stake) ?? 'none'],
    ...(claimed === null ? [] : [['Claims', claimed] as const]),
    ...[...refused].map(([why, many]) => [`Stay as they are: ${count(many)}`, why] as const),
  ])}</section>
${
  n > 0 &&
  html`<section class="card"><h2>The first of them</h2><ul>${events.slice(0, 10).map(({ after }) => html`<li><a href="/breaks/${after.breakId}">${after.rule}</a> ${after.kind} <code>${after.recordId}</code> ${money(after.moneyAtStake, after.recordCurrency)}</li>`)}</ul></section>
<form method="post" action="/bulk/apply">${token(frame)}${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>Do it for ${counted(n, 'break')}</button> <a class="button second" href="${homeOf(target)}">Leave it</a></form>`
}
${n === 0 && html`<p><a href="${homeOf(target)}">Back to the view</a></p>`}`;
}
