/**
 * Announces the results of runs: a heartbeat for a dead man's switch, messages for people. A failure to announce is
 * logged and never fails a run.
 */
import { isAbort } from '../domain/errors.ts';
import type { BusinessDate } from '../domain/record.ts';
import type { Reporting } from '../domain/reporting.ts';
import { type Run, whyIncomplete } from '../domain/run.ts';
import type { Job, JobResult } from '../ports/job.ts';
import type { CircuitChange } from '../ports/pacing.ts';
import type { BreakStore } from '../ports/store/store.ts';
import { LockHeldError } from './lease.ts';
import { freshBreaks } from './notify-breaks.ts';
import { type Beat, fetchPost, type PostText, sendBeat, sendChat } from './notify-http.ts';
import { type MailSettings, type SendMail, smtpSend } from './notify-mail.ts';
import { failureMessage, type Message, recoveryMessage, refusalMessage, runMessage } from './notify-message.ts';
import { DateFinishedError, type JobOptions, NothingToResumeError } from './run-job.ts';

export interface NotifierSettings {
  heartbeatUrl: string | null;
  webhookUrl: string | null;
  email: MailSettings | null;
  smtpPassword: string | null;
  stormCap: number;
}

/** None of these rejects. */
export interface Notifier {
  started(job: Job): Promise<void>;
  ended(job: Job, result: JobResult): Promise<void>;
  failed(job: Job, businessDate: BusinessDate | null, error: unknown): Promise<void>;
  /** Tells once that the Service refuses this address, and once that it serves it again. */
  circuit(change: CircuitChange): Promise<void>;
}

export interface NotifierOptions {
  settings: NotifierSettings;
  breaks: Pick<BreakStore, 'list' | 'events'>;
  /** Lines about claims whose reminder is due, for the message of a night. */
  reminders?: () => Promise<readonly string[]>;
  /** The reporting currency with its rates as of a run; absent or null without one. */
  reporting?: (run: Run) => Promise<Reporting | null>;
  /** The address of the page of a run; absent where no pages are served under an address. */
  pageOf?: ((runId: string) => string) | undefined;
  /** Removes secrets from a text; the last line of defence. */
  scrub: (text: string) => string;
  warn: (message: string) => void;
  /** Waits between attempts. */
  sleep: (ms: number) => Promise<void>;
  /** Once aborted, nothing is retried: a stopping process has thirty seconds. */
  signal?: AbortSignal;
  /** Whether jobs that announce only failures do so; false where each process performs only one run. */
  routine?: boolean;
  post?: PostText;
  mail?: SendMail;
}

/** Pauses before the second and the third attempt: one lost packet must not look like a missed night. */
const PAUSES = [1_000, 5_000];

export function createNotifier(options: NotifierOptions): Notifier {
  const { settings, scrub, post = fetchPost, mail = smtpSend } = options;
  /** Jobs that announce only failures, and whose last run failed. */
  const inTrouble = new Set<string>();
  /** The message that the Service refuses this address was sent. */
  let refused = false;

  const attempt = async (what: string, send: () => Promise<void>) => {
    for (const pause of [...PAUSES, null]) {
      try {
        await send();
        return;
      } catch (error) {
        if (pause === null || options.signal?.aborted) {
          options.warn(`${what} could not be sent: ${scrub(error instanceof Error ? error.message : String(error))}`);
          return;
        }
        await options.sleep(pause);
      }
    }
  };

  /** Only for a job with one run per date: heartbeats of smaller jobs would hide a missing night. */
  const beat = async (job: Job, kind: Beat, text: string) => {
    const { heartbeatUrl } = settings;
    if (heartbeatUrl === null || !job.oncePerDate) return;
    await attempt(`the heartbeat (${kind})`, () => sendBeat(post, heartbeatUrl, kind, scrub(text)));
  };

  const send = async (message: Message) => {
    const { webhookUrl, email, smtpPassword } = settings;
    const clean = { title: oneLine(scrub(message.title)), lines: message.lines.map((line) => oneLine(scrub(line))) };
    await Promise.all([
      webhookUrl === null ? null : attempt('the message to notify.webhookUrl', () => sendChat(post, webhookUrl, clean)),
      email === null ? null : attempt('the mail', () => mail(email, smtpPassword, clean)),
    ]);
  };

  const hasReceivers = settings.webhookUrl !== null || settings.email !== null;

  const messageOf = async (job: Job, result: JobResult): Promise<Message | null> => {
    if (result.outcome !== 'reconciled') return null;
    const { opened, reopened } = result.tally.breaks;
    if (job.announced !== 'each run' && opened + reopened === 0) return null;
    if (!hasReceivers) return runMessage(result, new Map());
    const fresh = await freshBreaks(result.run, result.tally, options.breaks, settings.stormCap);
    const message = runMessage(result, fresh, (await options.reporting?.(result.run)) ?? null);
    const reminders = job.oncePerDate ? ((await options.reminders?.()) ?? []) : [];
    const page = options.pageOf === undefined ? [] : [`Page: ${options.pageOf(result.run.runId)}`];
    return { ...message, lines: [...message.lines, ...page, ...reminders] };
  };

  return {
    started: (job) => beat(job, 'start', `${job.name} started`),
    ended: async (job, result) => {
      if (result.outcome === 'stopped') return;
      // It failed without an exception.
      if (result.outcome === 'refreshed' && result.captured.length === 0 && result.failed.length > 0)
        return failed(job, null, `nothing was captured: ${result.failed.join('; ')}`);
      const recovered = inTrouble.delete(job.name);
      const message = await messageOf(job, result).catch((error: unknown) => {
        options.warn(`the message about ${job.name} could not be written: ${scrub(String(error))}`);
        return null;
      });
      // As exit code 3 reports it.
      const incomplete =
        result.outcome === 'reconciled' && whyIncomplete(result.run, result.tally.notReached).length > 0;
      await Promise.all([
        beat(job, incomplete ? 'fail' : 'success', message?.title ?? `${job.name} ended`),
        message === null ? null : send(message),
        recovered ? send(recoveryMessage(job.name)) : null,
      ]);
    },
    failed,
    circuit: async (change) => {
      if (change.type === 'waiting' || refused === (change.type === 'opened')) return;
      refused = change.type === 'opened';
      await send(refused ? refusalMessage(change) : recoveryMessage('the Service', 'It serves this address again.'));
    },
  };

  async function failed(job: Job, businessDate: BusinessDate | null, error: unknown): Promise<void> {
    const message = failureMessage(job.name, businessDate, error instanceof Error ? error.message : String(error));
    await Promise.all([beat(job, 'fail', message.title), failureIsNews(job) ? send(message) : null]);
  }

  /** Thirty-six failures of a job that runs every ten minutes are one message. */
  function failureIsNews(job: Job): boolean {
    if (job.announced === 'each run') return true;
    if (options.routine === false || inTrouble.has(job.name)) return false;
    inTrouble.add(job.name);
    return true;
  }
}

/** A line break in a title would be a second header of a mail; control characters would command a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

export interface Announceable {
  run(job: Job, options: JobOptions & { maxDurationMs: number | null; maxRequests: number | null }): Promise<JobResult>;
}

/** Whether a run did not begin because another process performs or has performed it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof LockHeldError || error instanceof DateFinishedError || error instanceof NothingToResumeError;
}

/**
 * Runs a job and announces the result; the announcement is complete when this settles. A run that was refused, or stopped by a
 * signal, is not announced: it neither succeeded nor failed.
 * @throws what the run throws
 */
export async function runAnnounced(
  app: Announceable,
  job: Job,
  options: Parameters<Announceable['run']>[1],
  notifier: Notifier,
): Promise<JobResult> {
  let start: Promise<void> = Promise.resolve();
  const onStarted = () => {
    start = notifier.started(job);
  };
  try {
    const result = await app.run(job, { ...options, onStarted });
    // The start is sent before the end, so that a monitor can measure the duration.
    await start;
    await notifier.ended(job, result);
    return result;
  } catch (error) {
    await start;
    const stopped = isAbort(error);
    if (!isRefusal(error) && !stopped) await notifier.failed(job, options.businessDate, error);
    throw error;
  }
}
