/** Claims as HTML. */
import type { Claim, ClaimEvent, ClaimItem } from '../../domain/claim.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { type ClaimSum, claimSums, nextStates } from '../../worklist/claims.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated } from '../html.ts';
import { code, count, type Frame, instant, money, pairs, token, UNKNOWN } from '../layout.ts';

const DAY = 86_400_000;
/** Ages of claims that are not settled. */
const BANDS = [
  ['up to 7 days', 0, 7],
  ['8 to 30 days', 8, 30],
  ['31 to 90 days', 31, 90],
  ['more than 90 days', 91, Number.POSITIVE_INFINITY],
] as const;

interface Row {
  claim: Claim;
  sums: readonly ClaimSum[];
}

const ageOf = ({ openedAt }: Claim, now: number) => Math.max(0, Math.floor((now - openedAt) / DAY));
const isSettled = ({ state }: Claim) => state === 'rejected' || state === 'recovered';

export function claimsHtml(rows: readonly Row[], now: number): Html {
  const waiting = rows.filter(({ claim }) => !isSettled(claim));
  return html`<h1>Claims</h1>
<p class="lead">${rows.length === 0 ? 'No claim was opened yet.' : `${count(waiting.length)} of ${count(rows.length)} claims are not settled.`}</p>
${waiting.length > 0 && html`<dl class="tiles">${BANDS.map(([label, from, to]) => html`<div><dt>${label}</dt><dd>${count(waiting.filter(({ claim }) => ageOf(claim, now) >= from && ageOf(claim, now) <= to).length)}</dd></div>`)}</dl>`}
<section class="card">${
    rows.length === 0
      ? html`<div class="empty"><p>Open one from <a href="/groups">a group of one cause</a>: its breaks, quotes and bodies become a pack for the Service’s support.</p></div>`
      : html`<div class="scroll" role="region" aria-label="Claims" tabindex="0"><table class="fold"><caption>Claims, newest first</caption><thead><tr><th scope="col">Claim</th><th scope="col">State</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th><th scope="col">Age</th><th scope="col">Reference</th></tr></thead><tbody>${rows.map(
          ({ claim, sums }) =>
            html`<tr data-row><th scope="row" class="words"><a data-open href="/claims/${claim.claimId}">${claim.title}</a><br><code>${claim.claimId}</code></th><td><span class="badge">${claim.state}</span></td><td class="num">${sums.map((each) => html`${money(each.claimed, each.currency)}<br>`)}</td><td class="num">${sums.map((each) => html`${money(each.recovered, each.currency)}<br>`)}</td><td>${ageOf(claim, now)} days</td><td>${claim.reference === null ? UNKNOWN : isolated(claim.reference)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;
}

interface ClaimModel {
  claim: Claim;
  items: readonly ClaimItem[];
  events: readonly ClaimEvent[];
  breaks: readonly CurrentBreak[];
}

export function claimHtml(frame: Frame, model: ClaimModel): Html {
  const { claim, items, events, breaks } = model;
  const works = frame.person !== null && may(frame.person.roles, 'work');
  return html`<p class="crumb"><a data-up href="/claims">← All claims</a></p>
<h1>${claim.title} <span class="badge">${claim.state}</span></h1>
<p class="lead">${count(items.length)} ${items.length === 1 ? 'break' : 'breaks'}; opened ${instant(claim.openedAt)} by ${isolated(claim.openedBy)}.</p>
<div class="split"><div>
<section class="card"><h2>Amounts</h2><div class="scroll" role="region" aria-label="Amounts" tabindex="0"><table><caption>By currency; currencies are never added</caption><thead><tr><th scope="col">Currency</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th><th scope="col" class="num">Still open</th></tr></thead><tbody>${claimSums(items).map((each) => html`<tr><th scope="row">${each.currency}</th><td class="num">${money(each.claimed, each.currency)}</td><td class="num">${money(each.recovered, each.currency)}</td><td class="num">${money(each.claimed.minus(each.recovered), each.currency)}</td></tr>`)}</tbody></table></div>
<p><a class="button" href="/claims/${claim.claimId}/pack.zip" download>Download the pack</a></p><p class="faint">A ZIP with the letter, the table, the quotes, the bodies without tokens, every hash, and the signature where a key is configured.</p></section>
<section class="card"><h2>Its breaks</h2><div class="scroll" role="region" aria-label="Breaks of the claim" tabindex="0"><table class="fold"><caption>In report order${items.length > breaks.length && `, the first ${count(breaks.length)}`}</caption><thead><tr><th scope="col">Break</th><th scope="col">Record</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th></tr></thead><tbody>${breaks.map((each) => breakRow(each, items))}</tbody></table></div></section>
<section class="card"><h2>Its life</h2><ol class="life">${events.map(({ at, state, name, proof, account, reason }) => html`<li>${instant(at)}: <strong>${state}</strong> by ${isolated(name)} <span class="faint">(${proof}, ${isolated(account)})</span><br>${reason}</li>`)}</ol></section>
</div><aside aria-label="What became of it"><section class="card"><h2>Facts</h2>${pairs([
    ['Id', html`<code>${claim.claimId}</code>`],
    ['Reference', claim.reference === null ? UNKNOWN : isolated(claim.reference)],
    ['Reminder', claim.remindOn ?? UNKNOWN],
  ])}</section>${works && updateForm(frame, model)}</aside></div>`;
}

function breakRow({ breakId, rule, kind, recordId }: CurrentBreak, items: readonly ClaimItem[]): Html {
  const item = items.find((each) => each.breakId === breakId);
  return html`<tr data-row><th scope="row"><a data-open href="/breaks/${breakId}">${code(rule)}</a></th><td class="id">${kind} <code>${recordId}</code></td><td class="num">${money(item?.claimed ?? null, item?.currency ?? null)}</td><td class="num">${money(item?.recovered ?? null, item?.currency ?? null)}</td></tr>`;
}

function updateForm(frame: Frame, { claim, items }: ClaimModel): Html {
  const states = [claim.state, ...nextStates(claim.state)];
  return html`<section class="card"><h2>What became of it</h2><form class="stack" method="post" action="/claims/${claim.claimId}">${token(frame)}<input type="hidden" name="events" value="${claim.events}">
<label>State<select name="state">${states.map((state) => html`<option value="${state}">${state === claim.state ? `still ${state}` : state}</option>`)}</select></label>
<label>Reference of the support<input name="reference" maxlength="200" value="${claim.reference ?? ''}"></label>
<label>Remind on<input type="date" name="remind" value="${claim.remindOn ?? ''}"></label>
${claimSums(items).map(({ currency }) => html`<label>Recovered in all, ${currency}<input name="recovered:${currency}" inputmode="decimal" pattern="[0-9]+([.][0-9]+)?" placeholder="12.50"></label>`)}
<label>Reason<textarea name="reason" required maxlength="2000"></textarea></label><button>Record it</button></form></section>`;
}
