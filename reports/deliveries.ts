import { assetIdentifier } from '../src/domain/asset.ts';
import type { Delivery } from '../src/domain/delivery.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

type Row = SettledRecord & { expectation: Delivery };

const columns: readonly Column<Row>[] = [
  { name: 'run_id', type: 'id', description: 'the run that judged the delivery', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'kind',
    type: 'text',
    description: '`purchase` (crypto to the user) or `sale` (crypto to the Service)',
    value: ({ kind }) => kind,
  },
  { name: 'record_id', type: 'id', description: "the Service's id", value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference",
    empty: 'the app gave none',
    value: ({ tracked }) => tracked.hostReference,
  },
  {
    name: 'chain',
    type: 'text',
    description: 'the chain that the record says it paid on',
    value: ({ expectation }) => expectation.chain,
  },
  {
    name: 'tx_hash',
    type: 'id',
    description: 'the transaction that the record names',
    value: ({ expectation }) => expectation.txHash,
  },
  {
    name: 'outcome',
    type: 'text',
    description:
      '`met`, `late`, `broken` or `unverified` (no answer that a quorum of endpoints stands behind: no break)',
    value: ({ expectation }) => expectation.outcome,
  },
  {
    name: 'reason',
    type: 'text',
    description: 'why it is not met',
    empty: 'it is met',
    value: ({ expectation }) => expectation.reason,
  },
  {
    name: 'receiver_address',
    type: 'text',
    description: 'where the crypto was to go',
    value: ({ state }) => state?.receiverAddress ?? null,
  },
  {
    name: 'asset_symbol',
    type: 'text',
    description: 'chain and symbol of the asset',
    value: ({ expectation }) => assetIdentifier(expectation.asset),
  },
  {
    name: 'expected_units',
    type: 'units',
    description: 'what the record says was delivered',
    unit: 'units (wei, satoshi)',
    value: ({ expectation }) => expectation.expectedUnits.toString(),
  },
  {
    name: 'delivered_units',
    type: 'units',
    description: 'what arrived at the address, of the asset',
    unit: 'units (wei, satoshi)',
    empty: 'not known',
    value: ({ expectation }) => expectation.deliveredUnits?.toString() ?? null,
  },
  {
    name: 'difference_units',
    type: 'units',
    description: 'delivered − expected',
    unit: 'units (wei, satoshi)',
    sign: 'minus: less arrived than the record says',
    empty: 'not known',
    value: ({ expectation: { deliveredUnits, expectedUnits } }) =>
      deliveredUnits === null ? null : (deliveredUnits - expectedUnits).toString(),
  },
  {
    name: 'block_number',
    type: 'units',
    description: 'block (Solana: slot) of the transaction',
    empty: 'it is in none, or not known',
    value: ({ expectation }) => expectation.sighting?.blockNumber ?? null,
  },
  {
    name: 'block_time',
    type: 'instant',
    description: 'time of that block',
    empty: 'it is in none, or not known',
    value: ({ expectation }) => expectation.sighting?.blockTime ?? null,
  },
  {
    name: 'witnesses',
    type: 'count',
    description: 'endpoints that say the same',
    empty: 'none was asked',
    value: ({ expectation }) => expectation.sighting?.witnesses ?? null,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'hash of the answers of all endpoints, as stored',
    empty: 'none was asked',
    value: ({ expectation }) => expectation.sighting?.sha256 ?? null,
  },
];

/** Only in sets of runs for which a chain was configured. */
export const deliveries = defineReport<Row>({
  definition: {
    name: 'deliveries',
    file: 'deliveries.csv',
    description: 'What the chains say of the deliveries that records promise',
    notes:
      'Written where endpoints of a chain are configured (`evidence.chains`): one row for each verified record that names its transaction.',
    columns,
  },
  collect: () => ({
    record: (record) => (record.expectation === null ? [] : [{ ...record, expectation: record.expectation }]),
  }),
});
