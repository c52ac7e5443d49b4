/** Groups of one cause as HTML. */

import type { CurrentBreak } from '../../ports/store/store.ts';
import { count, counted } from '../../text/counts.ts';
import { type Cause, causeText, SMALLEST_GROUP } from '../../worklist/groups.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html } from '../html.ts';
import { code, type Frame, instant, money, pairs, prose, UNKNOWN } from '../layout.ts';

const HOW = html`<details><summary>How groups are found</summary><p>Each open break with a difference gets its share: the difference in percent of what its record is worth without the fee, rounded to one tenth. Breaks with the same rule, kind, payment method and share come together, in any currency; all rules about the fee count as one. Of a record, only the leading break counts. In the order of creation, a pause of more than seven days ends a group. Fewer than ${SMALLEST_GROUP} are no group. The same breaks always make the same groups.</p></details>`;

/** A line for each currency: they are never added. */
const stakes = ({ stakes: all }: Cause) =>
  all.map(
    ({ currency, amount }, i) =>
      html`${i > 0 && html`<br>`}${amount === null ? html`none in ${currency}` : money(amount, currency)}`,
  );

export function groupsHtml(groups: readonly Cause[], total: number, breakId: string | null): Html {
  return html`<h1>Groups of one cause</h1>
<p class="lead">${total === 0 ? (breakId === null ? 'No open breaks have a common cause.' : 'This break has no group: fewer than three open breaks share its cause.') : `${counted(total, 'group')}. A group is worked as one.`}</p>${HOW}
<section class="card">${
    groups.length === 0
      ? html`<div class="empty"><p>Three or more open breaks that differ by the same share, on the same method, become a group here, to be decided about or claimed as one.</p><p><a href="/breaks">To the breaks</a></p></div>`
      : html`<div class="scroll" role="region" aria-label="Groups" tabindex="0"><table class="fold"><caption>Groups, most breaks first</caption><thead><tr><th scope="col">Cause</th><th scope="col">Method</th><th scope="col" class="num">Breaks</th><th scope="col" class="num">Money at stake</th><th scope="col">Records created</th></tr></thead><tbody>${groups.map(
          (each) =>
            html`<tr data-row><th scope="row" class="words"><a data-open href="/groups/${each.id}">${causeText(each)}</a></th><td>${each.paymentMethod === null ? UNKNOWN : code(each.paymentMethod)}</td><td class="num">${count(each.breakIds.length)}</td><td class="num">${stakes(each)}</td><td>${instant(each.from)}<br>${instant(each.to)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;
}

export function groupHtml(frame: Frame, cause: Cause, breaks: readonly CurrentBreak[]): Html {
  const n = cause.breakIds.length;
  const works = frame.person !== null && may(frame.person.roles, 'work');
  return html`<p class="crumb"><a data-up href="/groups">← All groups</a></p>
<h1>${counted(n, 'break')} of one cause</h1><p class="lead">${causeText(cause)}.</p>
<section class="card">${pairs([
    ['Money at stake', stakes(cause)],
    ['Share of the value', `${cause.share} %`],
    ['Rules', cause.rules.map((rule, i) => html`${i > 0 && ', '}${code(rule)}`)],
    ['Payment method', cause.paymentMethod === null ? UNKNOWN : code(cause.paymentMethod)],
    ['First created', instant(cause.from)],
    ['Last created', instant(cause.to)],
  ])}${
    works &&
    html`<div class="row"><a class="button" href="/bulk?group=${cause.id}">Decide about all ${count(n)}…</a> <a class="button second" href="/claims/new?group=${cause.id}">Claim them from the Service…</a></div>`
  }</section>
${HOW}
<section class="card"><h2>Its breaks${n > breaks.length && `, the first ${count(breaks.length)}`}</h2><div class="scroll" role="region" aria-label="Breaks of the group" tabindex="0"><table class="fold"><caption>Breaks of the group in report order</caption><thead><tr><th scope="col">Record</th><th scope="col" class="num">Difference</th><th scope="col">Explanation</th></tr></thead><tbody>${breaks.map((each) => html`<tr data-row><th scope="row" class="id"><a data-open href="/breaks/${each.breakId}">${each.kind} <code>${each.recordId}</code></a></th><td class="num">${money(each.difference, each.currency)}</td><td class="words">${prose(each.explanation)}</td></tr>`)}</tbody></table></div></section>`;
}
