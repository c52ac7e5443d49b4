/** Months as HTML. */
import type { ListedMonth, PeriodStatus } from '../../periods/status.ts';
import type { Act, MonthMoves } from '../../ports/store/store.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { code, count, type Frame, instant, pairs, token, UNKNOWN } from '../layout.ts';

export function monthsHtml(months: readonly ListedMonth[]): Html {
  return html`<h1>Months</h1><p class="lead">A month is closed by one person and reviewed by another.</p>
<section class="card">${
    months.length === 0
      ? html`<div class="empty"><p>No record is tracked yet.</p></div>`
      : html`<div class="scroll" role="region" aria-label="Months" tabindex="0"><table class="fold"><caption>Months, newest first</caption><thead><tr><th scope="col">Month</th><th scope="col">State</th><th scope="col">Closed by</th><th scope="col">Reviewed by</th></tr></thead><tbody>${months.map(
          ({ period, state, closed }) =>
            html`<tr data-row><th scope="row"><a data-open href="/months/${period}">${period}</a></th><td>${state}</td><td>${closed === null ? UNKNOWN : isolated(closed.closedBy)}</td><td>${closed?.reviewedBy == null ? UNKNOWN : isolated(closed.reviewedBy)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;
}

interface MonthModel {
  status: PeriodStatus;
  moves: MonthMoves;
  acts: readonly Act[];
}

export function monthHtml(frame: Frame, model: MonthModel): Html {
  const { status, moves, acts } = model;
  const { period, figures } = status;
  return html`<p class="crumb"><a data-up href="/months">← All months</a></p>
<h1>Month ${period} <span class="badge">${status.state}</span></h1>
<section class="card"><h2>Breaks that need a decision</h2><p class="lead">${count(moves.opening)} at the beginning + ${count(moves.opened)} new or reopened − ${count(moves.resolved)} resolved − ${count(moves.waived)} waived = <strong>${count(moves.closing)}</strong> at the end.</p>
<p><a href="/breaks?month=${period}">Open breaks of records of this month</a> · <a href="/breaks?month=${period}&amp;state=waived">waived</a> · <a href="/breaks?month=${period}&amp;state=resolved">resolved</a></p></section>
<section class="card"><h2>Its records</h2>${pairs([
    ['Records', count(figures.population)],
    ...Object.entries(figures.verdicts).map(([verdict, n]) => [verdict, count(n)] as const),
    ['Never verified', figures.neverVerified === 0 ? null : count(figures.neverVerified)],
    ['Deferred', figures.deferred === 0 ? null : count(figures.deferred)],
  ])}</section>
${status.state === 'open' ? inTheWay(status) : sealed(status)}
${acting(frame, status)}
${acts.length > 0 && html`<section class="card"><h2>Who did what</h2><ol class="life">${acts.map(({ at, action, name, account, proof, outcome, detail }) => html`<li>${instant(at)}: ${action} ${outcome} by ${isolated(name)} <span class="faint">(${proof}, ${isolated(account)})</span>${detail !== null && html`<br>${detail}`}</li>`)}</ol></section>`}`;
}

function inTheWay(status: Extract<PeriodStatus, { state: 'open' }>): Html {
  const { figures, isOver, period } = status;
  const { verdicts, breaks } = figures;
  const ways: Value[] = [
    !isOver && html`<li>The month is not over.</li>`,
    breaks.open > 0 &&
      html`<li><a href="/breaks?month=${period}">${count(breaks.open)} breaks are open</a>: ${figures.rules.filter(({ open }) => open > 0).map(({ rule, open }, i) => html`${i > 0 && ', '}<a href="/breaks?month=${period}&amp;rule=${rule}">${count(open)} ${code(rule)}</a>`)}.</li>`,
    verdicts.unverified > 0 && html`<li>${count(verdicts.unverified)} records are unverified.</li>`,
    verdicts.quarantined > 0 && html`<li>${count(verdicts.quarantined)} records are quarantined.</li>`,
    verdicts.pending > 0 && html`<li>${count(verdicts.pending)} records are pending.</li>`,
  ];
  const standing = ways.filter((way) => way !== false);
  return html`<section class="card"><h2>What stands in the way of the close</h2>${standing.length === 0 ? html`<p class="good">Nothing.</p>` : html`<ul>${standing}</ul>`}</section>`;
}

function sealed(status: Exclude<PeriodStatus, { state: 'open' }>): Html {
  const { closed, sets, since } = status;
  return html`<section class="card"><h2>The sealed month</h2>${pairs([
    ['Closed', html`${instant(closed.closedAt)} by ${isolated(closed.closedBy)}`],
    [
      'Reviewed',
      closed.reviewedBy === null ? UNKNOWN : html`${instant(closed.reviewedAt)} by ${isolated(closed.reviewedBy)}`,
    ],
    ['Accepted as open', closed.acceptedOpen],
    [
      'Changed since',
      since.changes === 0 ? 'nothing' : `${count(since.changes)} changes on ${count(since.records)} records`,
    ],
  ])}<ul>${sets.map(({ type, folder, manifestSha256, problems }) => html`<li>${type}: <code>${folder}</code>, manifest <code>${manifestSha256}</code> ${problems.length === 0 ? html`<span class="good">intact</span>` : html`<span class="bad">${problems.join('; ')}</span>`}</li>`)}</ul></section>`;
}

function acting(frame: Frame, { state, period }: PeriodStatus): Value {
  if (frame.person === null) return null;
  const { roles } = frame.person;
  if (state === 'open' && may(roles, 'close')) {
    return html`<section class="card"><h2>Close it</h2><form class="stack" method="post" action="/months/${period}/close">${token(frame)}<label>Why it is closed although something is open (empty: refuse that)<textarea name="accept" maxlength="2000"></textarea></label><button>Close ${period}</button></form></section>`;
  }
  if (state === 'closed' && may(roles, 'review')) {
    return html`<section class="card"><h2>Review it</h2><p>The sealed sets are verified again; whoever closed it is refused.</p><form method="post" action="/months/${period}/review">${token(frame)}<button>I have reviewed ${period}</button></form></section>`;
  }
  return null;
}
