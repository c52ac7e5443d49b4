import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { columnsOf, defineReport, KIND, RECORD_ID, runColumns } from './define.ts';

const { count, instant, text } = columnsOf<SettledRecord>();

const columns: readonly Column<SettledRecord>[] = [
  ...runColumns(),
  KIND,
  RECORD_ID,
  text('outcome', ({ observation }) => observation.outcome, {
    description:
      '`verified`; `quarantined` (unusable body); `unreachable` (requested, and no usable answer); `deferred` (not requested; first in the next run)',
  }),
  text('reason', ({ observation }) => (observation.outcome === 'verified' ? null : observation.reason), {
    description: 'why the record was not verified: `RECORD_MISSING`, `TIMEOUT`, `SCHEMA_DRIFT` …',
    empty: 'it was verified',
  }),
  count('http_status', httpStatus, {
    description: 'HTTP status of the last answer: 200 success, 404 unknown record, 403 access refused',
    unit: 'HTTP status',
    empty: 'no answer came',
  }),
  text('error_code', ({ observation }) => (observation.outcome === 'unreachable' ? observation.errorCode : null), {
    description: 'error code in the body of that answer',
    empty: 'it has none',
  }),
  count('attempts', ({ attempts }) => attempts, 'requests sent for the record in this run'),
  instant('last_verified_at', lastVerifiedAt, {
    description: 'when the record was last verified, this run included',
    empty: 'never verified so far',
  }),
  text('delivery_outcome', ({ expectation }) => expectation?.outcome ?? null, {
    description: 'result of the check on the blockchain: `met`, `late`, `broken` or `unverified`',
    empty: 'no chain is configured, or no delivery is expected',
  }),
  text('contract_version', ({ price }) => price?.version ?? null, {
    description: 'version of the price list by which the fee was checked',
    empty: 'no price list is configured, or it has no price for the record',
  }),
  text(
    'absent_fields',
    ({ observation }) =>
      observation.outcome === 'verified' ? observation.snapshot.state.lacks?.join(' ') || null : null,
    {
      description: 'required fields of the specification that the body does not have, separated by a space',
      empty: 'the body has all of them, or was not read',
    },
  ),
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
    description: 'Which records were verified, which were not, and why',
    notes: 'Read this first when a run is incomplete.',
    columns,
    key: ['kind', 'record_id'],
    refersTo: [{ fields: ['kind', 'record_id'], report: 'records' }],
  },
  collect: () => ({ record: (record) => [record] }),
});
