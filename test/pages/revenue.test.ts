import { expect, it } from 'vitest';
import { revenueHtml, sheetTable } from '../../src/pages/views/revenue.ts';
import type { SettledMonth } from '../../src/ports/settled.ts';
import { dec } from '../support/builders.ts';

const ZERO = dec('0');
const MONTH: SettledMonth = {
  month: '2026-10',
  currency: 'CHF',
  accrued: null,
  paid: null,
  posted: null,
  owed: ZERO,
  clawback: ZERO,
  carriedForward: null,
  dueDate: '2026-12-16',
  finding: null,
  isUnpaid: false,
  tolerance: ZERO,
  partner: 'Service',
  sheet: { earned: null, paid: null, clawback: ZERO, exchange: ZERO },
  opening: ZERO,
  closing: ZERO,
  aged: [ZERO, ZERO, ZERO, ZERO],
  materiality: ZERO,
  unknown: 0,
  estimated: null,
  breaking: [],
  isOpenByLines: false,
};

it('a month that is not due was not paid, and nothing says so', () => {
  const frame = { person: null, csrf: '', said: null };
  const page = revenueHtml(frame, { months: [MONTH], payouts: [] }).toString();
  expect(page).not.toContain('was paid');
  expect(page).toContain('No payment that is due is missing');
});

/** What the last column of the only month says. */
function found(month: Partial<SettledMonth>): string {
  const [, last = ''] = /.*<td>(.*?)<\/td><\/tr>/s.exec(sheetTable([{ ...MONTH, ...month }]).toString()) ?? [];
  return last
    .replaceAll(/<\/div>/g, '; ')
    .replaceAll(/<[^>]*>/g, '')
    .replace(/; $/, '');
}

it('a month says how many of its shares are not known, since they add nothing to its amounts', () => {
  expect(found({})).toBe('nothing');
  expect(found({ unknown: 1 })).toBe('1 share is not known');
  expect(found({ unknown: 2, estimated: dec('1.5'), finding: 'PAYOUT_DIFFERS' })).toBe(
    'PAYOUT_DIFFERS; 2 shares are not known (estimated: 1.50 CHF)',
  );
  expect(found({ unknown: 3, carriedForward: dec('7') })).toBe('carried forward; 3 shares are not known');
});
