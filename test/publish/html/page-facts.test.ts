/** What the page says of its set as a whole: title, times, money at stake, headline, shares, sources, files. */
import { expect, it } from 'vitest';
import { readStake } from '../../../src/domain/stake-tally.ts';
import type { Section, ViewFacts } from '../../../src/ports/html-view.ts';
import type { WrittenFile } from '../../../src/ports/report-definition.ts';
import { pageHtml } from '../../../src/publish/html/page.ts';
import type { ManifestFacts } from '../../../src/publish/manifest.ts';
import { facts } from '../support/a-set.ts';

interface Told {
  set?: Partial<ManifestFacts>;
  breaks?: ViewFacts['breaks'];
  stake?: ViewFacts['stake'];
  sections?: readonly Section[];
  files?: readonly WrittenFile[];
}

function page({ set = {}, breaks = null, stake = null, sections = [], files = [] }: Told = {}): string {
  const told: ViewFacts = { set: facts(set), breaks, stake, reporting: null, actions: new Map(), history: [] };
  return [...pageHtml({ facts: told, sections, files, draw: () => '<svg ></svg>' })].join('');
}

/** What a reader sees; of the escaped characters, `<` and `>` alone are in these texts. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .trim();
const part = (html: string, from: RegExp) => textOf(from.exec(html)?.[0] ?? 'not there');
const title = (told: Told) => part(page(told), /<h1>[\s\S]*?<\/h1>/);
const meta = (told: Told) => part(page(told), /<p class="meta">[\s\S]*?<\/p>/);
const headline = (told: Told) => part(page(told), /<p class="headline[\s\S]*?<\/p>/);
const verdicts = { matched: 0, pending: 0, break: 0, unverified: 0, quarantined: 0, waived: 0 };

it('is named after its run, its month, its delta or its pack', () => {
  const month = { business_date: '2026-10-31' };
  expect(title({})).toBe('Reconciliation of 2026-11-20: nightly, revision 1');
  expect(title({ set: { ...month, job: 'period' } })).toBe('Closed month 2026-10');
  expect(title({ set: { ...month, job: 'period', revision: 3 } })).toBe('Delta 2 to 2026-10');
  expect(title({ set: { ...month, job: 'month-end', revision: 3 } })).toBe('Month-end pack of 2026-10, revision 3');
  expect(page({ set: { ...month, job: 'period' } })).toContain('<title>Closed month 2026-10</title>');
});

it('says when it was made, and what it supersedes; a month asks the Service for nothing', () => {
  expect(meta({ set: { requests_sent: 4321 } })).toBe(
    'nightly-2026-11-20-r1 · started 2026-11-21 04:15 UTC, finished 2026-11-21 04:20 UTC · 4,321 requests sent',
  );
  expect(meta({ set: { supersedes: 'nightly-2026-11-20-r0' } })).toMatch(/ · supersedes nightly-2026-11-20-r0$/);
  expect(meta({ set: { job: 'period' } })).toBe('nightly-2026-11-20-r1 · stated 2026-11-21 04:20 UTC');
  expect(meta({ set: { job: 'month-end' } })).toBe(
    'nightly-2026-11-20-r1 · closed 2026-11-21 04:15 UTC, newest sign-off 2026-11-21 04:20 UTC',
  );
});

it('leads to each section and to the files', () => {
  const section = { id: 'fees', title: 'Fees & quotes', lead: 'All agree.', figures: [] };
  const html = page({ sections: [section] });
  expect(html).toContain(
    '<ul><li><a href="#fees">Fees &amp; quotes</a></li><li><a href="#files">Files and proof</a></li></ul>',
  );
  expect(html).toContain(
    '<section id="fees" aria-labelledby="fees-title">\n<h2 id="fees-title">Fees &amp; quotes</h2>',
  );
});

it('counts what agrees, what does not, and what could not be read', () => {
  expect(headline({ set: { population: 3, verdicts: { ...verdicts, matched: 3 } } })).toBe(
    '3 of 3 records agree with what was quoted, published and seen before. 0 have an open break. Every record could be verified.',
  );
  const breaks = { open: 1, opened: 2, reopened: 3, resolved: 4, waived: 0 };
  expect(
    headline({ set: { population: 9, verdicts: { ...verdicts, matched: 5, pending: 2, break: 2 } }, breaks }),
  ).toBe(
    '5 of 9 records agree with what was quoted, published and seen before; 2 more match so far and are still in progress. ' +
      '1 break is open: 2 new, 3 reopened; 4 resolved in this run. Every record could be verified.',
  );
  expect(
    headline({
      set: { population: 9, verdicts: { ...verdicts, unverified: 2, quarantined: 3, waived: 4 } },
      breaks: { ...breaks, open: 5 },
    }),
  ).toBe(
    '0 of 9 records agree with what was quoted, published and seen before. ' +
      '5 breaks are open: 2 new, 3 reopened; 4 resolved in this run. 5 records could not be verified: neither matched nor a break. ' +
      '4 have only waived breaks: accepted by a person, not matched.',
  );
  expect(headline({ set: { verdicts: { ...verdicts, waived: 1 } } })).toContain('1 has only waived breaks');
});

it('says that it is incomplete, and why, and how many records people took out', () => {
  const set = { status: 'incomplete' } as const;
  expect(headline({ set })).toMatch(/The run is incomplete: something that was due was not verified\.$/);
  expect(headline({ set: { ...set, incomplete_because: ['app failed', '2 < 3'] } })).toMatch(
    /The run is incomplete: app failed\. 2 < 3\.$/,
  );
  expect(headline({ set: { ...set, job: 'period' } })).toContain('The month is incomplete');
  expect(headline({ set: { ...set, job: 'month-end' } })).toContain('The month is incomplete');
  expect(headline({})).not.toContain('incomplete');
  expect(headline({ set: { retracted: 1 } })).toMatch(/1 record is out of the population by decision\.$/);
  expect(headline({ set: { retracted: 1200, retracted_by_kind: { purchase: 1199, sale: 1 } } })).toMatch(
    /1,200 records \(1199 purchases, 1 sale\) are out of the population by decision\.$/,
  );
  expect(headline({ set: { retracted: 0 } })).not.toContain('decision');
});

it.each([
  ['good', { ...verdicts, matched: 3 }, null],
  ['unknown', { ...verdicts, matched: 2, unverified: 1 }, null],
  ['unknown', { ...verdicts, matched: 2, quarantined: 1 }, 0],
  ['bad', { ...verdicts, matched: 2, break: 1 }, null],
  ['bad', { ...verdicts, matched: 2, unverified: 1 }, 1],
] as const)('has the colour of the worst: %s for %j with %j open breaks', (tone, found, open) => {
  const breaks = open === null ? null : { open, opened: 0, reopened: 0, resolved: 0, waived: 0 };
  expect(page({ set: { verdicts: found }, breaks })).toContain(`<p class="headline ${tone}">`);
});

it('shows shares that are never rounded to none or to all', () => {
  const tiles = (population: number, found: Partial<typeof verdicts>) =>
    part(page({ set: { population, verdicts: { ...verdicts, ...found } } }), /<dl class="tiles">[\s\S]*?<\/dl>/);
  expect(tiles(10_000, { matched: 9_996, break: 4 })).toBe(
    'records in scope 10,000 matched 9,996 > 99.9 % pending 0 0.0 % break 4 < 0.1 % unverified 0 0.0 % quarantined 0 0.0 % waived 0 0.0 %',
  );
  expect(tiles(1000, { matched: 968, waived: 32 })).toContain('matched 968 96.8 % pending');
  expect(tiles(1000, { matched: 968, waived: 32 })).toMatch(/waived 32 3\.2 %$/);
  expect(tiles(3, { matched: 3 })).toContain('matched 3 100.0 % ');
  expect(tiles(0, {})).toBe('records in scope 0 matched 0 pending 0 break 0 unverified 0 quarantined 0 waived 0');
});

it('has a colour for each verdict', () => {
  const colours = [...page().matchAll(/--tone:var\(--(\w+)\)"><dt>(\w+)</g)].map(([, tone, name]) => [name, tone]);
  expect(colours).toEqual([
    ['matched', 'good'],
    ['pending', 'waiting'],
    ['break', 'bad'],
    ['unverified', 'unknown'],
    ['quarantined', 'odd'],
    ['waived', 'waived'],
  ]);
});

it('says the money at stake per currency, and nothing where the set does not say', () => {
  const stake = (told: Told['stake']) => part(page({ stake: told ?? null }), /<p class="stake">[\s\S]*?<\/p>/);
  const one = { currency: 'EUR', records: 1, total: '1200.5', usersLoss: '1200.5', servicesLoss: '0' };
  expect(stake(readStake({ recordsAtRisk: 0, open: [], waived: [] }))).toBe(
    'No money at stake 0 records with an open break',
  );
  expect(stake(readStake({ recordsAtRisk: 1, open: [one], waived: [] }))).toBe(
    'Money at stake 1,200.50 EUR lost by users, 1 record 1 record with an open break',
  );
  const two = { ...one, currency: 'JPY', records: 3, total: '-7', usersLoss: '0', servicesLoss: '-7' };
  expect(stake(readStake({ recordsAtRisk: 4, open: [one, two], waived: [] }))).toBe(
    'Money at stake 1,200.50 EUR lost by users, 1 record \u22127 JPY lost by the Service, 3 records 4 records with an open break',
  );
  expect(page()).not.toContain('class="stake"');
});

it('lists the configured sources, where the set is of a run', () => {
  const source = { name: 'app', read: 12, accepted: 10, rejected: 2, failed: 0 };
  const html = page({ set: { sources: [source] } });
  const table = part(html, /<section id="sources"[\s\S]*?<\/section>/);
  expect(table).toContain('Source read accepted rejected failed app 12 10 2 0');
  expect(table).toMatch(/^Sources Where the ids came from\./);
  expect(html).toMatch(/<th scope="col">Source<\/th><th scope="col" class="number">read<\/th>/);
  expect(page({ set: { sources: [] } })).not.toContain('id="sources"');
  expect(page()).not.toContain('id="sources"');
});

it('lists the files with their hashes; a document has no rows', () => {
  const file = { bytes: 1, sha256: 'a'.repeat(64), totals: {}, currency_columns: {} };
  const html = page({
    files: [
      { ...file, name: 'records.csv', rows: 3 },
      { ...file, name: 'report.xlsx', rows: null },
    ],
  });
  const table = part(html, /<section id="files"[\s\S]*?<details/);
  expect(table).toContain(`File Rows SHA-256 records.csv 3 ${'a'.repeat(64)} report.xlsx – unknown ${'a'.repeat(64)}`);
});

it('draws a chart beside a table of few columns, and above a broader one', () => {
  const figure = (columns: number) => ({
    title: 'T',
    chart: { type: 'columns', unit: 'u', categories: ['a'], tones: [], values: [1] } as const,
    table: { caption: 'c', columns: Array.from({ length: columns }, () => ({ title: 't' })), rows: [] },
    note: 'n < m',
  });
  const widths = (columns: number) => {
    const seen: number[] = [];
    const told = { set: facts(), breaks: null, stake: null, reporting: null, actions: new Map(), history: [] };
    const sections = [{ id: 's', title: 'S', lead: '', figures: [figure(columns)] }];
    const draw = (_: unknown, { width }: { width: number }) => {
      seen.push(width);
      return '<svg class="zr1-c0"></svg>';
    };
    const html = [...pageHtml({ facts: told, sections, files: [], draw })].join('');
    return { seen, html };
  };
  expect(widths(4).seen).toEqual([560, 330]);
  expect(widths(5).seen).toEqual([1230, 330]);
  const { html } = widths(4);
  expect(html).toContain('<div class="pair beside">');
  expect(html).toContain('<p class="note">n &lt; m</p>');
  // Numbers of the drawing library would differ from one page of a process to the next.
  expect(html).toContain('<svg aria-hidden="true" focusable="false" class="f1w-c0">');
  expect(html).toContain('<svg aria-hidden="true" focusable="false" class="f1n-c0">');
});
