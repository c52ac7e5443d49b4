/** A million records are tracked. */

import { once } from 'node:events';
import { createWriteStream, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Measured, measure, TIEOUT } from '../../bench/support/child.ts';
import { temporaryFolder } from './harness/folder.ts';
import { faultRow, type Row } from './harness/row.ts';

const FEW = 20_000;
const MANY = 1_000_000;
const MIB = 2 ** 20;

faultRow(
  {
    number: 24,
    fault: '1,000,000 tracked records',
    how: 'the command imports the ids from a file and plans a night of all of them, each in its own process; the same with 20,000',
    mustHold: 'memory of both commands is flat: at most 64 MB more for fifty times the records',
  },
  async (row) => {
    const few = await withRecords(FEW, row);
    if (row.isShort) {
      row.gap('a million records (the long form does)');
      return;
    }
    const many = await withRecords(MANY, row);
    row.measured('database, MB', many.databaseMb);
    expect(many.imported.peakMb - few.imported.peakMb).toBeLessThan(64);
    expect(many.planned.peakMb - few.planned.peakMb).toBeLessThan(64);
  },
);

interface Figures {
  imported: Measured;
  planned: Measured;
  databaseMb: number;
}

async function withRecords(count: number, row: Row): Promise<Figures> {
  using folder = temporaryFolder();
  const ids = join(folder.path, 'ids.csv');
  await writeIds(ids, count);
  const database = join(folder.path, 'tieout.db');
  const flags = ['--config', join(folder.path, 'tieout.yaml')];
  settings(folder.path, database);
  const imported = await measure([TIEOUT, 'import', ids, '--json', '--no-progress', ...flags]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ total: { added: count } });
  const planned = await measure([TIEOUT, 'plan', '--json', ...flags]);
  expect(planned.stdout).toContain(String(count));
  const name = count.toLocaleString('en');
  const told = ({ peakMb, seconds }: Measured) => `${Math.round(peakMb)} MB in ${seconds.toFixed(1)} s`;
  row.measured(`import of ${name}`, told(imported));
  row.measured(`plan of ${name}`, told(planned));
  return { imported, planned, databaseMb: Math.round(statSync(database).size / MIB) };
}

async function writeIds(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('kind,id,view_token,created_at\n');
  for (let n = 0; n < count; n++) {
    // Ids come in no order, as in life: a multiplication by an odd number scatters them.
    const id = ((BigInt(n) * 0x9e3779b97f4a7c15n) % 2n ** 64n).toString(36).padStart(13, '0');
    if (!file.write(`purchase,p${id},token${String(n).padStart(11, '0')},2026-10-01T00:00:00Z\n`))
      await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

function settings(folder: string, database: string): void {
  const text = `service: { url: "http://127.0.0.1:9/api" }\ndatabase: { url: "sqlite:${database}" }\nlogLevel: error\n`;
  writeFileSync(join(folder, 'tieout.yaml'), text);
}
