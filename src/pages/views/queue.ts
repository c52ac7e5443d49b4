/** The queue as HTML: the filters as pills, the table, the pages. */

import { ageInDays, BREAK_KINDS, BREAK_STATES } from '../../domain/break.ts';
import { lastFullDate } from '../../domain/calendar.ts';
import { SEVERITIES } from '../../domain/finding.ts';
import type { BusinessDate } from '../../domain/record.ts';
import { converted, type Reporting } from '../../domain/reporting.ts';
import { inPlacesOf } from '../../domain/stake.ts';
import { MONEY_MOVED } from '../../domain/status.ts';
import type { CurrentBreak, QueueSort, SavedView } from '../../ports/store/store.ts';
import { RULES } from '../../rules/index.ts';
import { count, counted } from '../../text/counts.ts';
import { MOST_IN_BULK } from '../../worklist/bulk.ts';
import { may } from '../../worklist/roles.ts';
import { labelOf, VIEW_FIELDS, type View, type ViewField, viewQuery, withoutFilter } from '../../worklist/view.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { code, type Frame, money, prose, recordLink, stake, token } from '../layout.ts';

export interface QueueModel {
  view: View;
  rows: readonly CurrentBreak[];
  /** The currency that amounts are sorted by. */
  reporting: Reporting | null;
  /** Breaks by the one that leads them. */
  led: ReadonlyMap<string | null, readonly CurrentBreak[]>;
  total: number;
  /** Whether more breaks match than `total`, which is then one more than a decision takes. */
  isMore: boolean;
  currencies: readonly string[];
  saved: readonly SavedView[];
  previous: string | null;
  next: string | null;
  now: number;
  timezone: string;
}

export function queueHtml(frame: Frame, model: QueueModel): Html {
  const { view, rows, total, isMore } = model;
  const works = frame.person !== null && may(frame.person.roles, 'work');
  return html`<h1>Breaks</h1>
${view.wrong.map((each, i) => html`<p class="bad" role="alert"${view.wrong.findIndex(({ name }) => name === each.name) === i && html` id="wrong-${each.name}"`}>${isolated(each.problem)}</p>`)}
<p class="lead">${view.wrong.length > 0 ? 'Nothing is listed until every filter can be read.' : html`${isMore ? `More than ${count(MOST_IN_BULK)}` : count(total)} ${total === 1 ? 'break matches' : 'breaks match'}${view.values.size === 0 ? ', all that need a decision' : ''}.`}</p>
${filters(model)}
${pills(view)}
${savedViews(frame, model)}
${view.wrong.length === 0 && html`<p class="crumb actions"><a href="/breaks.csv?${viewQuery(view)}">Download this view as CSV</a>${works && total > 0 && total <= MOST_IN_BULK && html`<a href="/claims/new?${viewQuery(view)}">Claim all that match…</a>`}${works && total > 0 && total <= MOST_IN_BULK && html`<a href="/bulk?${viewQuery(view)}">Decide about ${total === 1 ? 'the one' : `all ${count(total)}`} that match…</a>`}${works && total > MOST_IN_BULK && html`<span class="faint">Filter to ${count(MOST_IN_BULK)} or fewer to decide about all that match.</span>`}</p>`}
${view.wrong.length === 0 && html`<section class="card">${rows.length === 0 ? empty(view) : table(model, works)}${rows.length > 0 && works && chosenForm(view)}</section>`}
<nav class="pager" aria-label="Pages"><span>${model.previous !== null && html`<a rel="prev" href="${model.previous}">← Previous page</a>`}</span><span>${model.next !== null && html`<a rel="next" href="${model.next}">Next page →</a>`}</span></nav>`;
}

/** Each pill takes its own filter away. */
function pills(view: View): Value {
  const all = VIEW_FIELDS.flatMap((field) => (view.values.get(field) ?? []).map((value) => ({ field, value })));
  if (all.length === 0) return null;
  return html`<ul class="pills" aria-label="Filters in force">${all.map(
    ({ field, value }) =>
      html`<li><a href="/breaks?${viewQuery(withoutFilter(view, field, value))}"><span class="spoken">Remove the filter </span>${labelOf(field)}: ${isolated(field === 'assignee' && value === '-' ? 'no assignee' : value)} <span aria-hidden="true">×</span></a></li>`,
  )}<li><a href="/breaks">Remove all</a></li></ul>`;
}

function choice(view: View, name: ViewField, label: string, options: readonly string[], any: string): Html {
  const chosen = view.values.get(name) ?? [];
  return html`<label>${label}<select name="${name}"><option value="">${any}</option>${options.map(
    (each) => html`<option value="${each}"${chosen.includes(each) && html` selected`}>${each}</option>`,
  )}</select></label>`;
}

function entry(view: View, name: ViewField, label: string, type = 'text', size = 14): Html {
  const wrong = view.wrong.find((each) => each.name === name);
  const value = wrong?.value ?? view.values.get(name)?.[0] ?? '';
  return html`<label>${label}<input type="${type}" name="${name}" value="${value}" size="${size}"${wrong !== undefined && html` aria-invalid="true" aria-describedby="wrong-${name}"`}></label>`;
}

function filters({ view, currencies }: QueueModel): Html {
  const rules = RULES.map(({ code: rule }) => rule).sort();
  const more = (['assignee', 'currency', 'status', 'moved', 'kind', 'month', 'amount', 'host'] as const).some(
    (name) => view.values.has(name) || view.wrong.some((each) => each.name === name),
  );
  return html`<section class="card"><form method="get" action="/breaks" role="search" aria-label="Filter the breaks"><div class="row">
${entry(view, 'text', 'Search', 'search', 22)}
${choice(view, 'rule', 'Rule', rules, 'any')}
${choice(view, 'severity', 'Severity', [...SEVERITIES].reverse(), 'any')}
${choice(view, 'state', 'State', [...BREAK_STATES, 'all'], 'needs a decision')}
${view.sort !== 'stake' && html`<input type="hidden" name="sort" value="${view.sort}">`}
${view.reversed && html`<input type="hidden" name="order" value="reversed">`}
${view.values.has('record') && html`<input type="hidden" name="record" value="${view.values.get('record')?.[0] ?? ''}">`}
<button>Filter</button></div>
<details class="more"${more && html` open`}><summary>More filters</summary><div class="row">
${entry(view, 'assignee', 'Assignee (- for none)', 'text', 14)}
${choice(view, 'currency', 'Currency', currencies, 'any')}
${entry(view, 'status', 'Record status', 'text', 14)}
${choice(view, 'moved', 'Money moved', MONEY_MOVED, 'any')}
${choice(view, 'kind', 'Kind', BREAK_KINDS, 'any')}
${entry(view, 'month', 'Month of the record', 'month', 9)}
${entry(view, 'amount', 'At least', 'text', 8)}
${entry(view, 'host', 'Host reference', 'text', 14)}
</div></details></form></section>`;
}

/** The heading of the sorted column reverses the order. */
function sortHead(view: View, sort: QueueSort, label: string, numeric = false): Html {
  const isSorted = view.sort === sort;
  // By age the oldest come first, by the others the largest.
  const order = (sort === 'age') !== view.reversed ? 'ascending' : 'descending';
  const next = viewQuery({ ...view, sort, reversed: isSorted && !view.reversed });
  return html`<th scope="col"${numeric && html` class="num"`}${isSorted && html` aria-sort="${order}"`}><a href="/breaks?${next}">${label}${isSorted && html` <span aria-hidden="true">${order === 'ascending' ? '↑' : '↓'}</span>`}</a></th>`;
}

/** The form of the page's checkboxes: HTML allows no form inside a table row. */
function chosenForm(view: View): Html {
  const inView = [...new URLSearchParams(viewQuery(view))];
  return html`<form class="row" id="chosen" method="get" action="/bulk"><input type="hidden" name="ticked" value="yes">${inView.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<span class="faint">The breaks that are ticked:</span><button class="second">Decide about them…</button><button class="second" formaction="/claims/new">Claim them from the Service…</button></form>`;
}

function table({ view, rows, led, reporting, now, timezone }: QueueModel, works: boolean): Html {
  // As the files of the newest night count it.
  const asOf = lastFullDate(now, timezone);
  return html`<div class="scroll" role="region" aria-label="Breaks" tabindex="0"><table class="fold"><caption>Breaks of this view, with the host reference under the record, and the assignee under the state. A record with money at stake is one line, the break that explains most of it, with those that it leads. What is owed to you comes first, ${reporting === null ? 'then each currency with its largest amounts first' : `and the largest amounts first, in ${reporting.currency} by ${ratesInWords(reporting)}`}.</caption>
<thead><tr>${works && html`<th scope="col" class="pick"><span class="spoken">Choose</span></th>`}<th scope="col">Break</th>${sortHead(view, 'severity', 'Severity')}${sortHead(view, 'stake', 'Money at stake', true)}<th scope="col">Record</th>${sortHead(view, 'age', 'Age')}<th scope="col">State</th></tr></thead>
<tbody>${rows.map((each) => row(each, led.get(each.breakId) ?? [], view, { asOf, works, reporting }))}</tbody></table></div>`;
}

/** The newest day stands for all: rates of a file may be of several days. */
function ratesInWords({ rates }: Reporting): string {
  const newest = [...rates.values()].sort((a, b) => (a.date < b.date ? 1 : -1))[0];
  return newest === undefined ? 'no rate yet' : `rates up to ${newest.date} (${newest.source})`;
}

function inReporting({ moneyAtStake, recordCurrency }: CurrentBreak, reporting: Reporting | null): Value {
  if (reporting === null || moneyAtStake === null || recordCurrency === null || recordCurrency === reporting.currency)
    return null;
  const amount = converted(moneyAtStake, recordCurrency, reporting);
  return amount === null
    ? html`<br><span class="faint">no rate</span>`
    : html`<br><span class="faint">${money(inPlacesOf(amount, reporting.currency), reporting.currency)}</span>`;
}

function row(
  each: CurrentBreak,
  led: readonly CurrentBreak[],
  view: View,
  { asOf, works, reporting }: { asOf: BusinessDate; works: boolean; reporting: Reporting | null },
): Html {
  const inView = viewQuery(view, { view: '1' });
  const days = ageInDays(each, asOf);
  return html`<tr data-row>${works && html`<td class="pick"><input type="checkbox" form="chosen" name="break" value="${each.breakId}" aria-label="Choose ${each.rule} on ${each.recordId}"></td>`}<th scope="row" class="words"><a data-open href="/breaks/${each.breakId}?${inView}">${code(each.rule)}</a><br><span class="faint">${prose(each.explanation)}</span>${led.length > 0 && html`<br><span class="faint">with </span>${led.map(({ breakId, rule }, i) => html`${i > 0 && ', '}<a href="/breaks/${breakId}?${inView}">${code(rule)}</a>`)}`}</th>
<td><span class="badge ${each.severity}">${each.severity}</span></td>
<td class="num">${stake(each)}${inReporting(each, reporting)}</td>
<td class="id">${recordLink(each)}${each.hostReference !== null && html`<br>${isolated(each.hostReference)}`}</td>
<td class="short">${counted(days, 'day')}</td>
<td>${each.state}${each.assignee !== null && html`<br><span class="faint">${isolated(each.assignee)}</span>`}</td></tr>`;
}

function empty(view: View): Html {
  return view.values.size === 0
    ? html`<div class="empty"><h2>Nothing needs a decision</h2><p>Every break is waived or resolved. The next night may find others.</p></div>`
    : html`<div class="empty"><h2>No break matches</h2><p><a href="/breaks">Remove the filters</a> to see all that need a decision.</p></div>`;
}

function savedViews(frame: Frame, { view, saved }: QueueModel): Html {
  const query = viewQuery(view);
  const mine = saved.filter(({ owner }) => owner === frame.person?.actor.account);
  return html`<details${saved.length > 0 && html` open`}><summary>Saved views</summary>
${saved.length > 0 && html`<ul class="pills">${saved.map((each) => html`<li><a href="/breaks?${each.query}"${each.query === query && html` aria-current="true"`}>${isolated(each.name)}${each.shared && html` <span class="faint">shared</span>`}</a></li>`)}</ul>`}
<div class="row"><form class="row" method="post" action="/views">${token(frame)}<input type="hidden" name="query" value="${query}">
<label>Save this view as<input name="name" required maxlength="80" size="18"></label>
<label class="check"><input type="checkbox" name="shared" value="yes">shared with all</label><button class="second">Save</button></form>
${mine.length > 0 && html`<form class="row" method="post" action="/views/forget">${token(frame)}<label>Forget a view of mine<select name="name">${mine.map(({ name }) => html`<option value="${name}">${name}</option>`)}</select></label><button class="second">Forget</button></form>`}</div></details>`;
}
