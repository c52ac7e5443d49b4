import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Circle, closeTheCircle } from '../e2e/support/circle.ts';
import { PATIENCE } from '../e2e/support/workspace.ts';
import { orderInBrowser } from './support/shop.ts';
import { aBrowser } from './support/widget.ts';

vi.setConfig(PATIENCE);

let circle: Circle;
beforeAll(async () => {
  const browser = await aBrowser();
  circle = await closeTheCircle({ order: (place) => orderInBrowser(browser, place) });
  await browser.close();
});
afterAll(() => circle?.close());

it('bought and sold in a browser, delivered, quoted, and matched at night', () => {
  expect(circle.nightly.code).toBe(0);
  expect(circle.nightly.err).toMatch(/^\{[^\n]*"msg":"started"\}\n$/);
  expect(circle.records.map((row) => [row.kind, row.verdict, row.quote_basis])).toEqual([
    ['purchase', 'matched', 'captured'],
    ['purchase', 'matched', 'captured'],
    ['sale', 'matched', 'captured'],
  ]);
  expect(circle.breaksBefore).toEqual([]);
});

it('and the one record that was changed afterwards is found, alone', () => {
  expect(circle.audit.code).toBe(1);
  expect(new Set(circle.breaksAfter.map((row) => row.record_id))).toEqual(new Set([circle.tampered]));
  expect(circle.breaksAfter.map((row) => row.rule)).toContain('FEE_APPLIED_DIFFERS');
});
