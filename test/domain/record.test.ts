import { expect, test } from 'vitest';
import {
  directionOf,
  isoInstant,
  isRecordId,
  isViewToken,
  parseInstant,
  showInstant,
} from '../../src/domain/record.ts';

test('quotes of the on-ramp belong to purchases, those of the off-ramp to sales', () => {
  expect(directionOf('purchase')).toBe('onramp');
  expect(directionOf('sale')).toBe('offramp');
});

test.each(['sqs6a428mqjtzbv', '322', '0b5a0f6e-7a4c-4a52-9f5e-5d1f1c1f7a10', 'A_b-9'])(
  '%s may go into a path',
  (id) => {
    expect(isRecordId(id)).toBe(true);
  },
);

test.each(['', '../admin', 'a/b', 'a?b', 'a b', '-a', '.', 'a%2fb', 'ä', 'a\n', 'a'.repeat(65)])('%j may not', (id) => {
  expect(isRecordId(id)).toBe(false);
});

test.each([
  ['mg3voq92hd2mbdht', true],
  ['a&b=c/d?e', true],
  ['', false],
  ['two words', false],
  ['line\n', false],
  ['ключ', false],
  ['x'.repeat(257), false],
])('the token %j can be sent: %s', (token, can) => {
  expect(isViewToken(token)).toBe(can);
});

test.each([
  ['2026-11-01T10:00:00Z', '2026-11-01T10:00:00.000Z'],
  ['2026-11-01T10:00Z', '2026-11-01T10:00:00.000Z'],
  ['2023-01-05T12:26:39.806Z', '2023-01-05T12:26:39.806Z'],
  ['2026-11-01T10:00:00.123456789Z', '2026-11-01T10:00:00.123Z'],
  ['2026-11-01T10:00:00+02:00', '2026-11-01T08:00:00.000Z'],
  ['2026-11-01T10:00:00-0330', '2026-11-01T13:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
])('%s is the instant %s', (text, iso) => {
  const instant = parseInstant(text);
  expect(instant === undefined ? undefined : isoInstant(instant)).toBe(iso);
});

test.each([
  '',
  '2026-11-01',
  '2026-11-01T10:00:00',
  '2026-11-01 10:00:00Z',
  '1793527200000',
  'Sun, 01 Nov 2026 10:00:00 GMT',
  '2026-13-01T10:00:00Z',
  '2026-11-01T24:00:00Z',
  '2026-11-01T10:60:00Z',
  '2026-11-01T10:00:60Z',
  '2026-11-01T10:00:00+25:00',
  // Days that no calendar has: moving them into the next month would be a guess.
  '2026-02-29T10:00:00Z',
  '2026-02-30T10:00:00Z',
  '2026-04-31T10:00:00Z',
  '2100-02-29T10:00:00Z',
])('%j is no instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('sentences show minutes, in UTC', () => {
  expect(showInstant(Date.UTC(2026, 9, 13, 10, 2, 59))).toBe('2026-10-13 10:02 UTC');
});

test.each(['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+14:00'])(
  'no instant is %s, which would be printed with a sign',
  (text) => {
    expect(parseInstant(text)).toBeUndefined();
  },
);
