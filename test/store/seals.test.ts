import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { createSealer } from '../../src/store/sealing.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { editsAreFound } from './support/edits-by-sql.ts';
import { ENGINES, SEALER, testKey } from './support/engines.ts';
import { fill } from './support/filled.ts';

describe.each(ENGINES)('a database that the program alone has written ($name)', ({ open }) => {
  it('has no problem, also after its key was replaced', async () => {
    await using opened = await open();
    await fill(opened.store);
    expect((await opened.upkeep.check()).problems).toEqual([]);
  });
});

describe.each(ENGINES.filter(({ name }) => name === 'SQLite'))('a change by SQL ($name)', editsAreFound);

it('seals follow a new key, and rows older than seals are sealed where a person asks for it', async () => {
  const [engine] = ENGINES;
  if (engine === undefined) throw new Error('no engine');
  await using place = await engine.place();
  const first = await openStore({ url: place.url, sealer: SEALER });
  await fill(first.store);
  await first.store.close();
  const both = createSealer([testKey('b'), testKey('a')]);
  const second = await openStore({ url: place.url, sealer: both });
  await second.upkeep.reseal();
  await second.store.close();
  const third = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await third.upkeep.check()).problems).toEqual([]);
  await third.store.close();
  {
    using file = openSqliteFile(place.url.slice('sqlite:'.length));
    file.exec("delete from sealed_rows; delete from row_seals where name like 'rows of %'");
  }
  const fourth = await openStore({ url: place.url, sealer: createSealer([testKey('b')]) });
  expect((await fourth.upkeep.check()).problems.join()).toContain('quotes: 1 row has no seal');
  await fourth.upkeep.reseal();
  expect((await fourth.upkeep.check()).problems).toEqual([]);
  await fourth.store.close();
});
