import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBackApart } from '../../src/app/read-back-apart.ts';
import { publishSet } from '../publish/support/a-set.ts';
import { tempFolders } from '../publish/support/temp-folder.ts';

const tempFolder = tempFolders();

const TEXT = 'record_id,fiat_currency,fiat_value\na,EUR,10.1\nb,EUR,0.02\nc,,\n';
const FILE = {
  name: 'records.csv',
  bytes: 61,
  rows: 3,
  sha256: createHash('sha256').update(TEXT).digest('hex'),
  totals: { EUR: { fiat_value: '10.12' } },
  currency_columns: { fiat_value: 'fiat_currency' },
};

it.each([
  ['in this thread', undefined],
  ['in a thread of its own', 0],
])(
  'reads the bytes, rows, hash and totals of a file %s',
  async (_, large) => {
    const path = join(tempFolder(), 'records.csv');
    writeFileSync(path, TEXT);
    expect(await readBackApart({ path, file: FILE, profile: 'standard' }, large)).toEqual({
      bytes: FILE.bytes,
      sha256: FILE.sha256,
      rows: FILE.rows,
      totals: FILE.totals,
      unreadable: null,
    });
  },
  30_000,
);

it('reports a missing file, from a thread of its own too', async () => {
  const path = join(tempFolder(), 'records.csv');
  const reading = readBackApart({ path, file: FILE, profile: 'standard' }, 0);
  await expect(reading).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a set with a file that reads back otherwise is not published', async () => {
  const out = tempFolder();
  const otherwise = async () => ({ bytes: 1, sha256: '', rows: 1, totals: {}, unreadable: null });
  await expect(publishSet({ out, readBackApart: otherwise })).rejects.toThrow(/does not read back as it was written/);
  expect(existsSync(join(out, 'latest'))).toBe(false);
});
