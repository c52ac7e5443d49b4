/** One record as HTML: what it is, the promise beside the fact, where it came from, its life, its breaks. */
import { assetIdentifier } from '../../domain/asset.ts';
import { Decimal } from '../../domain/decimal.ts';
import type { HostShare } from '../../domain/host-share.ts';
import type { KnownRecordStory } from '../../explain/explain-record.ts';
import type { QuoteAnswer } from '../../ports/service.ts';
import type { CurrentBreak, TrackedRecord } from '../../ports/store/store.ts';
import { counted } from '../../text/counts.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { code, exact, instant, money, pairs, stake, UNKNOWN } from '../layout.ts';
import { bodyHtml, promiseHtml } from './break.ts';

export interface RecordModel {
  story: KnownRecordStory;
  quote: QuoteAnswer | null;
  evidence: { sha256: string; text: string | null } | null;
  share: HostShare | null;
  breaks: readonly CurrentBreak[];
}

const pathOf = (kind: string, id: string) => `/records/${kind}/${encodeURIComponent(id)}`;

export function recordsHtml(wanted: string, found: readonly TrackedRecord[]): Html {
  return html`<h1>Records</h1>
<section class="card"><form method="get" action="/records" role="search" aria-label="Find a record"><div class="row"><label>Id or host reference <input type="search" name="q" value="${wanted}" required maxlength="200"></label><button>Find</button></div></form></section>
${
  wanted !== '' &&
  html`<section class="card">${
    found.length === 0
      ? html`<div class="empty"><p>No tracked record has the id or the host reference ${isolated(wanted)}.</p></div>`
      : html`<ul>${found.map(({ kind, id, facts, projection }) => html`<li>${kind} <a href="${pathOf(kind, id)}"><code>${id}</code></a>${facts.hostReference !== null && html`, ${isolated(facts.hostReference)}`}, ${projection.status ?? 'no status yet'}</li>`)}</ul>`
  }</section>`
}`;
}

export function recordHtml({ story, quote, evidence, share, breaks }: RecordModel): Html {
  const { kind, recordId, record, state, judgedIn } = story;
  return html`<p class="crumb"><a data-up href="/records">← Find another record</a></p>
<h1>${kind === 'purchase' ? 'Purchase' : 'Sale'} <code>${recordId}</code></h1>
<div class="split"><div>
<section class="card"><h2>What it is</h2>${pairs([
    [
      'Status',
      record.status === null
        ? UNKNOWN
        : html`${code(record.status)}${record.statusSince !== null && html` since ${instant(record.statusSince)}`}`,
    ],
    ['Host reference', record.facts.hostReference === null ? UNKNOWN : isolated(record.facts.hostReference)],
    ['Created', instant(state?.createdAt ?? null)],
    ['Fiat', state === null ? UNKNOWN : money(state.fiatValue, state.fiatCurrency)],
    [
      'Crypto',
      state === null
        ? UNKNOWN
        : exact(Decimal.of(state.cryptoUnits, state.asset.decimals), assetIdentifier(state.asset)),
    ],
    ['Price fixed within', judgedIn?.priceWindow ?? null],
    ['Payment method', state?.paymentMethod == null ? UNKNOWN : code(state.paymentMethod)],
    [
      'Your share',
      share === null
        ? UNKNOWN
        : html`${money(share.amount, state?.fiatCurrency ?? null)} <span class="faint">by the ${share.source}</span>`,
    ],
    ['Tracked', html`${instant(record.trackedAt)}, by ${record.origin}`],
    ['Last verified', instant(record.lastVerifiedAt)],
    ['Judged in', judgedIn === null ? UNKNOWN : html`<a href="/runs/${judgedIn.runId}">${judgedIn.runId}</a>`],
  ])}</section>
${promiseHtml(story, quote)}
<section class="card"><h2>Evidence</h2>${
    evidence === null
      ? html`<p>No body was read so far.</p>`
      : html`${pairs([
          ['SHA-256 of the body', html`<code>${evidence.sha256}</code>`],
          ['Seen', counted(record.sightings.length, 'time')],
        ])}${bodyHtml(evidence.text)}`
  }</section>
<section class="card"><h2>History</h2>${historyHtml(story)}</section>
</div><aside aria-label="Its breaks"><section class="card"><h2>Breaks</h2>${
    breaks.length === 0
      ? html`<p class="faint">None: it was never found wrong.</p>`
      : html`<ul>${breaks.map((each) => html`<li><a href="/breaks/${each.breakId}">${code(each.rule)}</a>, ${each.state}, ${stake(each)}</li>`)}</ul>`
  }</section></aside></div>`;
}

function historyHtml({ record: { status, statusChanges } }: KnownRecordStory): Value {
  if (status === null) return html`<p class="faint">No status is known yet.</p>`;
  if (statusChanges.length === 0) return html`<p class="faint">Its status did not change since it was first seen.</p>`;
  return html`<ol class="life">${statusChanges.map(({ from, to, toSeenAt }) => html`<li>${instant(toSeenAt)}: ${code(from)} → ${code(to)}</li>`)}</ol>`;
}
