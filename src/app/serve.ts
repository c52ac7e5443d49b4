/** Composes `tieout serve`: the receiver of webhooks, events and quotes. */

import { quotes } from '../../jobs/quotes.ts';
import { businessDateOf } from '../domain/calendar.ts';
import { UsageError } from '../domain/errors.ts';
import type { ServerEdges } from '../intake/server/contract.ts';
import { startIntakeServer } from '../intake/server/server.ts';
import { webhookIntake } from '../intake/webhooks/accept.ts';
import type { Log } from '../ports/log.ts';
import { advance } from '../reconcile/advance.ts';
import { type CoalescedWork, coalesce } from '../runner/coalesce.ts';
import { LockHeldError } from '../runner/lease.ts';
import { parseQuoteLine } from '../service/quote-line.ts';
import { readEventBody, readWebhookBody } from '../service/webhook-body.ts';
import { isSigned, readWebhookKeys } from '../service/webhook-signature.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';
import type { QueueWatch } from '../workers/figures.ts';
import type { App } from './app.ts';
import { databaseFileOf, figuresOf, readinessOf } from './monitoring.ts';
import { preparePages } from './pages.ts';
import { webhookSchemas } from './serve-schemas.ts';
import { CODE_VERSION } from './version.ts';
import { WHOLE_JOB } from './wiring.ts';

export type Serving = Awaited<ReturnType<typeof startServing>>;

/**
 * @param options `pages`: serve them even if the settings say no
 * @throws MissingKeyError, WebhookKeyError, ListenError; UsageError where webhooks must be signed and no key is configured
 */
export async function startServing(app: App, log: Log, { pages = false } = {}) {
  const { settings, store, clock } = app;
  const { webhooks, service, timezone } = settings;
  // An unreadable body is stored sealed, which needs the key; the sender does not send it again.
  app.requireKey();
  const keys = readWebhookKeys(webhooks.publicKeys);
  const hasPages = pages || settings.pages.enabled;
  const isClosed = webhooks.requireSignature && keys.length === 0;
  // A machine may serve the pages and no webhooks: without a key they are all refused.
  if (isClosed && !hasPages) {
    throw new UsageError('webhooks must be signed, and webhooks.publicKeys is empty', {
      remedy:
        'set it, or TIEOUT_WEBHOOK_PUBLIC_KEY, to the public key that the Service publishes for this environment; or set ' +
        'webhooks.requireSignature to false to take unsigned ones',
    });
  }
  const served = hasPages ? await preparePages(app) : null;
  const now = () => clock.wall.now();
  const intake = webhookIntake({
    tracked: store.tracked,
    deliveries: store.deliveries,
    statuses: settings.statuses,
    advance: (before, state, at) => advance(before, state, settings.statuses, at, businessDateOf(at, timezone)),
    now,
    pause: (ms) => clock.wall.sleep(ms),
  });
  const requireFile = databaseFileOf(settings);
  const capture = captureQuotes(app, log);
  const queue = await watchedQueue(app);
  const { host } = webhooks;
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const edges: ServerEdges = {
    host,
    port: webhooks.port,
    verify: webhooks.requireSignature ? (text, signature) => isSigned(text, signature, keys) : null,
    intakeToken: webhooks.intakeToken,
    monotonic: () => clock.monotonic.now(),
    readWebhook: (bytes, kind) => readWebhookBody(bytes, kind, service.identifierName),
    readEvent: (bytes) => readEventBody(bytes, service.identifierName),
    readQuote: (text) => parseQuoteLine(text, service.identifierName, { ...settings, now: now() }),
    accept: async (incoming) => {
      const outcome = await intake.accept(incoming);
      // If the database file was removed, the delivery will be lost: it must not be acknowledged.
      requireFile();
      return outcome;
    },
    addQuote: async ({ quote, request, response }) => {
      const [outcome] = await store.quotes.add([{ quote, request, response }], now());
      requireFile();
      return outcome ?? 'unchanged';
    },
    isReady: readinessOf(app),
    // People who are not signed in reach the port that the pages share: no money is on it.
    figures: figuresOf(app, async () => (queue === null ? null : queue.figures()), served?.mount === undefined),
    onStored: ({ eventType }) => {
      if (eventType === null || eventType.endsWith('CREATED')) capture?.ask();
    },
    log,
    trustProxy: webhooks.trustProxy,
    documentation: { schemas: webhookSchemas(service.identifierName), version: CODE_VERSION },
    // The pages hold no secret, but they list all endpoints. With `auto` they are served on a loopback address only, and
    // not behind a proxy, which would expose it.
    showsDocumentation: webhooks.docs === 'auto' ? isLoopback && webhooks.trustProxy === false : webhooks.docs,
    ...(served?.mount === undefined ? {} : { mount: served.mount }),
  };
  const server = await startIntakeServer(edges).catch(async (error: unknown) => {
    await queue?.close();
    throw error;
  });
  const ownPages = await served?.listen?.();
  const pagesUrl = served === null ? null : (settings.pages.url ?? ownPages?.url ?? server.url);
  return {
    /** `http://127.0.0.1:8080`, with the port that was taken. */
    url: server.url,
    /** Where the pages are; null where they are not served. */
    pages: pagesUrl,
    /** What an operator should know of how it was configured. */
    notes: [
      ...(isClosed ? ['webhooks are refused: webhooks.publicKeys is empty'] : []),
      ...notesOn(app, capture !== null),
    ],
    /** Answers and stores the accepted requests, then ends the background work. */
    close: async () => {
      await ownPages?.close();
      await server.close();
      await intake.idle();
      await capture?.stop();
      await queue?.close();
    },
  };
}

/** Null without workers, and over SQLite. */
async function watchedQueue({ settings }: App): Promise<QueueWatch | null> {
  const address = parseDatabaseUrl(settings.database.url);
  if (!settings.workers.enabled || address.engine !== 'postgres') return null;
  const { watchQueue } = await import('../workers/figures.ts');
  return watchQueue(address.url);
}

/**
 * Another process holds the job's lock. Its list of records may lack the new ones, so the job is tried again
 * afterwards.
 */
const LOCKED_PAUSE_MS = 2_000;
/** No request may be sent at present. A quote counts for ten minutes after the creation, so it is tried again within them. */
const SILENT_PAUSE_MS = 30_000;

/** Each pass commits to the ledger of locks: without a rest between them, webhooks on SQLite waited for one after the other. */
const REST_MS = 1_000;

/** Null where the settings do not ask for quotes, or lack what is needed for it. */
function captureQuotes(app: App, log: Log): CoalescedWork | null {
  const { settings, clock } = app;
  const { url, hostApiKey } = settings.service;
  if (!settings.quotes.captureOnCreated || url === null || hostApiKey === null) return null;
  return coalesce({
    restMs: REST_MS,
    sleep: (ms, signal) => clock.wall.sleep(ms, signal),
    onError: (error) => log.error(`quotes: ${error instanceof Error ? error.message : 'failed'}`),
    work: async () => {
      try {
        const result = await app.run(quotes, WHOLE_JOB);
        if (result.outcome !== 'quoted') return null;
        log.info({ ...result.counts, requests: result.requests }, 'quotes for created records');
        return result.counts.waiting > 0 && settings.quotes.captureOnCreated ? SILENT_PAUSE_MS : null;
      } catch (error) {
        if (error instanceof LockHeldError) return LOCKED_PAUSE_MS;
        throw error;
      }
    },
  });
}

function notesOn({ settings }: App, captures: boolean): readonly string[] {
  const notes: string[] = [];
  if (!settings.webhooks.requireSignature)
    notes.push('webhooks are taken unsigned: webhooks.requireSignature is false');
  if (settings.webhooks.intakeToken === null)
    notes.push('/events and /quotes are closed: webhooks.intakeToken is not set');
  if (settings.webhooks.trustProxy === true) {
    notes.push(
      'webhooks.trustProxy is true: any client that reaches this port can claim any address; name the proxies instead',
    );
  }
  if (!captures && settings.quotes.captureOnCreated) {
    notes.push(
      'no quotes are asked for on CREATED: service.url or the integration key (service.hostApiKey) is not set',
    );
  }
  return notes;
}
