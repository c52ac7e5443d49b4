import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const columns: readonly Column<SettledRecord>[] = [
  { name: 'run_id', type: 'id', description: 'id of the run', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the business date: the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: 'id of the record at the Service', value: ({ recordId }) => recordId },
  {
    name: 'outcome',
    type: 'text',
    description:
      '`verified`; `quarantined` (unusable body); `unreachable` (requested, and no usable answer); `deferred` (not requested; first in the next run)',
    value: ({ observation }) => observation.outcome,
  },
  {
    name: 'reason',
    type: 'text',
    description: 'why the record was not verified: `RECORD_MISSING`, `TIMEOUT`, `SCHEMA_DRIFT` …',
    empty: 'it was verified',
    value: ({ observation }) => (observation.outcome === 'verified' ? null : observation.reason),
  },
  {
    name: 'http_status',
    type: 'count',
    description: 'HTTP status of the last answer: 200 success, 404 unknown record, 403 access refused',
    unit: 'HTTP status',
    empty: 'no answer came',
    value: httpStatus,
  },
  {
    name: 'error_code',
    type: 'text',
    description: 'error code in the body of that answer',
    empty: 'it has none',
    value: ({ observation }) => (observation.outcome === 'unreachable' ? observation.errorCode : null),
  },
  {
    name: 'attempts',
    type: 'count',
    description: 'requests sent for the record in this run',
    value: ({ attempts }) => attempts,
  },
  {
    name: 'last_verified_at',
    type: 'instant',
    description: 'when the record was last verified, this run included',
    empty: 'never verified so far',
    value: lastVerifiedAt,
  },
  {
    name: 'delivery_outcome',
    type: 'text',
    description: 'result of the check on the blockchain: `met`, `late`, `broken` or `unverified`',
    empty: 'no chain is configured, or no delivery is expected',
    value: ({ expectation }) => expectation?.outcome ?? null,
  },
  {
    name: 'contract_version',
    type: 'text',
    description: 'version of the price list by which the fee was checked',
    empty: 'no price list is configured, or it has no price for the record',
    value: ({ price }) => price?.version ?? null,
  },
  {
    name: 'absent_fields',
    type: 'text',
    description: 'required fields of the specification that the body does not have, separated by a space',
    empty: 'the body has all of them, or was not read',
    value: ({ observation }) =>
      observation.outcome === 'verified' ? observation.snapshot.state.lacks?.join(' ') || null : null,
  },
];

function httpStatus({ observation }: SettledRecord): number | null {
  switch (observation.outcome) {
    case 'verified':
      return 200;
    case 'deferred':
      return null;
    default:
      return observation.httpStatus;
  }
}

function lastVerifiedAt({ observation, history }: SettledRecord): number | null {
  if (observation.outcome === 'verified') return observation.snapshot.evidence.receivedAt;
  return history.lastVerified?.at ?? null;
}

/** Who was verified, who was not, and why. */
export const coverage = defineReport<SettledRecord>({
  definition: {
    name: 'coverage',
    file: 'coverage.csv',
    description: 'Which records were verified, which were not, and why',
    notes: 'Read this first when a run is incomplete.',
    columns,
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({ record: (record) => [record] }),
});
