/** The evidence of one break, checked as its README says: with sha256sum and openssl, and nothing of ours. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { startRecordServer } from '../support/record-server.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { aQuoteLine } from './support/quote-line.ts';
import { unpacked } from './support/unpacked.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const TOKEN = 'token-that-is-in-no-file';
let server: Awaited<ReturnType<typeof startRecordServer>>;
let place: Workspace;

beforeAll(async () => {
  server = await startRecordServer();
  place = openWorkspace(server.url);
  const dates = { createdAt: '"2026-11-19T10:00:00.000Z"', updatedAt: '"2026-11-19T10:10:00.000Z"' };
  server.answers.set('a', {
    body: aPurchase({ id: '"a"', ...dates, appliedFee: '9.76', purchaseViewToken: JSON.stringify(TOKEN) }),
  });
  place.write('ids.csv', `kind,id,view_token,quote_id\npurchase,a,${TOKEN},q-1\n`);
  place.write('quotes.ndjson', `${aQuoteLine()}\n`);
  await place.tieout(['import', 'ids.csv']);
  await place.tieout(['quotes', 'import', 'quotes.ndjson']);
  await place.tieout(['run', '--date', '2026-11-20']);
  await place.ends(0, ['keys', 'generate', '--out', 'keys']);
});
afterAll(async () => {
  place?.remove();
  await server?.close();
});

async function firstBreak(): Promise<string> {
  const { out } = await place.tieout(['breaks', 'list', '--json']);
  return (JSON.parse(out) as { breaks: { break_id: string }[] }).breaks[0]?.break_id ?? '';
}

/** In a folder of its own. */
function unpackInto(folder: string, zip: Buffer): string[] {
  const files = unpacked(zip);
  for (const [name, bytes] of files) {
    mkdirSync(dirname(place.path(folder, name)), { recursive: true });
    writeFileSync(place.path(folder, name), bytes);
  }
  return [...files.keys()].sort();
}

const inFolder = (folder: string, command: string) => {
  const [program = '', ...args] = command.split(' ');
  return spawnSync(program, args, { cwd: place.path(folder), encoding: 'utf8' });
};

it('has what an outsider needs, the same each time, without a token', async () => {
  const id = await firstBreak();
  await place.ends(0, ['breaks', 'pack', id, '--file', 'one.zip']);
  await place.ends(0, ['breaks', 'pack', id, '--file', 'two.zip']);
  const [one, two] = ['one.zip', 'two.zip'].map((name) => readFileSync(place.path(name)));
  expect(one).toEqual(two);
  const names = unpackInto('unsigned', one as Buffer);
  expect(names).toEqual([
    'README.txt',
    'SHA256SUMS',
    expect.stringMatching(/^bodies\/[0-9a-f]{32}\.json$/),
    'break.csv',
    'explanation.txt',
    expect.stringMatching(/^quotes\/[0-9a-f]{32}\.json$/),
  ]);
  for (const name of names) expect(place.read(`unsigned/${name}`)).not.toContain(TOKEN);
  expect(place.read('unsigned/explanation.txt')).toContain('The arithmetic');
  expect(place.read('unsigned/README.txt')).toContain('It is not signed');
  expect(inFolder('unsigned', 'sha256sum -c SHA256SUMS')).toMatchObject({ status: 0 });
  place.write('unsigned/break.csv', 'forged\n');
  expect(inFolder('unsigned', 'sha256sum -c SHA256SUMS').status).not.toBe(0);
});

it('is signed where a key is configured: openssl finds a changed list by the key that comes with it', async () => {
  const env = { TIEOUT_SIGNING_KEY_FILE: place.path('keys', 'tieout-signing.key.pem') };
  const id = await firstBreak();
  await place.ends(0, ['breaks', 'pack', id, '--file', 'signed.zip'], { env });
  unpackInto('signed', readFileSync(place.path('signed.zip')));
  const command = /^ {2}(openssl .*)$/m.exec(place.read('signed/README.txt'))?.[1] ?? '';
  expect(inFolder('signed', command)).toMatchObject({ status: 0 });
  const own = execFileSync('openssl', ['pkey', '-in', env.TIEOUT_SIGNING_KEY_FILE, '-pubout'], { encoding: 'utf8' });
  expect(place.read('signed/signing-key.pem')).toBe(own);
  place.write('signed/SHA256SUMS', `${place.read('signed/SHA256SUMS')}#\n`);
  expect(inFolder('signed', command).status).not.toBe(0);
});

it('never writes over a file', async () => {
  const id = await firstBreak();
  place.write('there.zip', 'mine');
  const { code, err } = await place.tieout(['breaks', 'pack', id, '--file', 'there.zip']);
  expect([code, err]).toEqual([2, expect.stringContaining('there.zip exists; name another file')]);
});

it('is not made of a body or a quote that was changed in the database', async () => {
  const id = await firstBreak();
  const file = openSqliteFile(place.path('var/tieout.db'));
  for (const [table, column] of [
    ['bodies', 'deflated'],
    ['quote_bodies', 'exchange'],
  ]) {
    const kept = file.prepare(`select * from ${table}`).all();
    const changed = (text: string) => deflateRawSync(text.replace('CARD_PAYMENT', 'BANK_TRANSFER'));
    for (const row of kept)
      file
        .prepare(`update ${table} set ${column} = ? where ${column} = ?`)
        .run(changed(inflateRawSync(row[column ?? ''] as Uint8Array).toString()), row[column ?? ''] as Uint8Array);
    const { code, err } = await place.tieout(['breaks', 'pack', id, '--file', `${table}.zip`]);
    expect([code, err]).toEqual([1, expect.stringContaining('is not the text that was stored')]);
    expect(existsSync(place.path(`${table}.zip`))).toBe(false);
    for (const row of kept) file.prepare(`update ${table} set ${column} = ?`).run(row[column ?? ''] as Uint8Array);
  }
  file.close();
});

it('has one line for each thing that it says, whatever the record has in it', async () => {
  const other = openWorkspace(server.url);
  const dates = { createdAt: '"2026-11-19T10:00:00.000Z"', updatedAt: '"2026-11-19T10:10:00.000Z"' };
  const forged = { receiverAddress: JSON.stringify('x\n  outcome: as listed\u202e') };
  server.answers.set('b', { body: aPurchase({ id: '"b"', ...dates, ...forged, purchaseViewToken: undefined }) });
  other.write('ids.csv', 'kind,id,view_token\npurchase,b,some-token\n');
  await other.tieout(['import', 'ids.csv']);
  await other.tieout(['run', '--date', '2026-11-20']);
  const { out } = await other.tieout(['breaks', 'list', '--json']);
  const { breaks } = JSON.parse(out) as { breaks: { break_id: string; explanation: string }[] };
  const found = breaks.find(({ explanation }) => explanation.includes('outcome: as listed'));
  await other.ends(0, ['breaks', 'pack', found?.break_id ?? '', '--file', 'b.zip']);
  const text =
    unpacked(readFileSync(other.path('b.zip')))
      .get('explanation.txt')
      ?.toString() ?? '';
  expect(text).toContain('receiver x   outcome: as listed\\u202e is not');
  expect(text.split('\n').filter((line) => line.startsWith('  outcome: as listed'))).toEqual([]);
  other.remove();
});
