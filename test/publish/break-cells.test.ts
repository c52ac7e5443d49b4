/** A break as cells: unknown is empty, figures are spelled for the program, and texts from outside do not run. */
import { expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.ts';
import type { CurrentBreak } from '../../src/ports/store/store.ts';
import { breakCells } from '../../src/publish/break-cells.ts';
import { profileOf } from '../../src/publish/profiles.ts';

const KNOWN = {
  breakId: 'b'.repeat(64),
  rule: 'FEE_APPLIED_DIFFERS',
  severity: 'high',
  state: 'open',
  kind: 'purchase',
  recordId: '000322',
  hostReference: '=1+1',
  field: 'applied_fee',
  expected: '4.76',
  actual: '-6.26',
  difference: Decimal.parse('1.50'),
  currency: 'EUR',
  tolerance: Decimal.parse('0.01'),
  firstSeenDate: '2026-11-01',
  lastSeenDate: '2026-11-20',
  timesReopened: 2,
  assignee: '@ann',
  explanation: '+1 EUR more',
  evidenceSha256: 'e'.repeat(64),
  unit: 'money',
  moneyAtStake: Decimal.parse('-1.5'),
  leadingBreakId: 'a'.repeat(64),
  recordCurrency: 'USD',
  claimId: 'c-1',
} as unknown as CurrentBreak;

const UNKNOWN = {
  hostReference: null,
  expected: null,
  actual: null,
  difference: null,
  currency: null,
  tolerance: null,
  assignee: null,
  evidenceSha256: null,
  unit: null,
  moneyAtStake: null,
  leadingBreakId: null,
  recordCurrency: null,
  claimId: null,
};

it('has each of its facts in its column', () => {
  expect(breakCells(KNOWN, profileOf('excel-eu'))).toEqual({
    break_id: 'b'.repeat(64),
    rule: 'FEE_APPLIED_DIFFERS',
    severity: 'high',
    state: 'open',
    kind: 'purchase',
    record_id: "'000322",
    host_reference: "'=1+1",
    field: 'applied_fee',
    expected: '4,76',
    actual: '-6,26',
    difference: '1,5',
    currency: 'EUR',
    tolerance: '0,01',
    first_seen_date: '2026-11-01',
    last_seen_date: '2026-11-20',
    times_reopened: '2',
    assignee: "'@ann",
    explanation: "'+1 EUR more",
    evidence_sha256: 'e'.repeat(64),
    unit: 'money',
    money_at_stake: '-1,5',
    leading_break_id: 'a'.repeat(64),
    record_currency: 'USD',
    claim_id: 'c-1',
  });
});

it('is empty where a fact is unknown, and never zero', () => {
  const cells = breakCells({ ...KNOWN, ...UNKNOWN } as unknown as CurrentBreak, profileOf('standard'));
  const empty = Object.entries(cells).flatMap(([name, cell]) => (cell === '' ? [name] : []));
  expect(empty).toEqual([
    'host_reference',
    'expected',
    'actual',
    'difference',
    'currency',
    'tolerance',
    'assignee',
    'evidence_sha256',
    'unit',
    'money_at_stake',
    'leading_break_id',
    'claim_id',
    'record_currency',
  ]);
});
