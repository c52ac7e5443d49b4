/** Claims as HTML. */

import { createHash } from 'node:crypto';
import { type Claim, type ClaimEvent, type ClaimItem, type ClaimState, GIVEN_UP_STATES } from '../../domain/claim.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { BusinessDate } from '../../domain/record.ts';
import type { CurrentBreak } from '../../ports/store/store.ts';
import { count, counted } from '../../text/counts.ts';
import {
  ageOfClaim,
  type Claimable,
  type ClaimSum,
  claimSums,
  isReminderDue,
  isSettled,
  nextStates,
  openOf,
} from '../../worklist/claims.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated } from '../html.ts';
import { code, type Frame, instant, money, pairs, recordLink, token, UNKNOWN } from '../layout.ts';
import { homeOf, queryOfTarget, type Target } from '../routes/target.ts';

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

interface Today {
  now: number;
  today: BusinessDate;
}

export function claimsHtml(rows: readonly Row[], at: Today): Html {
  const waiting = rows.filter(({ claim, sums }) => !isSettled(claim, sums));
  return html`<h1>Claims</h1>
<p class="lead">${rows.length === 0 ? 'No claim was opened yet.' : `${count(waiting.length)} of ${counted(rows.length, 'claim is', 'claims are')} not settled.`}</p>
${rows.length > 0 && html`<section class="card"><h2>Amounts and ages</h2>${ageing(rows, at)}</section>`}
<section class="card">${
    rows.length === 0
      ? html`<div class="empty"><p>Open one from a break, from breaks that you choose in <a href="/breaks">the list</a>, or from <a href="/groups">a group of one cause</a>: quotes and bodies become a pack for the Service’s support.</p></div>`
      : html`<div class="scroll" role="region" aria-label="Claims" tabindex="0"><table class="fold"><caption>Claims, newest first</caption><thead><tr><th scope="col">Claim</th><th scope="col">State</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th><th scope="col">Age</th><th scope="col">Reminder</th><th scope="col">Reference</th></tr></thead><tbody>${rows.map(
          (row) => claimRow(row, at),
        )}</tbody></table></div>`
  }</section>`;
}

function claimRow({ claim, sums }: Row, { now, today }: Today): Html {
  const { claimId, title, state, remindOn, reference } = claim;
  const days = ageOfClaim(claim, now);
  const isDue = isReminderDue(claim, sums, today);
  return html`<tr data-row><th scope="row" class="words"><a data-open href="/claims/${claimId}">${isolated(title)}</a><br><code>${claimId}</code></th><td><span class="badge">${state}</span></td><td class="num">${sums.map((each) => html`${money(each.claimed, each.currency)}<br>`)}</td><td class="num">${sums.map((each) => html`${money(each.recovered, each.currency)}<br>`)}</td><td>${counted(days, 'day')}</td><td>${remindOn === null ? UNKNOWN : html`<span class="${isDue && 'warn'}">${remindOn}${isDue && ' (due)'}</span>`}</td><td>${reference === null ? UNKNOWN : isolated(reference)}</td></tr>`;
}

/** Per currency: the total claimed and recovered, and the open amount by the age of its claim. Currencies are never added. */
function ageing(rows: readonly Row[], { now }: Today): Html {
  const currencies = [...new Set(rows.flatMap(({ sums }) => sums.map(({ currency }) => currency)))].sort();
  const sumOf = (currency: string, of: readonly Row[], amount: (sum: ClaimSum, claim: Claim) => Decimal) =>
    of
      .flatMap(({ sums, claim }) => sums.filter((each) => each.currency === currency).map((sum) => amount(sum, claim)))
      .reduce((sum, each) => sum.plus(each), Decimal.ZERO);
  const open = (sum: ClaimSum, claim: Claim) => openOf(claim, sum);
  const givenUp = ({ claimed, recovered }: ClaimSum) => claimed.minus(recovered);
  const waiting = rows.filter(({ claim, sums }) => !isSettled(claim, sums));
  const inBand = (from: number, to: number) =>
    waiting.filter(({ claim }) => ageOfClaim(claim, now) >= from && ageOfClaim(claim, now) <= to);
  const inStates = (...states: readonly ClaimState[]) => rows.filter(({ claim }) => states.includes(claim.state));
  const bands = BANDS.map(([label, from, to]) => ({ label, of: inBand(from, to), amount: open }));
  const columns = [
    { label: 'Claimed', of: rows, amount: ({ claimed }: ClaimSum) => claimed },
    { label: 'Recovered', of: rows, amount: ({ recovered }: ClaimSum) => recovered },
    { label: 'Rejected or written off', of: inStates(...GIVEN_UP_STATES), amount: givenUp },
    { label: 'Still open', of: waiting, amount: open },
    ...bands,
  ];
  // Of the claims with a recovered amount only those count whose last state says so.
  const counts = columns.map(({ label, of }) => (label === 'Recovered' ? inStates('recovered') : of).length);
  return html`<div class="scroll" role="region" aria-label="Amounts and ages" tabindex="0"><table class="fold"><caption>By currency. Still open is what is neither recovered, rejected nor written off, by the age of its claim</caption><thead><tr><th scope="col">Currency</th>${columns.map(({ label }) => html`<th scope="col" class="num">${label}</th>`)}</tr></thead><tbody>${currencies.map((currency) => html`<tr><th scope="row"><span class="cut" title="${currency}">${currency}</span></th>${columns.map(({ of, amount }) => html`<td class="num">${money(sumOf(currency, of, amount), currency, 'bare')}</td>`)}</tr>`)}<tr><th scope="row">Claims</th>${counts.map((n) => html`<td class="num">${count(n)}</td>`)}</tr></tbody></table></div>`;
}

interface NewClaim extends Claimable {
  target: Target;
  /** A suggested title; empty for none. */
  title: string;
}

/** Identifies the breaks on the page: the claim is refused where the selection has changed since. */
export function versionOf(breakIds: readonly string[]): string {
  return createHash('sha256')
    .update([...breakIds].sort().join('\n'))
    .digest('hex');
}

export function newClaimHtml(frame: Frame, { target, breakIds, sums, refused, title }: NewClaim): Html {
  const n = breakIds.length;
  return html`<p class="crumb"><a data-up href="${homeOf(target)}">← Back</a></p>
<h1>${n === 0 ? 'Nothing to claim' : `Claim ${counted(n, 'break')} from the Service`}</h1>
<p class="lead">${n === 0 ? 'None of these breaks can be claimed.' : 'The claim gets a pack with a letter, the table, the quotes and the bodies, to send to the Service’s support.'}</p>
<section class="card"><h2>In figures</h2>${pairs([
    ...sums.map(({ currency, claimed }) => [`Claimed in ${currency}`, money(claimed, currency)] as const),
    ...[...refused].map(([why, many]) => [`Left out: ${count(many)}`, why] as const),
  ])}</section>
${
  n > 0 &&
  html`<section class="card"><form class="stack" method="post" action="/claims">${token(frame)}<input type="hidden" name="query" value="${queryOfTarget(target)}"><input type="hidden" name="version" value="${versionOf(breakIds)}">
<label>Title, as the letter has it<input name="title" required maxlength="200" value="${title}"></label>
<label>Reason, kept for ever<textarea name="reason" required maxlength="2000"></textarea></label><button>Open the claim</button></form></section>`
}`;
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
<p class="lead">${counted(items.length, 'break')}; opened ${instant(claim.openedAt)} by ${isolated(claim.openedBy)}.</p>
<div class="split"><div>
<section class="card"><h2>Amounts</h2><div class="scroll" role="region" aria-label="Amounts" tabindex="0"><table class="fold"><caption>By currency; currencies are never added</caption><thead><tr><th scope="col">Currency</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th><th scope="col" class="num">Still open</th></tr></thead><tbody>${claimSums(items).map((each) => html`<tr><th scope="row">${each.currency}</th><td class="num">${money(each.claimed, each.currency)}</td><td class="num">${money(each.recovered, each.currency)}</td><td class="num">${money(openOf(claim, each), each.currency)}</td></tr>`)}</tbody></table></div>
<p><a class="button" href="/claims/${claim.claimId}/pack.zip" download>Download the pack</a></p><p class="faint">A ZIP with the letter, the table, the quotes, the bodies without tokens, every hash, and the signature where a key is configured.</p></section>
<section class="card"><h2>Its breaks</h2><div class="scroll" role="region" aria-label="Breaks of the claim" tabindex="0"><table class="fold"><caption>In report order${items.length > breaks.length && `, the first ${count(breaks.length)}`}</caption><thead><tr><th scope="col">Break</th><th scope="col">Record</th><th scope="col" class="num">Claimed</th><th scope="col" class="num">Recovered</th></tr></thead><tbody>${breaks.map((each) => breakRow(each, items, works && ALLOCATED.includes(claim.state)))}</tbody></table></div>${works && ALLOCATED.includes(claim.state) && html`<p class="faint">A recovered total is spread over the breaks in the order of their ids, each up to what it claims. Where an advice names records, write what belongs to each; the rest of the total is spread over the others.</p>`}</section>
<section class="card"><h2>History</h2><ol class="life">${events.map(({ at, state, name, proof, account, reason }) => html`<li>${instant(at)}: <strong>${state}</strong> by ${isolated(name)} <span class="faint">(${proof}, ${isolated(account)})</span><br>${reason}</li>`)}</ol></section>
</div><aside aria-label="What became of it"><section class="card"><h2>Facts</h2>${pairs([
    ['Id', html`<code>${claim.claimId}</code>`],
    ['Reference', claim.reference === null ? UNKNOWN : isolated(claim.reference)],
    ['Reminder', claim.remindOn ?? UNKNOWN],
  ])}</section>${works && updateForm(frame, model)}</aside></div>`;
}

const ALLOCATED: readonly ClaimState[] = ['accepted', 'recovered'];

function breakRow({ breakId, rule, kind, recordId }: CurrentBreak, items: readonly ClaimItem[], isOpen: boolean): Html {
  const item = items.find((each) => each.breakId === breakId);
  const part = html`<br><input form="became" name="of:${breakId}" inputmode="decimal" size="8" aria-label="Recovered of ${rule} on ${recordId}">`;
  return html`<tr data-row><th scope="row"><a data-open href="/breaks/${breakId}">${code(rule)}</a></th><td class="id">${recordLink({ kind, recordId })}</td><td class="num">${money(item?.claimed ?? null, item?.currency ?? null)}</td><td class="num">${money(item?.recovered ?? null, item?.currency ?? null)}${isOpen && item !== undefined && part}</td></tr>`;
}

function updateForm(frame: Frame, { claim, items }: ClaimModel): Html {
  const states = [claim.state, ...nextStates(claim.state)];
  return html`<section class="card"><h2>What became of it</h2><form class="stack" id="became" method="post" action="/claims/${claim.claimId}">${token(frame)}<input type="hidden" name="events" value="${claim.events}">
<label>State<select name="state">${states.map((state) => html`<option value="${state}">${state === claim.state ? `still ${state}` : state}</option>`)}</select></label>
<label>Reference of the support<input name="reference" maxlength="200" value="${claim.reference ?? ''}"></label>
<label>Remind on<input type="date" name="remind" value="${claim.remindOn ?? ''}"></label>
${claimSums(items).map(({ currency }) => html`<label>Recovered in all, ${currency}<input name="recovered:${currency}" inputmode="decimal" pattern="[0-9]+([.][0-9]+)?" placeholder="12.50"></label>`)}
<label>Reason<textarea name="reason" required maxlength="2000"></textarea></label><button>Record it</button></form></section>`;
}
