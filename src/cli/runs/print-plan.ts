/** Prints the plan of a run. */

import type { App } from '../../app/app.ts';
import { type ClassForecast, type Forecast, type PlanRequest, planRun, selectionOf } from '../../app/plan.ts';
import { DUE_CLASSES, type DueClass } from '../../domain/due.ts';
import { EXIT, type ExitCode } from '../../domain/errors.ts';
import { showInstant } from '../../domain/record.ts';
import type { Selection } from '../../domain/run.ts';
import type { Job } from '../../ports/job.ts';
import { count, counted } from '../../text/counts.ts';
import { snakeCase } from '../output.ts';
import type { Session } from '../session.ts';

export async function printPlan(session: Session, request: PlanRequest): Promise<ExitCode> {
  const { job, maxRequests, maxDurationMs, addresses } = request;
  const selection = selectionOf(request);
  if (selection === null) return printNoRecords(session, job);
  const app = await session.app();
  const { date, due, plan, intervalMs, circuit, windows, startsAt, referenceRequests } = await planRun(
    app,
    request,
    selection,
  );
  const { out } = session;
  if (out.json) {
    const { requests, durationMs, endsAt, deferred } = plan;
    await out.value(
      snakeCase({
        job: job.name,
        businessDate: date,
        due: Object.fromEntries(DUE_CLASSES.map((name) => [snakeName(name), due[name]])),
        requests,
        referenceRequests,
        addresses,
        intervalMs,
        durationMs,
        endsAt,
        circuit,
        windows,
        classes: plan.classes.map((each) => ({ ...each, class: snakeName(each.class) })),
        budget: { maxRequests, maxDurationMs, allowedRequests: plan.allowed },
        deferred,
        sourcesNotRead: sourcesNotRead(app, selection),
      }),
    );
    return EXIT.clean;
  }
  await out.line(
    `${out.paint('bold', job.name)} for ${date}: ${counted(plan.requests, 'record is', 'records are')} due. Nothing was sent.`,
  );
  await out.line();
  await printClasses(session, plan, selection);
  const { rateLimits, guard } = app.settings.service;
  const limits = (rateLimits === 'off' ? [] : rateLimits).map(
    ({ requests, perMs }) => `${count(requests)} in ${inWords(perMs)}`,
  );
  const unused = app.settings.workers.enabled ? '' : '; workers.enabled is false, so a run would use one';
  const unread = sourcesNotRead(app, selection);
  await out.line();
  await out.pairs([
    ['requests', `${count(plan.requests)}, one a record; retries come on top`],
    [
      'listings',
      referenceRequests === null
        ? null
        : `${counted(referenceRequests, 'request')} more for each run of reference-data: one for each currency and direction, and four lists`,
    ],
    ['limits', limits.length === 0 ? 'off' : `${limits.join(' and ')}, with a guard of ${inWords(guard)}`],
    ['addresses', addresses === 1 ? null : `${count(addresses)}, each with these limits to itself${unused}`],
    [
      'takes',
      plan.durationMs === null ? 'as long as the Service needs: no limits are configured' : inWords(plan.durationMs),
    ],
    ['ends', plan.endsAt === null ? null : showInstant(plan.endsAt)],
    ['budget', budgetInWords(plan, request)],
    ['sources', unread === 0 ? null : `${count(unread)} not read: ids that they would bring come on top`],
    [
      'circuit',
      circuit.open ? `open: ${circuit.reason ?? 'no reason given'}; silent until ${showInstant(startsAt)}` : null,
    ],
  ]);
  return EXIT.clean;
}

async function printNoRecords({ out }: Session, job: Job): Promise<ExitCode> {
  const note = `${job.name} fetches no records: it ${job.summary}`;
  // Its number of requests depends on the answers.
  await out.result({ job: job.name, requests: null, note }, `${note}. Nothing was sent.`);
  return EXIT.clean;
}

async function printClasses({ out }: Session, { classes, deferred }: Forecast, { type }: Selection): Promise<void> {
  const number = (value: number | null) => (value === null ? '' : count(value));
  await out.table<ClassForecast>(
    [
      { title: 'class', cell: (row) => row.class.replaceAll('-', ' ') },
      { title: 'due', cell: (row) => count(row.due), align: 'right' },
      { title: 'requests', cell: (row) => count(row.requests), align: 'right' },
      { title: 'takes', cell: (row) => (row.durationMs === null ? '' : inWords(row.durationMs)), align: 'right' },
      { title: 'ends', cell: (row) => (row.endsAt === null ? '' : showInstant(row.endsAt)) },
      { title: 'deferred', cell: (row) => number(row.deferred), align: 'right' },
    ],
    // A night shows each of its classes, also with zero records; a selection by ids or dates has only one class.
    classes.filter((row) => row.due > 0 || (row.class === 'requested') === (type !== 'due')),
  );
  if (deferred !== null && deferred > 0)
    await out.line(`${count(deferred)} would be deferred: the run would exit 3, and the next one start with them.`);
}

/** As the keys and values of other JSON output are written. */
const snakeName = (dueClass: DueClass) => dueClass.replaceAll('-', '_');

function budgetInWords({ allowed }: Forecast, { maxRequests, maxDurationMs }: PlanRequest): string | null {
  if (maxRequests === null && maxDurationMs === null) return null;
  const parts = [
    ...(maxRequests === null ? [] : [counted(maxRequests, 'request')]),
    ...(maxDurationMs === null ? [] : [inWords(maxDurationMs)]),
  ];
  const reach =
    allowed === null ? 'how far that goes is not known without limits' : `room for ${counted(allowed, 'request')}`;
  return `${parts.join(' and ')}: ${reach}`;
}

/** Only a night reads the sources; their content is not known before. */
function sourcesNotRead({ settings }: App, selection: Selection): number {
  return selection.type === 'due' ? settings.sources.length : 0;
}

/** `2 h 31 min`, `45 s`, `200 ms`. */
function inWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
