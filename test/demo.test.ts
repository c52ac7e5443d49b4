/** `tieout demo` is what a newcomer sees first: it needs nothing, finds everything that is wrong, and nothing else. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readCsv } from './e2e/support/csv.ts';
import { demoWorld } from './e2e/support/demo-world.ts';
import { DEMO_DAY, type Finished, PATIENCE, type Workspace } from './e2e/support/workspace.ts';

vi.setConfig(PATIENCE);

let workspace: Workspace;
let demo: Finished;

beforeAll(async () => {
  ({ workspace, demo } = await demoWorld());
});
afterAll(() => workspace.remove());

it('finds every injected defect, with no false alarm', () => {
  expect([demo.code, demo.err]).toEqual([0, demo.err]);
  const told = JSON.parse(demo.out) as {
    injected: number;
    found: number;
    wrong: number;
    problems: string[];
    near_misses: number;
    false_alarms: number;
    population: number;
    verdicts: Record<string, number>;
    rows: { rule: string; injected: number; found: number; false_alarms: number }[];
  };
  expect(told.injected).toBeGreaterThanOrEqual(18);
  expect(told.found).toBe(told.injected);
  expect(told.false_alarms).toBe(0);
  expect([told.wrong, told.problems]).toEqual([0, []]);
  // One for each tolerance.
  expect(told.near_misses).toBeGreaterThanOrEqual(6);
  const planted = told.rows.filter(({ injected }) => injected > 0).map(({ rule }) => rule);
  const rare = ['PAYOUT_MISSING', 'PAYOUT_DIFFERS', 'PAYOUT_UNEXPLAINED'];
  const ofBodies = ['TX_REUSED', 'ASSET_NOT_AVAILABLE', 'RECORD_CONTRADICTS_ITSELF'];
  expect(planted).toEqual(expect.arrayContaining([...rare, ...ofBodies]));
  for (const { injected, found, false_alarms } of told.rows) expect([found, false_alarms]).toEqual([injected, 0]);
  expect(Object.values(told.verdicts).reduce((sum, count) => sum + count, 0)).toBe(told.population);
});

it('publishes sets that verify', async () => {
  expect(existsSync(workspace.path('demo', 'latest'))).toBe(true);
  const verified = await workspace.tieout(['verify', 'demo']);
  expect([verified.code, verified.err]).toEqual([0, '']);
});

it('leaves settings, workbook and page, so that a reader can go on', async () => {
  const settings = ['--config', 'demo/tieout.yaml'];
  const listed = await workspace.tieout(['breaks', 'list', ...settings, '--json']);
  const { breaks } = JSON.parse(listed.out) as { breaks: { break_id: string }[] };
  expect(breaks.length).toBeGreaterThan(0);
  const shown = await workspace.tieout(['breaks', 'show', breaks[0]?.break_id ?? '', ...settings]);
  expect([shown.code, shown.err]).toEqual([0, '']);
  for (const name of ['report.html', 'report.xlsx']) {
    expect(existsSync(workspace.path('demo', 'latest', name))).toBe(true);
  }
});

it('lists no code that it could not raise, and prints commands of this system', async () => {
  const small = await workspace.tieout(['demo', '--records', '60', '--days', '5', '--out', 'small'], { now: DEMO_DAY });
  expect(small.out).toContain('FEE_APPLIED_DIFFERS');
  expect(small.out).not.toContain('DELIVERY_');
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  expect(small.out).toMatch(new RegExp(`^  ${opener} \\S+report\\.html`, 'm'));
});

it('drills its own night: every material change is found, and no ordinary one speaks', async () => {
  const { code, out, err } = await workspace.tieout([
    'drill',
    '--config',
    'demo/tieout.yaml',
    '--json',
    '--per-rule',
    '2',
    '--report',
    'drill.csv',
  ]);
  const told = JSON.parse(out) as Drill;
  expect([code, err, told.missed, told.spoke]).toEqual([0, '', [], []]);
  expect(told.recall.length).toBeGreaterThanOrEqual(18);
  for (const { planted, found, recall_percent } of told.recall)
    expect([found, recall_percent]).toEqual([planted, '100']);
  expect(new Set(told.copies.filter(({ material }) => material).map(({ change }) => change)).size).toBeGreaterThan(220);
  expect(workspace.read('drill.csv').split('\n')).toHaveLength(1 + told.copies.length + told.not_possible.length + 1);
});

interface Drill {
  missed: unknown[];
  spoke: unknown[];
  recall: { planted: number; found: number; recall_percent: string }[];
  copies: { change: string; material: boolean }[];
  not_possible: unknown[];
}

it('earns by every record what its row says, sales of the specification included', () => {
  const night = (name: string) => readCsv(workspace.read(`demo/2026-11-18/nightly-r1/${name}.csv`)).rows;
  const sums = new Map<string, number>();
  let sales = 0;
  for (const { kind, earned_month: month = '', fiat_currency, host_share: share } of night('records')) {
    if (month === '' || month > '2026-10' || share === '') continue;
    if (kind === 'sale') sales++;
    sums.set(`${month} ${fiat_currency}`, (sums.get(`${month} ${fiat_currency}`) ?? 0) + Number(share));
  }
  expect(sales).toBeGreaterThan(10);
  const legs = night('revenue_legs').filter(({ accrued_total }) => accrued_total !== '');
  const earned = legs.map((row) => `${row.business_month} ${row.currency} ${Number(row.accrued_total).toFixed(6)}`);
  expect(earned.sort()).toEqual([...sums].map(([key, sum]) => `${key} ${sum.toFixed(6)}`).sort());
});
