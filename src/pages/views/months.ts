/** Months as HTML. */

import { Decimal } from '../../domain/decimal.ts';
import { figuresDigest } from '../../periods/figures.ts';
import { MOVES } from '../../periods/movement.ts';
import type { ChangeFigures } from '../../periods/stage.ts';
import type { ListedMonth, PeriodStatus } from '../../periods/status.ts';
import type { MovementRow, NamedRecord } from '../../ports/period.ts';
import type { SettledMonth } from '../../ports/settled.ts';
import type { Act } from '../../ports/store/store.ts';
import type { Manifest } from '../../publish/manifest.ts';
import { count, counted } from '../../text/counts.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { code, type Frame, instant, money, pairs, token, UNKNOWN } from '../layout.ts';
import { actInWords } from '../people.ts';
import { sheetTable } from './revenue.ts';

/** @param since by month, of the newest closed ones */
export function monthsHtml(months: readonly ListedMonth[], since: ReadonlyMap<string, ChangeFigures>): Html {
  return html`<h1>Months</h1><p class="lead">A month is closed by one person and reviewed by another.</p>
<section class="card">${
    months.length === 0
      ? html`<div class="empty"><p>No record is tracked yet.</p></div>`
      : html`<div class="scroll" role="region" aria-label="Months" tabindex="0"><table class="fold"><caption>Months, newest first</caption><thead><tr><th scope="col">Month</th><th scope="col">State</th><th scope="col">Closed by</th><th scope="col">Reviewed by</th><th scope="col">Changed since</th></tr></thead><tbody>${months.map(
          ({ period, state, closed }) =>
            html`<tr data-row><th scope="row"><a data-open href="/months/${period}">${period}</a></th><td>${state.replaceAll('-', ' ')}</td><td>${closed === null ? 'not closed' : isolated(closed.closedBy)}</td><td>${closed?.reviewedBy == null ? 'not reviewed' : isolated(closed.reviewedBy)}</td><td>${sinceText(closed === null ? null : (since.get(period) ?? 'older'))}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`;
}

function sinceText(since: ChangeFigures | 'older' | null): Value {
  if (since === null) return 'not closed';
  if (since === 'older') return html`<span class="faint">see its page</span>`;
  return since.changes === 0 ? 'nothing' : `${counted(since.changes, 'change')} on ${counted(since.records, 'record')}`;
}

interface MonthModel {
  status: PeriodStatus;
  moves: readonly MovementRow[];
  acts: readonly Act[];
  /** Files of the sealed sets. */
  sets: readonly { folder: string; files: Manifest['files'] }[];
  /** The reconciliation of its revenue; empty where it still earns, or nothing is known. */
  revenue: readonly SettledMonth[];
  /** Of accounting programs that read its journal. */
  formats: readonly string[];
  /** An earlier month that has to be closed first; null where there is none. */
  firstToClose: string | null;
  /** It was over before the first month that was closed, and will not be closed. */
  isBeforeFirst: boolean;
  /** Closed by a name that was not proved, where that is needed. */
  isBlocked: boolean;
}

export function monthHtml(frame: Frame, model: MonthModel): Html {
  const { status, moves, acts, isBeforeFirst } = model;
  const { period, figures } = status;
  return html`<p class="crumb"><a data-up href="/months">← All months</a></p>
<h1>Month ${period} <span class="badge">${isBeforeFirst ? 'before first close' : status.state}</span></h1>
${isBeforeFirst ? html`<p class="lead">A later month was closed first, so this one will not be closed.</p>` : status.state === 'open' ? inTheWay(status, model.firstToClose) : sealed(frame, status, model.sets)}
${!isBeforeFirst && acting(frame, status, model.isBlocked)}
${model.revenue.length > 0 && html`<section class="card"><h2>Host revenue</h2>${sheetTable(model.revenue)}<p><a href="/revenue">All months and payments</a></p></section>`}
${journalHtml(status, model.formats)}
<section class="card"><h2>Breaks that need a decision</h2>${movement(moves, status.state === 'open')}
<p><a href="/breaks?month=${period}">Open breaks of records of this month</a> · <a href="/breaks?month=${period}&amp;state=waived">waived</a> · <a href="/breaks?month=${period}&amp;state=resolved">resolved</a></p></section>
<section class="card"><h2>Its records</h2>${pairs([
    ['Records', count(figures.population)],
    ...Object.entries(figures.verdicts).map(([verdict, n]) => [verdict, count(n)] as const),
    ['Never verified', figures.neverVerified === 0 ? null : count(figures.neverVerified)],
    ['Deferred', figures.deferred === 0 ? null : count(figures.deferred)],
  ])}</section>
${acts.length > 0 && html`<section class="card"><h2>Who did what</h2><ol class="life">${acts.map(({ at, action, name, account, proof, outcome, detail }) => html`<li>${instant(at)}: ${actInWords(action)} ${outcome} by ${isolated(name)} <span class="faint">(${proof}, ${isolated(account)})</span>${detail !== null && html`<br>${detail}`}</li>`)}</ol></section>`}`;
}

function journalHtml(status: PeriodStatus, formats: readonly string[]): Html {
  const says =
    status.state === 'open'
      ? 'A draft of what is known now: its entry numbers are of no closed month.'
      : 'From the sealed sets alone: the same bytes for ever. Several files come as a ZIP.';
  const deltas = status.state !== 'open' && status.sets.length > 1;
  return html`<section class="card"><h2>Journal</h2><form class="row" method="get" action="/months/${status.period}/journal"><label>For<select name="format">${formats.map((each) => html`<option>${each}</option>`)}</select></label>${deltas && html`<label class="check"><input type="checkbox" name="corrections" value="yes">the changes by its deltas</label>`}<button class="second">Download</button></form><p class="faint">${says}</p></section>`;
}

const HEADS = ['At the beginning', '+ new or reopened', '− resolved', '− waived', '= at the end'] as const;

function movement(rows: readonly MovementRow[], isCalendar: boolean): Html {
  const totals = MOVES.map((column) => rows.reduce((sum, row) => sum + row[column].count, 0));
  const [opening = 0, fresh = 0, resolved = 0, waived = 0, closing = 0] = totals;
  const lead = html`<p class="lead">${count(opening)} at its beginning + ${count(fresh)} new or reopened − ${count(resolved)} resolved − ${count(waived)} waived = <strong>${count(closing)}</strong> at the end of the month.</p><p class="faint">${isCalendar ? 'All breaks, of records of every month, by the days of the calendar. After the close: from close to close' : 'On the records of the closed months, from the close before to this one, as in the pack'}.</p>`;
  if (rows.length === 0) return lead;
  return html`${lead}<details open><summary>By code and currency</summary><div class="scroll" role="region" aria-label="Movement by code and currency" tabindex="0"><table class="fold"><caption>Breaks, and below them their money at stake where there is any. New money also has by how much standing breaks grew or shrank.</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Currency</th>${HEADS.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${code(row.rule)}</th><td><span class="cut" title="${row.currency ?? ''}">${row.currency ?? UNKNOWN}</span></td>${MOVES.map((column) => html`<td class="num">${count(row[column].count)}${row[column].money.compare(Decimal.ZERO) !== 0 && html`<br><span class="faint">${money(row[column].money, row.currency, 'bare')}</span>`}</td>`)}</tr>`)}
<tr><th scope="row">All</th><td></td>${totals.map((n) => html`<td class="num"><strong>${count(n)}</strong></td>`)}</tr></tbody></table></div></details>`;
}

const NAMED = 20;

/** The records themselves are listed, so that no further page has to be opened. */
function named(records: readonly NamedRecord[], period: string): Value {
  const others = records.filter(({ verdict }) => verdict !== 'break');
  if (others.length === 0) return null;
  return html`<details><summary>${counted(others.length, 'record')} by name</summary><ul>${others.slice(0, NAMED).map(({ kind, recordId, hostReference, verdict, why }) => html`<li>${verdict}: ${kind} <a href="/records/${kind}/${encodeURIComponent(recordId)}"><code>${recordId}</code></a>${hostReference !== null && html` ${isolated(hostReference)}`}, <span class="faint">${why}</span></li>`)}${others.length > NAMED && html`<li>and ${count(others.length - NAMED)} more: <a href="/months/${period}/records.csv" download>all of them as CSV</a></li>`}</ul></details>`;
}

function inTheWay(status: Extract<PeriodStatus, { state: 'open' }>, firstToClose: string | null): Html {
  const { figures, isOver, period } = status;
  const { verdicts, breaks } = figures;
  const ways: Value[] = [
    !isOver && html`<li>The month is not over.</li>`,
    firstToClose !== null &&
      html`<li><a href="/months/${firstToClose}">${firstToClose}</a> is to be closed first.</li>`,
    breaks.open > 0 &&
      html`<li><a href="/breaks?month=${period}">${counted(breaks.open, 'break is', 'breaks are')} open</a>: ${figures.rules.filter(({ open }) => open > 0).map(({ rule, open }, i) => html`${i > 0 && ', '}<a href="/breaks?month=${period}&amp;rule=${rule}">${count(open)} ${code(rule)}</a>`)}.</li>`,
    verdicts.unverified > 0 && html`<li>${many(verdicts.unverified, 'unverified')}</li>`,
    verdicts.quarantined > 0 && html`<li>${many(verdicts.quarantined, 'quarantined')}</li>`,
    verdicts.pending > 0 && html`<li>${many(verdicts.pending, 'pending')}</li>`,
  ];
  const standing = ways.filter((way) => way !== false);
  return html`<section class="card"><h2>What stands in the way of the close</h2>${standing.length === 0 ? html`<p class="good">Nothing.</p>` : html`<ul>${standing}</ul>${breaks.open > 0 && html`<p class="faint">In the list, a break and those that it leads are one line.</p>`}${named(status.records, period)}`}</section>`;
}

const many = (n: number, what: string) => `${counted(n, 'record is', 'records are')} ${what}.`;

function sealed(frame: Frame, status: Exclude<PeriodStatus, { state: 'open' }>, files: MonthModel['sets']): Html {
  const { closed, sets, since, period } = status;
  const mayState = since.changes > 0 && frame.person !== null && may(frame.person.roles, 'close');
  return html`<section class="card"><h2>The sealed month</h2>${pairs([
    ['Closed', html`${instant(closed.closedAt)} by ${isolated(closed.closedBy)}`],
    [
      'Reviewed',
      closed.reviewedBy === null
        ? 'not reviewed'
        : html`${instant(closed.reviewedAt)} by ${isolated(closed.reviewedBy)}`,
    ],
    ['Accepted as open', closed.acceptedOpen],
    ['Changed since', sinceText(since)],
  ])}<div class="row"><a class="button" href="/months/${period}/pack.zip" download>Download the month-end pack</a>${mayState && html`<form method="post" action="/months/${period}/delta">${token(frame)}<button class="second">State the changes in a delta</button></form>`}</div><p class="faint">A ZIP with the workbook, the page to print, the tables, the manifest, and the signature where a key is configured.</p></section>
${sets.map((set) => sealedSet(period, set, files.find(({ folder }) => folder === set.folder)?.files ?? []))}`;
}

type SealedSet = Exclude<PeriodStatus, { state: 'open' }>['sets'][number];

function sealedSet(
  period: string,
  { type, number, folder, by, at, manifestSha256, review, problems }: SealedSet,
  files: Manifest['files'],
): Html {
  const link = (name: string) => `/months/${period}/sets/${number}/${name}`;
  return html`<section class="card"><h2>${type === 'close' ? 'The close' : `Delta ${number}`} ${problems.length === 0 ? html`<span class="badge good">intact</span>` : html`<span class="badge bad">damaged</span>`}</h2>
<p>Stated ${instant(at)} by ${isolated(by)}${type === 'delta' && (review === null ? ', not reviewed' : html`, reviewed ${instant(review.at)} by ${isolated(review.by)}`)}, in <code>${folder}</code>; SHA-256 of its manifest <code>${manifestSha256}</code>.</p>${problems.length > 0 && html`<ul>${problems.map((problem) => html`<li class="bad">${problem}</li>`)}</ul>`}
<details><summary>${counted(files.length, 'file')} to download</summary><div class="scroll" role="region" aria-label="Files of ${folder}" tabindex="0"><table class="fold"><caption>With the SHA-256 that the manifest has of each. <a href="${link('manifest.json')}" download>manifest.json</a></caption><thead><tr><th scope="col">File</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Bytes</th><th scope="col">SHA-256</th></tr></thead><tbody>${files.map(({ name, rows, bytes, sha256 }) => html`<tr><th scope="row"><a href="${link(name)}" download>${name}</a></th><td class="num">${rows === null ? UNKNOWN : count(rows)}</td><td class="num">${count(bytes)}</td><td class="words"><code>${sha256}</code></td></tr>`)}</tbody></table></div></details></section>`;
}

function acting(frame: Frame, status: PeriodStatus, isBlocked: boolean): Value {
  if (frame.person === null) return null;
  const { period } = status;
  const { roles } = frame.person;
  if (status.state === 'open' && may(roles, 'close')) {
    if (!status.isOver) return null;
    return html`<section class="card"><h2>Close it</h2><form class="stack" method="post" action="/months/${period}/close">${token(frame)}<input type="hidden" name="seen" value="${figuresDigest(status.figures)}"><label>Why it is closed although something is open (empty: refuse that)<textarea name="accept" maxlength="2000"></textarea></label><button>Close ${period}</button></form></section>`;
  }
  if (isBlocked) {
    const what = html`<p>It was closed by a name that was not proved, so that nobody can review it. Who confirms the close answers for it; another person reviews it then.</p>`;
    return html`<section class="card"><h2>Confirm the close</h2>${what}${may(roles, 'close') && html`<form method="post" action="/months/${period}/confirm">${token(frame)}<button>I confirm the close of ${period}</button></form>`}</section>`;
  }
  if (status.state === 'closed' && may(roles, 'review'))
    return html`<section class="card"><h2>Review it</h2><p>The sealed sets are verified again. Who closed the month, or stated a delta that is not reviewed, cannot review it.</p><form method="post" action="/months/${period}/review">${token(frame)}<input type="hidden" name="seen" value="${status.sets.at(-1)?.manifestSha256 ?? ''}"><button>I have reviewed ${period}</button></form></section>`;
  return null;
}
