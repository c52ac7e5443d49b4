import { assetIdentifier } from '../src/domain/asset.ts';
import type { Delivery } from '../src/domain/delivery.ts';
import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineReport, HOST_REFERENCE, RECORD_ID, runColumns } from './define.ts';

type Row = SettledRecord & { expectation: Delivery };

const { count, id, instant, text, units } = columnsOf<Row>();

const columns: readonly Column<Row>[] = [
  ...runColumns('id of the run that judged the delivery'),
  text('kind', ({ kind }) => kind, '`purchase` (crypto to the user) or `sale` (crypto to the Service)'),
  RECORD_ID,
  HOST_REFERENCE,
  text('chain', ({ expectation }) => expectation.chain, 'blockchain of the delivery, as the record states it'),
  id('tx_hash', ({ expectation }) => expectation.txHash, 'hash of the transaction that the record names'),
  text('outcome', ({ expectation }) => expectation.outcome, {
    description: '`met`, `late`, `broken`, or `unverified` (too few endpoints agree on an answer; this is not a break)',
  }),
  text('reason', ({ expectation }) => expectation.reason, {
    description: 'why the outcome is not `met`',
    empty: 'the outcome is `met`',
  }),
  text('receiver_address', ({ state }) => state?.receiverAddress ?? null, 'address to which the crypto has to go'),
  text('asset_symbol', ({ expectation }) => assetIdentifier(expectation.asset), {
    description: 'chain and symbol of the asset, for example `ETH_USDC`',
  }),
  units('expected_units', ({ expectation }) => expectation.expectedUnits.toString(), {
    description: 'amount of the record',
    unit: 'smallest units (wei, satoshi)',
  }),
  units('delivered_units', ({ expectation }) => expectation.deliveredUnits?.toString() ?? null, {
    description: 'amount of this asset that the address received',
    unit: 'smallest units (wei, satoshi)',
    empty: 'the chain was not read',
  }),
  units(
    'difference_units',
    ({ expectation: { deliveredUnits, expectedUnits } }) =>
      deliveredUnits === null ? null : (deliveredUnits - expectedUnits).toString(),
    {
      description: '`delivered_units` − `expected_units`',
      unit: 'smallest units (wei, satoshi)',
      sign: 'minus: less was received than the record states',
      empty: 'the chain was not read',
    },
  ),
  units('block_number', ({ expectation }) => expectation.sighting?.blockNumber ?? null, {
    description: 'block of the transaction (Solana: slot)',
    empty: 'it is in no block, or the chain was not read',
  }),
  instant('block_time', ({ expectation }) => expectation.sighting?.blockTime ?? null, {
    description: 'time of that block',
    empty: 'it is in no block, or the chain was not read',
  }),
  count('witnesses', ({ expectation }) => expectation.sighting?.witnesses ?? null, {
    description: 'number of endpoints that gave the same answer',
    empty: 'no endpoint was asked',
  }),
  id('evidence_sha256', ({ expectation }) => expectation.sighting?.sha256 ?? null, {
    description: 'SHA-256 of the stored answers of all endpoints; `tieout evidence` prints them',
    empty: 'no endpoint was asked',
  }),
];

/** Only in sets of runs for which a chain was configured. */
export const deliveries = defineReport<Row>({
  definition: {
    name: 'deliveries',
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
