/** The cell styles of a workbook: few, fixed, and named; a cell refers to one by its place in the list. */
import { minorUnitDigits } from '../../domain/currency.ts';
import { MAIN, XML } from './xml.ts';

/** Name → number format; the order gives the style its number. */
const FORMATS = {
  general: 'General',
  text: '@',
  count: '#,##0',
  date: 'yyyy-mm-dd',
  /** Milliseconds are in the value; the column would be too wide to show them. */
  instant: 'yyyy-mm-dd hh:mm:ss',
  money0: '#,##0',
  money1: '#,##0.0',
  money2: '#,##0.00',
  money3: '#,##0.000',
  money4: '#,##0.0000',
  tokens: '#,##0.00######',
  header: '@',
  title: '@',
  strong: '@',
  /** Text right of a number. */
  beside: '@',
} as const;
export type Style = keyof typeof FORMATS;

const NAMES = Object.keys(FORMATS) as Style[];

export const STYLE: Readonly<Record<Style, number>> = Object.fromEntries(
  NAMES.map((name, index) => [name, index]),
) as Record<Style, number>;

/** An amount is shown to its currency's places (ISO 4217), and holds all its digits; tokens have places of their own. */
export function moneyStyle(currency: string): number {
  switch (minorUnitDigits(currency)) {
    case 0:
      return STYLE.money0;
    case 1:
      return STYLE.money1;
    case 2:
      return STYLE.money2;
    case 3:
      return STYLE.money3;
    case 4:
      return STYLE.money4;
    default:
      return STYLE.tokens;
  }
}

const FONT: Partial<Record<Style, number>> = { header: 1, title: 2, strong: 3 };
const FILL: Partial<Record<Style, number>> = { header: 2 };
/** Numbers of formats of our own begin here; those below are built in. */
const FIRST_FORMAT = 164;

export function stylesXml(): string {
  const formats = NAMES.map(
    (name, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${FORMATS[name].replaceAll('"', '&quot;')}"/>`,
  );
  const cells = NAMES.map((name, i) => {
    const alignment =
      name === 'beside' ? '<alignment horizontal="left" vertical="top" indent="1"/>' : '<alignment vertical="top"/>';
    return `<xf numFmtId="${FIRST_FORMAT + i}" fontId="${FONT[name] ?? 0}" fillId="${FILL[name] ?? 0}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">${alignment}</xf>`;
  });
  const font = (size: number, more = '', color = '<color theme="1"/>') =>
    `<font>${more}<sz val="${size}"/>${color}<name val="Calibri"/><family val="2"/></font>`;
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${formats.join('')}</numFmts><fonts count="4">${font(11)}${font(11, '<b/>', '<color rgb="FFFFFFFF"/>')}${font(16, '<b/>')}${font(11, '<b/>')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}
