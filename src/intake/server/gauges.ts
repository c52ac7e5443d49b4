/**
 * The gauges of `/metrics`. Each scrape sets them anew: an unknown figure (of a job that has never run; all of them
 * while the database is unavailable) is left out, and is neither zero nor the last value.
 */
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Figures, JobFigures } from './contract.ts';

type MakeGauge = <T extends string>(name: string, help: string, labelNames: readonly T[]) => Gauge<T>;
type Show = (figures: Figures) => void;

export function gaugesOf(registers: Registry[]) {
  const clearings: (() => void)[] = [];
  const gauge: MakeGauge = (name, help, labelNames) => {
    const made = new Gauge({ name, help, labelNames: [...labelNames], registers });
    // A gauge without labels would be reset to a zero.
    clearings.push(() => (labelNames.length > 0 ? made.reset() : made.remove()));
    return made;
  };
  const ready = new Gauge({ name: 'tieout_database_ready', help: '1 while the database can be used', registers });
  const groups: readonly Show[] = [
    runGauges(gauge),
    breakGauges(gauge),
    egressGauges(gauge),
    queueGauges(gauge),
    machineGauges(gauge),
  ];
  const clear = () => {
    for (const each of clearings) each();
  };
  clear();
  return {
    show: (figures: Figures) => {
      clear();
      for (const show of groups) show(figures);
      ready.set(1);
    },
    /** The database could not be asked. */
    showNothing: () => {
      clear();
      ready.set(0);
    },
  };
}

/** Prometheus labels every series with its own `job`, and renames one that exists: hence `tieout_job`. */
const JOB = ['tieout_job'] as const;

function runGauges(gauge: MakeGauge): Show {
  const success = gauge('tieout_run_last_success_timestamp_seconds', 'End of the newest complete run', JOB);
  const age = gauge('tieout_run_age_seconds', 'Time since the end of the newest complete run', JOB);
  const records = gauge('tieout_run_records', 'Records of the newest judged run, by verdict', [...JOB, 'verdict']);
  const without = gauge(
    'tieout_run_records_not_judged',
    'Records of the newest judged run that were not judged by every rule',
    JOB,
  );
  const lacking = gauge(
    'tieout_run_absent_fields',
    'Bodies of the newest judged run that lack a field of the specification',
    [...JOB, 'field'],
  );
  const requests = gauge('tieout_run_requests', 'Requests that the newest judged run sent', JOB);
  const SOURCE = [...JOB, 'source'] as const;
  const lines = gauge('tieout_source_lines', 'Lines of each source for the newest judged run', [...SOURCE, 'outcome']);
  const failed = gauge('tieout_source_failures', 'Files and queries of each source that could not be read', SOURCE);
  const showJob = (now: number, { job, lastSuccessAt, newest }: JobFigures) => {
    const of = { tieout_job: job };
    if (lastSuccessAt !== null) {
      success.set(of, lastSuccessAt / 1000);
      age.set(of, (now - lastSuccessAt) / 1000);
    }
    if (newest === null) return;
    requests.set(of, newest.requestsSent);
    for (const [verdict, count] of Object.entries(newest.verdicts)) records.set({ ...of, verdict }, count);
    if (newest.withoutData !== undefined) {
      without.set(of, newest.withoutData.records);
      for (const [field, count] of newest.withoutData.lacking) lacking.set({ ...of, field }, count);
    }
    for (const source of newest.sources) {
      const from = { ...of, source: source.name };
      for (const outcome of ['accepted', 'rejected'] as const) lines.set({ ...from, outcome }, source[outcome]);
      failed.set(from, source.failed);
    }
  };
  return ({ now, jobs }) => {
    for (const each of jobs) showJob(now, each);
  };
}

function breakGauges(gauge: MakeGauge): Show {
  const breaks = gauge('tieout_breaks_open', 'Breaks that need action, by severity', ['severity']);
  const about =
    'Money at stake of open breaks, by currency and by who bears the loss; minus is the loss of the Service';
  const stake = gauge('tieout_money_at_stake', about, ['currency', 'bearer']);
  const learned = gauge('tieout_status_changes', 'Status changes on record, by where each was first learned from', [
    'learned_from',
  ]);
  const waiting = gauge('tieout_records_awaiting_recheck', 'Records delivered and not asked for since', []);
  return ({ openBreaks, moneyAtStake, learnedFrom, awaitingRecheck }) => {
    for (const [severity, count] of Object.entries(openBreaks)) breaks.set({ severity }, count);
    // A gauge is a binary number: the exact sum is in the manifest.
    for (const { currency, bearer, total } of moneyAtStake)
      stake.set({ currency, bearer }, Number.parseFloat(total.toString()));
    for (const [origin, count] of Object.entries(learnedFrom)) learned.set({ learned_from: origin }, count);
    waiting.set(awaitingRecheck);
  };
}

function egressGauges(gauge: MakeGauge): Show {
  const open = gauge('tieout_circuit_open', '1 while the Service must not be asked from this egress', ['egress']);
  const trips = gauge('tieout_circuit_trips', 'Openings of the circuit in a row', ['egress']);
  const limit = ['egress', 'per_seconds'] as const;
  const used = gauge('tieout_limit_used_requests', 'Requests booked in the window of each limit', limit);
  const allowed = gauge('tieout_limit_allowed_requests', 'Requests that each limit allows', limit);
  return ({ egress, circuit, windows }) => {
    open.set({ egress }, circuit.open ? 1 : 0);
    trips.set({ egress }, circuit.trips);
    for (const { requests, perMs, used: taken } of windows) {
      used.set({ egress, per_seconds: perMs / 1000 }, taken);
      allowed.set({ egress, per_seconds: perMs / 1000 }, requests);
    }
  };
}

function machineGauges(gauge: MakeGauge): Show {
  const free = gauge('tieout_free_bytes', 'Bytes that can still be written beside the database and in the out folder', [
    'place',
  ]);
  const night = gauge('tieout_last_night_bytes', 'Bytes of the newest published night', []);
  const skew = gauge('tieout_clock_skew_seconds', "How far this machine's clock is ahead of the Service's", []);
  return ({ free: places, lastNight, clockAheadMs }) => {
    for (const [place, bytes] of places) free.set({ place }, bytes);
    if (lastNight !== null) night.set(lastNight);
    if (clockAheadMs !== null) skew.set(clockAheadMs / 1000);
  };
}

function queueGauges(gauge: MakeGauge): Show {
  const batches = gauge('tieout_queue_batches', 'Batches of all runs: waiting, active, failed within a day', ['state']);
  const oldest = gauge('tieout_queue_oldest_waiting_seconds', 'How long the oldest waiting batch has been there', []);
  return ({ queue }) => {
    if (queue === null) return;
    for (const state of ['waiting', 'active', 'failed'] as const) batches.set({ state }, queue[state]);
    if (queue.oldestWaitingMs !== null) oldest.set(queue.oldestWaitingMs / 1000);
  };
}
