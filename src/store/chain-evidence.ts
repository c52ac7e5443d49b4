/** What chains say of transactions, and the records that claim them. Rows are only added. */
import { type DeliveryFacts, type NamedDelivery, NOTHING_SEEN, type Sighting, txName } from '../domain/delivery.ts';
import type { EvidenceStore, NewClaim } from '../ports/store/store.ts';
import { deflateText } from './cells.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { checkFence } from './leases.ts';
import { addForKeys, addRows } from './rows.ts';
import { findRows } from './statements.ts';
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

export async function insertAnswers(
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
    const { kind, recordId, receiver, asset, units, createdAt } = each;
    const row = {
      tx_name: txName(each),
      kind,
      record_id: recordId,
      receiver,
      asset_address: asset,
      units: units.toString(),
      created_at: createdAt,
    };
    if (!added.has(nameOf(row))) added.set(nameOf(row), row);
  }
  for (const row of await findRows(tx.db, 'delivery_claims', ofTx, named)) added.delete(nameOf(row));
  await addRows(tx, 'delivery_claims', [...added.values()]);
}

const isSettled = ({ seen, final }: Sighting) => seen === 'found' && final;

/** The oldest record first: an output belongs to the record that was created first. */
function byAge(a: NamedDelivery, b: NamedDelivery): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.kind + a.recordId < b.kind + b.recordId ? -1 : 1);
}

export function chainEvidence(engine: Engine): Pick<EvidenceStore, 'unsettled' | 'add' | 'forget' | 'deliveries'> {
  return {
    unsettled: async (wanted) => {
      const ofTx = engine.inList('tx_name', wanted.map(txName));
      const rows = await findRows(engine.db, 'chain_sightings', ofTx, ['tx_name', 'settled'], 'sighting_key');
      const settled = new Map(rows.map((row) => [row.tx_name, row.settled === 1]));
      return wanted.filter((each) => settled.get(txName(each)) !== true);
    },
    forget: (chain, txHash, reason, at) =>
      engine.write(async (tx) => {
        const seen = await tx.db
          .selectFrom('chain_sightings')
          .select(['tx_name', 'settled', 'sighting', 'sha256'])
          .where('tx_name', '>', `${chain} `)
          // The character after the blank: names of this chain alone.
          .where('tx_name', '<', `${chain}!`)
          .$if(txHash !== null, (query) => query.where('tx_name', '=', txName({ chain, txHash: txHash ?? '' })))
          .orderBy('sighting_key')
          .execute();
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
      engine.write(async (tx) => {
        await checkFence(tx, fence);
        await insertAnswers(
          tx,
          sightings.map(({ sighting: { sha256 }, evidence: text }) => ({ sha256, text })),
        );
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
      const sightings = await engine.db
        .selectFrom('chain_sightings')
        .select(['tx_name', 'sighting'])
        .where(engine.inList('tx_name', names))
        .where('sighting_key', '<=', marks.sighting)
        .orderBy('sighting_key')
        .execute();
      const newest = new Map(sightings.map((row) => [row.tx_name, row.sighting]));
      const rows = await engine.db
        .selectFrom('delivery_claims')
        .select(['tx_name', 'kind', 'record_id as recordId', 'receiver', 'asset_address as asset', 'units'])
        .select('created_at as createdAt')
        .where(engine.inList('tx_name', names))
        .where('claim_key', '<=', marks.claim)
        .execute();
      const claims = Map.groupBy(rows, (row) => row.tx_name);
      const readClaim = ({ tx_name: _, units, ...claim }: (typeof rows)[number]) => ({
        ...claim,
        units: BigInt(units),
      });
      return new Map(
        names.map((name): [string, DeliveryFacts] => {
          const sighting = newest.get(name);
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
