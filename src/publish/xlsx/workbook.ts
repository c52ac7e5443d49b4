/**
 * `report.xlsx`: a summary, the control totals, a sheet per CSV file, and what the columns mean. Made from the finished
 * CSV files, row by row: memory does not grow with them. See docs/decisions on what a workbook loses.
 */
import type { DecimalsMode, Totals } from '../../ports/report-definition.ts';
import { csvOf, type FinishedTables, roundedRows, type SetDocument, summedRows } from '../documents.ts';
import { fileOf } from '../table-file.ts';
import { columnName, MAIN, type Precision, RELATIONSHIPS, stylesXml, XML, xmlText } from './cells.ts';
import { columnWidths, namingColumns, planSheets, rangeOf, rowSource, type SheetPlan, sheetXml } from './sheet.ts';
import { columnsSheet, type SmallSheet, smallSheetXml, summarySheet, totalsSheet } from './summary.ts';
import { type ZipEntry, zip } from './zip.ts';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Rows that are looked at for the widths of columns. */
const SAMPLE = 200;

/** @param mostRows rows of a sheet, its header included; smaller in tests. */
export function workbookDocument({ mostRows, decimals = 'exact' }: WorkbookOptions = {}): SetDocument {
  return { name: 'report.xlsx', pieces: (tables) => zip(entries(tables, decimals, mostRows)) };
}

interface WorkbookOptions {
  mostRows?: number;
  /** `minor-units` rounds what the CSV files have exactly; what they have rounded stays so. */
  decimals?: DecimalsMode;
}

async function* entries(
  tables: FinishedTables,
  decimals: DecimalsMode,
  mostRows: number | undefined,
): AsyncGenerator<ZipEntry> {
  const reports = tables.definitions.flatMap((definition) => {
    const file = csvOf(tables, definition);
    if (file === undefined) return [];
    // Ids are for looking things up, and stand last: what a reader reads comes first, and fits on a page.
    const { columns } = definition;
    const places = columns.map((_, at) => at);
    const isId = (at: number) => columns[at]?.type === 'id' || columns[at]?.type === 'units';
    const order = [...places.filter((at) => !isId(at)), ...places.filter(isId)];
    const view = {
      ...definition,
      columns: order.map((at) => definition.columns[at]).filter((each) => each !== undefined),
    };
    return [{ definition, order, view, plans: planSheets(view, file.rows ?? 0, mostRows) }];
  });
  const plans = reports.flatMap((report) => report.plans);
  const totals = totalsSheet(tables);
  const columns = columnsSheet(tables);
  // In the order of the tabs. The summary is written last, because it has the totals of the others.
  const names = ['Summary', totals.name, ...plans.map(({ name }) => name), columns.name];
  const precision: Precision = { amounts: 0, beyond: 0 };

  yield entry('[Content_Types].xml', contentTypes(names.length));
  yield entry('_rels/.rels', rootRelationships());
  yield entry('docProps/core.xml', coreProperties(tables));
  yield entry('xl/workbook.xml', workbookXml(names, plans, totals, columns));
  yield entry('xl/_rels/workbook.xml.rels', workbookRelationships(names.length));
  yield entry('xl/styles.xml', stylesXml());
  let sheet = 3;
  const roundings = new Map<string, Totals>();
  for (const { definition, order, view, plans: sheets } of reports) {
    const isRounded = decimals === 'minor-units' && tables.decimals === 'exact';
    const source = isRounded ? roundedRows(tables, definition) : summedRows(tables, definition);
    const batches = inOrder(source.rows, order);
    const first = await firstRows(batches);
    const widths = columnWidths(view, first.slice(0, SAMPLE));
    const rows = rowSource(batches, first);
    try {
      for (const plan of sheets) {
        const isLast = plan === sheets.at(-1);
        const pieces = sheetXml(plan, rows, widths, precision, isLast ? source.totals : null);
        yield { path: sheetPath(sheet++), pieces };
      }
    } finally {
      await rows.close();
    }
    roundings.set(fileOf(definition), source.rounding());
  }
  yield entry(sheetPath(2), smallSheetXml(totalsSheet(tables, roundings)));
  yield entry(sheetPath(sheet), smallSheetXml(columns));
  yield entry(sheetPath(1), smallSheetXml(summarySheet(tables, plans, precision, decimals)));
}

async function* inOrder(
  batches: AsyncGenerator<readonly string[][]>,
  order: readonly number[],
): AsyncGenerator<readonly string[][]> {
  for await (const rows of batches) yield rows.map((row) => order.map((at) => row[at] ?? ''));
}

/** The first batch that has rows; none at the end. */
async function firstRows(batches: AsyncIterator<readonly string[][]>): Promise<readonly string[][]> {
  for (;;) {
    const { value, done } = await batches.next();
    if (done === true) return [];
    if (value.length > 0) return value;
  }
}

const entry = (path: string, text: string): ZipEntry => ({ path, pieces: [text] });
const sheetPath = (sheet: number) => `xl/worksheets/sheet${sheet}.xml`;
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

function contentTypes(sheets: number): string {
  const overrides = upTo(sheets).map(
    (n) => `<Override PartName="/${sheetPath(n)}" ContentType="${TYPES}.worksheet+xml"/>`,
  );
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>${overrides.join('')}</Types>`;
}

function rootRelationships(): string {
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`;
}

function coreProperties({ facts }: FinishedTables): string {
  return `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${xmlText(`Tieout: ${facts.run_id}`)}</dc:title><dc:creator>Tieout ${xmlText(facts.code_version)}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${facts.finished_at.slice(0, 19)}Z</dcterms:created></cp:coreProperties>`;
}

function workbookRelationships(sheets: number): string {
  const links = upTo(sheets).map(
    (n) => `<Relationship Id="rId${n}" Type="${RELATIONSHIPS}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${links.join('')}<Relationship Id="rId${sheets + 1}" Type="${RELATIONSHIPS}/styles" Target="styles.xml"/></Relationships>`;
}

function workbookXml(names: readonly string[], plans: readonly SheetPlan[], totals: SmallSheet, columns: SmallSheet) {
  const sheets = names.map((name, i) => `<sheet name="${xmlText(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`);
  const ranges = [
    { name: totals.name, range: `A1:G${totals.rows.length}` },
    ...plans.map((plan) => ({ name: plan.name, range: rangeOf(plan) })),
    { name: columns.name, range: `A1:D${columns.rows.length}` },
  ];
  const place = (name: string) => names.indexOf(name);
  // A filter needs this hidden name in Excel; the header row and the naming columns are repeated on every printed page.
  const filters = ranges.map(
    ({ name, range }) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${place(name)}" hidden="1">'${xmlText(name)}'!${absolute(range)}</definedName>`,
  );
  const titles = ranges.map(
    ({ name }) =>
      `<definedName name="_xlnm.Print_Titles" localSheetId="${place(name)}">${repeated(name, plans)}'${xmlText(name)}'!$1:$1</definedName>`,
  );
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><bookViews><workbookView activeTab="0"/></bookViews><sheets>${sheets.join('')}</sheets><definedNames>${filters.join('')}${titles.join('')}</definedNames></workbook>`;
}

/** `A1:C9` → `$A$1:$C$9` */
function absolute(range: string): string {
  return range.replace(/([A-Z]{1,3})(\d{1,7})/g, '$$$1$$$2');
}

/** `'breaks'!$E:$F,` */
function repeated(name: string, plans: readonly SheetPlan[]): string {
  const plan = plans.find((each) => each.name === name);
  const naming = plan === undefined ? null : namingColumns(plan.definition);
  if (naming === null) return '';
  return `'${xmlText(name)}'!$${columnName(naming.first)}:$${columnName(naming.last)},`;
}
