/**
 * The wording of the messages about a run. Pure, so that every wording can be tested. Plain text, which senders may
 * format.
 */

import type { Break } from '../domain/break.ts';
import { severityRank } from '../domain/finding.ts';
import { type BusinessDate, showInstant } from '../domain/record.ts';
import { type Reporting, reportedInWords } from '../domain/reporting.ts';
import { verdictsInWords, whyIncomplete } from '../domain/run.ts';
import { pendingInWords, stakeFigures, stakeInWords } from '../domain/stake-tally.ts';
import type { JobResult } from '../ports/job.ts';
import type { CircuitChange } from '../ports/pacing.ts';
import type { Tally } from '../ports/settled.ts';
import { count, counted } from '../text/counts.ts';
import { oneLine } from '../text/visible.ts';

/** Without tokens, and without what a break quotes from a body. */
export interface Message {
  /** One line: the subject of a mail. */
  title: string;
  lines: readonly string[];
}

/** A break that this run opened or reopened. */
export interface FreshBreak
  extends Pick<Break, 'breakId' | 'leadingBreakId' | 'rule' | 'kind' | 'recordId' | 'explanation'> {
  reopened: boolean;
}

/** Fresh breaks by rule; a rule over the storm cap has no list, only its number in the tally. */
export type FreshBreaks = ReadonlyMap<string, readonly FreshBreak[]>;

/** Slack takes 40,000 characters and truncates longer texts silently. */
const LONGEST = 30_000;

/** `Tieout: nightly for 2026-11-20 is complete: 12 new breaks, 41 open`. */
export function runMessage(
  { run, tally, folder, notDelivered = [] }: Extract<JobResult, { outcome: 'reconciled' }>,
  fresh: FreshBreaks,
  reporting: Reporting | null = null,
): Message {
  const { breaks } = tally;
  const state = run.state === 'complete' ? 'is complete' : 'is INCOMPLETE';
  const revision = run.revision > 1 ? ` (revision ${run.revision})` : '';
  const news = breaks.opened + breaks.reopened;
  const title = `Tieout: ${run.job} for ${run.businessDate}${revision} ${state}: ${counted(news, 'new break')}, ${count(breaks.open)} open`;
  const lines = [
    `${counted(tally.population, 'record')}: ${verdictsInWords(tally.verdicts)}`,
    `Breaks: ${count(breaks.open)} open; ${count(breaks.opened)} new, ${count(breaks.reopened)} reopened, ${count(breaks.resolved)} resolved, ${count(breaks.waived)} waived`,
  ];
  const stake = stakeFigures(tally.stake);
  const money = [
    ['Money at stake', stakeInWords(stake)],
    ['Together', reportedInWords(stake, reporting)],
    ['Pending', pendingInWords(stake)],
  ] as const;
  for (const [name, text] of money) if (text !== null) lines.push(`${name}: ${text}`);
  for (const problem of notDelivered) lines.push(`Not delivered to ${problem}; repeat: tieout deliver ${run.runId}`);
  if (tally.notReached > 0) {
    lines.push(
      `Not verified: ${counted(tally.notReached, 'due record')}, ${count(tally.deferred)} of them deferred; they come first in the next run`,
      ...[...tally.notReachedBecause].map(([reason, n]) => `  - ${count(n)}: ${reason}`),
    );
    if ([...tally.notReachedBecause.keys()].some((reason) => reason.includes('429'))) lines.push(REMEDY);
  }
  if (tally.priorPeriod !== undefined && tally.priorPeriod > 0) {
    lines.push(
      `Closed months: ${counted(tally.priorPeriod, 'of their records has', 'of their records have')} changed since; the next close lists them as changes of a prior period`,
    );
  }
  for (const reason of whyIncomplete(run, 0)) lines.push(`Incomplete: ${reason}`);
  lines.push(...freshLines(tally, fresh));
  if (folder !== '') lines.push(`Published: ${folder}`);
  return clip({ title, lines });
}

const REMEDY =
  'What to do: find out what else sends from this address, lower service.rateLimits, or ask the Service for a larger allowance';

/** The Service refuses this address: nothing is sent until the pause is over, and a person has to find out why. */
export function refusalMessage({ reason, until }: CircuitChange): Message {
  return {
    title: `Tieout: no request is sent at present: ${reason}`,
    lines: [...(until === null ? [] : [`It is tried again at ${showInstant(until)}`]), REMEDY],
  };
}

/** A run that failed. */
export function failureMessage(job: string, businessDate: BusinessDate | null, why: string): Message {
  const what = businessDate === null ? job : `${job} for ${businessDate}`;
  return clip({
    title: `Tieout: ${what} FAILED`,
    lines: [why, 'Nothing was published. See docs/how-to/operating.md for what to do.'],
  });
}

/** Sent once, when something works again after a failure. */
export function recoveryMessage(what: string, line = `The last run of ${what} ended as it should.`): Message {
  return { title: `Tieout: ${what} works again`, lines: [line] };
}

function freshLines(tally: Tally, fresh: FreshBreaks): string[] {
  const rules = [...tally.rules].filter(([, row]) => row.fresh > 0);
  rules.sort(
    ([a, x], [b, y]) => severityRank(y.severity) - severityRank(x.severity) || y.fresh - x.fresh || (a < b ? -1 : 1),
  );
  const listed = [...fresh.values()].flat();
  const ids = new Set(listed.map(({ breakId }) => breakId));
  const isLed = ({ breakId, leadingBreakId: id }: FreshBreak) => id !== null && id !== breakId && ids.has(id);
  const led = Map.groupBy(listed.filter(isLed), ({ leadingBreakId }) => leadingBreakId ?? '');
  return rules.flatMap(([rule, row]) => {
    const list = fresh.get(rule);
    const head = `${rule} (${row.severity}):`;
    // Probably of one cause; a thousand lines would hide a single break of another cause.
    if (list === undefined) return [`${head} ${counted(row.fresh, 'new break')}, announced as one: see breaks.csv`];
    const own = list.filter((each) => !isLed(each));
    const others = list.length - own.length;
    const where = others === 0 ? '' : `, ${count(others)} of them listed with the break that leads`;
    return [`${head} ${count(row.fresh)} new${where}`, ...own.map((each) => breakLine(each, led.get(each.breakId)))];
  });
}

/** @param led the breaks of the record that it leads: one loss is one line */
function breakLine({ kind, recordId, explanation, reopened }: FreshBreak, led: readonly FreshBreak[] = []): string {
  const others = led.length === 0 ? '' : ` (with ${[...new Set(led.map(({ rule }) => rule))].join(', ')})`;
  return `  - ${kind} ${recordId}${reopened ? ' (reopened)' : ''}: ${explanation}${others}`;
}

/** Drops whole lines at the end rather than half a sentence, and says how many. */
function clip({ title, lines }: Message): Message {
  const kept: string[] = [];
  let length = title.length;
  for (const [index, line] of lines.map(oneLine).entries()) {
    length += line.length + 1;
    if (length > LONGEST) return { title, lines: [...kept, `… and ${counted(lines.length - index, 'more line')}`] };
    kept.push(line);
  }
  return { title, lines: kept };
}
