import { assetIdentifier } from '../src/domain/asset.ts';
import type { Delivery } from '../src/domain/delivery.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

type Row = SettledRecord & { expectation: Delivery };

const columns: readonly Column<Row>[] = [
  { name: 'run_id', type: 'id', description: 'id of the run that judged the delivery', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  {
    name: 'kind',
    type: 'text',
    description: '`purchase` (crypto to the user) or `sale` (crypto to the Service)',
    value: ({ kind }) => kind,
  },
  { name: 'record_id', type: 'id', description: 'id of the record at the Service', value: ({ recordId }) => recordId },
  {
    name: 'host_reference',
    type: 'text',
    description: "the app's own reference of the record, for example an order number",
    empty: 'the app gave none',
    value: ({ tracked }) => tracked.hostReference,
  },
  {
    name: 'chain',
    type: 'text',
    description: 'blockchain of the delivery, as the record states it',
    value: ({ expectation }) => expectation.chain,
  },
  {
    name: 'tx_hash',
    type: 'id',
    description: 'hash of the transaction that the record names',
    value: ({ expectation }) => expectation.txHash,
  },
  {
    name: 'outcome',
    type: 'text',
    description: '`met`, `late`, `broken`, or `unverified` (too few endpoints agree on an answer; this is no break)',
    value: ({ expectation }) => expectation.outcome,
  },
  {
    name: 'reason',
    type: 'text',
    description: 'why the outcome is not `met`',
    empty: 'the outcome is `met`',
    value: ({ expectation }) => expectation.reason,
  },
  {
    name: 'receiver_address',
    type: 'text',
    description: 'address to which the crypto has to go',
    value: ({ state }) => state?.receiverAddress ?? null,
  },
  {
    name: 'asset_symbol',
    type: 'text',
    description: 'chain and symbol of the asset, for example `ETH_USDC`',
    value: ({ expectation }) => assetIdentifier(expectation.asset),
  },
  {
    name: 'expected_units',
    type: 'units',
    description: 'amount of the record',
    unit: 'smallest units (wei, satoshi)',
    value: ({ expectation }) => expectation.expectedUnits.toString(),
  },
  {
    name: 'delivered_units',
    type: 'units',
    description: 'amount of this asset that the address received',
    unit: 'smallest units (wei, satoshi)',
    empty: 'the chain was not read',
    value: ({ expectation }) => expectation.deliveredUnits?.toString() ?? null,
  },
  {
    name: 'difference_units',
    type: 'units',
    description: '`delivered_units` − `expected_units`',
    unit: 'smallest units (wei, satoshi)',
    sign: 'minus: less was received than the record states',
    empty: 'the chain was not read',
    value: ({ expectation: { deliveredUnits, expectedUnits } }) =>
      deliveredUnits === null ? null : (deliveredUnits - expectedUnits).toString(),
  },
  {
    name: 'block_number',
    type: 'units',
    description: 'block of the transaction (Solana: slot)',
    empty: 'it is in no block, or the chain was not read',
    value: ({ expectation }) => expectation.sighting?.blockNumber ?? null,
  },
  {
    name: 'block_time',
    type: 'instant',
    description: 'time of that block',
    empty: 'it is in no block, or the chain was not read',
    value: ({ expectation }) => expectation.sighting?.blockTime ?? null,
  },
  {
    name: 'witnesses',
    type: 'count',
    description: 'number of endpoints that gave the same answer',
    empty: 'no endpoint was asked',
    value: ({ expectation }) => expectation.sighting?.witnesses ?? null,
  },
  {
    name: 'evidence_sha256',
    type: 'id',
    description: 'SHA-256 of the stored answers of all endpoints; `tieout evidence` prints them',
    empty: 'no endpoint was asked',
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
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({
    record: (record) => (record.expectation === null ? [] : [{ ...record, expectation: record.expectation }]),
  }),
});
