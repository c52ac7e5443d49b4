/** What a person can do with a break, as its state and the person's role allow. */
import { isOpen } from '../../domain/break.ts';
import { whyWaiverIsShared } from '../../worklist/covering.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { type Frame, instant, token } from '../layout.ts';
import type { BreakModel } from './break-model.ts';

export function actionsHtml(frame: Frame, model: BreakModel): Html {
  const { standing } = model.story;
  const { breakId, state, moneyAtStake, leadingBreakId } = standing;
  // Its money is at stake here, or on the break that leads it.
  const isClaimable = moneyAtStake !== null || (leadingBreakId !== null && leadingBreakId !== breakId);
  const shared = whyWaiverIsShared(standing, model.related, model.limits);
  const isBlocked = shared !== null;
  const types: readonly (readonly [string, string])[] = [
    ...(state === 'open' || state === 'reopened'
      ? [['acknowledged', 'Acknowledge: it is being worked on'] as const]
      : []),
    ...(state === 'resolved' ? [] : [['assigned', 'Assign to a person'] as const]),
    ...(isOpen(state) && !isBlocked ? [['waived', 'Waive: accept it as it is'] as const] : []),
    ...(state === 'waived' || state === 'acknowledged' ? [['reopened', 'Reopen'] as const] : []),
  ];
  return html`<section class="card"><h2>Decide</h2>
${types.length === 0 ? html`<p>It is ${state}; there is nothing to decide.</p>` : form(frame, model, types)}
${isOpen(state) && model.claim !== null && html`<p class="says warn">It is claimed from the Service (<a href="/claims/${model.claim.claim.claimId}">${model.claim.claim.claimId}</a>, ${model.claim.claim.state}): a waiver withdraws no claim.</p>`}
${isOpen(state) && shared !== null && waiverHtml(frame, model, shared)}
${model.mayUndo && undoHtml(frame, model)}
${isOpen(state) && model.claim === null && isClaimable && html`<p><a href="/claims/new?break=${breakId}">Claim it from the Service…</a></p>`}</section>`;
}

function form(
  frame: Frame,
  { story, people, up, here }: BreakModel,
  types: readonly (readonly [string, string])[],
): Html {
  const { breakId, events } = story.standing;
  return html`<form class="stack" method="post" action="/breaks/${breakId}/decide">${token(frame)}
<input type="hidden" name="events" value="${events}"><input type="hidden" name="back" value="${here.includes('view=1') ? here : up}">
<label>Decision<select name="type">${types.map(([type, label]) => html`<option value="${type}">${label}</option>`)}</select></label>
<label>Assign to (for “Assign” only)<input name="assignee" list="people" maxlength="200"></label>
<datalist id="people">${people.map((name) => html`<option value="${name}"></option>`)}</datalist>
<label>Waived until (empty: no end)<input name="until" type="date"></label>
<label>Reason, kept for ever<textarea name="reason" required maxlength="2000"></textarea></label>
<button>Decide</button></form>`;
}

function undoHtml(frame: Frame, { story, here, up }: BreakModel): Html {
  const { breakId, events } = story.standing;
  return html`<details><summary>Undo the last decision</summary><form class="stack" method="post" action="/breaks/${breakId}/undo">${token(frame)}
<input type="hidden" name="events" value="${events}"><input type="hidden" name="back" value="${here.includes('view=1') ? here : up}">
<p class="faint">Only today. What it covered with this break is undone too; the decision and its undo stay in the history.</p>
<label>Reason for the undo<input name="reason" required maxlength="2000"></label><button class="second">Undo it</button></form></details>`;
}

function waiverHtml(frame: Frame, { story, requests }: BreakModel, why: string): Value {
  const { breakId, events } = story.standing;
  const asked = requests.find((each) => each.outcome === null && each.events === events);
  const says = html`<p class="says warn">A waiver needs a second person: ${why}.</p>`;
  if (asked === undefined)
    return html`${says}<form class="stack" method="post" action="/breaks/${breakId}/waiver">${token(frame)}<input type="hidden" name="events" value="${events}">
<label>Waived until (empty: no end)<input name="until" type="date"></label><label>Reason for the waiver<textarea name="reason" required maxlength="2000"></textarea></label><button>Ask for a waiver</button></form>`;
  const { person } = frame;
  const mayApprove = person !== null && may(person.roles, 'approve') && person.actor.account !== asked.askedAccount;
  return html`${says}<p>${isolated(asked.askedBy)} asked for it ${instant(asked.askedAt)}, until ${asked.until ?? 'further notice'}: ${asked.reason}</p>
${
  !mayApprove
    ? html`<p class="faint">Another person, who is a reviewer, approves or refuses it here.</p>`
    : html`<form class="stack" method="post" action="/breaks/${breakId}/waiver/${asked.key}">${token(frame)}<input type="hidden" name="events" value="${events}">
<label>Reason<textarea name="reason" required maxlength="2000"></textarea></label><button name="outcome" value="approved">Approve the waiver</button> <button class="second" name="outcome" value="refused">Refuse it</button></form>`
}`;
}
