import type { Column } from '../src/ports/report-definition.ts';
import type { SettledRecord } from '../src/ports/settled.ts';
import { defineReport } from './define.ts';

const columns: readonly Column<SettledRecord>[] = [
  { name: 'run_id', type: 'id', description: 'The run', value: ({ run }) => run.runId },
  { name: 'business_date', type: 'date', description: 'The day the run is for', value: ({ run }) => run.businessDate },
  { name: 'kind', type: 'text', description: 'purchase or sale', value: ({ kind }) => kind },
  { name: 'record_id', type: 'id', description: 'The id of the record', value: ({ recordId }) => recordId },
  {
    name: 'outcome',
    type: 'text',
    description: 'verified, quarantined, unreachable or deferred',
    value: ({ observation }) => observation.outcome,
  },
  {
    name: 'reason',
    type: 'text',
    description: 'Why it was not verified',
    value: ({ observation }) => (observation.outcome === 'verified' ? null : observation.reason),
  },
  { name: 'http_status', type: 'count', description: 'HTTP status of the last answer', value: httpStatus },
  {
    name: 'error_code',
    type: 'text',
    description: "The Service's own error code",
    value: ({ observation }) => (observation.outcome === 'unreachable' ? observation.errorCode : null),
  },
  { name: 'attempts', type: 'count', description: 'Requests spent on the record', value: ({ attempts }) => attempts },
  {
    name: 'last_verified_at',
    type: 'instant',
    description: 'When the record was last verified, tonight included',
    value: lastVerifiedAt,
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
    description: 'Who was verified, who was not, and why',
    columns,
  },
  collect: () => ({ record: (record) => [record] }),
});
