/** Rows of the database that SQL changes, each together with all that it is compared with, and rows that nothing can print. */
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import type { Workspace } from '../e2e/support/workspace.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { faultRow } from './harness/row.ts';
import { frozenClock, openScene, SCENE_NOW } from './harness/scene.ts';

const DAY = 86_400_000;
const LAST = '(select max(event_key) from break_events)';
const FORGERIES = [
  "update contents set applied_fee = '0.01'",
  "update contents set final_tx_hash = '0xdead', digest = null where content_key = 1; update contents set status = 'RELEASED'",
  "update break_events set expected = '0', actual = '0', difference = '0'",
  "update break_events set state = 'resolved'; update breaks set state = 'resolved'",
  `update break_events set who = 'eve' where event_key = ${LAST}`,
  `update breaks set events = events - 1 where last_event_key = ${LAST}; delete from break_events where event_key = ${LAST}`,
  'delete from row_seals',
  'update breaks set events = events + 1',
];
const ONE =
  "(select content_key from run_items where run_key = new.run_key and outcome = 'verified' order by record_id limit 1)";
const UNPRINTABLE = [
  `update contents set updated_at = 9000000000000000 where content_key = ${ONE}`,
  `update contents set fiat_value = '1,2' where content_key = ${ONE}`,
  `update run_items set webhook_events = '{' where run_key = new.run_key and content_key = ${ONE}`,
];

faultRow(
  {
    number: 44,
    fault:
      'figures, findings, decisions or their seals changed by SQL; rows that no report can print, changed between fetch and judging',
    how: 'each change is made in a copy of a database with a night and a decision, together with the value that it is compared with; triggers damage one record when judging begins',
    mustHold:
      '`db check` exits 1 for each; a damaged record is quarantined by name; the night is published, replays to the byte and verifies',
  },
  async (row) => {
    await using scene = await openScene({ records: row.isShort ? 40 : 400, defects: 0.2 });
    const { place } = scene;
    const env = frozenClock();
    expect((await place.process(['run', '--fail-on', 'none', '-q'], { env })).code).toBe(0);
    const list = await place.process(['breaks', 'list', '--json'], { env });
    const [id = ''] = /(?<="break_id": ?")[0-9a-f]+/.exec(list.out) ?? [];
    expect((await place.process(['breaks', 'ack', id, '--reason', 'seen'], { env })).code).toBe(0);
    expect((await place.process(['db', 'check'], { env })).code).toBe(0);
    execute(place, 'pragma wal_checkpoint(truncate)');
    cpSync(place.path('var/tieout.db'), place.path('kept.db'));
    let noticed = 0;
    for (const forgery of FORGERIES) {
      execute(place, forgery);
      const { code, out } = await place.process(['db', 'check'], { env });
      expect([forgery, code, out]).toEqual([forgery, 1, out]);
      noticed++;
      restore(place);
    }
    let printed = 0;
    for (const [n, damage] of UNPRINTABLE.entries()) {
      execute(
        place,
        `create trigger damage after update of state on runs when new.state = 'judging' begin ${damage}; end`,
      );
      const night = await place.process(['run', '--fail-on', 'none', '-q'], {
        env: frozenClock(SCENE_NOW + (n + 1) * DAY),
      });
      expect([night.code, night.err]).toEqual([0, night.err]);
      const date = new Date(SCENE_NOW + n * DAY).toISOString().slice(0, 10);
      const reasons = place.csv(`${date}/nightly-r1`, 'coverage').rows.filter(({ reason }) => reason === 'NOT_JUDGED');
      expect([damage, reasons.length]).toEqual([damage, 1]);
      const replay = await place.process(['replay', `nightly-${date}-r1`], { env });
      expect([replay.code, replay.out]).toEqual([0, replay.out]);
      printed++;
      execute(place, 'drop trigger damage');
    }
    expect((await place.process(['verify', 'out'])).code).toBe(0);
    row.measured('forgeries', FORGERIES.length);
    row.measured('forgeries not noticed', FORGERIES.length - noticed);
    row.measured('nights with a record that cannot be printed', UNPRINTABLE.length);
    row.measured('published with that record quarantined by name', printed);
  },
);

function execute(place: Workspace, sql: string): void {
  const database = openSqliteFile(place.path('var/tieout.db'));
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

function restore(place: Workspace): void {
  for (const end of ['', '-wal', '-shm']) rmSync(place.path(`var/tieout.db${end}`), { force: true });
  cpSync(place.path('kept.db'), place.path('var/tieout.db'));
}
