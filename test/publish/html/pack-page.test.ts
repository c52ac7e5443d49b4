/** The page of a month-end pack: its tables, row by row, as its workbook has them. */
import { expect, it } from 'vitest';
import { hostBridge, movement, PACK_VIEWS } from '../../../reports/pack/index.ts';
import { pageDocument } from '../../../src/publish/html/document.ts';
import { writeTables } from '../support/a-table.ts';
import { tempFolders } from '../support/temp-folder.ts';

const tempFolder = tempFolders();

it('foots as it is printed: no amount of a row is rounded alone', async () => {
  const step = {
    currency: 'EUR',
    step: 'from quotes',
    amount: '68.985',
    total_before: '180.49',
    total_after: '249.475',
  };
  const money = { opening: '967.086', new: '706.938', resolved: '0', waived: '0', closing: '1674.024' };
  const moved = Object.fromEntries(Object.entries(money).map(([part, sum]) => [`${part}_money_at_stake`, sum]));
  const counts = { opening_count: '2', new_count: '1', resolved_count: '0', waived_count: '0', closing_count: '3' };
  const rows = { host_bridge: [step], movement: [{ rule: 'REFUND_DUE', currency: 'EUR', ...counts, ...moved }] };
  const tables = writeTables({ folder: tempFolder(), rows, definitions: [hostBridge, movement] });
  let page = '';
  const options = { views: PACK_VIEWS, draw: () => '', history: null, actions: new Map() };
  for await (const piece of pageDocument(options).pieces(tables)) page += Buffer.from(piece).toString('utf8');
  const cells = [...page.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, ''));
  const printed = cells.filter((cell) => /^[\d,.]+ EUR$/.test(cell));
  expect(printed).toEqual([
    ...['967.09 EUR', '706.93 EUR', '0.00 EUR', '0.00 EUR', '1,674.02 EUR'],
    ...['68.99 EUR', '180.49 EUR', '249.48 EUR'],
  ]);
});
