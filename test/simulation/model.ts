/**
 * An independent accountant: reads the published set of each night and the events of breaks, and reports where they
 * contradict each other or the past. It shares no code with what it checks; its digests and its calendar are its own.
 */
import { createHash } from 'node:crypto';
import { type Csv, type Row, readCsv } from '../e2e/support/csv.ts';

/** One night as published: file texts by report name. Whether the figures of the set tie is for `test/invariants/check-set.ts`. */
export interface PublishedNight {
  date: string;
  files: Readonly<Record<'records' | 'breaks' | 'coverage', string>>;
  manifest: { status: string };
}

/** One event as `tieout breaks show --json` prints it. */
export interface PrintedEvent {
  type: string;
  run_id: string | null;
  who: string;
  reason: string | null;
  state: string;
}

interface Known {
  key: string;
  record: string;
  state: string;
  firstSeen: string;
  lastSeen: string;
  timesReopened: number;
}

const DAY_MS = 86_400_000;

const recordOf = (row: Row) => `${row.kind} ${row.record_id}`;

/** Days are counted on the calendar: the hours of a day do not matter, however many it has. */
function dayNumber(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

const OPEN = ['open', 'acknowledged', 'reopened'];

export class Model {
  /** Breaks by id, as they stood after the last night or decision. */
  private readonly breaks = new Map<string, Known>();
  private readonly verifiedIn = new Map<string, Set<string>>();
  private readonly found: string[] = [];
  private readonly seen = { nights: 0, opened: 0, reopened: 0, resolved: 0, waived: 0, decisions: 0 };

  /** What does not hold; empty where everything does. */
  get violations(): readonly string[] {
    return this.found;
  }

  /** How much there was to check. */
  get figures(): Readonly<typeof this.seen> {
    return this.seen;
  }

  /** Ids of breaks in these states, in order. */
  ids(...states: string[]): string[] {
    return [...this.breaks].filter(([, each]) => states.includes(each.state)).map(([id]) => id);
  }

  /** A person's decision, as the command printed it. */
  decided(id: string, state: string): void {
    const known = this.breaks.get(id);
    if (known === undefined) {
      this.blame(`${id}: decided about, and never seen`);
      return;
    }
    if (OPEN.includes(known.state) && state === 'waived') this.seen.waived++;
    if (state === 'reopened' && known.state !== 'reopened') known.timesReopened++;
    known.state = state;
    this.seen.decisions++;
  }

  /** @param runId the run that published it. */
  night(runId: string, { date, files, manifest }: PublishedNight): void {
    this.seen.nights++;
    const records = readCsv(files.records);
    const breaks = readCsv(files.breaks);
    const coverage = readCsv(files.coverage);
    const outcomes = new Map(coverage.rows.map((row) => [recordOf(row), row.outcome ?? '']));
    this.verifiedIn.set(
      runId,
      new Set([...outcomes].filter(([, outcome]) => outcome === 'verified').map(([id]) => id)),
    );
    this.checkCoverage(date, records, outcomes, manifest.status);
    this.checkBreaks(date, breaks, outcomes);
    this.checkVerdicts(date, records, breaks, outcomes);
    this.checkOpen(date, breaks);
  }

  private blame(text: string): void {
    this.found.push(text);
  }

  private expect(holds: boolean, text: () => string): void {
    if (!holds) this.blame(text());
  }

  private checkCoverage(date: string, records: Csv, outcomes: ReadonlyMap<string, string>, status: string): void {
    const ids = new Set(records.rows.map(recordOf));
    const covered = outcomes.size === ids.size && [...ids].every((id) => outcomes.has(id));
    this.expect(covered, () => `${date}: coverage speaks of other records`);
    const reached = [...outcomes.values()].every((outcome) => outcome === 'verified' || outcome === 'quarantined');
    if (reached) this.expect(status === 'complete', () => `${date}: all reached, and ${status}`);
  }

  private checkVerdicts(date: string, records: Csv, breaks: Csv, outcomes: ReadonlyMap<string, string>): void {
    const waived = new Set(breaks.rows.filter((row) => row.state === 'waived').map(recordOf));
    const open = new Set(breaks.rows.filter((row) => OPEN.includes(row.state ?? '')).map(recordOf));
    for (const row of records.rows) {
      const id = recordOf(row);
      const outcome = outcomes.get(id);
      const rightly =
        outcome === 'quarantined'
          ? ['quarantined']
          : outcome !== 'verified'
            ? ['unverified']
            : open.has(id)
              ? ['break']
              : waived.has(id)
                ? ['waived']
                : ['matched', 'pending'];
      this.expect(rightly.includes(row.verdict ?? ''), () => `${date}: ${id} was ${outcome}, and is ${row.verdict}`);
    }
  }

  private checkBreaks(date: string, breaks: Csv, outcomes: ReadonlyMap<string, string>): void {
    const listed = new Set<string>();
    for (const row of breaks.rows) {
      const id = row.break_id ?? '';
      this.expect(!listed.has(id), () => `${date}: ${id} is listed twice`);
      listed.add(id);
      this.checkBreak(date, row, outcomes.get(recordOf(row)));
    }
    for (const [id, { state }] of this.breaks) {
      if (state !== 'resolved') this.expect(listed.has(id), () => `${date}: ${id} was ${state}, and has vanished`);
    }
  }

  /** @param outcome of the record tonight; undefined where the run did not look at it. */
  private checkBreak(date: string, row: Row, outcome: string | undefined): void {
    const id = row.break_id ?? '';
    const key = [row.kind, row.record_id, row.rule, row.field].join('\n');
    const after: Known = {
      key,
      record: recordOf(row),
      state: row.state ?? '',
      firstSeen: row.first_seen_date ?? '',
      lastSeen: row.last_seen_date ?? '',
      timesReopened: Number(row.times_reopened),
    };
    const say = (text: string) => this.blame(`${date}: ${id.slice(0, 12)} ${text}`);
    if (id !== createHash('sha256').update(key).digest('hex')) say('is not the digest of its identity');
    const age = dayNumber(date) - dayNumber(after.firstSeen);
    if (Number(row.age_days) !== age) say(`is ${age} days old, not ${row.age_days}`);
    if (dayNumber(after.lastSeen) > dayNumber(date)) say('was last seen in the future');
    const before = this.breaks.get(id);
    if (before === undefined) this.checkNew(date, after, say);
    else this.checkStanding(before, after, outcome, say);
    this.breaks.set(id, after);
  }

  private checkNew(date: string, { state, firstSeen, timesReopened, key }: Known, say: (text: string) => void): void {
    this.seen.opened++;
    for (const other of this.breaks.values()) if (other.key === key) say('is another id of a known break');
    if (state !== 'open') say(`begins as ${state}`);
    if (firstSeen !== date) say(`is new, and first seen on ${firstSeen}`);
    if (timesReopened !== 0) say('is new, and was reopened');
  }

  private checkStanding(before: Known, after: Known, outcome: string | undefined, say: (text: string) => void): void {
    if (before.key !== after.key) say('has become another break');
    if (before.firstSeen !== after.firstSeen) say(`was first seen on ${before.firstSeen}, now on ${after.firstSeen}`);
    const reopens = after.state === 'reopened' && (before.state === 'resolved' || before.state === 'waived');
    const resolves = after.state === 'resolved' && before.state !== 'resolved';
    const stays = before.state === after.state && before.state !== 'resolved';
    if (!reopens && !resolves && !stays) say(`went from ${before.state} to ${after.state}`);
    if (after.timesReopened !== before.timesReopened + (reopens ? 1 : 0))
      say(`was reopened ${after.timesReopened} times`);
    if (resolves && outcome !== 'verified') say(`resolved, and its record was ${outcome ?? 'not looked at'}`);
    if (reopens && outcome === undefined) say('came back, and its record was not looked at');
    const untouched = after.state === before.state && after.lastSeen === before.lastSeen;
    // A deferred record still has the application's own facts, so only a run that left it out shows nothing.
    if (outcome === undefined && !untouched) say('changed, and its record was not looked at');
    if (dayNumber(after.lastSeen) < dayNumber(before.lastSeen)) say('was last seen earlier than it was last night');
    if (reopens) this.seen.reopened++;
    if (resolves) this.seen.resolved++;
  }

  /** The work list must hold what the nights have left open. */
  private checkOpen(date: string, breaks: Csv): void {
    const open = breaks.rows.filter((row) => OPEN.includes(row.state ?? ''));
    const known = [...this.breaks.values()].filter(({ state }) => OPEN.includes(state)).length;
    this.expect(known === open.length, () => `${date}: ${known} breaks are open, the work list has ${open.length}`);
  }

  /** The life of a break by its events must be the one that the nights showed. */
  events(id: string, events: readonly PrintedEvent[]): void {
    const known = this.breaks.get(id);
    const say = (text: string) => this.blame(`${id.slice(0, 12)} ${text}`);
    if (known === undefined) {
      say('has events, and was never published');
      return;
    }
    let [opened, closed, reopened] = [0, 0, 0];
    let state = 'resolved';
    for (const [index, event] of events.entries()) {
      if ((index === 0) !== (event.type === 'opened')) say(`has ${event.type} as event ${index + 1}`);
      if (!OPEN.includes(state) && OPEN.includes(event.state)) opened++;
      if (OPEN.includes(state) && !OPEN.includes(event.state)) closed++;
      if (event.type === 'reopened') reopened++;
      if (event.type === 'resolved' && this.verifiedIn.get(event.run_id ?? '')?.has(known.record) !== true) {
        say(`resolved in ${event.run_id}, which did not verify its record`);
      }
      if (event.run_id === null && (event.reason ?? '').trim() === '')
        say(`was ${event.type} by ${event.who} without a reason`);
      state = event.state;
    }
    if (state !== known.state) say(`is ${known.state}, and its events end with ${state}`);
    if (opened - closed !== (OPEN.includes(known.state) ? 1 : 0)) say(`opened ${opened} times and closed ${closed}`);
    if (reopened !== known.timesReopened) say(`was reopened ${known.timesReopened} times, ${reopened} by its events`);
  }
}
