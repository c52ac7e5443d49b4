/** The page as HTML: one file, no script, nothing from the network; headings, captions and tables serve screen readers. */

import { VERDICTS } from '../../domain/finding.ts';
import { kindsInWords } from '../../domain/record.ts';
import { reportedInWords } from '../../domain/reporting.ts';
import { BEARER_WORDS, pendingInWords } from '../../domain/stake-tally.ts';
import {
  type Figure,
  type Section,
  type SetFacts,
  type Tone,
  VERDICT_TONES,
  type ViewFacts,
} from '../../ports/html-view.ts';
import type { WrittenFile } from '../../ports/report-definition.ts';
import { count, counted } from '../../text/counts.ts';
import { chartOption } from './charts.ts';
import type { Draw } from './draw.ts';
import { amountHtml, escaped, tableHtml } from './markup.ts';
import { STYLE } from './style.ts';

/** Pixels; the narrow one is for phones, where the wide one's letters would be too small to read. */
const WIDTHS = { wide: 1230, beside: 560, narrow: 330 } as const;
/** Pixels of height that half a printed page can show. */
const LONG = 700;
/** A table of so few columns has room beside its chart. */
const FEW = 4;

export interface Page {
  facts: ViewFacts;
  sections: readonly Section[];
  files: readonly WrittenFile[];
  draw: Draw;
}

/** The page in pieces, top to bottom. */
export function* pageHtml({ facts, sections, files, draw }: Page): Generator<string> {
  const { set } = facts;
  const title = titleOf(set);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
`;
  yield headerHtml(facts, title, sections);
  yield '<main id="main">\n';
  let figure = 0;
  for (const section of sections) {
    yield `<section id="${section.id}" aria-labelledby="${section.id}-title">\n<h2 id="${section.id}-title">${escaped(section.title)}</h2>\n<p class="lead">${escaped(section.lead)}</p>\n`;
    for (const each of section.figures) yield figureHtml(each, `f${++figure}`, { draw, under: section.title });
    yield '</section>\n';
  }
  yield sourcesHtml(set);
  yield filesHtml(files);
  yield `</main>\n<footer><p>Made by Tieout ${escaped(set.code_version)} from the CSV files of ${escaped(set.run_id)}, which are the record. Amounts are shown to the places of their currency; every digit is kept in the page and shown when pointed at. An en dash (–) is unknown, never zero. Times are UTC, business dates ${escaped(set.timezone)}.</p></footer>\n</body>\n</html>\n`;
}

function titleOf({ job, business_date: date, revision }: SetFacts): string {
  if (job === 'period')
    return revision === 1 ? `Closed month ${date.slice(0, 7)}` : `Delta ${revision - 1} to ${date.slice(0, 7)}`;
  if (job === 'month-end') return `Month-end pack of ${date.slice(0, 7)}, revision ${revision}`;
  return `Reconciliation of ${date}: ${job}, revision ${revision}`;
}

function headerHtml(facts: ViewFacts, title: string, sections: readonly Section[]): string {
  const { set } = facts;
  const links = [...sections.map(({ id, title: name }) => ({ id, name })), { id: 'files', name: 'Files and proof' }];
  return `<header>
<h1>${escaped(title)}</h1>
<p class="meta">${[set.run_id, ...timesOf(set), ...(set.supersedes === null ? [] : [`supersedes ${set.supersedes}`])].map(escaped).join(' · ')}</p>
${stakeLine(facts)}
${headline(facts)}
${tiles(set)}
<nav aria-label="Contents"><ul>${links.map(({ id, name }) => `<li><a href="#${id}">${escaped(name)}</a></li>`).join('')}</ul></nav>
</header>
`;
}

/** When it was made; sets of months ask the Service for nothing. */
function timesOf({ job, started_at: from, finished_at: to, requests_sent: requests }: SetFacts): string[] {
  if (job === 'period') return [`stated ${minuteOf(to)}`];
  if (job === 'month-end') return [`closed ${minuteOf(from)}, newest sign-off ${minuteOf(to)}`];
  return [`started ${minuteOf(from)}, finished ${minuteOf(to)}`, `${counted(requests, 'request')} sent`];
}

/** The first thing to know: what it may cost, per currency, and how many records it concerns. */
function stakeLine({ stake, reporting }: ViewFacts): string {
  if (stake === null) return '';
  const { open, recordsAtRisk } = stake;
  const risk = `${counted(recordsAtRisk, 'record')} with an open break`;
  const rows = open.filter(({ records }) => records > 0);
  if (rows.length === 0) return `<p class="stake">No money at stake<span class="risk">${risk}</span></p>`;
  const sums = rows.map(
    ({ currency, bearer, total, records }) =>
      `<span class="sum">${amountHtml(total, currency)} <span class="part">${BEARER_WORDS[bearer]}, ${counted(records, bearer === 'host' ? 'month' : 'record')}</span></span>`,
  );
  const [together, pending] = [reportedInWords(stake, reporting), pendingInWords(stake)];
  return `<p class="stake"><span title="losses of users, of the Service and of the host are never netted">Money at stake</span> ${sums.join(' ')}<span class="risk">${risk}</span></p>${together === null ? '' : `<p class="meta">Together ${escaped(together)}</p>`}${pending === null ? '' : `<p class="meta">Pending ${escaped(pending)}</p>`}`;
}

function headline({ set, breaks }: ViewFacts): string {
  const { verdicts, population } = set;
  const unread = verdicts.unverified + verdicts.quarantined;
  const tone = verdicts.break > 0 || (breaks?.open ?? 0) > 0 ? 'bad' : unread > 0 ? 'unknown' : 'good';
  const parts = [
    `${count(verdicts.matched)} of ${count(population)} records agree with what was quoted, published and seen before${verdicts.pending === 0 ? '' : `; ${count(verdicts.pending)} more match so far and are still in progress`}.`,
    ...(set.without_quote === undefined ? [] : [escaped(set.without_quote)]),
    ...(set.without_data ?? []).map(escaped),
    breaks === null
      ? `${counted(verdicts.break, 'has', 'have')} an open break.`
      : `${counted(breaks.open, 'break is', 'breaks are')} open: ${count(breaks.opened)} new, ${count(breaks.reopened)} reopened; ${count(breaks.resolved)} resolved in this run.`,
    unread === 0
      ? 'Every record could be verified.'
      : `${counted(unread, 'record', 'records')} could not be verified: neither matched nor a break.`,
    ...(verdicts.waived === 0
      ? []
      : [`${counted(verdicts.waived, 'has', 'have')} only waived breaks: accepted by a person, not matched.`]),
    ...(set.status === 'incomplete'
      ? [
          `${set.job === 'period' || set.job === 'month-end' ? 'The month' : 'The run'} is incomplete: ${escaped(whyIncomplete(set))}.`,
        ]
      : []),
    ...(set.retracted ? [`${retractedInWords(set.retracted, set)} out of the population by decision.`] : []),
  ];
  return `<p class="headline ${tone}">${parts.join(' ')}</p>`;
}

function tiles({ population, verdicts }: SetFacts): string {
  const tile = (name: string, n: number, part: string, tone?: Tone) =>
    `<div${tone === undefined ? '' : ` style="--tone:var(--${tone})"`}><dt>${name}</dt><dd>${count(n)} <span class="part">${escaped(part)}</span></dd></div>`;
  return `<dl class="tiles">${tile('records in scope', population, '')}${VERDICTS.map((verdict) => tile(verdict, verdicts[verdict], partOf(verdicts[verdict], population), VERDICT_TONES[verdict])).join('')}</dl>`;
}

/** `3.2 %`; a few of many are never shown as none. */
function partOf(count: number, whole: number): string {
  if (whole === 0) return '';
  const tenths = Math.round((count / whole) * 1000);
  if (count > 0 && tenths === 0) return '< 0.1 %';
  if (count < whole && tenths === 1000) return '> 99.9 %';
  return `${(tenths / 10).toFixed(1)} %`;
}

/** @param under the title of its section, which is not printed twice */
function figureHtml(
  { title, chart, table, note }: Figure,
  id: string,
  { draw, under }: { draw: Draw; under: string },
): string {
  const isBeside = chart !== null && table.columns.length <= FEW;
  const drawings =
    chart === null
      ? ''
      : [
          { name: 'wide', width: isBeside ? WIDTHS.beside : WIDTHS.wide },
          { name: 'narrow', width: WIDTHS.narrow },
        ]
          .map(({ name, width }) => {
            const { option, height } = chartOption(chart, width);
            // Clips and gradients are numbered through the life of the process too.
            const svg = draw(option, { width, height }).replace(/\bzr\d+-/g, `${id}${name[0]}-`);
            // In print its names would be too small to read, and the table has its figures.
            const isLong = height > LONG;
            return `<div class="chart ${name}${isLong ? ' control' : ''}" role="img" aria-label="Chart: ${escaped(title)}. The table that follows has its figures.">${svg.replace('<svg ', '<svg aria-hidden="true" focusable="false" ')}</div>`;
          })
          .join('\n');
  return `<figure aria-labelledby="${id}"><h3 id="${id}"${title === under ? ' class="spoken"' : ''}>${escaped(title)}</h3>
<div class="pair${isBeside ? ' beside' : ''}">${drawings}
${tableHtml(table)}</div>${note === undefined ? '' : `\n<p class="note">${escaped(note)}</p>`}</figure>
`;
}

function whyIncomplete({ incomplete_because: reasons = [] }: SetFacts): string {
  return reasons.length === 0 ? 'something that was due was not verified' : reasons.join('. ');
}

/** The sources that the run imported: rejected rows are in no other figure of the page. */
function sourcesHtml({ sources = [] }: SetFacts): string {
  if (sources.length === 0) return '';
  const counts = ['read', 'accepted', 'rejected', 'failed'] as const;
  const table = tableHtml({
    caption: 'Lines of each configured source; the last column counts files and queries that could not be read',
    columns: [{ title: 'Source' }, ...counts.map((title) => ({ title, align: 'right' as const }))],
    rows: sources.map((source) => [source.name, ...counts.map((name) => ({ count: source[name] }))]),
  });
  return `<section id="sources" aria-labelledby="sources-title">
<h2 id="sources-title">Sources</h2>
<p class="lead">Where the ids came from. A rejected line is a record that nothing on this page speaks of.</p>
${table}
</section>
`;
}

/** What proves the figures: the files, their hashes, and their totals to the last digit. */
function filesHtml(files: readonly WrittenFile[]): string {
  const list = tableHtml({
    caption: 'The files of this set. The manifest holds the same hashes; `tieout verify` compares them.',
    columns: [{ title: 'File' }, { title: 'Rows', align: 'right' }, { title: 'SHA-256' }],
    rows: files.map(({ name, rows, sha256 }) => [name, rows === null ? null : { count: rows }, { code: sha256 }]),
  });
  const totals = tableHtml({
    caption:
      'Control totals of the manifest: every amount column added up per currency, never across, to the last digit',
    columns: [{ title: 'File' }, { title: 'Column' }, { title: 'Currency' }, { title: 'Exact total', align: 'right' }],
    rows: files.flatMap(({ name, totals: sums }) =>
      Object.entries(sums).flatMap(([currency, columns]) =>
        Object.entries(columns).map(([column, total]) => [name, column, currency, { code: total }]),
      ),
    ),
  });
  return `<section id="files" aria-labelledby="files-title">
<h2 id="files-title">Files and proof</h2>
<p class="lead">Everything above was added up from these files.</p>
${list}
<details class="control"><summary>Control totals: every amount column added up per currency</summary>
${totals}
</details>
</section>
`;
}

function minuteOf(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}

function retractedInWords(all: number, { retracted_by_kind: kinds }: SetFacts): string {
  const which = kinds === undefined ? '' : ` (${kindsInWords(kinds)})`;
  return counted(all, `record${which} is`, `records${which} are`);
}
