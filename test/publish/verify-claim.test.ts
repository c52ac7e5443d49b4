/** The pack of a claim, verified by whoever has it: as it is, and changed in every part. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPublicKey } from '../../src/publish/keys.ts';
import { sha256Of } from '../../src/publish/manifest.ts';
import { signerOf } from '../../src/publish/sign.ts';
import { verifySets } from '../../src/publish/verify.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const KEY = readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'test');
const BODY = `bodies/${'a'.repeat(32)}.json`;
const FILES: Readonly<Record<string, string>> = {
  [BODY]: '{"id":"a"}',
  'claim.csv': 'claim_id,explanation\nclaim-1,"two\nlines"\nclaim-1,one\n',
  'letter.txt': 'Claim claim-1\n',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claims-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function packed(isSigned = false, files = FILES): Map<string, Buffer> {
  const signer = isSigned ? signerOf(privateKey) : null;
  const manifest = Buffer.from(
    JSON.stringify({
      schema_version: 1,
      claim_id: 'claim-1',
      opened_at: '2026-11-05T04:15:00.000Z',
      signing_key: signer?.keyId ?? null,
      files: Object.entries(files).map(([name, text]) => ({ name, bytes: text.length, sha256: sha256Of(text) })),
    }),
  );
  const all = Object.entries(files).map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]);
  const signature: [string, Buffer][] =
    signer === null ? [] : [['manifest.json.sig', Buffer.from(signer.sign(manifest))]];
  return new Map([...all, ['manifest.json', manifest], ...signature]);
}

let made = 0;
const place = () => join(folder, `claim-${made++}`);

function unpacked(files: ReadonlyMap<string, Buffer>): string {
  const path = place();
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
  return path;
}

const look = async (path: string, options: Parameters<typeof verifySets>[1] = {}) => {
  const [found] = await verifySets(path, options);
  return found;
};
const changed = (change: (files: Map<string, Buffer>) => void, isSigned = false) => {
  const files = packed(isSigned);
  change(files);
  return files;
};

describe('an unpacked claim', () => {
  it('holds as it was written, with its claim, files and rows', async () => {
    const claimId = 'claim-1';
    expect(await look(unpacked(packed()))).toMatchObject({
      claimId,
      files: 3,
      rows: 2,
      signature: 'unsigned',
      problems: [],
    });
  });

  it('has a signature that is checked by the keys that are given', async () => {
    const path = unpacked(packed(true));
    expect(await look(path, { keys: [KEY] })).toMatchObject({ signature: 'good', keyId: KEY.keyId, problems: [] });
    expect(await look(path)).toMatchObject({ signature: 'unchecked', problems: [] });
    const unsigned = await look(unpacked(packed()), { requireSigned: true });
    expect(unsigned?.problems).toEqual([expect.stringContaining('not signed')]);
  });

  it.each<[string, (files: Map<string, Buffer>) => void, string]>([
    ['a changed body', (files) => files.set(BODY, Buffer.from('{"id":"b"}')), `${BODY}: was changed`],
    ['a removed quote or body', (files) => files.delete(BODY), `${BODY}: is missing`],
    ['a file more', (files) => files.set('bodies/x', Buffer.from('')), 'bodies/x: is not in the manifest'],
    [
      'a manifest of another hand',
      (files) => files.set('manifest.json', Buffer.from('{"claim_id":"claim-1"}')),
      'manifest.json: is not that of a claim',
    ],
  ])('does not hold with %s', async (_name, change, problem) => {
    const found = await look(unpacked(changed(change)));
    expect(found?.problems).toEqual([expect.stringContaining(problem)]);
  });

  it('does not hold where manifest and file were changed together, if it was signed', async () => {
    const files = packed(true);
    files.set('letter.txt', Buffer.from('More'));
    files.set(
      'manifest.json',
      packed(false, { ...FILES, 'letter.txt': 'More' }).get('manifest.json') ?? Buffer.alloc(0),
    );
    expect((await look(unpacked(files), { keys: [KEY] }))?.signature).toBe('bad');
  });

  it.each<[string, (files: { name: string }[]) => unknown[]]>([
    ['names a file twice', (files) => [...files, ...files]],
    ['leaves out the table', (files) => files.filter(({ name }) => name !== 'claim.csv')],
  ])('does not hold where its manifest %s', async (_name, change) => {
    const files = packed();
    const { files: listed, ...rest } = JSON.parse(String(files.get('manifest.json')));
    files.set('manifest.json', Buffer.from(JSON.stringify({ ...rest, files: change(listed) })));
    expect((await look(unpacked(files)))?.problems).toEqual([expect.stringContaining('is not that of a claim')]);
  });

  it('is led nowhere by a name in its manifest', async () => {
    const files = packed(false, { '../../etc/passwd': 'x' });
    files.delete('../../etc/passwd');
    expect((await look(unpacked(files)))?.problems).toEqual([expect.stringContaining('is not that of a claim')]);
  });
});

it('a link in place of a file is none', async () => {
  const path = unpacked(changed((files) => files.delete('letter.txt')));
  writeFileSync(join(folder, 'elsewhere'), FILES['letter.txt'] ?? '');
  symlinkSync(join(folder, 'elsewhere'), join(path, 'letter.txt'));
  expect((await look(path))?.problems).toEqual([expect.stringContaining('letter.txt: is missing')]);
});

it('nor is what stands in a linked folder', async () => {
  const [path, other] = [unpacked(packed()), unpacked(packed())];
  rmSync(join(path, 'bodies'), { recursive: true });
  symlinkSync(join(other, 'bodies'), join(path, 'bodies'));
  expect((await look(path))?.problems).toEqual([expect.stringContaining(`${BODY}: is missing`)]);
});

it('nor is a socket', async () => {
  const path = unpacked(changed((files) => files.delete('letter.txt')));
  const server = createServer().listen(join(path, 'letter.txt'));
  await once(server, 'listening');
  expect((await look(path))?.problems).toEqual([expect.stringContaining('letter.txt: is missing')]);
  server.close();
});

it.each<[string, (path: string) => unknown]>([
  ['pipe', (path) => execFileSync('mkfifo', [path])],
  ['device', (path) => symlinkSync('/dev/zero', path)],
  ['folder', (path) => mkdirSync(path)],
])('nor does a %s stand for the signature of an unsigned pack', async (_what, make) => {
  const path = unpacked(packed());
  make(join(path, 'manifest.json.sig'));
  expect((await look(path))?.problems).toEqual(['manifest.json.sig: is not in the manifest']);
});
