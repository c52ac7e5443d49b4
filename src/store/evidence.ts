/** Evidence of others than the Service. Rows are only added, so that a replay after years sees the same rows up to its watermark. */

import { Decimal } from '../domain/decimal.ts';
import type { AddedPayout, LineDifference, Payout, RunRevenue } from '../domain/payout.ts';
import type { Instant } from '../domain/record.ts';
import type { EvidenceStore } from '../ports/store/store.ts';
import { decimalCell, inflateText, readDecimal, readDecimalOrNull } from './cells.ts';
import { chainEvidence, insertAnswers } from './chain-evidence.ts';
import type { Engine } from './engine.ts';
import { checkFence } from './leases.ts';
import { addRows, deleteRows } from './rows.ts';
import { runHead } from './run-rows.ts';
import type { RowOf } from './schema/tables.ts';
import { findRow, findRows, newestKey } from './statements.ts';
import type { NewRow } from './write-rows.ts';

function readPayout(row: RowOf<'payouts'>): AddedPayout {
  const [settled, rate] = [row.settled_currency, readDecimalOrNull(row.rate)];
  return {
    payoutId: row.payout_id,
    source: row.source,
    paidAt: row.paid_at,
    currency: row.currency,
    amount: readDecimal(row.amount),
    reference: row.reference,
    period: row.period,
    sha256: row.sha256,
    withheld: readDecimalOrNull(row.withheld),
    settles: settled === null || rate === null ? null : { currency: settled, rate },
    statementId: row.statement_id,
    tx: row.tx_name,
    addedAt: row.added_at,
    type: row.type ?? 'share',
  };
}

const payoutCells = (payout: Payout, at: Instant): NewRow<'payouts'> => ({
  payout_id: payout.payoutId,
  source: payout.source,
  paid_at: payout.paidAt,
  currency: payout.currency,
  amount: payout.amount.toString(),
  reference: payout.reference,
  period: payout.period,
  sha256: payout.sha256,
  withheld: decimalCell(payout.withheld),
  settled_currency: payout.settles?.currency ?? null,
  rate: decimalCell(payout.settles?.rate ?? null),
  statement_id: payout.statementId,
  tx_name: payout.tx,
  added_at: at,
  // Rows older than the column are shares, and have none.
  type: payout.type === 'share' ? null : payout.type,
});

const AMOUNTS = [
  'accrued',
  'takenBack',
  'unknown',
  'estimated',
  'posted',
  'minimum',
  'materiality',
  'eurRates',
] as const;

/** Sorted, so that equal knowledge gives equal text; decimals write themselves as text. */
function revenueCell(revenue: RunRevenue): string {
  const written = AMOUNTS.map((name) => [name, [...revenue[name]].sort(([a], [b]) => (a < b ? -1 : 1))]);
  return JSON.stringify({ ...revenue, ...Object.fromEntries(written) });
}

/** The text is our own, so its form is trusted. Nights before this was known have less of it. */
function readRevenue(text: string): RunRevenue {
  type Written = Partial<Record<(typeof AMOUNTS)[number], [string, string][]>> & {
    partner?: string;
    payoutKey: number;
    dueDays: number;
    payWeek?: number | null;
    quarterly?: boolean;
    exchange?: string;
    threshold?: { amount: string; currency: string; scope: 'all' | 'currency' } | null;
    lines?: (Omit<LineDifference, 'ours' | 'theirs'> & { ours: string | null; theirs: string | null })[];
  };
  const written = JSON.parse(text) as Written;
  const amounts = Object.fromEntries(
    AMOUNTS.map((name) => [name, new Map((written[name] ?? []).map(([key, amount]) => [key, Decimal.parse(amount)]))]),
  ) as Record<(typeof AMOUNTS)[number], Map<string, Decimal>>;
  const { threshold = null, lines = [] } = written;
  return {
    ...amounts,
    partner: written.partner ?? 'Service',
    payoutKey: written.payoutKey,
    dueDays: written.dueDays,
    payWeek: written.payWeek ?? null,
    quarterly: written.quarterly ?? false,
    exchange: Decimal.parse(written.exchange ?? '0'),
    threshold: threshold === null ? null : { ...threshold, amount: Decimal.parse(threshold.amount) },
    lines: lines.map((each) => ({
      ...each,
      ours: readDecimalOrNull(each.ours),
      theirs: readDecimalOrNull(each.theirs),
    })),
  };
}

export function evidenceStore(engine: Engine): EvidenceStore {
  return {
    ...chainEvidence(engine),
    addPayouts: (payouts, at, answers = []) =>
      engine.write(async (tx) => {
        const ids = payouts.map(({ payoutId }) => payoutId);
        const rows = await findRows(tx.db, 'payouts', tx.inList('payout_id', ids), ['payout_id']);
        const known = new Set(rows.map((row) => row.payout_id));
        const added = payouts.filter(({ payoutId }) => !known.has(payoutId));
        await insertAnswers(tx, answers);
        const cells = added.map((each) => payoutCells(each, at));
        await addRows(tx, 'payouts', cells);
        return added.length;
      }),
    payouts: async (upTo = Number.MAX_SAFE_INTEGER) => {
      const query = engine.db.selectFrom('payouts').selectAll().where('payout_key', '<=', upTo);
      return (await query.orderBy('payout_key').execute()).map(readPayout);
    },
    newestPayout: () => newestKey(engine.db, 'payouts', 'payout_key'),
    keepRevenue: (runId, fence, revenue) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        const { run_key: runKey } = await runHead(tx, runId);
        await deleteRows(tx, 'run_revenue', { run_key: runKey });
        await addRows(tx, 'run_revenue', [{ run_key: runKey, revenue: revenueCell(revenue) }]);
      }),
    revenueOf: async (runId) => {
      const { run_key: runKey } = await runHead(engine, runId);
      const row = await findRow(engine.db, 'run_revenue', { run_key: runKey }, ['revenue']);
      return row === undefined ? null : readRevenue(row.revenue);
    },
    newestRevenue: async (runKeys) => {
      const wanted = new Set(runKeys);
      const rows = await engine.db.selectFrom('run_revenue').select('run_key').orderBy('run_key', 'desc').execute();
      return rows.find((row) => wanted.has(row.run_key))?.run_key ?? null;
    },
    text: async (sha256) => {
      const row = await findRow(engine.db, 'chain_answers', { sha256 }, ['deflated']);
      return row === undefined ? null : inflateText(row.deflated);
    },
  };
}
