import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const columns: readonly Column<SettledRecord>[] = [
  { name: 'run_id', type: 'id', description: 'the run', value: ({ run }) => run.runId },
  {
    name: 'business_date',
    type: 'date',
    description: 'the day that the run is for',
    value: ({ run }) => run.businessDate,
  },
  { name: 'kind', type: 'text', description: '`purchase` or `sale`', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: "the Service's id", value: ({ recordId }) => recordId },
  {
    name: 'outcome',
    type: 'text',
    description:
      '`verified`; `quarantined`; `unreachable`: asked, and not read; `deferred`: not asked, first in the next run',
    value: ({ observation }) => observation.outcome,
  },
  {
    name: 'reason',
    type: 'text',
    description: 'why not: `RECORD_MISSING`, `TIMEOUT`, `SCHEMA_DRIFT` …',
    empty: 'verified',
    value: ({ observation }) => (observation.outcome === 'verified' ? null : observation.reason),
  },
  {
    name: 'http_status',
    type: 'count',
    description: "the last answer's number: 200 is good, 404 is unknown, 403 is refused",
    unit: 'number',
    empty: 'no answer came',
    value: httpStatus,
  },
  {
    name: 'error_code',
    type: 'text',
    description: "the Service's own code for it",
    empty: 'it gave none',
    value: ({ observation }) => (observation.outcome === 'unreachable' ? observation.errorCode : null),
  },
  { name: 'attempts', type: 'count', description: 'requests spent on the record', value: ({ attempts }) => attempts },
  {
    name: 'last_verified_at',
    type: 'instant',
    description: 'when it was last verified, this run included',
    empty: 'never so far',
    value: lastVerifiedAt,
  },
  {
    name: 'delivery_outcome',
    type: 'text',
    description: 'what the chain says of its delivery: `met`, `late`, `broken` or `unverified`',
    empty: 'no chain is configured, or no delivery is expected',
    value: ({ expectation }) => expectation?.outcome ?? null,
  },
  {
    name: 'contract_version',
    type: 'text',
    description: "the version of the contract's price list that has a price for it",
    empty: 'no price list is configured, or it has no price for the record',
    value: ({ price }) => price?.version ?? null,
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
    notes: 'Read this first when a run is called incomplete.',
    columns,
  },
  collect: () => ({ record: (record) => [record] }),
});
