/**
 * Takes deliveries into the store, many in one commit. A delivery resolves when it is on disk, never before: the Service
 * drops what it could not deliver five times, so an answer is a promise.
 *
 * Every commit waits for the disk. While one is under way the next deliveries gather, and go into the next one together:
 * a burst costs a few large commits, a single webhook is committed at once. On SQLite nothing gathers while a commit is
 * under way, and afterwards Node accepts one connection a turn: without the wait each would have a commit of its own.
 */
import type { Origin } from '../../domain/record.ts';
import type { StoredWebhook, TrackedInput, WebhookOutcome } from '../../ports/store/store.ts';
import type { AcceptEdges, AcceptOutcome, Incoming } from './contract.ts';
import { type Known, place } from './place.ts';

/** Deliveries in one commit. It holds the write lock that a nightly run in another process wants too. */
const BATCH = 200;
/**
 * In a burst the next commit waits this long for further deliveries. Taking the lock blocks this process while another
 * holds it, so fewer and larger commits leave more time for the nightly run and for answers.
 */
const GATHER_MS = 100;
/** And so long where none came during a commit: enough turns for a burst of new connections, and little for a sender that posts one by one. */
const ACCEPT_MS = 10;

interface Waiting {
  incoming: Incoming;
  resolve: (outcome: AcceptOutcome) => void;
  reject: (error: unknown) => void;
}

export function webhookIntake(edges: AcceptEdges) {
  const queue: Waiting[] = [];
  let working: Promise<void> | null = null;
  const take = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const deliveries = batch.map(({ incoming }) => incoming);
      const outcomes = await acceptBatch(deliveries, edges);
      for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome);
    } catch (error) {
      // A delivery that cannot be stored must not fail the others: each is tried alone.
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await take([one]);
    }
  };
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      await take(queue.splice(0, BATCH));
      if (queue.length < BATCH) await edges.pause(queue.length > 0 ? GATHER_MS : ACCEPT_MS);
    }
    working = null;
  };
  return {
    /** Resolves when the delivery is durable. @throws what the store throws; nothing was acknowledged then. */
    accept: (incoming: Incoming) =>
      new Promise<AcceptOutcome>((resolve, reject) => {
        queue.push({ incoming, resolve, reject });
        working ??= work();
      }),
    /** Resolves when everything that was accepted so far is stored or refused. */
    async idle(): Promise<void> {
      while (working !== null) await working;
    },
  };
}

/** One outcome per delivery, in order. */
async function acceptBatch(batch: readonly Incoming[], edges: AcceptEdges): Promise<readonly AcceptOutcome[]> {
  await track(batch, edges);
  const outcomes: AcceptOutcome[] = batch.map(() => 'untracked');
  let left: { index: number; known: Known }[] = [];
  for (const [index, incoming] of batch.entries()) {
    const records = await edges.tracked.find(incoming.id);
    const record = records.find(({ kind }) => kind === incoming.kind);
    if (record !== undefined) left.push({ index, known: { ...record, updatedAt: null } });
  }
  while (left.length > 0) {
    left = await withUpdateTimes(left, edges);
    const deliveries = left.map(({ index, known }) => place(batch[index] as Incoming, known, edges.now(), edges));
    const saved = await edges.deliveries.save(deliveries);
    const stale: typeof left = [];
    for (const [at, { index, known }] of left.entries()) {
      const outcome = saved[at] as WebhookOutcome;
      // Another delivery or a fetch changed the record in between: its projection is computed again.
      if (outcome.outcome === 'stale') {
        stale.push({ index, known: { ...known, projection: outcome.projection, updatedAt: null } });
      } else outcomes[index] = outcome.outcome === 'repeated' ? 'repeated' : nameOf(deliveries[at] as StoredWebhook);
    }
    left = stale;
  }
  return outcomes;
}

/** Tracks every record that came with its token, sealed; one that came without must be known already. */
async function track(batch: readonly Incoming[], { tracked, now }: AcceptEdges): Promise<void> {
  for (const origin of ['webhook', 'event'] as const satisfies readonly Origin[]) {
    const lines = batch.flatMap((incoming) => (incoming.origin === origin ? lineOf(incoming) : []));
    // A conflict is recorded with the record, and becomes a finding; the delivery itself is kept.
    if (lines.length > 0) await tracked.add(lines, origin, now());
  }
}

function lineOf({ kind, id, token, hostReference }: Incoming): TrackedInput[] {
  if (token === null) return [];
  // The date in the body is the Service's, not the application's.
  return [{ kind, id, token, createdAt: null, hostReference, quoteId: null, expectedStatus: null }];
}

async function withUpdateTimes<T extends { known: Known }>(places: readonly T[], edges: AcceptEdges): Promise<T[]> {
  const times = await edges.deliveries.lastUpdatedAt(places.map(({ known }) => known.recordKey));
  return places.map((each) => ({
    ...each,
    known: { ...each.known, updatedAt: times.get(each.known.recordKey) ?? null },
  }));
}

function nameOf({ read }: StoredWebhook): AcceptOutcome {
  if (read === null) return 'unreadable';
  return read.projection === null ? 'late' : 'stored';
}
