/** Signed sets: the signed bytes, the check, and each way in which a signature can be wrong. */
import { generateKeyPairSync, verify as verifyBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { generateKeys, type KeyPair, readPrivateKey, readPublicKey, writeKeys } from '../../src/publish/keys.ts';
import { type Signer, signerFor, signerOf, verifyKeysOf } from '../../src/publish/sign.ts';
import { type VerifyOptions, verifySets } from '../../src/publish/verify.ts';
import { publishSet } from './support/a-set.ts';
import { killedAt, watchedFileSystem } from './support/faulty-file-system.ts';
import { tempFolders } from './support/temp-folder.ts';

const SIGNATURE = 'manifest.json.sig';
const pair = generateKeys();
const other = generateKeys();
const signerFrom = ({ privatePem }: KeyPair): Signer => signerOf(readPrivateKey(privatePem, 'a test'));
const keyFrom = ({ publicPem }: KeyPair) => readPublicKey(publicPem, 'a test');

const newFolder = tempFolders();
let out = '';
beforeEach(() => {
  out = newFolder();
});

const publish = (businessDate: string, signer: Signer | null) => publishSet({ out, businessDate, signer });

const check = async (options: VerifyOptions = { keys: [keyFrom(pair)] }, path = out) =>
  (await verifySets(path, options)).map(({ signature, problems }) => [signature, problems[0] ?? null]);

const inSet = (name: string, date = '2026-11-20') => join(out, date, 'nightly-r1', name);

describe('a signed set', () => {
  beforeEach(() => publish('2026-11-20', signerFrom(pair)));

  it('holds with the key, and says that it was not checked without one', async () => {
    expect(await check()).toEqual([['good', null]]);
    expect(await check({})).toEqual([['unchecked', null]]);
  });

  it('is signed over the very bytes of the manifest, so that any tool can check it', () => {
    const { algorithm, key_id, signature } = JSON.parse(readFileSync(inSet(SIGNATURE), 'utf8'));
    const manifest = readFileSync(inSet('manifest.json'));
    expect([algorithm, key_id]).toEqual(['ed25519', pair.keyId]);
    expect(verifyBytes(null, manifest, pair.publicPem, Buffer.from(signature, 'base64'))).toBe(true);
    expect(JSON.parse(manifest.toString()).signing_key).toBe(pair.keyId);
    expect(statSync(inSet(SIGNATURE)).mode & 0o777).toBe(0o600);
  });

  it('holds with the old key among the new ones after a rotation', async () => {
    await publish('2026-11-21', signerFrom(other));
    expect(await check({ keys: [keyFrom(other), keyFrom(pair)] })).toEqual([
      ['good', null],
      ['good', null],
    ]);
  });

  it('fails with another key, which is named', async () => {
    const told = `was made with another key, ${pair.keyId.slice(0, 16)}; the keys to verify with are ${other.keyId.slice(0, 16)}`;
    expect(await check({ keys: [keyFrom(other)] })).toEqual([['bad', expect.stringContaining(told)]]);
  });

  it('fails where the signature was taken away', async () => {
    rmSync(inSet(SIGNATURE));
    const told = [['bad', expect.stringContaining(`${SIGNATURE}: is missing, though the manifest says`)]];
    expect(await check()).toEqual(told);
    // That much shows without any key.
    expect(await check({})).toEqual(told);
  });

  it('fails where the manifest was changed', async () => {
    const text = readFileSync(inSet('manifest.json'), 'utf8');
    writeFileSync(inSet('manifest.json'), text.replace('"requests_sent": ', '"requests_sent": 1'));
    expect(await check()).toEqual([['bad', expect.stringContaining(`${SIGNATURE}: does not fit the manifest`)]]);
  });

  it('fails for a signature by another key under the name of the key', async () => {
    const forged = JSON.parse(signerFrom(other).sign(readFileSync(inSet('manifest.json'))));
    writeFileSync(inSet(SIGNATURE), `${JSON.stringify({ ...forged, key_id: pair.keyId })}\n`);
    expect(await check()).toEqual([['bad', expect.stringContaining('does not fit the manifest')]]);
  });

  it('fails for a signature by another key under its own name', async () => {
    writeFileSync(inSet(SIGNATURE), signerFrom(other).sign(readFileSync(inSet('manifest.json'))));
    expect(await check({ keys: [keyFrom(pair), keyFrom(other)] })).toEqual([
      ['bad', expect.stringContaining(`was made with the key ${other.keyId.slice(0, 16)}, but the manifest names`)],
    ]);
  });

  it.each(['', 'nonsense', '{}', '{"algorithm":"none","key_id":"","signature":""}'])(
    'fails where the signature is %j',
    async (text) => {
      writeFileSync(inSet(SIGNATURE), text);
      expect(await check()).toEqual([['bad', expect.stringContaining('is not a signature of ours')]]);
    },
  );

  it('fails with the signature of another set', async () => {
    await publish('2026-11-21', signerFrom(pair));
    copyFileSync(inSet(SIGNATURE), inSet(SIGNATURE, '2026-11-21'));
    expect(await check()).toEqual([
      ['good', null],
      ['bad', expect.stringContaining('does not fit the manifest')],
    ]);
  });

  it('keeps its place in the chain', async () => {
    await publish('2026-11-21', signerFrom(pair));
    const { previous_manifest_sha256: previous } = JSON.parse(
      readFileSync(inSet('manifest.json', '2026-11-21'), 'utf8'),
    );
    expect(readFileSync(join(out, 'manifests.ndjson'), 'utf8')).toContain(`"sha256":"${previous}"`);
  });
});

it('killed at any call of the publication, a set is there with its signature or not at all', async () => {
  const signer = signerFrom(pair);
  const first = await callsOf(signer);
  expect(first.filter((call) => call.includes(SIGNATURE)).length).toBeGreaterThan(0);
  const states = new Set<string>();
  // From the signature on, the states after each call are compared; before it, there is no set.
  for (let index = first.findIndex((call) => call.includes(SIGNATURE)); index < first.length; index++) {
    const folder = newFolder();
    const { fileSystem } = killedAt(index);
    await publishSet({ out: folder, signer, fileSystem, suffix: 'first', isGone: () => true }).catch(() => undefined);
    if (existsSync(join(folder, '2026-11-20', 'nightly-r1'))) {
      states.add('there');
      expect((await verifySets(folder, { keys: [keyFrom(pair)] })).at(0)?.signature, first[index]).toBe('good');
    } else states.add('not there');
    await publishSet({ out: folder, signer, suffix: 'second', isGone: () => true });
    expect(await check(undefined, folder), first[index]).toEqual([['good', null]]);
  }
  expect(states).toEqual(new Set(['there', 'not there']));
});

it('a set that was in place before signing was turned on is finished without a signature', async () => {
  await publish('2026-11-20', null);
  rmSync(join(out, 'manifests.ndjson'));
  await publish('2026-11-20', signerFrom(pair));
  expect(await check()).toEqual([['unsigned', null]]);
});

async function callsOf(signer: Signer): Promise<string[]> {
  const { fileSystem, calls } = watchedFileSystem(() => {});
  await publishSet({ out: newFolder(), signer, fileSystem, suffix: 'first', isGone: () => true });
  return calls;
}

describe('a set without a signature', () => {
  it('from before signing was turned on is unsigned, and holds', async () => {
    await publish('2026-11-20', null);
    await publish('2026-11-21', signerFrom(pair));
    expect(await check()).toEqual([
      ['unsigned', null],
      ['good', null],
    ]);
    expect(existsSync(inSet(SIGNATURE))).toBe(false);
    expect(JSON.parse(readFileSync(inSet('manifest.json'), 'utf8'))).not.toHaveProperty('signing_key');
  });

  it('fails where signatures are required', async () => {
    await publish('2026-11-20', null);
    expect(await check({ keys: [keyFrom(pair)], requireSigned: true })).toEqual([
      ['bad', expect.stringContaining('not signed')],
    ]);
  });

  it('fails after a signed one, which is named', async () => {
    await publish('2026-11-20', signerFrom(pair));
    await publish('2026-11-21', null);
    expect(await check()).toEqual([
      ['good', null],
      ['bad', expect.stringContaining('is not there, though 2026-11-20/nightly-r1, published before it, is signed')],
    ]);
    // Asked for alone, too.
    expect(await check({}, join(out, '2026-11-21'))).toEqual([['bad', expect.stringContaining('though 2026-11-20')]]);
  });

  it('fails with a signature that its manifest knows nothing of', async () => {
    await publish('2026-11-20', null);
    writeFileSync(inSet(SIGNATURE), signerFrom(pair).sign(readFileSync(inSet('manifest.json'))));
    expect(await check()).toEqual([['bad', expect.stringContaining('the manifest says that it was not signed')]]);
  });
});

describe('a signature file', () => {
  const rewritten = async (change: (file: Record<string, unknown>) => unknown, text = JSON.stringify) => {
    await publish('2026-11-20', signerFrom(pair));
    const file = JSON.parse(readFileSync(inSet(SIGNATURE), 'utf8'));
    writeFileSync(inSet(SIGNATURE), `${text(change(file))}\n`);
    return check();
  };
  const refused = [['bad', expect.stringContaining('is not a signature of ours: it was damaged or replaced')]];

  it.each<[string, (file: Record<string, unknown>) => unknown]>([
    ['another algorithm', (file) => ({ ...file, algorithm: 'rsa' })],
    ['a key id in capitals', (file) => ({ ...file, key_id: String(file.key_id).toUpperCase() })],
    ['a key id with more digits', (file) => ({ ...file, key_id: `${file.key_id}0` })],
    ['a key id after others', (file) => ({ ...file, key_id: `0${file.key_id}` })],
    ['a field more', (file) => ({ ...file, comment: '' })],
    ['its fields in another order', ({ algorithm, ...file }) => ({ ...file, algorithm })],
    ['a shorter signature', (file) => ({ ...file, signature: String(file.signature).slice(4) })],
    // The last character of 64 bytes in base64 has four bits to spare.
    ['other spare bits', (file) => ({ ...file, signature: String(file.signature).replace(/[AQgw]==$/, 'B==') })],
  ])('with %s is refused', async (_, change) => {
    expect(await rewritten(change)).toEqual(refused);
  });

  it('with blanks that no publication writes is refused', async () => {
    expect(
      await rewritten(
        (file) => file,
        (file) => JSON.stringify(file, null, 1),
      ),
    ).toEqual(refused);
  });
});

it('of a set whose manifest cannot be read, nothing is said of the signature', async () => {
  await publish('2026-11-20', signerFrom(pair));
  await publish('2026-11-21', signerFrom(pair));
  writeFileSync(inSet('manifest.json', '2026-11-21'), '{');
  expect((await verifySets(inSet('', '2026-11-21'))).map(({ signature, problems }) => [signature, problems])).toEqual([
    ['unsigned', [expect.stringContaining('manifest.json: is not JSON'), expect.stringContaining('was changed after')]],
  ]);
});

describe('keys', () => {
  it('are written for their owner alone and never over others', () => {
    const { privatePath, publicPath } = writeKeys(join(out, 'keys'), pair);
    expect(statSync(privatePath).mode & 0o777).toBe(0o600);
    expect(readPublicKey(readFileSync(publicPath, 'utf8'), publicPath).keyId).toBe(pair.keyId);
    expect(() => writeKeys(join(out, 'keys'), other)).toThrow('a key is never overwritten');
    rmSync(privatePath);
    // Half a pair would be worse than none.
    expect(() => writeKeys(join(out, 'keys'), other)).toThrow('a key is never overwritten');
    expect(existsSync(privatePath)).toBe(false);
    expect(readFileSync(publicPath, 'utf8')).toBe(pair.publicPem);
  });

  it('stay out of `git add .` in a checkout, as do keys of databases', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    const { privatePath } = writeKeys(join(out, 'git'), pair);
    for (const name of [basename(privatePath), 'tieout.db.key', 'tieout.db', '.env'])
      expect(ignored.some((each) => each !== '' && name.endsWith(each.replace('*', '')))).toBe(true);
  });

  it('of another kind, or no keys, are refused without being quoted', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsaPem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => readPrivateKey(rsaPem, 'key.pem')).toThrow('key.pem holds a key of type rsa');
    const damaged = pair.privatePem.replace('MC4', 'XXX');
    const secret = damaged.split('\n')[1] ?? '';
    let message = '';
    try {
      readPrivateKey(damaged, 'key.pem');
    } catch (error) {
      message = `${(error as Error).message} ${String((error as Error).cause)}`;
    }
    expect(message).toContain('key.pem holds no private key');
    expect(message).not.toContain(secret);
    expect(() => readPrivateKey(rsaPem, 'key.pem')).toThrow(
      'manifests are signed with Ed25519: make a key with `tieout keys generate`',
    );
    expect(() => readPublicKey(pair.privatePem, 'key.pem')).toThrow(
      'key.pem holds a private key; give the public one, tieout-signing.pub.pem, and keep the private one on the machine that signs',
    );
    const rsaPublic = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(() => readPublicKey(rsaPublic, 'key.pem')).toThrow(
      'key.pem holds a key of type rsa; give an Ed25519 key: manifests are signed with no other',
    );
    expect(() => readPublicKey('no key', 'key.pem')).toThrow(
      'key.pem holds no public key in PEM (-----BEGIN PUBLIC KEY-----)',
    );
  });

  it('are read from files, or public ones from the settings', () => {
    const { privatePath, publicPath } = writeKeys(join(out, 'keys'), pair);
    expect([signerFor(null), signerFor(privatePath)?.keyId]).toEqual([null, pair.keyId]);
    expect(verifyKeysOf([publicPath, other.publicPem]).map(({ keyId }) => keyId)).toEqual([pair.keyId, other.keyId]);
    expect(() => verifyKeysOf([publicPath, other.publicPem.replace('MC', 'XX')])).toThrow(
      'key 2 of publish.verifyKeys holds no public key',
    );
    const absent = join(out, 'absent.pem');
    const told = `the key file ${absent} cannot be read (ENOENT); check its path and permissions`;
    expect(() => signerFor(absent)).toThrow(told);
    expect(() => verifyKeysOf([absent])).toThrow(told);
    // Without an end, it took all memory.
    expect(() => signerFor('/dev/zero')).toThrow('/dev/zero cannot be read (is no key: it has more than 64 KiB)');
  });

  it('leave no private key where the public one cannot be written', () => {
    const folder = join(out, 'keys');
    const { fileSystem } = watchedFileSystem((_, call, [path]) => {
      if (call === 'open' && String(path).endsWith('.pub.pem'))
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    expect(() => writeKeys(folder, pair, fileSystem)).toThrow('full');
    expect(readdirSync(folder)).toEqual([]);
    const again = () => writeKeys(folder, other);
    again();
    expect(again).toThrow(
      `${join(folder, 'tieout-signing.key.pem')} exists, and a key is never overwritten; name another folder with --out, or move the key`,
    );
  });
});

it('a signature stripped from a set that was not listed yet is missed, too', async () => {
  await publish('2026-11-19', signerFrom(pair));
  const list = readFileSync(join(out, 'manifests.ndjson'));
  await publish('2026-11-20', signerFrom(pair));
  // As a crash before the list leaves it.
  writeFileSync(join(out, 'manifests.ndjson'), list);
  expect(await check()).toEqual([
    ['good', null],
    ['good', null],
  ]);
  rmSync(inSet(SIGNATURE));
  const manifest = JSON.parse(readFileSync(inSet('manifest.json'), 'utf8'));
  delete manifest.signing_key;
  writeFileSync(inSet('manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  expect((await check())[1]).toEqual(['bad', expect.stringContaining('published before it, is signed with the key')]);
});
