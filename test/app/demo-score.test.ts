/** The demonstration's score checks every figure of a break against the answer key. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { score } from '../../src/app/demo-score.ts';
import type { DueEntry, MarketDue } from '../../src/sandbox/contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'tieout-score-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COLUMNS = ['rule', 'state', 'kind', 'record_id', 'expected', 'actual', 'difference', 'unit', 'money_at_stake'];
const TRUE_ROW: Record<string, string> = {
  rule: 'FEE_APPLIED_DIFFERS',
  state: 'open',
  kind: 'purchase',
  record_id: 'a',
  expected: '4.76',
  actual: '6.26',
  difference: '1.5',
  unit: 'money',
  money_at_stake: '1.5',
};
const KEY: DueEntry = {
  kind: 'purchase',
  id: 'a',
  defect: 'applied-fee',
  codes: ['FEE_APPLIED_DIFFERS'],
  figures: [{ code: 'FEE_APPLIED_DIFFERS', expected: 4.76, actual: 6.26, unit: 'money', loss: 1.5 }],
  night: 1,
};
const NEAR_MISS: DueEntry = { ...KEY, id: 'b', defect: 'applied-fee-just-inside', codes: [], figures: [] };

const ONE_SIDED = 'SLIPPAGE_ONE_SIDED';

async function scored(
  rows: readonly Record<string, string>[],
  key: readonly (DueEntry | MarketDue)[] = [KEY, NEAR_MISS],
) {
  const file = join(folder, 'breaks.csv');
  writeFileSync(file, `${[COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))].join('\n')}\n`);
  const { injected, found, wrong, falseAlarms, nearMisses } = await score(file, key);
  return { injected, found, wrong, falseAlarms, nearMisses };
}

const NONE = { injected: 1, found: 0, wrong: 0, falseAlarms: 0, nearMisses: 1 };

describe('a break', () => {
  it('counts as found with every figure', async () => {
    expect(await scored([TRUE_ROW])).toEqual({ ...NONE, found: 1 });
  });

  it('is missed where it is not there, or resolved', async () => {
    expect(await scored([])).toEqual(NONE);
    expect(await scored([{ ...TRUE_ROW, state: 'resolved' }])).toEqual(NONE);
  });

  it.each([
    ['expected', '4.77'],
    ['actual', '6.25'],
    ['difference', '-1.5'],
    ['difference', ''],
    ['unit', 'rate'],
    ['money_at_stake', '-1.5'],
    ['money_at_stake', ''],
  ])('is wrong with another %s: %s', async (column, value) => {
    expect(await scored([{ ...TRUE_ROW, [column]: value }])).toEqual({ ...NONE, wrong: 1 });
  });

  it('on a near-miss is a false alarm', async () => {
    expect(await scored([TRUE_ROW, { ...TRUE_ROW, record_id: 'b' }])).toEqual({ ...NONE, found: 1, falseAlarms: 1 });
  });

  it('without a figure in the key is checked against nothing but its rule', async () => {
    const row = { ...TRUE_ROW, expected: 'x', unit: '' };
    expect(await scored([row], [{ ...KEY, figures: [] }])).toEqual({ ...NONE, found: 1, nearMisses: 0 });
  });
});

test('a break of a market that is seen on some days is neither missed nor a false alarm', async () => {
  const market = {
    ...KEY,
    kind: 'market',
    id: 'ETH_USDT/EUR/onramp',
    figures: [],
    codes: [],
    also: [ONE_SIDED],
  } as const;
  const row = { ...TRUE_ROW, rule: ONE_SIDED, kind: 'market', record_id: market.id };
  const none = { injected: 0, found: 0, wrong: 0, falseAlarms: 0, nearMisses: 0 };
  expect([await scored([], [market]), await scored([row], [market])]).toEqual([none, none]);
  const certain = { ...market, codes: [ONE_SIDED], also: [] };
  expect(await scored([row], [certain])).toEqual({ ...none, injected: 1, found: 1 });
  expect(await scored([], [certain])).toEqual({ ...none, injected: 1 });
});

describe('a break about a payment', () => {
  it('is found by the reference of the payment', async () => {
    const row = { ...TRUE_ROW, rule: 'PAYOUT_UNEXPLAINED', kind: 'payout', record_id: 'f00d', expected: '' };
    const answer = { ...KEY, kind: 'payout', id: 'BONUS', codes: ['PAYOUT_UNEXPLAINED'], figures: [] } as const;
    const payouts = join(folder, 'payouts.csv');
    writeFileSync(payouts, 'payout_id,reference\nf00d,BONUS\n');
    const file = join(folder, 'breaks.csv');
    writeFileSync(file, `${[COLUMNS, COLUMNS.map((name) => row[name as keyof typeof row])].join('\n')}\n`);
    expect(await score(file, [answer])).toMatchObject({ injected: 1, found: 1, falseAlarms: 0 });
    writeFileSync(payouts, 'payout_id,reference\nf00d,OTHER\n');
    expect(await score(file, [answer])).toMatchObject({ injected: 1, found: 0, falseAlarms: 1 });
    rmSync(payouts);
  });
});
