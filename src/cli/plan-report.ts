/** What a run would do, without sending anything. */

import type { App } from '../app.ts';
import { lastFullDate } from '../domain/calendar.ts';
import { showInstant } from '../domain/record.ts';
import { DUE_CLASSES, type Selection } from '../domain/run.ts';
import { planScope } from '../reconcile/select.ts';
import type { Job } from '../runner/job.ts';
import { pacedDurationMs } from '../service/pacing/estimate.ts';
import { paceInterval } from '../service/pacing/paced.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { count } from './run-report.ts';
import type { Session } from './session.ts';

export async function printPlan(
  session: Session,
  job: Job,
  businessDate: string | null,
  selection: Selection,
): Promise<ExitCode> {
  const app = await session.app();
  const { settings } = app;
  const now = app.clock.wall.now();
  const date = businessDate ?? lastFullDate(now, settings.timezone);
  const scope = planScope({ job: job.name, businessDate: date, selection, timezone: settings.timezone }, settings.due);
  const due = await app.store.items.preview(scope);
  const requests = DUE_CLASSES.reduce((sum, name) => sum + due[name], 0);
  const limits = settings.service.rateLimits === 'off' ? [] : settings.service.rateLimits;
  const durationMs = pacedDurationMs(requests, limits, settings.service.guard);
  const { circuit, windows } = await app.limiter.state();
  const startsAt = circuit.open && circuit.until !== null ? circuit.until : now;
  const endsAt = durationMs === null ? null : startsAt + durationMs;
  const { out } = session;
  if (out.json) {
    await out.value({
      job: job.name,
      business_date: date,
      due,
      requests,
      interval_ms: limits.length === 0 ? 0 : paceInterval(limits, settings.service.guard),
      duration_ms: durationMs,
      ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
      circuit: { ...circuit, until: circuit.until === null ? null : new Date(circuit.until).toISOString() },
      windows,
    });
    return EXIT.clean;
  }
  await out.line(`${out.paint('bold', job.name)} for ${date}: ${count(requests)} records are due. Nothing was sent.`);
  await out.pairs([
    ...DUE_CLASSES.filter((name) => due[name] > 0).map(
      (name) => [name.replaceAll('-', ' '), count(due[name])] as const,
    ),
    ['requests', `${count(requests)}, one a record; retries come on top`],
    ['limits', limitsInWords(app)],
    ['takes', durationMs === null ? 'as long as the Service needs: no limits are configured' : inWords(durationMs)],
    ['ends', endsAt === null ? null : showInstant(endsAt)],
    [
      'circuit',
      circuit.open ? `open: ${circuit.reason ?? 'no reason given'}; silent until ${showInstant(startsAt)}` : null,
    ],
  ]);
  return EXIT.clean;
}

function limitsInWords({ settings }: App): string {
  const { rateLimits, guard } = settings.service;
  if (rateLimits === 'off') return 'off';
  const each = rateLimits.map(({ requests, perMs }) => `${count(requests)} in ${inWords(perMs)}`);
  return `${each.join(' and ')}, with a guard of ${inWords(guard)}`;
}

/** `2 h 31 min`, `45 s`. */
export function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
