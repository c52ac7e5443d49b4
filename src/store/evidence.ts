/** Evidence of others than the Service. Rows are only added, so that a replay after years sees the same rows up to its watermark. */
import { sql } from 'kysely';
import { Decimal, readWritten, type Written } from '../domain/decimal.ts';
import { type DeliveryFacts, type NamedDelivery, NOTHING_SEEN, type Sighting, txName } from '../domain/delivery.ts';
import type { AddedPayout, LineDifference, RunRevenue, Threshold } from '../domain/payout.ts';
import type { EvidenceStore, MoveStore, NewClaim } from '../ports/store/store.ts';
import { deflateText, inflateText, readDecimalOrNull } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { writeUnder } from './leases.ts';
import { addForKeys, addRows, deleteRows } from './rows.ts';
import { runHead } from './run-rows.ts';
import { namesOf } from './schema/column.ts';
import { DELIVERY_CLAIM, EVIDENCE, PAYOUT } from './schema/evidence.ts';
import { readerOf, writerOf } from './schema/places.ts';
import type { RowOf } from './schema/tables.ts';
import { findObjects, findRow, findRows, newestKey } from './statements.ts';
import { insertRows, type NewRow } from './write-rows.ts';

function sightingCell(sighting: Sighting): string {
  return JSON.stringify(sighting, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** The text is our own, so its form is trusted. */
function readSighting(text: string): Sighting {
  const written = JSON.parse(text) as Omit<Sighting, 'transfers'> & {
    transfers: readonly { to: string; asset: string | null; units: string }[];
  };
  return { ...written, transfers: written.transfers.map((each) => ({ ...each, units: BigInt(each.units) })) };
}

async function insertAnswers(
  tx: WriteTransaction,
  answers: readonly { sha256: string; text: string }[],
): Promise<void> {
  const distinct = new Map(answers.map(({ sha256, text }) => [sha256, text]));
  const rows = [...distinct].map(([sha256, text]) => ({ sha256, deflated: deflateText(text) }));
  await insertRows(tx, 'chain_answers', rows, { skipKnown: true });
}

/** Those that are known already keep the seal that they have. */
async function addClaims(tx: WriteTransaction, claims: readonly NewClaim[]): Promise<void> {
  const nameOf = (row: Omit<NewRow<'delivery_claims'>, 'claim_key'>) =>
    JSON.stringify([row.tx_name, row.kind, row.record_id, row.receiver, row.units]);
  const ofTx = tx.inList('tx_name', [...new Set(claims.map(txName))]);
  const named = ['tx_name', 'kind', 'record_id', 'receiver', 'units'] as const;
  const added = new Map<string, NewRow<'delivery_claims'>>();
  for (const each of claims) {
    const row = { tx_name: txName(each), ...writerOf(DELIVERY_CLAIM)(each) };
    if (!added.has(nameOf(row))) added.set(nameOf(row), row);
  }
  for (const row of await findRows(tx.db, 'delivery_claims', ofTx, named)) added.delete(nameOf(row));
  await addRows(tx, 'delivery_claims', [...added.values()]);
}

const SIGHTING = ['tx_name', 'settled', 'sighting', 'sha256'] as const;

const isSettled = ({ seen, final }: Sighting) => seen === 'found' && final;

/** The oldest record first: an output belongs to the record that was created first. */
function byAge(a: NamedDelivery, b: NamedDelivery): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.kind + a.recordId < b.kind + b.recordId ? -1 : 1);
}

function chainEvidence(engine: Engine) {
  return {
    unsettled: async (wanted) => {
      const ofTx = engine.inList('tx_name', wanted.map(txName));
      const rows = await findRows(engine.db, 'chain_sightings', ofTx, ['tx_name', 'settled'], 'sighting_key');
      const settled = new Map(rows.map((row) => [row.tx_name, row.settled === 1]));
      return wanted.filter((each) => settled.get(txName(each)) !== true);
    },
    forget: (chain, txHash, reason, at) =>
      engine.write(async (tx) => {
        // The character after the blank: names of this chain alone.
        const ofChain = sql`tx_name > ${`${chain} `} and tx_name < ${`${chain}!`}`;
        const isOne = txHash === null ? ofChain : { tx_name: txName({ chain, txHash }) };
        const seen = await findRows(tx.db, 'chain_sightings', isOne, SIGHTING, 'sighting_key');
        const newest = new Map(seen.map((row) => [row.tx_name, row]));
        const forgotten = [...newest.values()].filter((row) => row.settled === 1);
        const rows = forgotten.map((row) => {
          const { sha256: of, chain, txHash } = readSighting(row.sighting);
          const sighting = sightingCell({ ...NOTHING_SEEN, chain, txHash, reason, at, sha256: of });
          return { ...row, settled: 0, sighting };
        });
        await addForKeys(tx, 'chain_sightings', rows);
        return forgotten.length;
      }),
    add: (fence, { sightings, claims }) =>
      writeUnder(engine, fence, async (tx) => {
        const answers = sightings.map(({ sighting: { sha256 }, evidence: text }) => ({ sha256, text }));
        await insertAnswers(tx, answers);
        const rows = sightings.map(({ sighting }) => ({
          tx_name: txName(sighting),
          settled: isSettled(sighting) ? 1 : 0,
          sighting: sightingCell(sighting),
          sha256: sighting.sha256,
        }));
        await addForKeys(tx, 'chain_sightings', rows);
        await addClaims(tx, claims);
      }),
    deliveries: async (wanted, marks) => {
      const names = [...new Set(wanted.map(txName))];
      const isOfTx = (mark: string, upTo: number) =>
        sql`${engine.inList('tx_name', names)} and ${sql.ref(mark)} <= ${upTo}`;
      const isSeen = isOfTx('sighting_key', marks.sighting);
      const sightings = await findRows(engine.db, 'chain_sightings', isSeen, ['tx_name', 'sighting'], 'sighting_key');
      const newest = new Map(sightings.map((row) => [row.tx_name, row.sighting]));
      const isClaimed = isOfTx('claim_key', marks.claim);
      const rows = await findRows(engine.db, 'delivery_claims', isClaimed, ['tx_name', ...namesOf(DELIVERY_CLAIM)]);
      const claims = Map.groupBy(rows, (row) => row.tx_name);
      return new Map(
        names.map((name): [string, DeliveryFacts] => {
          const sighting = newest.get(name);
          return [
            name,
            {
              sighting: sighting === undefined ? null : readSighting(sighting),
              claims: (claims.get(name) ?? []).map(readerOf(DELIVERY_CLAIM)).sort(byAge),
            },
          ];
        }),
      );
    },
  } satisfies Partial<EvidenceStore>;
}

const readParts = readerOf(PAYOUT);

function readPayout(row: Omit<RowOf<'payouts'>, 'payout_key'>): AddedPayout {
  const [currency, rate] = [row.settled_currency, readDecimalOrNull(row.rate)];
  const settles = currency === null || rate === null ? null : { currency, rate };
  return { ...readParts(row), settles, type: row.type ?? 'share' };
}

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
  type WrittenRevenue = Pick<RunRevenue, 'payoutKey' | 'dueDays'> &
    Partial<Pick<RunRevenue, 'partner' | 'payWeek' | 'quarterly'>> &
    Partial<Record<(typeof AMOUNTS)[number], readonly [string, string][]>> & {
      exchange?: string;
      threshold?: Written<Threshold> | null;
      lines?: readonly Written<LineDifference>[];
    };
  const { threshold = null, lines = [], exchange = '0', ...written } = JSON.parse(text) as WrittenRevenue;
  const amounts = Object.fromEntries(
    AMOUNTS.map((name) => [name, new Map((written[name] ?? []).map(([key, amount]) => [key, Decimal.parse(amount)]))]),
  ) as Record<(typeof AMOUNTS)[number], Map<string, Decimal>>;
  return {
    ...{ partner: 'Service', payWeek: null, quarterly: false },
    ...written,
    ...amounts,
    exchange: Decimal.parse(exchange),
    threshold: threshold === null ? null : readWritten<Threshold>(threshold, 'amount'),
    lines: lines.map((each) => readWritten<LineDifference>(each, 'ours', 'theirs')),
  };
}

export function evidenceStore(engine: Engine): EvidenceStore {
  return {
    ...chainEvidence(engine),
    addPayouts: (payouts, at, answers = []) =>
      engine.write(async (tx) => {
        const ids = payouts.map(({ payoutId }) => payoutId);
        const same = await findRows(tx.db, 'payouts', tx.inList('payout_id', ids), ['payout_id']);
        const known = new Set(same.map((row) => row.payout_id));
        const added = payouts.filter(({ payoutId }) => !known.has(payoutId));
        await insertAnswers(tx, answers);
        const rows = added.map((each) => writerOf(PAYOUT)({ ...each, addedAt: at }));
        await addRows(tx, 'payouts', rows);
        return added.length;
      }),
    payouts: async (upTo = Number.MAX_SAFE_INTEGER) => {
      const added = sql`payout_key <= ${upTo}`;
      return (await findRows(engine.db, 'payouts', added, namesOf(PAYOUT), 'payout_key')).map(readPayout);
    },
    newestPayout: () => newestKey(engine.db, 'payouts', 'payout_key'),
    keepRevenue: (runId, fence, revenue) =>
      writeUnder(engine, fence, async (tx) => {
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
      const rows = await findRows(engine.db, 'run_revenue', {}, ['run_key'], 'run_key desc');
      return rows.find((row) => wanted.has(row.run_key))?.run_key ?? null;
    },
    text: async (sha256) => {
      const row = await findRow(engine.db, 'chain_answers', { sha256 }, ['deflated']);
      return row === undefined ? null : inflateText(row.deflated);
    },
  };
}

const MOVE = EVIDENCE.price_moves.columns;
const MOVES_IN_A_PAGE = 5000;

/** Moves of prices that no market explains. */
export function moveStore(engine: Engine): MoveStore {
  const lasts = sql<number>`to_hour - from_hour`;
  return {
    keep: (fence, moves) =>
      writeUnder(engine, fence, async (tx) => {
        const keys = moves.map(({ recordKey }) => recordKey);
        await deleteRows(tx, 'price_moves', tx.inList('record_key', keys));
        await addRows(tx, 'price_moves', moves.map(writerOf(MOVE)));
      }),
    pages: async function* ({ from, to }) {
      let isFurther = sql<boolean>`1 = 1`;
      for (;;) {
        const isNext = sql`to_hour >= ${from} and to_hour <= ${to} and ${isFurther}
          order by market, ${lasts}, record_key limit ${MOVES_IN_A_PAGE}`;
        const page = await findObjects(engine.db, 'price_moves', MOVE, isNext);
        if (page.length > 0) yield page;
        const last = page.at(-1);
        if (last === undefined || page.length < MOVES_IN_A_PAGE) return;
        const length = last.toHour - last.fromHour;
        isFurther = sql<boolean>`(market, ${lasts}, record_key) > (${last.market}, ${length}, ${last.recordKey})`;
      }
    },
    forget: (fence, before) =>
      writeUnder(engine, fence, async (tx) => {
        await deleteRows(tx, 'price_moves', sql`to_hour < ${before}`);
      }),
  };
}
