/** UUIDs that were stored in capitals, before every door wrote them in small letters: they are the same records, and asked for as they stand. */
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { temporaryFolder, testKey } from './support/engines.ts';
import { aLine, TRACKED_AT } from './support/scenario.ts';

const CAPITALS = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
const SMALL = CAPITALS.toLowerCase();

it('a record stored in capitals is found, and keeps its id and its token', async () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/tieout.db`;
  const sealer = createSealer([testKey('a')]);
  const open = () => openStore({ url: `sqlite:${path}`, sealer });
  const first = await open();
  await first.store.tracked.add([aLine({ id: SMALL, token: 'the-token' })], 'import', TRACKED_AT);
  await first.store.close();

  const { keyId, bytes } = sealer.seal(Buffer.from('the-token'), {
    what: 'token',
    kind: 'purchase',
    recordId: CAPITALS,
  });
  const file = openSqliteFile(path);
  file.prepare('update tracked_records set record_id = ?, key_id = ?, token = ?').run(CAPITALS, keyId, bytes);
  file.close();

  const { store } = await open();
  const { tracked } = store;
  const add = async (id: string) => (await tracked.add([aLine({ id, token: 'the-token' })], 'webhook', TRACKED_AT))[0];
  expect([await add(SMALL), await add(CAPITALS)]).toEqual([{ outcome: 'unchanged' }, { outcome: 'unchanged' }]);
  expect(await tracked.count()).toBe(1);
  expect((await tracked.find(SMALL)).map(({ id }) => id)).toEqual([CAPITALS]);
  expect(await tracked.stored([SMALL], null)).toEqual({ ids: [CAPITALS], unknown: [] });
  expect(await tracked.token('purchase', CAPITALS)).toBe('the-token');
  await store.close();
});
