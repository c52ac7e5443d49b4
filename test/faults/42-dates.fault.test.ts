/** Dates by which a record would leave the books, and clocks by which a night would. */
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { openWorkspace } from '../e2e/support/workspace.ts';
import { aPurchase } from '../service/bodies.ts';
import { startRecordServer } from '../support/record-server.ts';
import { faultRow } from './harness/row.ts';

const HOST_DATE = '2026-10-05T10:00:00Z';
/** The Service's dates of records that the application created on 5 October. */
const DATES = [
  '9999-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2016-12-31T23:59:59Z',
  '2025-10-05T10:00:00Z',
  '2026-11-30T00:00:00Z',
];
const NIGHT = '2026-11-01T04:15:00Z';
/** Two weeks in one status. */
const LATER = '2026-11-15T04:15:00Z';
const CLOCKS = ['2030-01-01T04:15:00Z', '2026-10-29T00:00:00Z', '2027-11-01T04:15:00Z'];

faultRow(
  {
    number: 42,
    fault:
      'creation date in another year, before the Service began or in the year 9999; update in the future; machine with a wrong clock',
    how: 'a server gives such answers with a correct Date header; the month of the application’s dates is closed; nights run under clocks that are years off',
    mustHold:
      'each such record belongs to the month of the application’s date and has a break; an update in the future hides no stuck record; a night more than a day off exits 4 and writes nothing',
  },
  async (row) => {
    const ids = [...DATES.map((_, n) => `d${n}`), 'stuck'];
    const server = await startRecordServer(
      Object.fromEntries([
        ...DATES.map((date, n) => [`d${n}`, { body: aPurchase({ id: `"d${n}"`, createdAt: `"${date}"` }) }]),
        [
          'stuck',
          {
            body: aPurchase({
              id: '"stuck"',
              status: '"PAYMENT_STARTED"',
              createdAt: `"${HOST_DATE}"`,
              updatedAt: '"2029-01-01T00:00:00Z"',
            }),
          },
        ],
      ]),
    );
    const rightClock = (iso: string) => {
      for (const answer of server.answers.values())
        if (typeof answer !== 'function') answer.headers = { date: new Date(iso).toUTCString() };
    };
    rightClock(NIGHT);
    const place = openWorkspace(server.url, { settings: 'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off }\n' });
    try {
      const lines = ids.map((id) =>
        JSON.stringify({ kind: 'purchase', id, view_token: `token-of-record-${id}`, created_at: HOST_DATE }),
      );
      const at = (clock: string) => ({ now: clock });
      expect((await place.process(['import', '-', '-q'], { stdin: lines.join('\n'), ...at(NIGHT) })).code).toBe(0);
      let refused = 0;
      for (const clock of CLOCKS) {
        const { code, err } = await place.process(['run', '-q'], at(clock));
        expect([clock, code, err]).toEqual([clock, 4, err]);
        expect(existsSync(place.path('out/latest'))).toBe(false);
        refused++;
      }
      const night = await place.process(['run', '-q'], at(NIGHT));
      expect([night.code, night.err]).toEqual([1, night.err]);
      const breaks = place.csv('2026-10-31/nightly-r1', 'breaks').rows;
      const dated = new Set(breaks.filter(({ rule }) => rule === 'DATE_IMPLAUSIBLE').map(({ record_id }) => record_id));
      const close = await place.process(
        ['period', 'close', '2026-10', '--by', 'ada', '--accept-open', 'a row'],
        at(NIGHT),
      );
      expect([close.code, close.err]).toEqual([0, close.err]);
      const inMonth = place.csv('periods/2026-10', 'records').rows.length;
      rightClock(LATER);
      expect((await place.process(['run', '-q'], at(LATER))).code).toBe(1);
      const later = place.csv('2026-11-14/nightly-r1', 'breaks').rows;
      const stuck = later.filter(({ rule, record_id }) => rule === 'STATUS_STUCK' && record_id === 'stuck').length;
      row.measured('records with such dates', ids.length);
      row.measured('with a break', dated.size);
      row.measured('in the closed month', inMonth);
      row.measured('stuck records reported', stuck);
      row.measured('nights refused because of their clock', `${refused} of ${CLOCKS.length}`);
      expect(dated.size).toBe(ids.length);
      expect(inMonth).toBe(ids.length);
      expect(stuck).toBe(1);
    } finally {
      place.remove();
      await server.close();
    }
  },
);
