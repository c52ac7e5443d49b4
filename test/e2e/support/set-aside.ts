/** Rows of one record that cannot be judged, printed or read: it is quarantined under its name, and nothing stops because of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPurchase } from '../../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../../support/record-server.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const IDS = ['a', 'b', 'c', 'd'];
/** Beyond what a `Date` can hold, so that no report can print it. */
const NO_INSTANT = '9000000000000000';
const OF_B = "record_key = (select record_key from tracked_records where record_id = 'b')";

export const DAMAGES = [
  ['an instant that cannot be printed', 1, `update contents set updated_at = ${NO_INSTANT} where ${OF_B}`],
  ['an instant that cannot be printed', 2, `update contents set updated_at = ${NO_INSTANT} where ${OF_B}`],
  ['a figure that is none', 2, `update contents set fiat_value = '12,3' where ${OF_B}`],
  [
    'facts of the application that cannot be read',
    1,
    "update run_items set webhook_events = '{' where record_id = 'b'",
  ],
] as const;

export function isSetAside(damages: readonly (typeof DAMAGES)[number][]): void {
  describe.each(damages)('%s, judged in %i threads', (_, threads, damage) => {
    let server: RecordServer;
    let place: Workspace;

    beforeAll(async () => {
      const body = (id: string) =>
        aPurchase({
          id: `"${id}"`,
          purchaseViewToken: undefined,
          createdAt: '"2026-10-05T10:00:00Z"',
          updatedAt: '"2026-10-05T11:00:00Z"',
        });
      server = await startRecordServer(Object.fromEntries(IDS.map((id) => [id, { body: body(id) }])));
      place = openWorkspace(server.url, {
        settings: `judging: { threads: ${threads} }\nreports: { formats: [csv, xlsx, html] }\nrules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n`,
      });
      const lines = IDS.map((id) => JSON.stringify({ kind: 'purchase', id, view_token: `token-of-record-${id}` }));
      await place.ends(0, ['import', '-', '-q'], { stdin: lines.join('\n') });
      await place.ends(0, ['plan']);
      const database = openSqliteFile(place.path('var', 'tieout.db'));
      // After the fetch, so that the damaged row is the one that is judged.
      database.exec(
        `create trigger damage after update of state on runs when new.state = 'judging' begin ${damage}; end`,
      );
      database.close();
    });
    afterAll(async () => {
      place.remove();
      await server.close();
    });

    it('quarantines its record and judges the others', async () => {
      const { code, err } = await place.tieout(['run', '--date', '2026-11-01']);
      expect([code, err]).toEqual([1, err]);
      const set = '2026-11-01/nightly-r1';
      expect(place.csv(set, 'records').rows.map(({ record_id, verdict }) => [record_id, verdict])).toEqual(
        IDS.map((id) => [id, id === 'b' ? 'quarantined' : 'matched']),
      );
      expect(place.csv(set, 'coverage').rows.map(({ record_id, reason }) => [record_id, reason])).toEqual(
        IDS.map((id) => [id, id === 'b' ? 'NOT_JUDGED' : '']),
      );
      expect(place.csv(set, 'breaks').rows.map(({ record_id, rule }) => [record_id, rule])).toEqual([
        ['b', 'SCHEMA_DRIFT'],
      ]);
      expect(place.manifest(set).verdicts).toMatchObject({ matched: 3, quarantined: 1 });
      await place.ends(0, ['verify', 'out']);
    });

    it('replays to the byte, and is reported where its break is shown', async () => {
      // Each thread loads the program: that a replay may have several is for threads.test.ts.
      place.write('tieout.yaml', place.read('tieout.yaml').replace(`threads: ${threads}`, 'threads: 1'));
      const { code, out } = await place.tieout(['replay', 'nightly-2026-11-01-r1']);
      expect([code, out]).toEqual([0, expect.stringContaining('identical')]);
      const list = await place.tieout(['breaks', 'list', '--json']);
      const [id = ''] = /(?<="break_id": ?")[0-9a-f]+/.exec(list.out) ?? [];
      const shown = await place.tieout(['breaks', 'show', id]);
      expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('SCHEMA_DRIFT')]);
    });

    it('keeps its month from no close', async () => {
      const { code, err } = await place.tieout([
        'period',
        'close',
        '2026-10',
        '--by',
        'ada',
        '--accept-open',
        'b is looked into',
      ]);
      expect([code, err]).toEqual([0, err]);
      const rows = place.csv('periods/2026-10', 'records').rows;
      expect(rows.map(({ record_id }) => record_id)).toEqual(IDS);
      expect(rows.find(({ record_id }) => record_id === 'b')?.verdict).not.toBe('matched');
    });
  });
}
