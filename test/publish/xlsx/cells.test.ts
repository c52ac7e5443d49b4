/** Cells of a workbook, one by one: how texts are spelled, how many digits count, how amounts are shown. */
import { describe, expect, it } from 'vitest';
import type { Column } from '../../../src/ports/report-definition.ts';
import {
  cellPrinter,
  columnName,
  moneyStyle,
  type Precision,
  significantDigits,
  stylesXml,
  textCell,
  wraps,
  xmlText,
} from '../../../src/publish/xlsx/cells.ts';
import { columnWidths, namingColumns, planSheets, rangeOf } from '../../../src/publish/xlsx/sheet.ts';

const column = (type: string, name = 'x', more: object = {}) =>
  ({ type, name, description: '', value: () => null, currencyColumn: 'currency', ...more }) as unknown as Column<never>;
const print = (each: Column<never>, cell: string, row: readonly string[] = []) => {
  const precision: Precision = { amounts: 0, beyond: 0 };
  return { xml: cellPrinter(each, new Map([['currency', 0]]), precision)('B7', cell, row), precision };
};
/** Number formats and alignments by the number of their style. */
const FORMATS = [...stylesXml().matchAll(/formatCode="([^"]*)"/g)].map(([, format]) => format);
const ALIGNMENTS = [...stylesXml().matchAll(/applyAlignment="1">(<alignment [^>]*>)/g)].map(([, found]) => found);
const styleOf = (xml: string) => Number(/ s="(\d+)"/.exec(xml)?.[1]);
const formatOf = (xml: string) => FORMATS[styleOf(xml)];

describe('texts', () => {
  it.each([
    ['a b', 'a b'],
    ['<&>"\'', "&lt;&amp;&gt;&quot;'"],
    ['\ttab\nline', '\ttab\nline'],
    ['\r\u0000\u001b\u0085', '_x000D__x0000__x001B__x0085_'],
    ['\ufffe\uffff', '_xFFFE__xFFFF_'],
    ['_x0041_', '_x005F_x0041_'],
    ['_x004G_ _x41_', '_x004G_ _x41_'],
    ['\ud83d\ude42 \ud83d', '\ud83d\ude42 \ufffd'],
  ])('%j is spelled %j', (text, spelled) => {
    expect(xmlText(text)).toBe(spelled);
  });

  it('of more characters than a cell takes are cut, and say so', () => {
    expect(xmlText('x'.repeat(32_767))).toBe('x'.repeat(32_767));
    expect(xmlText('x'.repeat(32_768))).toBe(`${'x'.repeat(32_766)}…`);
  });

  it('keep blanks and lines', () => {
    expect(textCell('A1', ' a\n', [])).toBe(
      '<c r="A1" s="1" t="inlineStr"><is><t xml:space="preserve"> a\n</t></is></c>',
    );
    expect(FORMATS[1]).toBe('@');
  });
});

describe('digits that count', () => {
  it.each([
    ['0', 1],
    ['123456789012345', 15],
    ['1234567890123456', 16],
    ['-123456789012345', 15],
    ['0.000000000000000123', 3],
    ['-0.00000000000000012', 2],
    ['00000000000000001234', 4],
    ['12345678901234.5678', 18],
    ['100000000000000000000', 21],
  ])('of %s are %i', (number, digits) => {
    expect(significantDigits(number)).toBe(digits);
  });
});

describe('cells', () => {
  it('are amounts at the places of the currency in their row, and counted', () => {
    const shown = (currency: string, cell = '1.5') => formatOf(print(column('amount'), cell, [currency]).xml);
    expect(['JPY', 'EUR', 'KWD', 'CLF', 'ETH', ''].map((currency) => shown(currency))).toEqual([
      '#,##0',
      '#,##0.00',
      '#,##0.000',
      '#,##0.0000',
      '#,##0.00######',
      '#,##0.00######',
    ]);
    expect(FORMATS[moneyStyle('EUR')]).toBe('#,##0.00');
    expect(print(column('amount'), '1234567890.123456', ['EUR']).precision).toEqual({ amounts: 1, beyond: 1 });
    expect(print(column('amount'), '1234567890.12345', ['EUR']).precision).toEqual({ amounts: 1, beyond: 0 });
    expect(print(column('amount'), '1.50', ['EUR']).xml).toMatch(/^<c r="B7" s="\d+"><v>1\.50<\/v><\/c>$/);
  });

  it('are days since 1899-12-30, with the time as a fraction', () => {
    const date = column('date');
    expect(print(date, '1900-03-01').xml).toContain('<v>61</v>');
    expect(print(date, '2026-11-20').xml).toContain('<v>46346</v>');
    expect(formatOf(print(date, '2026-11-20').xml)).toBe('yyyy-mm-dd');
    const instant = print(column('instant'), '2026-11-20T18:00:00.000Z').xml;
    expect(instant).toContain('<v>46346.75</v>');
    expect(formatOf(instant)).toBe('yyyy-mm-dd hh:mm:ss');
  });

  it('down a column of dates are each their own', () => {
    const printer = cellPrinter(column('date'), new Map(), { amounts: 0, beyond: 0 });
    const cells = ['2026-11-20', '2026-11-20', '2026-11-21'].map((cell, i) => printer(`A${i + 2}`, cell, []));
    expect(cells.map((xml) => [/r="(\w+)"/.exec(xml)?.[1], /<v>(\d+)/.exec(xml)?.[1]])).toEqual([
      ['A2', '46346'],
      ['A3', '46346'],
      ['A4', '46347'],
    ]);
  });

  it('are true or false, counts and percents as they are', () => {
    expect(print(column('boolean'), 'true').xml).toBe('<c r="B7" t="b"><v>1</v></c>');
    expect(print(column('boolean'), 'false').xml).toBe('<c r="B7" t="b"><v>0</v></c>');
    for (const type of ['percent', 'count']) {
      expect(print(column(type), '12').xml).toContain('<v>12</v>');
      expect(formatOf(print(column(type), '12').xml)).toBe('General');
    }
  });

  it('in a column of texts and numbers are numbers where a spreadsheet keeps them', () => {
    const mixed = column('text', 'expected', { mayBeNumber: true });
    expect(print(mixed, '-1.25').xml).toContain('<v>-1.25</v>');
    expect(formatOf(print(mixed, '-1.25').xml)).toBe('General');
    for (const text of ['1234567890123456', '007', '1e5', '0x12', '1.', 'RELEASED', '']) {
      expect(print(mixed, text).xml, text).toContain('t="inlineStr"');
    }
    for (const type of ['id', 'units']) expect(print(column(type), '12').xml).toContain('t="inlineStr"');
    expect(print(column('text'), '12').xml).toContain('t="inlineStr"');
  });

  it('of sentences are in lines', () => {
    const names = ['explanation', 'memo', 'detail', 'waiver_reason', 'reason', 'status'];
    expect(names.filter((name) => wraps(column('text', name)))).toEqual([
      'explanation',
      'memo',
      'detail',
      'waiver_reason',
    ]);
    expect(wraps(column('id', 'memo'))).toBe(false);
    const { xml } = print(column('text', 'memo'), 'A sentence.');
    expect(ALIGNMENTS[styleOf(xml)]).toBe('<alignment horizontal="left" vertical="top" indent="1" wrapText="1"/>');
    expect(ALIGNMENTS[styleOf(print(column('text'), 'x').xml)]).not.toContain('wrapText');
  });
});

it.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [51, 'AZ'],
  [52, 'BA'],
  [701, 'ZZ'],
  [702, 'AAA'],
])('column %i is %s', (index, name) => {
  expect(columnName(index)).toBe(name);
});

describe('a sheet', () => {
  const definition = (columns: readonly Column<never>[], name = 'records') => ({
    name,
    file: `${name}.csv`,
    description: '',
    columns,
  });

  it('holds as many rows as fit, and goes on in others', () => {
    const plans = (rows: number) =>
      planSheets(definition([column('id')]), rows, 4).map((plan) => [plan.name, plan.rows, rangeOf(plan)]);
    expect(plans(0)).toEqual([['records', 0, 'A1:A1']]);
    expect(plans(3)).toEqual([['records', 3, 'A1:A4']]);
    expect(plans(4)).toEqual([
      ['records', 3, 'A1:A4'],
      ['records_2', 1, 'A1:A2'],
    ]);
    expect(planSheets(definition([column('id')]), 1_048_576).map(({ rows }) => rows)).toEqual([1_048_575, 1]);
  });

  it('has a name that a tab can have', () => {
    const [plan] = planSheets(definition([column('id')], `a[]:*?/\\'${'b'.repeat(40)}`), 1);
    expect(plan?.name).toBe(`a${'b'.repeat(30)}`);
  });

  it('repeats the columns that name the row', () => {
    const naming = (...columns: Column<never>[]) => namingColumns(definition(columns));
    const reference = column('text', 'host_reference');
    expect(naming(column('date', 'd'), column('text', 'kind'), reference)).toEqual({ first: 1, last: 2 });
    expect(naming(column('text', 'other'), reference)).toEqual({ first: 1, last: 1 });
    expect(naming(reference)).toEqual({ first: 0, last: 0 });
    expect(naming(column('text', 'a'), column('date', 'b'), column('amount', 'c'))).toEqual({ first: 0, last: 1 });
    expect(naming(column('count', 'a'), column('text', 'b'))).toBeNull();
    expect(naming(column('text', 'memo'), column('text', 'b'))).toBeNull();
    expect(naming(...['a', 'b', 'c', 'd', 'e'].map((name) => column('text', name)))).toEqual({ first: 0, last: 3 });
    expect(naming(column('text', 'a'), column('text', 'b'))).toEqual({ first: 0, last: 1 });
  });

  it('has columns that fit their header and what the first rows hold', () => {
    const widths = (type: string, name: string, ...cells: string[]) =>
      columnWidths(
        definition([column(type, name)]),
        cells.map((cell) => [cell]),
      )[0];
    expect(widths('text', 'memo', 'x'.repeat(500))).toBe(60);
    expect(widths('text', 'status', 'a', 'x'.repeat(20), 'b')).toBe(22);
    expect(widths('text', 'status')).toBe(10);
    expect(widths('id', 'record_id', 'x'.repeat(500))).toBe(60);
    expect([widths('date', 'day'), widths('date', 'business_date')]).toEqual([11, 17]);
    expect(widths('instant', 'a_very_long_name_of_an_instant')).toBe(20);
    expect([widths('amount', 'fee'), widths('amount', 'applied_fee_total')]).toEqual([14, 21]);
    expect([widths('percent', 'p'), widths('count', 'break_count'), widths('boolean', 'paid')]).toEqual([10, 15, 10]);
  });
});
