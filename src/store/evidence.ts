/** Evidence of others than the Service. Rows are only added, so that a replay after years sees the same rows up to its watermark. */

import { sql } from 'kysely';
import { Decimal } from '../domain/decimal.ts';
import type { AddedPayout, LineType, RunRevenue } from '../domain/payout.ts';
import type { EvidenceStore } from '../ports/store/store.ts';
import { columns, decimalCell, inflateText, type Row, readDecimal, readDecimalOrNull } from './cells.ts';
import { chainEvidence, insertAnswers } from './chain-evidence.ts';
import type { Engine } from './engine.ts';
import { checkFence } from './leases.ts';
import { runHead } from './run-rows.ts';
import { changeSealed, insertSealed } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';
import { newestKey } from './statements.ts';

const PAYOUT_COLUMNS = columns(
  'payout_id source paid_at currency amount reference period sha256 withheld settled_currency rate statement_id',
  'tx_name added_at type',
);

function readPayout(row: Row): AddedPayout {
  const [settled, rate] = [row[9] as string | null, readDecimalOrNull(row[10])];
  return {
    payoutId: row[0] as string,
    source: row[1] as string,
    paidAt: row[2] as number,
    currency: row[3] as string,
    amount: readDecimal(row[4]),
    reference: row[5] as string | null,
    period: row[6] as string | null,
    sha256: row[7] as string,
    withheld: readDecimalOrNull(row[8]),
    settles: settled === null || rate === null ? null : { currency: settled, rate },
    statementId: row[11] as string | null,
    tx: row[12] as string | null,
    addedAt: row[13] as number,
    type: (row[14] as LineType | null) ?? 'share',
  };
}

/** Sorted, so that equal knowledge gives equal text; decimals write themselves as text. */
function revenueCell({ accrued, posted, minimum, ...rest }: RunRevenue): string {
  const written = (amounts: ReadonlyMap<string, Decimal>) => [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ ...rest, accrued: written(accrued), posted: written(posted), minimum: written(minimum) });
}

/** The text is our own, so its form is trusted. */
function readRevenue(text: string): RunRevenue {
  type Amounts = [string, string][];
  const written = JSON.parse(text) as Pick<RunRevenue, 'payoutKey' | 'dueDays'> &
    Record<'accrued' | 'posted' | 'minimum', Amounts>;
  const read = (amounts: Amounts) => new Map(amounts.map(([key, amount]) => [key, Decimal.parse(amount)]));
  return { ...written, accrued: read(written.accrued), posted: read(written.posted), minimum: read(written.minimum) };
}

export function evidenceStore(engine: Engine, sealer: Sealer | null): EvidenceStore {
  return {
    ...chainEvidence(engine, sealer),
    addPayouts: (payouts, at, answers = []) =>
      engine.write(async (tx) => {
        const ids = payouts.map(({ payoutId }) => payoutId);
        const rows = await tx.rows(
          engine.db.selectFrom('payouts').select('payout_id').where(engine.inList('payout_id', ids)),
        );
        const known = new Set(rows.map((row) => row[0] as string));
        const fresh = payouts.filter(({ payoutId }) => !known.has(payoutId));
        await insertAnswers(tx, answers);
        await insertSealed(
          tx,
          sealer,
          'payouts',
          PAYOUT_COLUMNS,
          fresh.map((each) => [
            each.payoutId,
            each.source,
            each.paidAt,
            each.currency,
            each.amount.toString(),
            each.reference,
            each.period,
            each.sha256,
            decimalCell(each.withheld),
            each.settles?.currency ?? null,
            decimalCell(each.settles?.rate ?? null),
            each.statementId,
            each.tx,
            at,
            // Rows older than the column are shares, and have none.
            each.type === 'share' ? null : each.type,
          ]),
        );
        return fresh.length;
      }),
    payouts: (upTo = Number.MAX_SAFE_INTEGER) =>
      engine.each(
        engine.db.selectFrom('payouts').select(PAYOUT_COLUMNS).where('payout_key', '<=', upTo).orderBy('payout_key'),
        readPayout,
      ),
    newestPayout: () => newestKey(engine.db, 'payouts', 'payout_key'),
    keepRevenue: (runId, fence, revenue) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const { run_key: runKey } = await runHead(tx, runId);
        await changeSealed(tx, sealer, 'run_revenue', sql`run_key = ${runKey}`, () =>
          tx.db.deleteFrom('run_revenue').where('run_key', '=', runKey).execute(),
        );
        await insertSealed(tx, sealer, 'run_revenue', ['run_key', 'revenue'], [[runKey, revenueCell(revenue)]]);
      }),
    revenueOf: async (runId) => {
      const { run_key: runKey } = await runHead(engine, runId);
      const row = await engine.db
        .selectFrom('run_revenue')
        .select('revenue')
        .where('run_key', '=', runKey)
        .executeTakeFirst();
      return row === undefined ? null : readRevenue(row.revenue);
    },
    newestRevenue: async (runKeys) => {
      const wanted = new Set(runKeys);
      const rows = await engine.rows(engine.db.selectFrom('run_revenue').select('run_key').orderBy('run_key', 'desc'));
      return rows.map(([runKey]) => Number(runKey)).find((runKey) => wanted.has(runKey)) ?? null;
    },
    text: async (sha256) => {
      const row = await engine.db
        .selectFrom('chain_answers')
        .select('deflated')
        .where('sha256', '=', sha256)
        .executeTakeFirst();
      return row === undefined ? null : inflateText(row.deflated);
    },
  };
}
