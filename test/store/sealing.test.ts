import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFolders, realFileSystem } from '../../src/publish/file-system.ts';
import { keyFileBeside } from '../../src/store/database-url.ts';
import { openStore } from '../../src/store/open.ts';
import {
  BrokenSealError,
  createSealer,
  KeyFileError,
  KeyFormatError,
  MissingKeyError,
  type SealedFor,
  sameFingerprint,
  WrongKeyError,
} from '../../src/store/sealing.ts';
import { readKeyFile, readOrMakeKeyFile, sealerOfDatabase } from '../../src/store/sealing-key.ts';
import { makePrivateFolder } from '../../src/store/sqlite/private-file.ts';
import { aPurchase, at } from '../support/builders.ts';
import { temporaryFolder, testKey } from './support/engines.ts';
import { aLine, allItems, keyOf, plan, TRACKED_AT, verified } from './support/scenario.ts';

const OWNER: SealedFor = { what: 'token', kind: 'purchase', recordId: '322' };
const SECRET = Buffer.from('mg3voq92hd2mbdht');
const sealer = createSealer([testKey('a')]);

describe('a sealed token', () => {
  it('opens with its key, for the record that it was sealed for', () => {
    const sealed = sealer.seal(SECRET, OWNER);
    expect(Buffer.from(sealer.unseal(sealed, OWNER)).toString()).toBe('mg3voq92hd2mbdht');
    expect(Buffer.from(sealed.bytes).includes(SECRET)).toBe(false);
  });

  it.each<Partial<SealedFor>>([{ recordId: '323' }, { kind: 'sale' }, { what: 'body' }])(
    'does not open for another owner: %o',
    (other) => {
      const sealed = sealer.seal(SECRET, OWNER);
      expect(() => sealer.unseal(sealed, { ...OWNER, ...other })).toThrow(BrokenSealError);
    },
  );

  it('does not open when any byte of it has changed', () => {
    const sealed = sealer.seal(SECRET, OWNER);
    for (let index = 0; index < sealed.bytes.length; index++) {
      const bytes = Uint8Array.from(sealed.bytes);
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      expect(() => sealer.unseal({ ...sealed, bytes }, OWNER)).toThrow(BrokenSealError);
    }
    const short = { ...sealed, bytes: sealed.bytes.subarray(0, 20) };
    expect(() => sealer.unseal(short, OWNER)).toThrow(BrokenSealError);
  });

  it('never looks the same twice', () => {
    const once = Buffer.from(sealer.seal(SECRET, OWNER).bytes).toString('hex');
    const again = Buffer.from(sealer.seal(SECRET, OWNER).bytes).toString('hex');
    expect(once).not.toBe(again);
  });

  it('names the key that is missing, and nothing secret', () => {
    const sealed = sealer.seal(SECRET, OWNER);
    const other = createSealer([testKey('b')]);
    expect(() => other.unseal(sealed, OWNER)).toThrow(WrongKeyError);
    try {
      other.unseal(sealed, OWNER);
    } catch (error) {
      const text = `${(error as Error).message}`;
      expect(text).toContain(sealer.keyId);
      expect(text).toContain('TIEOUT_SECRET_KEY');
      expect(text).not.toContain(testKey('a'));
    }
  });

  it('of an older key opens while a rotation is under way; the newest key seals', () => {
    const sealed = sealer.seal(SECRET, OWNER);
    const rotating = createSealer([testKey('b'), testKey('a')]);
    expect(Buffer.from(rotating.unseal(sealed, OWNER)).toString()).toBe('mg3voq92hd2mbdht');
    expect(rotating.seal(SECRET, OWNER).keyId).toBe(createSealer([testKey('b')]).keyId);
  });
});

describe('a fingerprint', () => {
  it('is the same for the same token and key, and for no other', () => {
    const rotating = createSealer([testKey('b'), testKey('a')]);
    const own = sealer.fingerprint('token', sealer.keyId);
    expect(sameFingerprint(own, rotating.fingerprint('token', sealer.keyId))).toBe(true);
    expect(sameFingerprint(own, sealer.fingerprint('token2', sealer.keyId))).toBe(false);
    expect(sameFingerprint(own, rotating.fingerprint('token', rotating.keyId))).toBe(false);
  });

  it.each(['', 'token', 'é€😀\ud800', 'x'.repeat(5_000), 'short again'])('is half of HMAC-SHA-256: %#', (text) => {
    const key = hkdfSync('sha256', Buffer.from(testKey('a'), 'base64'), '', 'tieout fingerprint 1', 32);
    const hmac = createHmac('sha256', Buffer.from(key)).update(text).digest('hex').slice(0, 32);
    expect(Buffer.from(sealer.fingerprint(text, sealer.keyId)).toString('hex')).toBe(hmac);
  });
});

describe('a key', () => {
  it.each(['', 'short', testKey('a').slice(4), `${testKey('a')}AAAA`, 'not base64 at all, and yet it is forty-four!'])(
    'must be 32 bytes of base64: %o',
    (key) => {
      expect(() => createSealer([key])).toThrow(KeyFormatError);
    },
  );

  it('may have white space around it, as files do', () => {
    expect(createSealer([` ${testKey('a')}\n`]).keyId).toBe(sealer.keyId);
  });
});

describe('with a folder', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'tieout.db');
  });
  afterEach(() => folder[Symbol.dispose]());

  const open = (...keys: [string, ...string[]]) => openStore({ url: `sqlite:${file}`, sealer: createSealer(keys) });

  describe('the key file', () => {
    it('is made once, private, beside the database', () => {
      const path = keyFileBeside(file);
      expect(path).toBe(`${file}.key`);
      const before = process.umask(0o000);
      const made = readOrMakeKeyFile(path);
      process.umask(before);
      expect(made.made).toBe(true);
      expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
      expect(readOrMakeKeyFile(path)).toEqual({ key: made.key, made: false });
      expect(readFileSync(path, 'utf8').trim()).toBe(made.key);
      createSealer([made.key]);
    });

    it('that others can read is refused', () => {
      const path = keyFileBeside(file);
      readOrMakeKeyFile(path);
      chmodSync(path, 0o644);
      expect(() => readKeyFile(path)).toThrow(KeyFileError);
      expect(() => readOrMakeKeyFile(path)).toThrow(/chmod 600/);
    });

    it('that is no text or too large for a key says so', () => {
      const path = join(folder.path, 'strange.key');
      writeFileSync(path, Buffer.from([0xc3, 0x28]), { mode: 0o600 });
      expect(() => readKeyFile(path)).toThrow('is not UTF-8');
      writeFileSync(path, 'a'.repeat(70_000));
      expect(() => readKeyFile(path)).toThrow('is no key: it has more than 64 KiB; restore it from a backup');
    });

    it('that is empty is not replaced: the key in it may still exist somewhere', () => {
      const path = keyFileBeside(file);
      writeFileSync(path, '', { mode: 0o600 });
      expect(() => readOrMakeKeyFile(path)).toThrow(KeyFileError);
      expect(readFileSync(path, 'utf8')).toBe('');
    });

    it('is nothing where there is none, and none is made by looking', () => {
      expect(readKeyFile(keyFileBeside(file))).toBeNull();
      expect(existsSync(keyFileBeside(file))).toBe(false);
    });
  });

  describe('the key of a database', () => {
    const bytes = (letter: string) => Buffer.alloc(32, letter);
    const keyOfDatabase = (
      url: string,
      configured: Uint8Array | null,
      make: boolean,
      older: readonly string[] = [],
    ) => {
      const { sealer: found, key } = sealerOfDatabase(url, configured, { make, older });
      return { id: found?.keyId ?? null, found, ...key };
    };

    it('is the configured one before any file, and none is made then', () => {
      for (const url of [`sqlite:${file}`, 'postgres://db.example/tieout']) {
        expect(keyOfDatabase(url, bytes('a'), true)).toMatchObject({
          id: sealer.keyId,
          source: 'environment',
          made: false,
        });
      }
      expect(readdirSync(folder.path)).toEqual([]);
    });

    it('is in the file beside SQLite, which is made where that is asked for', () => {
      const url = `sqlite:${file}`;
      expect(keyOfDatabase(url, null, false)).toEqual({ id: null, found: null, source: 'none', made: false });
      expect(existsSync(keyFileBeside(file))).toBe(false);
      const made = keyOfDatabase(url, null, true);
      expect(made).toMatchObject({ source: 'file', made: true });
      expect(keyOfDatabase(url, null, true)).toMatchObject({ id: made.id, source: 'file', made: false });
      expect(keyOfDatabase(url, null, false)).toMatchObject({ id: made.id, source: 'file', made: false });
    });

    it('is in no file beside PostgreSQL, which several machines share', () => {
      expect(keyOfDatabase('postgres://db.example/tieout', null, true)).toMatchObject({
        id: null,
        source: 'none',
        made: false,
      });
    });

    it('opens what retired keys sealed, and seals with the newest', () => {
      const sealed = sealer.seal(SECRET, OWNER);
      writeFileSync(keyFileBeside(file), testKey('b'), { mode: 0o600 });
      for (const configured of [bytes('b'), null]) {
        const { found, id } = keyOfDatabase(`sqlite:${file}`, configured, false, [testKey('a')]);
        expect(Buffer.from(found?.unseal(sealed, OWNER) ?? []).toString()).toBe('mg3voq92hd2mbdht');
        expect(id).toBe(createSealer([testKey('b')]).keyId);
      }
    });
  });

  it('a file or folder in the way of the key is reported with its remedy', () => {
    const path = keyFileBeside(file);
    mkdirSync(path);
    expect(() => readKeyFile(path)).toThrow(`${path}: cannot be read; make it belong to the user that runs Tieout`);
    writeFileSync(file, '');
    const below = keyFileBeside(join(file, 'tieout.db'));
    expect(() => readOrMakeKeyFile(below)).toThrow(`${below}: cannot be read`);
  });

  it('folders are private under any umask, and those that are there keep their mode', () => {
    const shared = join(folder.path, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    const before = process.umask(0o277);
    try {
      makePrivateFolder(join(shared, 'var/deep'));
    } finally {
      process.umask(before);
    }
    const modes = ['', 'var', 'var/deep'].map((name) => (statSync(join(shared, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['755', '700', '700']);
  });

  it.runIf(existsSync('/proc/self'))('a place that takes no folder is an error, and never a wait', () => {
    expect(() => makePrivateFolder('/proc/none/deep')).toThrow('/proc takes no folder');
    expect(() => makePrivateFolders(realFileSystem, '/proc/none/deep')).toThrow('/proc takes no folder');
  });

  describe('a database', () => {
    it('whose key is gone is refused at once, before a night stops in its middle', async () => {
      const { store } = await open(testKey('a'));
      await store.tracked.add([aLine()], 'import', TRACKED_AT);
      await store.close();
      await expect(open(testKey('b'))).rejects.toThrow(WrongKeyError);
    });

    it('can be read without a key, where no token is needed', async () => {
      const first = await open(testKey('a'));
      await first.store.tracked.add([aLine()], 'import', TRACKED_AT);
      await plan(first.store);
      await first.store.close();
      const { store } = await openStore({ url: `sqlite:${file}`, sealer: null });
      expect(await store.tracked.count()).toBe(1);
      await expect(store.items.next('nightly-2026-11-20-r1', 0, 10)).rejects.toThrow(MissingKeyError);
      await expect(store.items.next('nightly-2026-11-20-r1', 0, 10)).rejects.toThrow(
        'no sealing key was given, and view tokens are sealed; set TIEOUT_SECRET_KEY (or TIEOUT_SECRET_KEY_FILE) to the one ' +
          'key that all machines of this database share; only a SQLite file has a key file beside it',
      );
      await expect(store.tracked.add([aLine()], 'import', TRACKED_AT)).rejects.toThrow(MissingKeyError);
      await store.close();
    });

    it('is sealed again with a new key, whole, and needs the old one no more', async () => {
      const first = await open(testKey('a'));
      const lines = Array.from({ length: 1_200 }, (_, n) => aLine({ id: `r${n}`, token: `token-${n}` }));
      await first.store.tracked.add(lines, 'import', TRACKED_AT);
      await first.store.tracked.add([aLine({ id: 'r0', token: 'another' })], 'import', TRACKED_AT);
      const { run, fence } = await plan(first.store);
      const body = { sha256: 'c0ffee', evidence: '{"a":1}' };
      const observed = { outcome: 'quarantined', reason: 'UNREADABLE_BODY', detail: 'x', drift: [] } as const;
      const seen = { ...observed, httpStatus: 200, body, at: at('2026-11-20 04:20') };
      await first.store.items.save(run.runId, fence, [
        { recordKey: await keyOf(first.store, 'r0'), attempts: 1, observed: seen },
      ]);
      await first.store.close();

      const rotating = await open(testKey('b'), testKey('a'));
      const progress: number[] = [];
      expect(await rotating.upkeep.reseal((renewed) => progress.push(renewed))).toBe(2_402);
      expect(progress).toEqual([500, 1_000, 1_200, 1_201, 1_202, 2_201, 2_402]);
      expect(await rotating.upkeep.reseal()).toBe(0);
      await rotating.store.close();

      const { store, upkeep } = await open(testKey('b'));
      expect((await upkeep.status()).sealingKeys).toEqual([createSealer([testKey('b')]).keyId]);
      const items = await allItems(store, await plan(store, { date: '2026-11-21' }));
      expect(items[0]?.token).toMatch(/^token-\d+$/);
      expect(await store.items.quarantinedBody('purchase', 'r0', 'c0ffee')).toBe('{"a":1}');
      // Tokens are still recognised, the first one and the one that conflicts.
      const [same, claimed] = await store.tracked.add(
        [aLine({ id: 'r0', token: 'token-0' }), aLine({ id: 'r0', token: 'another' })],
        'import',
        TRACKED_AT,
      );
      expect([same?.outcome, claimed?.outcome]).toEqual(['unchanged', 'conflict']);
      expect((await store.tracked.find('r0'))[0]?.facts.conflict).toContain('2 different view tokens');
      await store.close();
    });

    it('opens attachments and detects changed figures with the new key alone', async () => {
      const first = await open(testKey('a'));
      const ids = ['good', 'changed', 'unknown'];
      await first.store.tracked.add(
        ids.map((id) => aLine({ id })),
        'import',
        TRACKED_AT,
      );
      const { run, fence } = await plan(first.store);
      for (const id of ids) {
        await first.store.items.save(run.runId, fence, [
          verified(await keyOf(first.store, id), aPurchase({ recordId: id }), '2026-11-20'),
        ]);
      }
      const file_ = { at: TRACKED_AT, name: 'Ann', account: 'local:Ann', fileName: 'mail.txt', bytes: 5 };
      await first.store.workList.attach('b1', file_, Buffer.from('proof'));
      await first.store.close();
      const rows = new Database(file);
      rows.prepare("update contents set fiat_value = '1' where record_key = 2").run();
      rows.prepare('update contents set digest = zeroblob(24) where record_key = 3').run();
      rows.close();

      const rotating = await open(testKey('b'), testKey('a'));
      // Three tokens, the attachment, two digests; the three tracked records.
      expect(await rotating.upkeep.reseal()).toBe(9);
      expect(await rotating.upkeep.reseal()).toBe(0);
      await rotating.store.close();

      const { store, upkeep } = await open(testKey('b'));
      const sha256 = createHash('sha256').update('proof').digest('hex');
      const attached = await store.workList.attachment('b1', sha256);
      expect(Buffer.from(attached?.content ?? []).toString()).toBe('proof');
      const { checked, unchecked, problems } = await upkeep.check();
      expect([checked, unchecked]).toEqual([2, 1]);
      expect(problems).toEqual([
        expect.stringMatching(/^contents: purchase changed: the figures of body .* were changed$/),
        'contents: 1 body has no digest under a key that is here: nothing proves their figures',
      ]);
      await store.close();
    });

    it('keeps the older key on record where another process has sealed with it meanwhile', async () => {
      const older = await open(testKey('a'));
      await older.store.tracked.add([aLine({ id: 'r0', token: 'one' })], 'import', TRACKED_AT);
      await older.store.tracked.add([aLine({ id: 'r0', token: 'another' })], 'import', TRACKED_AT);
      const rotating = await open(testKey('b'), testKey('a'));
      let late: Promise<unknown> = Promise.resolve();
      await rotating.upkeep.reseal((renewed) => {
        // After the tokens, while the claims are under way: nothing looks for tokens again.
        if (renewed === 2) late = older.store.tracked.add([aLine({ id: 'r1' })], 'import', TRACKED_AT);
      });
      await late;
      expect((await rotating.upkeep.status()).sealingKeys).toHaveLength(2);
      expect(await rotating.upkeep.reseal()).toBe(1);
      expect((await rotating.upkeep.status()).sealingKeys).toHaveLength(1);
      await older.store.close();
      await rotating.store.close();
    });

    it('goes on with a rotation that was interrupted', async () => {
      const first = await open(testKey('a'));
      const lines = Array.from({ length: 1_200 }, (_, n) => aLine({ id: `r${n}`, token: `token-${n}` }));
      await first.store.tracked.add(lines, 'import', TRACKED_AT);
      await first.store.close();
      const interrupted = await open(testKey('b'), testKey('a'));
      const stop = () => {
        throw new Error('stopped');
      };
      await expect(interrupted.upkeep.reseal(stop)).rejects.toThrow('stopped');
      expect((await interrupted.upkeep.status()).sealingKeys).toHaveLength(2);
      // Tokens that were left, then the seals of all records.
      expect(await interrupted.upkeep.reseal()).toBe(1_900);
      expect((await interrupted.upkeep.status()).sealingKeys).toHaveLength(1);
      await interrupted.store.close();
    });
  });
});
