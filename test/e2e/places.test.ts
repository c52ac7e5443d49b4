/** Places that take no file, given to every command that writes where somebody says: a sentence with the remedy, and never a wait. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE, type Workspace } from './support/workspace.ts';

vi.setConfig(PATIENCE);

const DAY = { now: '2026-12-05T12:00:00Z' };
// Node's recursive mkdir never returns below the first; the others refuse with EPERM and ENOTDIR.
const PLACES = ['/proc/none/deep', '/sys/none/deep', '/dev/null/deep', 'ids.csv'];

describe.runIf(existsSync('/proc/self'))('a place that takes no file', () => {
  let server: RecordServer;
  let place: Workspace;
  let breakId = '';
  beforeAll(async () => {
    server = await startRecordServer({ a: { body: aPurchase({ id: '"a"', finalTxHash: 'null', hostFeeCut: '0.5' }) } });
    place = openWorkspace(server.url);
    place.write('ids.csv', 'kind,id,view_token\npurchase,a,tok-a\n');
    place.write('bad.csv', 'kind,id,view_token\npurchase,,x\n');
    await place.tieout(['import', 'ids.csv'], DAY);
    await place.tieout(['run'], DAY);
    breakId =
      /(?<="break_id": ?")[0-9a-f]+/.exec((await place.tieout(['breaks', 'list', '--json'], DAY)).out)?.[0] ?? '';
    expect(breakId).not.toBe('');
  });
  afterAll(async () => {
    place.remove();
    await server.close();
  });

  const COMMANDS: readonly (readonly [string, (at: string) => string[]])[] = [
    ['demo', (at) => ['demo', '--records', '5', '--out', at]],
    ['journal', (at) => ['journal', '--from', '2026-11-01', '--to', '2026-12-01', '--dir', at]],
    ['payouts match', (at) => ['payouts', 'match', '--out', at]],
    ['run', (at) => ['run', '--out', at]],
    ['audit', (at) => ['audit', '--id', 'a', '--out', at]],
    ['report', (at) => ['report', 'nightly-2026-12-04-r1', '--out', at]],
    ['replay', (at) => ['replay', 'nightly-2026-12-04-r1', '--out', at]],
    ['keys generate', (at) => ['keys', 'generate', '--out', at]],
    ['drill', (at) => ['drill', 'nightly-2026-12-04-r1', '--report', `${at}/x.csv`]],
    ['breaks pack', (at) => ['breaks', 'pack', breakId, '--file', `${at}/x.zip`]],
    ['db backup', (at) => ['db', 'backup', `${at}/x.db`]],
    ['db archive', (at) => ['db', 'archive', '--before', '2027-01-01', '--file', `${at}/x.ndjson`]],
    ['import', (at) => ['import', 'bad.csv', '--rejects', `${at}/x.csv`]],
  ];
  describe.each(PLACES)('%s', (at) => {
    it.each(COMMANDS)('%s', async (name, argsOf) => {
      const { code, err } = await place.tieout(argsOf(at), DAY);
      // A set's folder may come back, as a share does: such a run exits as one whose disk is full.
      const publishes = ['run', 'audit'].includes(name) && at !== PLACES[0];
      expect(code, err).toBe(publishes ? 4 : 2);
      expect(err).toMatch(
        /(\/none|\/deep|ids\.csv|The out folder).*; (name a place on a disk|.*point --out|.*let this user)/,
      );
    });
  });

  it('a run asks the Service nothing', () => {
    expect(server.count('a')).toBe(1);
  });

  it('is no home either: the program starts without a place for its cache', async () => {
    const { code } = await place.process(['runs', 'list'], { env: { HOME: '/proc/none', XDG_CACHE_HOME: '' } });
    expect(code).toBe(0);
  });
});
