/** Runs as HTML; every figure links to the rows behind it. */

import type { Run } from '../../domain/run.ts';
import type { Manifest } from '../../publish/manifest.ts';
import { count, counted } from '../../text/counts.ts';
import { type Html, html, isolated, type Value } from '../html.ts';
import { instant, pairs, UNKNOWN } from '../layout.ts';

export function runsHtml(runs: readonly Run[]): Html {
  return html`<h1>Runs</h1><p class="lead">${runs.length === 0 ? 'Nothing has run yet.' : `The last ${count(runs.length)}, newest first.`}</p>
<section class="card">${
    runs.length === 0
      ? html`<div class="empty"><p>The first night makes the first run.</p></div>`
      : html`<div class="scroll" role="region" aria-label="Runs" tabindex="0"><table class="fold"><caption>Runs</caption><thead><tr><th scope="col">Run</th><th scope="col">State</th><th scope="col" class="num">Records</th><th scope="col" class="num">With a break</th><th scope="col" class="num">Not verified</th><th scope="col" class="num">Requests</th><th scope="col">Finished</th></tr></thead><tbody>${runs.map(runRow)}</tbody></table></div>`
  }</section>`;
}

function runRow({ runId, state, population, verdicts, requestsSent, finishedAt }: Run): Html {
  const unverified = verdicts === null ? null : verdicts.unverified + verdicts.quarantined;
  return html`<tr data-row><th scope="row" class="id"><a data-open href="/runs/${runId}">${runId}</a></th><td><span class="badge ${state === 'complete' ? 'good' : 'warn'}">${state}</span></td><td class="num">${count(population)}</td><td class="num">${verdicts === null ? UNKNOWN : count(verdicts.break)}</td><td class="num">${unverified === null ? UNKNOWN : count(unverified)}</td><td class="num">${count(requestsSent)}</td><td>${instant(finishedAt)}</td></tr>`;
}

/** Records that were not verified, by outcome and reason. */
export type Uncovered = readonly { outcome: string; reason: string; records: number }[];

interface RunModel {
  manifest: Manifest | null;
  /** Null where it is not known. */
  uncovered: Uncovered | null;
  /** Requests that the limits allowed in the time of the run; null for no limit. */
  allowed: number | null;
}

export function runHtml(run: Run, { manifest, uncovered, allowed }: RunModel): Html {
  const { runId, verdicts } = run;
  const rowsOf = (file: string, filter: string, n: number): Value =>
    manifest?.files.some(({ name }) => name === file) === true && n > 0
      ? html`<a href="/runs/${runId}/rows/${file}?${filter}">${count(n)}</a>`
      : count(n);
  const names = verdicts === null ? [] : (Object.keys(verdicts) as (keyof typeof verdicts)[]);
  return html`<p class="crumb"><a data-up href="/runs">← All runs</a></p>
<h1>${runId} <span class="badge ${run.state === 'complete' ? 'good' : 'warn'}">${run.state}</span></h1>
<dl class="tiles"><div><dt>records</dt><dd>${rowsOf('records.csv', '', run.population)}</dd></div>${verdicts !== null && names.map((name) => html`<div><dt>${name}</dt><dd>${rowsOf('records.csv', `verdict=${name}`, verdicts[name])}</dd></div>`)}</dl>
<section class="card"><h2>Facts</h2>${pairs([
    ['Job', run.job],
    ['Business date', run.businessDate],
    ['Revision', String(run.revision)],
    ['Supersedes', run.supersedes],
    ['Started', instant(run.startedAt)],
    ['Finished', instant(run.finishedAt)],
    ['Requests sent', count(run.requestsSent)],
    [
      'Allowance used',
      allowed === null
        ? null
        : `${Math.min(100, Math.round((run.requestsSent * 100) / Math.max(1, allowed)))} % of the ${counted(allowed, 'request')} that the limits allow in its time`,
    ],
    ['Incomplete because', (manifest?.incomplete_because ?? []).join('; ')],
    ['Code version', run.codeVersion],
  ])}</section>
${manifest !== null && html`<section class="card"><h2>What was not verified, and why</h2>${coverage(runId, uncovered)}</section>`}
<section class="card"><h2>Files</h2>${manifest === null ? html`<p class="faint">Nothing is published of this run, or its folder is gone.</p>` : files(runId, manifest)}</section>`;
}

function coverage(runId: string, uncovered: Uncovered | null): Html {
  const rows = (filter: Record<string, string>, text: Value) =>
    html`<a href="/runs/${runId}/rows/coverage.csv?${new URLSearchParams(filter).toString()}">${text}</a>`;
  if (uncovered === null)
    return html`<p>${['deferred', 'unreachable', 'quarantined'].map((outcome, i) => html`${i > 0 && ' · '}${rows({ outcome }, outcome)}`)}</p>`;
  if (uncovered.length === 0) return html`<p class="good">Every record that was due was verified.</p>`;
  return html`<ul>${uncovered.map(({ outcome, reason, records }) => html`<li>${rows({ outcome, reason }, count(records))} ${outcome}: ${reason === '' ? 'no reason is known' : isolated(reason)}</li>`)}</ul>`;
}

function files(runId: string, manifest: Manifest): Html {
  return html`<div class="scroll" role="region" aria-label="Files" tabindex="0"><table class="fold"><caption>The report set, with the SHA-256 that the manifest has of each file. <a href="/runs/${runId}/files/manifest.json" download>manifest.json</a></caption><thead><tr><th scope="col">File</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Bytes</th><th scope="col">SHA-256</th></tr></thead><tbody>${manifest.files.map(({ name, rows, bytes, sha256 }) => html`<tr data-row><th scope="row"><a data-open href="/runs/${runId}/files/${name}" download>${name}</a></th><td class="num">${rows === null ? UNKNOWN : name.endsWith('.csv') ? html`<a href="/runs/${runId}/rows/${name}">${count(rows)}<span class="spoken"> rows of ${name}</span></a>` : count(rows)}</td><td class="num">${count(bytes)}</td><td class="words"><code>${sha256}</code></td></tr>`)}</tbody></table></div>`;
}

/** Characters of a text that is longer than a hash. */
const SENTENCE = 64;
/** The same in every row. */
const OF_RUN = new Set(['run_id', 'business_date']);

export interface FoundRows {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Where the next page begins; null at the end. */
  next: number | null;
}

interface RowsModel extends FoundRows {
  run: Run;
  name: string;
  wanted: readonly (readonly [string, string])[];
  from: number;
}

export function rowsHtml({ run, name, wanted, from, columns, rows, next }: RowsModel): Html {
  const page = (at: number) =>
    `/runs/${run.runId}/rows/${name}?${new URLSearchParams([...wanted.map(([k, v]) => [k, v] as [string, string]), ['from', String(at)]])}`;
  return html`<p class="crumb"><a data-up href="/runs/${run.runId}">← ${run.runId}</a></p>
<h1>${name}</h1>${wanted.length > 0 && html`<ul class="pills" aria-label="Filters in force">${wanted.map(([column, value]) => html`<li class="pill">${column}: ${isolated(value)}</li>`)}</ul>`}
<section class="card">${rows.length === 0 ? html`<div class="empty"><p>No row.</p></div>` : html`<div class="scroll" role="region" aria-label="Rows" tabindex="0"><table class="fold wide"><caption>Rows ${count(from + 1)} to ${count(from + rows.length)}, as published</caption><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td class="${cell === '' || OF_RUN.has(columns[i] ?? '') ? 'aside' : cell.length > SENTENCE ? 'words' : ''}">${cellOf(columns[i] ?? '', cell)}</td>`)}</tr>`)}</tbody></table></div>`}</section>
<nav class="pager" aria-label="Pages"><span>${from > 0 && html`<a rel="prev" href="${page(Math.max(0, from - 100))}">← Previous rows</a>`}</span><span>${next !== null && html`<a rel="next" href="${page(next)}">Next rows →</a>`}</span></nav>`;
}

function cellOf(column: string, cell: string): Value {
  if (cell === '') return UNKNOWN;
  if (column === 'break_id' && /^[0-9a-f]{64}$/.test(cell))
    return html`<a href="/breaks/${cell}"><code>${cell.slice(0, 12)}</code></a>`;
  if (column === 'record_id' && /^[A-Za-z0-9_-]{1,64}$/.test(cell))
    return html`<a href="/breaks?record=${cell}&amp;state=all">${cell}</a>`;
  return isolated(cell);
}
