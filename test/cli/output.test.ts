import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { wantsColor, wantsProgress } from '../../src/cli/flags.ts';
import { outputTo, snakeCase } from '../../src/cli/output.ts';
import { screenOn } from '../../src/cli/progress.ts';
import { printable } from '../../src/cli/table.ts';
import type { Terminal } from '../../src/cli/world.ts';
import { Decimal } from '../../src/domain/decimal.ts';

function collecting(tty = false, columns = 60): { stream: Terminal; text: () => string } {
  const stream: Terminal = new PassThrough();
  const chunks: string[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  if (tty) Object.assign(stream, { isTTY: true, columns });
  return { stream, text: () => chunks.join('') };
}

const COLUMNS = [
  { title: 'rule', cell: (row: string[]) => row[0] ?? '' },
  { title: 'count', cell: (row: string[]) => row[1] ?? '', align: 'right' as const },
  { title: 'why', cell: (row: string[]) => row[2] ?? '', wide: true },
];
const ROWS = [
  ['RESTATED', '7', 'first\nsecond'],
  ['STATUS_STUCK', '12', ''],
];

it('names of JSON are in snake_case at every depth; keys that are data, and exact numbers, stay', () => {
  const amount = Decimal.of(5n);
  expect(
    snakeCase({
      capturedAt: 0,
      promise: { appliedFee: amount, EUR: 1, STATUS_STUCK: 2 },
      bodies: [{ evidenceSha256: 'aa', changedAt: 0 }],
    }),
  ).toEqual({
    captured_at: '1970-01-01T00:00:00.000Z',
    promise: { applied_fee: amount, EUR: 1, STATUS_STUCK: 2 },
    bodies: [{ evidence_sha256: 'aa', changed_at: '1970-01-01T00:00:00.000Z' }],
  });
});

describe('data', () => {
  it('is columns of text where it is not a terminal', async () => {
    const { stream, text } = collecting();
    await outputTo(stream, { json: false, color: false }).table(COLUMNS, ROWS);
    expect(text()).toBe('rule          count  why\nRESTATED          7  first second\nSTATUS_STUCK     12\n');
  });

  it.each([
    ['a terminal of 60', true, 60],
    ['a pipe', false, 120],
  ])('fits %s: sentences wrap in their column, or below their row', async (_, tty, width) => {
    const columns = [...COLUMNS, { title: 'more', cell: () => `below ${'x'.repeat(200)}`, below: true }];
    const { stream, text } = collecting(tty);
    await outputTo(stream, { json: false, color: false }).table(columns, [['A', '1', 'word '.repeat(60).trim()]]);
    const lines = text().trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(text().match(/word/g)).toHaveLength(60);
    expect(text().match(/x/g)).toHaveLength(200);
    expect(lines[0]).toBe('rule  count  why');
    expect(lines).toContain('    below');
  });

  it.each([0, 1, 4])('is readable on a terminal of %i columns', async (width) => {
    const columns = [...COLUMNS, { title: 'more', cell: () => 'one sentence below', below: true }];
    const { stream, text } = collecting(true, width);
    await outputTo(stream, { json: false, color: false }).table(columns, ROWS);
    expect(text()).toContain('    one sentence below\n');
  });

  it('is exact as JSON', async () => {
    const { stream, text } = collecting();
    await outputTo(stream, { json: true, color: false }).value({
      difference: Decimal.parse('1.50000000000000000001'),
      units: 10n ** 20n,
      unknown: null,
    });
    expect(JSON.parse(text())).toEqual({
      difference: '1.50000000000000000001',
      units: '100000000000000000000',
      unknown: null,
    });
  });

  it('shows escape sequences from outside instead of obeying them', () => {
    expect(printable('RELEASED\u001b[2J\u0007é 🙂\nx')).toBe('RELEASED\\x1b[2J\\x07é 🙂\nx');
  });

  it('leaves out unknown values', async () => {
    const { stream, text } = collecting();
    await outputTo(stream, { json: false, color: false }).pairs([
      ['state', 'open'],
      ['assignee', null],
      ['first seen', '2026-11-20'],
      ['reopened', 0],
    ]);
    expect(text()).toBe('state       open\nfirst seen  2026-11-20\nreopened    0\n');
  });

  it('is dropped in silence once the reader has gone', async () => {
    const { stream } = collecting();
    const out = outputTo(stream, { json: false, color: false });
    stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(out.isClosed()).toBe(true);
    await out.line('the pipe is closed');
  });
});

describe('colour', () => {
  const tty = { isTTY: true };
  it.each([
    [{ color: true }, tty, {}, true],
    [{ color: false }, tty, {}, false],
    [{ color: true }, tty, { NO_COLOR: '1' }, false],
    [{ color: true }, tty, { NO_COLOR: '' }, true],
    [{ color: true }, tty, { TERM: 'dumb' }, false],
    [{ color: true }, {}, {}, false],
  ])('flags %j on %j with %j: %s', (flags, stream, env, expected) => {
    expect(wantsColor(flags, stream, env)).toBe(expected);
  });
});

describe('progress', () => {
  it.each([
    [{ progress: true, quiet: false }, {}, true],
    [{ progress: false, quiet: false }, {}, false],
    [{ progress: true, quiet: true }, {}, false],
    [{ progress: true, quiet: false }, { CI: 'true' }, false],
    [{ progress: true, quiet: false }, { CI: 'false' }, true],
  ])('flags %j with %j: %s', (flags, env, expected) => {
    expect(wantsProgress(flags, env)).toBe(expected);
  });

  it('is drawn on a terminal only', () => {
    for (const tty of [true, false]) {
      const { stream, text } = collecting(tty);
      const bar = screenOn(stream, true).start({ label: 'Importing', total: 10 });
      bar.update(10, '7 lines');
      bar.stop();
      expect(text().includes('Importing')).toBe(tty);
    }
  });

  it('makes room for a log line, and gives the cursor back', () => {
    const { stream, text } = collecting(true);
    const screen = screenOn(stream, true);
    screen.start({ label: 'Importing', total: 10 });
    screen.write('10:02:11 warn  careful\n');
    expect(text()).toContain('\r\u001b[2K10:02:11 warn  careful\n');
    screen.end();
    expect(text().endsWith('\u001b[?25h') || text().includes('\u001b[?25h')).toBe(true);
  });
});

it('the name of a file, which others gave it, begins no line of a verified set and commands no terminal', async () => {
  const { stream, text } = collecting();
  await outputTo(stream, { json: false, color: false }).verified('out', [
    'a\u001b[2J\nholds  elsewhere: is not in the manifest',
  ]);
  expect(text()).toBe('FAILS  out\n       a\\x1b[2J holds  elsewhere: is not in the manifest\n');
});
