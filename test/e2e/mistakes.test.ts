import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { commandIn } from '../support/command-in.ts';
import { MISTAKES } from './mistakes.ts';
import { PATIENCE } from './support/workspace.ts';

vi.setConfig(PATIENCE);

it('are at least seventy', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(70);
});

it.each(
  MISTAKES.map((each, n) => ({
    ...each,
    name: `${n + 1}: tieout ${each.args.join(' ')} ${JSON.stringify(each.files ?? '')}`,
  })),
)('$name', async ({ args, files = {}, env = {}, code = 2, says }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-mistake-'));
  try {
    const given = Object.entries({ 'tieout.yaml': 'out: out\n', ...files });
    for (const [name, text] of given) writeFileSync(join(folder, name), text);
    const options = { env: { PATH: process.env.PATH ?? '', ...env } };
    const result = await commandIn(folder, args, options);
    const text = `${result.out}${result.err}`;
    expect([result.code, text]).toEqual([code, text]);
    for (const part of says) expect(text).toContain(part);
    expect(text).not.toMatch(/S3c|\bat .*\.[jt]s:\d+|undefined|\[object/);
    // No database and no key, where nothing could be done; an audit asks the database for the record.
    if (code === 2 && !args.includes('nobody'))
      expect(readdirSync(folder).sort()).toEqual(given.map(([name]) => name).sort());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
