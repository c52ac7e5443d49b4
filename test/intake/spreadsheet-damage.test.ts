import { describe, expect, it } from 'vitest';
import type { StatusModel } from '../../src/domain/status.ts';
import { readTrackedFile } from '../../src/intake/read-tracked-file.ts';
import { all, chunked } from './reading.ts';

const status = { value: 'RELEASED', stage: 1, terminal: true, stuckAfter: null, mayReturnTo: null };
const statuses: StatusModel = {
  purchase: new Map([['RELEASED', status]]),
  sale: new Map([['PAID', { ...status, value: 'PAID' }]]),
};

const read = (text: string, kind: 'purchase' | null = null) =>
  all(readTrackedFile(chunked(text), { name: 'ids.csv', format: null, kind, statuses }));

async function reasonFor(cells: Record<string, string>): Promise<string> {
  const row = { kind: 'purchase', id: 'sqs6a428mqjtzbv', view_token: 'tok-1', ...cells };
  const [item] = await read(`${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`);
  return item?.type === 'rejected' ? item.reason : (item?.type ?? 'nothing');
}

describe('what a spreadsheet has spoilt is refused, with its column and why', () => {
  it.each([
    [{ view_token: '1.23E+15' }, 'view_token is a number that a spreadsheet rounded'],
    [{ id: '1.23E+15' }, 'id is a number that a spreadsheet rounded'],
    [{ id: '"1,23E+15"' }, 'id is a number that a spreadsheet rounded'],
    [{ id: '12345678901234500000' }, 'id has lost its digits after the fifteenth'],
    [{ id: '1234567890123450' }, 'id has lost its digits after the fifteenth'],
    [{ id: '5-Mar' }, 'id is a date that a spreadsheet made'],
    [{ id: '2026-03-05' }, 'id is a date that a spreadsheet made'],
    [{ id: '2c26b46b-68ff-4c68-99f9-1f2ab3' }, 'id is a UUID that was cut'],
    [{ quote_id: '#N/A' }, 'quote_id is an error value of a spreadsheet'],
    [{ quote_id: '#NV' }, 'quote_id is an error value of a spreadsheet'],
    [{ view_token: '#REF!' }, 'view_token is an error value of a spreadsheet'],
    [{ host_reference: '4.5E+12' }, 'host_reference is a number that a spreadsheet rounded'],
    [
      { expected_status: 'RELEASD' },
      'expected_status is in no list of purchase statuses (settings: statuses.purchase) (found RELEASD)',
    ],
    [
      { kind: 'sale', expected_status: 'RELEASED' },
      'expected_status is in no list of sale statuses (settings: statuses.sale) (found RELEASED)',
    ],
  ])('%o', async (cells, reason) => {
    expect(await reasonFor(cells)).toContain(reason);
    expect(await reasonFor({ ...cells, view_token: 'S3cretToken#1' })).not.toContain('S3cretToken');
  });

  it.each([
    [{ id: '322' }],
    [{ id: '123456789012345' }],
    [{ id: '12345678901234501' }],
    [{ id: '1x34567890123450' }],
    [{ id: '12345678901234560001' }],
    [{ id: '2c26b46b-68ff-4c68-99f9-1f2ab3c4d5e6' }],
    [{ id: '12e5' }],
    [{ view_token: '1234567890123456' }],
    [{ host_reference: 'order #17' }],
    [{ expected_status: 'RELEASED' }],
  ])('and %o is what it seems', async (cells) => {
    expect(await reasonFor(cells)).toBe('good');
  });
});

describe('a CSV file', () => {
  it.each([
    [
      'semicolons, as a German or Polish Excel writes',
      '\uFEFFKind;ID;View Token\r\nPurchase;a1;t1\r\nSALE;"a;2";t\r\n',
      'a;2',
    ],
    ['tabs', 'kind\tid\tview_token\npurchase\ta1\tt1\nsale\ta 2\tt\n', 'a 2'],
    ['names and kinds in any case', 'KIND,Id,viewToken\nPURCHASE,a1,t1\nsale,a 2,t\n', 'a 2'],
  ])('may have %s', async (_, text, id) => {
    expect(await read(text)).toMatchObject([
      { type: 'good', line: 2, value: { kind: 'purchase', id: 'a1', token: 't1' } },
      { type: 'rejected', line: 3, reason: `id may have only letters, digits, - and _, at most 64 (found ${id})` },
    ]);
  });

  it('without a column for the kind names --kind', async () => {
    await expect(read('id;view_token\na1;t1\n')).rejects.toThrow(
      'ids.csv: its header lacks kind; where all lines are of one kind, say it with --kind',
    );
    expect(await read('id;view_token\na1;t1\n', 'purchase')).toMatchObject([{ type: 'good' }]);
  });
});
