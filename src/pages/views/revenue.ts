/** The host's revenue, a statement, and a price list as HTML. */
import { type Payout, payoutsIn, type StatementLine } from '../../domain/payout.ts';
import { isoInstant } from '../../domain/record.ts';
import type { SettledMonth, SettledPayout } from '../../ports/settled.ts';
import { count, counted } from '../../text/counts.ts';
import { may } from '../../worklist/roles.ts';
import type { PagesEdges } from '../contract.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { code, type Frame, money, token, UNKNOWN } from '../layout.ts';

type Revenue = Awaited<ReturnType<PagesEdges['payments']['revenue']>>;
type Compared = Awaited<ReturnType<PagesEdges['comparePrices']>>;

const works = ({ person }: Frame) => person !== null && may(person.roles, 'work');

export function revenueHtml(frame: Frame, { months: legs, payouts }: Revenue): Html {
  const wrong = legs.filter(({ finding }) => finding !== null).length;
  const unknown = legs.reduce((sum, leg) => sum + leg.unknown, 0);
  return html`<h1>Revenue</h1>
<p class="lead">${legs.length === 0 ? 'No record has a known share so far.' : wrong === 0 ? 'No payment that is due is missing, and none differs from what was earned.' : `${counted(wrong, 'month is', 'months are')} not paid as earned.`}</p>
${unknown > 0 && html`<p>${counted(unknown, 'released record has', 'released records have')} no known share, and add${unknown === 1 && 's'} nothing here; ${code('tieout revenue accrual')} names them.</p>`}
<section class="card"><h2>Months</h2>${legs.length === 0 ? html`<p class="faint">None yet.</p>` : sheetTable(legs)}</section>
<section class="card"><h2>Payments</h2>${payouts.length === 0 ? html`<p class="faint">None is stored yet.</p>` : paymentsTable(payouts, (each) => html`${each.state}${each.month !== null && html`<br>${each.month}`}`)}</section>
${works(frame) && uploadForm(frame)}
<p><a href="/prices">Check a price list</a></p>`;
}

const SHEET = [
  'Opening',
  '+ earned',
  '− paid',
  '± clawback',
  '± exchange',
  '= closing',
  '0–30 days',
  '31–60',
  '61–90',
  'Older',
  'In the books',
];

/** Opening to closing balance, as `revenue_reconciliation.csv` has it. */
export function sheetTable(months: readonly SettledMonth[]): Html {
  return html`<div class="scroll" role="region" aria-label="Reconciliation" tabindex="0"><table class="fold broad"><caption>Opening + earned − paid ± clawback ± exchange = closing, owed by ${[...new Set(months.map(({ partner }) => partner))].join(', ')}, by the month in which it was earned.</caption><thead><tr><th scope="col">Month</th><th scope="col">Currency</th>${SHEET.map((head) => html`<th scope="col" class="num">${head}</th>`)}<th scope="col">Due</th><th scope="col">Found</th></tr></thead><tbody>${months.map(
    (row) => {
      const { month, currency, opening, sheet, closing, aged, posted } = row;
      const amounts = [opening, sheet.earned, sheet.paid, sheet.clawback, sheet.exchange, closing, ...aged, posted];
      const breaks = new URLSearchParams({ record: `${month}-${currency}`, state: 'all' });
      const found = [
        row.finding !== null && code(row.finding),
        row.finding === null && row.carriedForward !== null && 'carried forward',
        row.unknown > 0 && unknownShares(row),
      ].filter((each) => each !== false);
      return html`<tr data-row><th scope="row" class="short"><a data-open href="/breaks?${String(breaks)}">${month}</a></th><td>${currency}</td>${amounts.map((each) => html`<td class="num">${money(each, currency, 'bare')}</td>`)}<td class="short">${row.dueDate}</td><td>${found.length === 0 ? html`<span class="faint">nothing</span>` : found.map((each) => html`<div>${each}</div>`)}</td></tr>`;
    },
  )}</tbody></table></div>`;
}

/** They add nothing to the amounts of their month. */
const unknownShares = ({ unknown, estimated, currency }: SettledMonth) =>
  html`${counted(unknown, 'share is', 'shares are')} not known${estimated !== null && html` (estimated: ${money(estimated, currency)})`}`;

/** @param last what the last column says */
function paymentsTable<Each extends Payout>(
  payouts: readonly Each[],
  last: (payout: Each) => Value,
  title = 'Payments',
): Html {
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="fold"><caption>${title} in the order of their days</caption><thead><tr><th scope="col">Paid</th><th scope="col" class="num">Amount</th><th scope="col">Type</th><th scope="col">Source</th><th scope="col">Reference</th><th scope="col">What it pays</th></tr></thead><tbody>${payouts.map(
    (each) =>
      html`<tr><th scope="row" class="short">${isoInstant(each.paidAt).slice(0, 10)}</th><td class="num">${money(each.amount, each.currency)}</td><td>${each.type}</td><td>${each.source}</td><td class="id">${each.reference === null ? UNKNOWN : isolated(each.reference)}</td><td>${last(each)}</td></tr>`,
  )}</tbody></table></div>`;
}

function uploadForm(frame: Frame): Html {
  return html`<section class="card"><h2>Read a statement</h2><form class="stack" method="post" action="/revenue/preview" enctype="multipart/form-data">${token(frame)}
<label>Statement (CSV, camt.053 or MT940, up to 1 MiB)<input type="file" name="file" required></label>
<label>Names of its columns, where they are not date, amount, currency, reference, period<input name="columns" maxlength="500" placeholder="date=Paid amount=&quot;Net sum&quot;"></label>
<label class="check"><input type="checkbox" name="lines" value="yes">a line for each transaction, which is compared and pays nothing</label>
<button>Preview</button></form><p class="faint">Nothing is stored before you have seen what would be.</p></section>`;
}

export interface Statement {
  fileName: string;
  bytes: Uint8Array;
  isLines: boolean;
  columns: string;
  lines: readonly StatementLine[];
}

interface Effect {
  before: Revenue;
  after: Revenue;
  /** Ids of stored payments and lines. */
  known: ReadonlySet<string>;
}

const textOf = ({ paid, closing, carriedForward, finding }: SettledMonth) =>
  [paid, closing, carriedForward, finding].join(' ');

export function statementHtml(frame: Frame, statement: Statement, { before, after, known }: Effect): Html {
  const { fileName, bytes, isLines, columns, lines } = statement;
  // What is compared pays nothing.
  const [noun, title] = isLines ? ['line', 'Lines'] : ['payment', 'Payments'];
  const payouts = payoutsIn(lines);
  const fresh = payouts.filter(({ payoutId }) => !known.has(payoutId));
  const reasons = lines.flatMap((line) =>
    'rejected' in line
      ? [html`<li class="bad">Line ${line.line} is rejected: ${line.rejected}</li>`]
      : 'leftOut' in line
        ? [html`<li>Line ${line.line} is left out: ${line.leftOut}</li>`]
        : [],
  );
  const notes = lines.flatMap((line) =>
    'note' in line ? [html`<li class="bad">Line ${line.line}: ${line.note}</li>`] : [],
  );
  const standing = new Map(before.months.map((leg) => [`${leg.month} ${leg.currency}`, textOf(leg)]));
  const changed = after.months.filter((leg) => standing.get(`${leg.month} ${leg.currency}`) !== textOf(leg));
  const states = new Map(after.payouts.map((each): [string, SettledPayout] => [each.payoutId, each]));
  const pays = ({ payoutId }: Payout) => {
    const { state, month } = states.get(payoutId) ?? { state: isLines ? 'compared' : 'as stored', month: null };
    return html`${known.has(payoutId) && 'stored already: '}${state}${month !== null && html`<br>${month}`}`;
  };
  return html`<p class="crumb"><a data-up href="/revenue">← Revenue</a></p>
<h1>What ${isolated(fileName)} would add</h1>
<p class="lead">${counted(fresh.length, noun)} would be added, ${count(payouts.length - fresh.length)} are stored already, ${counted(reasons.length, 'line is', 'lines are')} not taken.</p>
${reasons.length > 0 && html`<section class="card"><h2>Lines that are not taken</h2><ul>${reasons}</ul></section>`}
${notes.length > 0 && html`<section class="card"><h2>Is the statement whole?</h2><ul>${notes}</ul></section>`}
${payouts.length > 0 && html`<section class="card"><h2>${title} of the statement</h2>${paymentsTable(payouts, pays, title)}</section>`}
<section class="card"><h2>Months that it changes</h2>${changed.length === 0 ? html`<p class="faint">None.</p>` : sheetTable(changed)}</section>
${
  fresh.length > 0 &&
  html`<form method="post" action="/revenue" enctype="multipart/form-data">${token(frame)}${Object.entries({ name: fileName, lines: isLines ? 'yes' : '', columns, statement: Buffer.from(bytes).toString('base64') }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>Store ${counted(fresh.length, noun)}</button> <a class="button second" href="/revenue">Leave it</a></form>`
}`;
}

export function pricesHtml(frame: Frame, { month, found }: { month: string; found: Compared | null }): Html {
  return html`<p class="crumb"><a data-up href="/revenue">← Revenue</a></p>
<h1>Prices</h1><p class="lead">A price list is checked for overlaps, gaps and unreadable lines, and held against the fees of a month. Nothing is stored.</p>
${found !== null && comparedHtml(found, month)}
${works(frame) && html`<section class="card"><h2>Check a price list</h2><form class="stack" method="post" action="/prices" enctype="multipart/form-data">${token(frame)}<label>Price list (YAML)<input type="file" name="file" required></label><label>Month<input name="month" type="month" required value="${month}"></label><button>Check it</button></form></section>`}`;
}

function comparedHtml({ list, rows }: Compared, month: string): Html {
  return html`<section class="card"><h2>${isolated(list.name)}</h2><p class="good">No problem found.</p><ul>${list.versions.map(({ version, from, to, lines }) => html`<li>Version ${version}: ${isoInstant(from).slice(0, 10)} to ${to === null ? 'further notice' : isoInstant(to).slice(0, 10)}, ${counted(lines.length, 'fee')}</li>`)}</ul>
${
  rows.length === 0
    ? html`<p class="faint">No record of ${month} was read.</p>`
    : html`<div class="scroll" role="region" aria-label="Fees by currency" tabindex="0"><table class="fold"><caption>Records of ${month} that state a fee and have a price, by currency</caption><thead><tr>${['Currency', 'Records', 'With a price', 'Differ', 'Charged', 'By the list', 'Above', 'Below'].map((head, i) => html`<th scope="col"${i > 0 && html` class="num"`}>${head}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr><th scope="row">${row.currency}</th>${[row.records, row.priced, row.differing].map((n) => html`<td class="num">${count(n)}</td>`)}${[row.charged, row.contract, row.above, row.below].map((sum) => html`<td class="num">${money(sum, row.currency)}</td>`)}</tr>`)}</tbody></table></div>`
}</section>`;
}
