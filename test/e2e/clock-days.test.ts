/** Nights on the days of calendars that have another length: changes of clocks, leap days, a day that a zone left out. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aPurchase } from '../service/bodies.ts';
import { type RecordServer, startRecordServer } from '../support/record-server.ts';
import { openWorkspace, PATIENCE } from './support/workspace.ts';

vi.setConfig({ ...PATIENCE, testTimeout: 300_000 });

let server: RecordServer;
beforeAll(async () => {
  server = await startRecordServer();
  server.answers.set('p1', { body: aPurchase({ id: '"p1"', purchaseViewToken: undefined }) });
});
afterAll(() => server.close());

const NIGHTS: readonly (readonly [zone: string, now: string])[] = [
  ['Europe/Berlin', '2027-03-28T00:30:00Z'],
  ['Europe/Berlin', '2027-03-28T01:30:00Z'],
  ['Europe/Berlin', '2027-10-31T00:30:00Z'],
  ['Europe/Berlin', '2027-10-31T01:30:00Z'],
  ['Europe/Berlin', '2028-02-29T23:30:00Z'],
  ['UTC', '2028-02-29T00:00:00Z'],
  ['UTC', '2028-03-01T00:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:10:00Z'],
  ['America/Santiago', '2027-09-05T04:10:00Z'],
  ['Africa/Casablanca', '2027-02-07T02:30:00Z'],
  ['Pacific/Kiritimati', '2028-02-28T10:30:00Z'],
  ['Pacific/Pago_Pago', '2028-03-01T10:30:00Z'],
  ['Asia/Kathmandu', '2028-02-28T18:20:00Z'],
  ['UTC', '2032-02-29T23:59:59Z'],
  ['UTC', '2100-02-28T23:59:59Z'],
];

/** The calendar day before, counted by days of UTC, not by hours. */
function dayBefore(zone: string, now: string): string {
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(new Date(now));
  return new Date(Date.parse(`${local}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** TIEOUT_ATTACKS=1 has all of them. */
const TRIED = process.env.TIEOUT_ATTACKS === undefined ? NIGHTS.filter((_, n) => n % 4 === 1) : NIGHTS;

it.each(TRIED)('in %s at %s is for the day before, and replays', async (zone, now) => {
  const place = openWorkspace(server.url, { settings: `timezone: ${zone}\nrules: { QUOTE_MISSING: off }\n` });
  try {
    place.write('ids.csv', 'kind,id,view_token\npurchase,p1,t\n');
    await place.ends(0, ['import', 'ids.csv', '-q'], { now });
    const run = await place.tieout(['run', '--json', '--fail-on', 'none'], { now });
    expect([run.code, run.err]).toEqual([0, expect.any(String)]);
    const { run_id: runId, business_date: date } = JSON.parse(run.out) as { run_id: string; business_date: string };
    expect(date).toBe(dayBefore(zone, now));
    await place.ends(0, ['replay', runId], { now });
    // A second night of the same moment is a revision, not another day.
    const again = JSON.parse((await place.tieout(['run', '--json', '--fail-on', 'none'], { now })).out) as {
      run_id: string;
    };
    expect(again.run_id).toBe(runId.replace('-r1', '-r2'));
    for (const bad of ['2027-02-29', '2100-02-29', '2027-02-30', '2027-04-31'])
      await place.ends(2, ['run', '--date', bad], { now });
  } finally {
    place.remove();
  }
});
