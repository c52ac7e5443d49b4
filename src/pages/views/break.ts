/** One break as HTML: the sentence first, then money, the promise beside the fact, the evidence, its life. */

import { type Bearer, type BreakEvent, type BreakKind, isOnRecord } from '../../domain/break.ts';
import type { Decimal } from '../../domain/decimal.ts';
import type { MoneyMoved } from '../../domain/status.ts';
import { type BreakStory, sidesOf } from '../../explain/story.ts';
import type { QuoteAnswer } from '../../ports/service.ts';
import type { CurrentBreak, Note } from '../../ports/store/store.ts';
import { count, counted } from '../../text/counts.ts';
import { indentedJson } from '../../text/indented-json.ts';
import { withoutSecrets } from '../../worklist/quote-text.ts';
import { may } from '../../worklist/roles.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import {
  code,
  comparedMoney,
  exact,
  type Frame,
  instant,
  money,
  pairs,
  prose,
  recordLink,
  stake,
  token,
  UNKNOWN,
  withNames,
} from '../layout.ts';
import { actionsHtml } from './break-actions.ts';
import type { BreakModel } from './break-model.ts';

export function breakHtml(frame: Frame, model: BreakModel): Html {
  const { story } = model;
  const { standing, rule } = story;
  return html`<nav class="crumb" aria-label="In the view"><a data-up href="${model.up}">← All of the view</a>${model.previous !== null && html`<a rel="prev" href="${model.previous}">Previous</a>`}${model.next !== null && html`<a rel="next" href="${model.next}">Next</a>`}</nav>
<h1>${code(standing.rule)} <span class="badge ${standing.severity}">${standing.severity}</span> <span class="badge">${standing.state}</span></h1>
${movedHtml(standing)}
<p class="lead">${prose(standing.explanation)}</p>
<div class="split"><div>
<section class="card"><h2>The money</h2>${figures(standing)}</section>
${promiseHtml(story, model.quote)}
<section class="card"><h2>The arithmetic</h2>${workings(story)}</section>
<section class="card"><h2>Why it matters, and what to do</h2>${rule !== null && html`<p>${withNames(rule.why)}</p>`}<p>${withNames(story.action)}</p><p class="faint">What settles it: ${withNames(story.settledBy)}</p></section>
<section class="card"><h2>Evidence</h2>${evidenceHtml(model)}</section>
<section class="card"><h2>History</h2><ol class="life">${story.events.map(eventHtml)}</ol></section>
</div><aside aria-label="What to do with it">
${frame.person !== null && may(frame.person.roles, 'work') && actionsHtml(frame, model)}
${relatedHtml(model)}
${colleaguesHtml(frame, model)}
</aside></div>`;
}

const MOVED: Readonly<Record<MoneyMoved, string>> = {
  yes: 'money has moved',
  no: 'no money has moved',
  pending: 'money is under way',
  unknown: 'it is not known whether money has moved',
};

const LOST_BY: Readonly<Record<Bearer, string>> = {
  user: 'the user bears the loss',
  service: 'the Service bears the loss',
  host: 'owed to you',
};

/** The status of the record and what has moved, as of the run that last reported the break. */
function movedHtml({ kind, recordStatus, moneyMoved, lossBearer }: CurrentBreak): Value {
  const parts = [
    recordStatus === null ? null : html`Record ${code(recordStatus)}`,
    // Of a month, a market or a run it says nothing: a payment that is missing has not moved.
    moneyMoved === null || !isOnRecord(kind) ? null : MOVED[moneyMoved],
    lossBearer === null ? null : LOST_BY[lossBearer],
  ].filter((part) => part !== null);
  // The first word of a sentence.
  const shown = parts.map((part, i) =>
    i === 0 && typeof part === 'string' ? `${part[0]?.toUpperCase()}${part.slice(1)}` : part,
  );
  return shown.length > 0 && html`<p class="moved">${shown.map((part, i) => html`${i > 0 && ', '}${part}`)}.</p>`;
}

function figures(all: CurrentBreak): Html {
  const { expected, actual, difference, currency, tolerance, field: name, ...standing } = all;
  const { actual: is, expected: should } = sidesOf(all);
  const compared = is === null || should === null || currency === null ? money : comparedMoney(is, should, currency);
  const amount = standing.unit === 'money' ? compared : exact;
  const side = (value: string | null, figure: Decimal | null) => {
    if (value === null) return UNKNOWN;
    return figure === null ? html`${isolated(value)}` : amount(figure, currency);
  };
  return pairs([
    ['Money at stake', stake(all)],
    ['Difference', amount(difference, currency)],
    ['Expected', side(expected, should)],
    ['Found', side(actual, is)],
    ['Field', code(name)],
    ['Tolerance', tolerance === null ? null : exact(tolerance, currency)],
    ['Record', recordLink(standing)],
    ['Host reference', standing.hostReference === null ? UNKNOWN : isolated(standing.hostReference)],
    ['Assignee', standing.assignee === null ? 'not assigned' : isolated(standing.assignee)],
    ['First seen', standing.firstSeenDate],
    ['Last seen', standing.lastSeenDate],
    ['Reopened', standing.timesReopened === 0 ? null : counted(standing.timesReopened, 'time')],
    [
      'Waived',
      standing.waiver === null
        ? null
        : html`by ${isolated(standing.waiver.author)}, until ${standing.waiver.until ?? 'further notice'}: ${standing.waiver.reason}`,
    ],
  ]);
}

/** The promise beside the fact, line by line; null where the record was not read. */
export function promiseHtml(
  { state, judgedIn }: Pick<BreakStory, 'state' | 'judgedIn'>,
  captured: QuoteAnswer | null,
): Value {
  const method = judgedIn?.quote?.method ?? null;
  if (judgedIn === null || state === null) return null;
  const quote = judgedIn.quote?.quote ?? null;
  const unit = state.fiatCurrency;
  const lines: readonly (readonly [string, Decimal | null, Decimal | null])[] = [
    ['Total', method?.fiatValue ?? null, state.fiatValue],
    ['Applied fee', method?.appliedFee ?? null, state.appliedFee],
    ['Base fee', method?.baseFee ?? null, state.baseFee],
    ['Network fee', method?.networkFee ?? null, state.networkFee],
    ['Host fee cut', method?.hostFeeCut ?? null, state.hostFeeCut],
    ['Exchange rate', method?.exchangeRate ?? null, state.exchangeRate],
  ];
  const row = ([label, promised, happened]: (typeof lines)[number]) => {
    const isCompared = promised !== null && happened !== null;
    const isRate = label === 'Exchange rate';
    const places = isRate && happened !== null ? ratePlaces(happened) : undefined;
    const shown = isCompared ? comparedMoney(happened, promised, unit, places) : isRate ? exact : money;
    const cells = [promised, happened, isCompared ? happened.minus(promised) : null];
    return html`<tr><th scope="row">${label}</th>${cells.map((each) => html`<td class="num">${shown(each, unit)}</td>`)}</tr>`;
  };
  return html`<section class="card"><h2>Promised and recorded</h2>
<div class="scroll" role="region" aria-label="Promised and recorded" tabindex="0"><table class="fold"><caption>${quote === null ? 'No quote belongs to the record, so there is no promise to check it against.' : html`Quote <code>${quote.quoteId}</code>, ${judgedIn.quote?.basis ?? ''}, captured ${instant(quote.capturedAt)}`}</caption>
<thead><tr><th scope="col">Line</th><th scope="col" class="num">Promised</th><th scope="col" class="num">Recorded</th><th scope="col" class="num">Difference</th></tr></thead>
<tbody>${lines.map(row)}</tbody></table></div>${
    captured !== null &&
    html`<details class="more"><summary>The quote as it was captured</summary><p class="faint">Asked:</p><pre tabindex="0">${pretty(withoutSecrets(captured.request))}</pre><p class="faint">Answered:</p><pre tabindex="0">${pretty(withoutSecrets(captured.response))}</pre></details>`
  }</section>`;
}

const RATE_DIGITS = 10;

/** Rates come from floating point: beyond ten digits they differ by nothing. The title of a figure has every digit. */
function ratePlaces(rate: Decimal): number {
  const [whole = '', fraction = ''] = rate.abs().toString().split('.');
  return whole === '0' ? RATE_DIGITS + fraction.search(/[1-9]|$/) : Math.max(0, RATE_DIGITS - whole.length);
}

function workings({ workings: lines, recomputed }: BreakStory): Html {
  const again: Value = {
    agrees: 'Judged again from what the run stored: the same finding, to the digit.',
    differs:
      'Judged again from what the run stored, it comes out otherwise. Do not rely on this break before an engineer has looked.',
    'not-found':
      'Judged again from what the run stored, the rule finds nothing. Do not rely on this break before an engineer has looked.',
    'not-recomputed':
      recomputed.outcome === 'not-recomputed' && withNames(`Could not be worked out again: ${recomputed.why}.`),
  }[recomputed.outcome];
  return html`${pairs(lines.map(({ label, working, result, unit }) => [label, html`${working !== null && html`${prose(working)} = `}<strong>${isolated(prose(result))}</strong>${unit !== null && html` <span class="cur">${unit}</span>`}`] as const))}<p class="faint">${again}</p>`;
}

const NONE_CAME = html`No body came back, so there is none to show.`;

const WITHOUT_BODY: Readonly<Record<BreakKind, Html>> = {
  purchase: NONE_CAME,
  sale: NONE_CAME,
  payout: html`It is about payments: <a href="/revenue">the months and payments</a>.`,
  market: html`It is about many records, each with a body of its own.`,
  run: html`It is about many records, each with a body of its own.`,
};

function evidenceHtml({ story, evidence }: BreakModel): Html {
  const { standing, record } = story;
  const hash = standing.evidenceSha256;
  const pack = html`<p><a class="button second" href="/breaks/${standing.breakId}/evidence.zip" download>Evidence for an outsider (ZIP)</a></p><p class="faint">The break, its arithmetic, body and quote with their hashes, and how to check them with sha256sum and openssl.</p>`;
  if (hash === null) return html`<p>${WITHOUT_BODY[standing.kind]}</p>${pack}`;
  return html`${pairs([
    ['SHA-256 of the body', html`<code>${hash}</code>`],
    ['Seen', record === null ? null : counted(record.sightings.length, 'time')],
  ])}${bodyHtml(
    evidence,
  )}${evidence !== null && html`<p><a href="/breaks/${standing.breakId}/evidence.json" download>Download it</a></p>`}${pack}`;
}

/** @param text null where none is kept */
export function bodyHtml(text: string | null): Html {
  return text === null
    ? html`<p class="faint">Its text is sealed, or past its retention.</p>`
    : html`<details><summary>The body as received, tokens cut out</summary><pre tabindex="0">${pretty(text)}</pre></details>`;
}

/** The page shows the beginning of a body; the whole body can be downloaded. */
const LONGEST_SHOWN = 20_000;

/** A body that is no JSON is shown as it came. */
function pretty(evidence: string): string {
  try {
    JSON.parse(evidence);
    return indentedJson(evidence.slice(0, LONGEST_SHOWN));
  } catch {
    return evidence.slice(0, LONGEST_SHOWN);
  }
}

function eventHtml({ at, type, who, proof, account, runId, reason, after }: BreakEvent): Html {
  const by =
    runId === null
      ? html`by ${isolated(who)}${proof !== undefined && html` <span class="faint">(${proof}, ${isolated(account ?? '')})</span>`}`
      : html`in <a href="/runs/${runId}">${runId}</a>`;
  return html`<li>${instant(at)}: <strong>${type}</strong> ${by}${type === 'assigned' && html` to ${isolated(after.assignee ?? 'no person')}`}${reason !== null && html`<br>${reason}`}</li>`;
}

function relatedHtml({ story, related, claim }: BreakModel): Html {
  const others = related.filter(({ breakId }) => breakId !== story.standing.breakId);
  return html`<section class="card"><h2>Related</h2>${claim !== null && html`<p>In claim <a href="/claims/${claim.claim.claimId}">${isolated(claim.claim.title)}</a>, ${claim.claim.state}${claim.item !== null && html`: ${money(claim.item.claimed, claim.item.currency)} claimed, ${money(claim.item.recovered, claim.item.currency)} recovered`}.</p>`}
${others.length === 0 ? html`<p class="faint">No other break of this record.</p>` : html`<ul>${others.map((each) => html`<li><a href="/breaks/${each.breakId}">${code(each.rule)}</a>, ${each.state}, ${stake(each)}</li>`)}</ul>`}
<p><a href="/groups?break=${story.standing.breakId}">Breaks of the same cause</a></p></section>`;
}

/** Notes and attachments. */
function colleaguesHtml(frame: Frame, { story, notes, attachments }: BreakModel): Html {
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
