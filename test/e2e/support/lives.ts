/** Records that are created, released and returned at given moments, and the months that close over them. */
import { expect } from 'vitest';
import { purchaseOf } from '../../service/bodies.ts';
import type { RecordServer } from '../../support/record-server.ts';
import { readCsv } from './csv.ts';
import type { Workspace } from './workspace.ts';

export const RULES =
  'rules: { QUOTE_MISSING: off, QUOTES_NOT_CAPTURED: off, RATE_OUT_OF_LINE: off, TX_REUSED: off, STATUS_STUCK: off, STATUS_REGRESSED: off, RESTATED: off, REFUND_DUE: off }\n';

export interface Life {
  id: string;
  created: string;
  /** Null where it is never released. */
  released: string | null;
  /** Null where its body states none. */
  cut: string | null;
  returned?: string;
  /** The application's date of the creation, where it is another one. */
  told?: string;
  currency?: string;
}

/** The bodies as they are at a moment. */
function serveAt(server: RecordServer, now: string, lives: readonly Life[]): void {
  for (const { id, created, released, returned, cut, currency = 'EUR' } of lives) {
    const isReturned = returned !== undefined && returned <= now;
    const isReleased = released !== null && released <= now;
    const status = isReturned ? 'RETURNED' : isReleased ? 'RELEASED' : 'PAYMENT_STARTED';
    const updated = isReturned ? returned : isReleased ? released : created;
    const body = purchaseOf(id, {
      status: `"${status}"`,
      cryptoAmount: '"4000000000000000000"',
      fiatValue: '10390.86',
      baseServiceFee: '390',
      appliedFee: '390.86',
      hostFeeCut: cut ?? undefined,
      fiatCurrency: `"${currency}"`,
      createdAt: `"${created}.000Z"`,
      updatedAt: `"${updated}.000Z"`,
      ...(isReleased || isReturned ? {} : { finalTxHash: 'null' }),
    });
    server.answers.set(id, { body });
  }
}

export async function nightsOf(
  lives: readonly Life[],
  { server, place }: { server: RecordServer; place: Workspace },
  ...dates: readonly string[]
): Promise<void> {
  for (const date of dates) {
    serveAt(server, `${date}T23:59:59`, lives);
    const ids = lives
      .filter(({ created }) => created <= `${date}T23:59:59`)
      .map(({ id, created, told = created }) => `purchase,${id},t,${told}Z\n`);
    place.write('ids.csv', `kind,id,view_token,created_at\n${ids.join('')}`);
    expect(await place.tieout(['import', 'ids.csv', '-q'])).toMatchObject({ code: 0 });
    // Everything is read, so that what was returned is seen too.
    const run = await place.tieout(
      ['audit', '--from', '2025-09-01', '--to', '2026-01-01', '--date', date, '--fail-on', 'none', '-q'],
      { now: `${date}T23:59:59Z` },
    );
    expect([run.code, run.err]).toEqual([0, run.err]);
  }
}

export async function booked(place: Workspace, ...flags: readonly string[]): Promise<string> {
  const { out, err } = await place.tieout(['journal', '--period', ...flags, '--format', 'generic']);
  expect(err).toBe('');
  return bookedIn(out);
}

export function bookedIn(journal: string, currency?: string): string {
  const { rows } = readCsv(journal);
  const revenue = rows.filter(
    (row) => row.account === 'Host fee revenue' && (currency ?? row.currency) === row.currency,
  );
  return revenue.reduce((sum, { credit, debit }) => sum + Number(credit || 0) - Number(debit || 0), 0).toFixed(2);
}

export async function close(place: Workspace, period: string, now: string): Promise<void> {
  const { code, err } = await place.tieout(['period', 'close', period, '--by', 'Ann', '--accept-open', 'as is'], {
    now,
  });
  expect([code, err]).toEqual([0, err]);
}
