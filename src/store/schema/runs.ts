/** Tables of runs, of the records in them, and of status changes. */
import type { DueClass } from '../../domain/due.ts';
import { noVerdicts } from '../../domain/finding.ts';
import type { Kind, Origin } from '../../domain/record.ts';
import type { RunState, Selection, SourceFigures, VerdictCounts, WitnessMarks } from '../../domain/run.ts';
import type { Survey } from '../../domain/survey.ts';
import type { ObservedItem } from '../../ports/store/store.ts';
import {
  type CellsOf,
  date,
  flag,
  id,
  integer,
  json,
  key,
  namesOf,
  OWNED,
  only,
  SUM,
  table,
  text,
  without,
} from './column.ts';
import { FACTS } from './facts.ts';
import { writerOf } from './places.ts';
import { KEY } from './tracking.ts';

const WORK = 'it counts or orders work, not records or money';

/** The projection as it was before this run's observation. */
export const PAST = {
  before_status: text.orNull.named('status'),
  before_status_since: integer.orNull.named('statusSince'),
  before_peak_status: text.orNull.named('peakStatus'),
  before_peak_at: integer.orNull.named('peakAt'),
  before_first_snapshot: integer.orNull.named('firstSnapshot'),
  before_terminal_snapshot: integer.orNull.named('terminalSnapshot'),
  before_verified_at: integer.orNull.named('lastVerifiedAt'),
  before_verified_status: text.orNull.named('lastVerifiedStatus'),
};

export const OBSERVATION = {
  /** Null until something was observed. */
  outcome: text.as<'verified' | 'quarantined' | 'unreachable' | 'deferred'>().orNull,
  attempts: integer.unsealed(WORK),
  observed_at: integer.orNull,
  /** Verified: the run's own snapshot and its content. */
  snapshot_key: integer.orNull,
  content_key: integer.orNull,
  reason: text.orNull,
  detail: text.orNull,
  /** JSON array of Drift. */
  drift: text.orNull,
  http_status: integer.orNull,
  error_code: text.orNull,
  /** Quarantined: SHA-256 of the bytes received. */
  body_sha256: text.orNull,
};

const readVerdicts = (cell: string): VerdictCounts => ({ ...noVerdicts(), ...(JSON.parse(cell) as VerdictCounts) });

export const RUNS = {
  runs: table(
    {
      run_key: key.found('the seal has it in its name'),
      run_id: id,
      job: id,
      business_day: date.named('businessDate'),
      revision: integer,
      state: text.as<RunState>(),
      selection: json<Selection>(),
      timezone: text,
      started_at: integer,
      finished_at: integer.orNull,
      as_of: integer,
      terms: text,
      rules_hash: text,
      config_hash: text,
      code_version: text,
      supersedes: text.orNull,
      requests_sent: integer.unsealed(WORK),
      /** 1 once the items are in; the population may be 0. */
      planned: integer.unsealed(WORK),
      population: integer,
      observed: integer.unsealed(WORK),
      verdicts: text.holds(readVerdicts, JSON.stringify).orNull,
      quote_watermark: integer.orNull,
      reference_watermark: integer.orNull,
      break_watermark: integer.orNull,
      /** Null without evidence from other sources than the Service. */
      evidence_watermark: json<WitnessMarks>().orNull,
      published_to: text.orNull,
      /** Null where the run is older than the column. */
      sources: json<readonly SourceFigures[]>().orNull,
      /** Records in the population and out of it when the run was planned; null before, and where the run is older. */
      tracked: integer.orNull,
      retracted: integer.orNull,
      /** Null before the run is judged, and where it is older. */
      survey: json<Survey>().orNull,
      /** Time at which its items were moved to an archive; null while they are in the database. */
      archived_at: integer.orNull.unsealed(
        'it says where the records of the run are, and the archive has the same ones',
      ),
    },
    {
      seal: OWNED,
      unique: [['run_id'], ['job', 'business_day', 'revision']],
      storage: 'fillfactor = 50',
    },
  ),

  /** One record of one run, in report order: judging and publishing read a run from front to back. Its facts are those of the run's plan. */
  run_items: table(
    {
      run_key: integer.references('runs').found('the seal of each run is over its records'),
      kind: id.as<Kind>(),
      record_id: id,
      record_key: integer,
      /** Order in which the allowance is spent, from 1. */
      position: integer.unsealed(WORK),
      due_class: text.as<DueClass>(),
      /** The linked quote; null where it was not stored when judging began. */
      quote_key: integer.orNull,
      ...FACTS,
      ...PAST,
      ...OBSERVATION,
    },
    {
      seal: OWNED,
      key: ['run_key', 'kind', 'record_id'],
      clustered: true,
      // Those to be fetched: an observation takes its row out of the index.
      indexes: ['run_items_waiting (run_key, position) where outcome is null'],
    },
  ),

  status_changes: table(
    {
      change_key: key.unsealed(KEY),
      record_key: integer.references('tracked_records'),
      kind: id.as<Kind>(),
      record_id: id,
      /** The run that reports it; null until one claims it. */
      run_key: integer.orNull.references('runs'),
      from_status: text.named('from'),
      to_status: text.named('to'),
      from_seen_at: integer,
      to_seen_at: integer,
      learned_from: text.as<Origin>(),
      legal: flag,
    },
    {
      seal: SUM,
      indexes: ['status_changes_run (run_key, kind, record_id)', 'status_changes_record (record_key)'],
    },
  ),
};

export const STATUS_CHANGE = without(RUNS.status_changes.columns, 'change_key', 'record_key', 'run_key');

type Nothing = { [N in keyof typeof OBSERVATION]: null };
const NO_OBSERVATION = Object.fromEntries(namesOf(OBSERVATION).map((name) => [name, null])) as Nothing;

export function observationCells(
  { observed, attempts }: ObservedItem,
  snapshot: { key: number; content: number } | null,
): CellsOf<typeof OBSERVATION> {
  const head = { ...NO_OBSERVATION, outcome: observed.outcome, attempts, observed_at: observed.at };
  switch (observed.outcome) {
    case 'verified': {
      const { key = null, content = null } = snapshot ?? {};
      return { ...head, snapshot_key: key, content_key: content, http_status: observed.httpStatus };
    }
    case 'quarantined': {
      const { reason, detail, httpStatus, body } = observed;
      const drift = observed.drift.length === 0 ? null : JSON.stringify(observed.drift);
      return { ...head, reason, detail, drift, http_status: httpStatus, body_sha256: body?.sha256 ?? null };
    }
    case 'unreachable': {
      const { reason, httpStatus, errorCode } = observed;
      return { ...head, reason, http_status: httpStatus, error_code: errorCode };
    }
  }
}

/** A change of a status, without the record and the body that show it. */
export const changeCells = writerOf(only(STATUS_CHANGE, 'from_status', 'to_status', 'from_seen_at', 'legal'));
