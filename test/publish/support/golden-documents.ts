/** The page and the workbook of the golden set, made from its published files, and the charts for which that set has too little. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VIEWS } from '../../../reports/html/index.ts';
import { REPORTS } from '../../../reports/index.ts';
import { Decimal } from '../../../src/domain/decimal.ts';
import { readStake, type WrittenStake } from '../../../src/domain/stake-tally.ts';
import type { Chart, Figure, SetFigures } from '../../../src/ports/html-view.ts';
import type { FinishedTables } from '../../../src/publish/documents.ts';
import { realFileSystem } from '../../../src/publish/file-system.ts';
import { pageDocument } from '../../../src/publish/html/document.ts';
import { type Draw, loadDraw } from '../../../src/publish/html/draw.ts';
import { pageHtml } from '../../../src/publish/html/page.ts';
import type { Manifest } from '../../../src/publish/manifest.ts';
import { profileOf } from '../../../src/publish/profiles.ts';
import { workbookDocument } from '../../../src/publish/xlsx/workbook.ts';
import { facts, WITHOUT_FIGURES } from './a-set.ts';
import { unzip } from './unzip.ts';

const FOLDER = join(import.meta.dirname, '../../golden/standard');

function goldenTables(): FinishedTables {
  // Without what differs from machine to machine, such as the hash of the configuration.
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as Manifest;
  return {
    folder: FOLDER,
    files: manifest.files,
    definitions: REPORTS.map(({ definition }) => definition),
    facts: manifest,
    figures: figuresIn(manifest),
    profile: profileOf('standard'),
    decimals: 'exact',
    fileSystem: realFileSystem,
  };
}

/** As the run had them: its manifest has them as text. */
function figuresIn({ breaks, money_at_stake: open, waived, records_at_risk: recordsAtRisk }: Manifest): SetFigures {
  const stake = readStake({ recordsAtRisk, open, waived } as WrittenStake);
  return { breaks: breaks as SetFigures['breaks'], stake, reporting: null };
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const METHODS = ['CARD_PAYMENT', 'SEPA_INSTANT_CREDIT_TRANSFER', 'PIX', 'OPEN_BANKING', 'APPLE_PAY', 'BLIK'];
const TONES = ['one', 'two', 'three', 'four', 'five', 'one'] as const;

/** Several nights, gaps, a legend of several lines, names longer than their column, no band, ends of a range that meet. */
const CHARTS: readonly { chart: Chart; columns: number }[] = [
  {
    chart: {
      type: 'lines',
      unit: 'percent',
      categories: ['2026-11-18', '2026-11-19', '2026-11-20'],
      series: METHODS.map((name, i) => ({
        name,
        tone: TONES[i] ?? 'one',
        values: [i, i === 2 ? null : Decimal.parse(`${i}.75`), -i],
      })),
    },
    columns: 5,
  },
  {
    chart: {
      type: 'lines',
      unit: 'records',
      categories: ['2026-11-19', '2026-11-20'],
      series: [{ name: 'open', tone: 'bad', values: [5, 3] }],
    },
    columns: 5,
  },
  {
    chart: {
      type: 'columns',
      unit: 'records',
      categories: ['below −10 %', '−10 to −5 %', 'above 10 %'],
      tones: ['bad', 'good'],
      values: [0, 1234, Decimal.parse('3')],
    },
    columns: 2,
  },
  {
    chart: { type: 'columns', unit: 'EUR', categories: ['−10 to −5 %'], tones: ['one'], values: [null] },
    columns: 5,
  },
  {
    chart: {
      type: 'stacked',
      unit: 'EUR',
      categories: METHODS,
      series: [
        { name: 'users', tone: 'bad', values: METHODS.map((_, i) => Decimal.parse(`${i}.5`)) },
        { name: 'the Service', tone: 'waiting', values: METHODS.map((_, i) => i) },
      ],
    },
    columns: 4,
  },
  {
    chart: {
      type: 'stacked',
      unit: 'records',
      categories: ['EUR'],
      series: [{ name: 'all', tone: 'good', values: [2] }],
    },
    columns: 5,
  },
  {
    chart: {
      type: 'ranges',
      unit: 'percent',
      groups: [
        { name: 'CARD_PAYMENT, purchase', low: 1, middle: 2, high: 4, band: { low: 0.99, high: 3.9 } },
        { name: 'SEPA, sale', low: 3, middle: 3, high: 3, band: null },
      ],
    },
    columns: 5,
  },
];

/** A page of charts alone. */
function chartPage(draw: Draw): string {
  const figures = CHARTS.map(
    ({ chart, columns }): Figure => ({
      title: `${chart.type} of ${chart.unit}`,
      chart,
      table: { caption: chart.type, columns: Array.from({ length: columns }, () => ({ title: '' })), rows: [] },
    }),
  );
  const section = { id: 'charts', title: 'Charts', lead: 'One of each kind.', figures };
  const told = { ...WITHOUT_FIGURES, set: facts(), actions: new Map(), history: [] };
  return [...pageHtml({ facts: told, sections: [section], files: [], draw })].join('');
}

/** What stands in one line: a row of a sheet, as a reviewer compares it, its columns, and a style. Each other element is one. */
const WITHIN = [
  ...['c', 'is', 't', 'v', 'f', 'b', 'sz', 'color', 'name', 'family', 'fgColor', 'bgColor', 'patternFill', 'alignment'],
  ...['left', 'right', 'top', 'bottom', 'diagonal', 'col', 'pane', 'sheetView', 'pageSetUpPr', 'ignoredError'],
].join('|');
const ENDS = 'row|font|fill|border|xf|cols|sheetViews|sheetPr|ignoredErrors';
const byLine = (xml: string) => xml.replace(new RegExp(`>(?=<(?!/?(?:${WITHIN})\\b|/(?:${ENDS})>))`, 'g'), '>\n');

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The figures of a chart are in its table; of its drawing the page keeps the labels and the hash, and `charts.html` each kind whole, wide. */
const withoutDrawings = (page: string, which = /(<svg[^>]*>)(.*?)<\/svg>/gs) =>
  page.replace(which, (_, svg: string, drawing: string) => {
    const labels = [...drawing.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, label]) => label);
    return `${svg}\n<!-- ${labels.join(' | ')}\nsha256 ${sha256(drawing)} --></svg>`;
  });

/** The style is in `report.html`; an element that has one other is a line with it. */
const drawingsAlone = (page: string) =>
  withoutDrawings(page, /(<div class="chart narrow"[^>]*><svg[^>]*>)(.*?)<\/svg>/gs)
    .replace(/<style>(.*?)<\/style>/s, (_, style: string) => `<style>/* sha256 ${sha256(style)} */</style>`)
    .replace(/(<(g|clipPath) [^>]*>)\n(.*)\n<\/\2>/g, '$1$3</$2>');

/** Path below `test/golden/documents` → text; of the workbook, each of its parts. */
export async function goldenDocuments(): Promise<Map<string, Buffer>> {
  const tables = goldenTables();
  const actions = new Map([['FEE_APPLIED_DIFFERS', 'Claim the difference.']]);
  const draw = await loadDraw();
  const page = pageDocument({ views: VIEWS, draw, history: null, actions });
  const workbook = await bytesOf(workbookDocument({ decimals: 'exact' }).pieces(tables));
  const parts = [...unzip(workbook)].map(
    ([path, text]) => [join('workbook', path), Buffer.from(byLine(text))] as const,
  );
  const report = (await bytesOf(page.pieces(tables))).toString();
  const pages = { 'report.html': withoutDrawings(report), 'charts.html': drawingsAlone(chartPage(draw)) };
  return new Map([...Object.entries(pages).map(([name, text]) => [name, Buffer.from(text)] as const), ...parts]);
}
