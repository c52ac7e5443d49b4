/** What chains say of transactions, and the records that claim them. Rows are only added. */
import { type DeliveryClaim, type DeliveryFacts, NOTHING_SEEN, type Sighting, txName } from '../domain/delivery.ts';
import type { Kind } from '../domain/record.ts';
import type { EvidenceStore, NewClaim } from '../ports/store/store.ts';
import { deflateText, type Row, unitsCell } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { insertSealed, insertSealedForKeys } from './sealed-rows.ts';
import type { Sealer } from './sealing.ts';

const SIGHTING_COLUMNS = ['tx_name', 'settled', 'sighting', 'sha256'] as const;
const CLAIM_COLUMNS = ['tx_name', 'kind', 'record_id', 'receiver', 'asset_address', 'units', 'created_at'] as const;

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

export async function insertAnswers(
  tx: WriteTransaction,
  answers: readonly { sha256: string; text: string }[],
): Promise<void> {
  const distinct = new Map(answers.map(({ sha256, text }) => [sha256, text]));
  await tx.insertMany(
    'chain_answers',
    ['sha256', 'deflated'],
    [...distinct].map(([sha256, text]) => [sha256, deflateText(text)]),
    { skipKnown: true },
  );
}

async function addSightings(tx: WriteTransaction, sealer: Sealer | null, rows: readonly Row[]): Promise<void> {
  await insertSealedForKeys(tx, sealer, 'chain_sightings', 'sighting_key', SIGHTING_COLUMNS, rows);
}

/** Those that are known already keep the seal that they have. */
async function addClaims(
  engine: Engine,
  tx: WriteTransaction,
  sealer: Sealer | null,
  claims: readonly NewClaim[],
): Promise<void> {
  const nameOf = (row: Row) => JSON.stringify([row[0], row[1], row[2], row[3], row[5]]);
  const known = await tx.rows(
    engine.db
      .selectFrom('delivery_claims')
      .select(CLAIM_COLUMNS)
      .where(engine.inList('tx_name', [...new Set(claims.map(txName))])),
  );
  const fresh = new Map<string, Row>();
  for (const each of claims) {
    const { kind, recordId, receiver, asset, units, createdAt } = each;
    const row = [txName(each), kind, recordId, receiver, asset, unitsCell(units), createdAt];
    if (!fresh.has(nameOf(row))) fresh.set(nameOf(row), row);
  }
  for (const row of known) fresh.delete(nameOf(row));
  await insertSealed(tx, sealer, 'delivery_claims', CLAIM_COLUMNS, [...fresh.values()]);
}

const isSettled = ({ seen, final }: Sighting) => seen === 'found' && final;

function readClaim(row: Row): DeliveryClaim {
  return {
    kind: row[1] as Kind,
    recordId: row[2] as string,
    receiver: row[3] as string,
    asset: row[4] as string | null,
    units: BigInt(row[5] as string),
    createdAt: row[6] as number | null,
  };
}

/** The oldest record first: an output belongs to the record that was created first. */
function byAge(a: DeliveryClaim, b: DeliveryClaim): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.kind + a.recordId < b.kind + b.recordId ? -1 : 1);
}

export function chainEvidence(
  engine: Engine,
  sealer: Sealer | null,
): Pick<EvidenceStore, 'unsettled' | 'add' | 'forget' | 'deliveries'> {
  const newest = async (names: readonly string[], upTo: number) => {
    const rows = await engine.rows(
      engine.db
        .selectFrom('chain_sightings')
        .select(['tx_name', 'sighting'])
        .where(engine.inList('tx_name', names))
        .where('sighting_key', '<=', upTo)
        .orderBy('sighting_key'),
    );
    return new Map(rows.map((row) => [row[0] as string, row[1] as string]));
  };
  return {
    unsettled: async (wanted) => {
      const rows = await engine.rows(
        engine.db
          .selectFrom('chain_sightings')
          .select(['tx_name', 'settled'])
          .where(engine.inList('tx_name', wanted.map(txName)))
          .orderBy('sighting_key'),
      );
      const settled = new Map(rows.map((row) => [row[0] as string, row[1] === 1]));
      return wanted.filter((each) => settled.get(txName(each)) !== true);
    },
    forget: (chain, txHash, reason, at) =>
      engine.write(async (tx) => {
        const rows = await tx.rows(
          engine.db
            .selectFrom('chain_sightings')
            .select(SIGHTING_COLUMNS)
            .where('tx_name', '>', `${chain} `)
            // The character after the blank: names of this chain alone.
            .where('tx_name', '<', `${chain}!`)
            .$if(txHash !== null, (query) => query.where('tx_name', '=', txName({ chain, txHash: txHash ?? '' })))
            .orderBy('sighting_key'),
        );
        const newest = new Map(rows.map((row) => [row[0] as string, row]));
        const forgotten = [...newest.values()].filter((row) => row[1] === 1);
        await addSightings(
          tx,
          sealer,
          forgotten.map(([name = null, , sighting, sha256 = null]) => {
            const { sha256: of, chain, txHash } = readSighting(sighting as string);
            return [name, 0, sightingCell({ ...NOTHING_SEEN, chain, txHash, reason, at, sha256: of }), sha256];
          }),
        );
        return forgotten.length;
      }),
    add: (fence, { sightings, claims }) =>
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        await insertAnswers(
          tx,
          sightings.map(({ sighting: { sha256 }, evidence: text }) => ({ sha256, text })),
        );
        await addSightings(
          tx,
          sealer,
          sightings.map(({ sighting }) => [
            txName(sighting),
            isSettled(sighting) ? 1 : 0,
            sightingCell(sighting),
            sighting.sha256,
          ]),
        );
        await addClaims(engine, tx, sealer, claims);
      }),
    deliveries: async (wanted, marks) => {
      const names = [...new Set(wanted.map(txName))];
      const sightings = await newest(names, marks.sighting);
      const rows = await engine.rows(
        engine.db
          .selectFrom('delivery_claims')
          .select(CLAIM_COLUMNS)
          .where(engine.inList('tx_name', names))
          .where('claim_key', '<=', marks.claim),
      );
      const claims = Map.groupBy(rows, (row) => row[0] as string);
      return new Map(
        names.map((name): [string, DeliveryFacts] => {
          const sighting = sightings.get(name);
          return [
            name,
            {
              sighting: sighting === undefined ? null : readSighting(sighting),
              claims: (claims.get(name) ?? []).map(readClaim).sort(byAge),
            },
          ];
        }),
      );
    },
  };
}
