/**
 * Holds the answers of a fetch until they are stored, in batches; doubtful answers are held back until a later answer
 * confirms them.
 */
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { StatusModel } from '../domain/status.ts';
import type { FetchResult } from '../ports/service.ts';
import type { Fence, ItemStore, ObservedItem, PlannedItem } from '../ports/store/store.ts';
import { advance } from './advance.ts';
import type { BlockWatch } from './block-watch.ts';
import { type AnswerCount, isAbsence } from './stop-rules.ts';

/** A batch is stored at this size, or when it is this old: durable soon, yet cheap when answers come fast. */
const BATCH = 200;
const BATCH_AGE_MS = 1000;

/** Where answers are stored, and who is informed of them. */
export interface BatchEdges {
  items: Pick<ItemStore, 'save'>;
  statuses: StatusModel;
  now: () => Instant;
  /** After each stored batch: how many were observed by it. */
  progress: (observed: number) => void;
  /** Called as often as a lease wants its heartbeat. */
  heartbeat: () => Promise<void>;
}

export interface Fetched {
  item: PlannedItem;
  result: FetchResult;
  /** What `BlockWatch.begin` returned before the request. */
  turn: number;
}

/** A new refusal that no later answer has confirmed yet. */
interface Refused {
  fetched: Fetched;
  /** An answer to a request with a higher number proves that the refusal was not a block. */
  until: number;
  /** True where there were enough open refusals for a block: the record is then fetched once more. */
  isSuspect: boolean;
}

/**
 * Stores answers in one transaction per batch. A blocked address must not leave a verdict on any record: silence is held back
 * until an answer proves that this address is served, and a refusal until a later request is answered. Where there are enough
 * refusals for a block, their records are fetched again.
 */
export class FetchedAnswers {
  private items: Fetched[] = [];
  private doubtful: Fetched[] = [];
  private refused: Refused[] = [];
  private isSecondAsking = false;
  private leftOut = 0;
  private readonly watch: BlockWatch;
  private readonly unwatch: () => void;
  private readonly answers: AnswerCount;
  private since: Instant;
  private readonly run: Run;
  private readonly fence: Fence;
  private readonly edges: BatchEdges;

  constructor(run: Run, fence: Fence, edges: BatchEdges, answers: AnswerCount, watch: BlockWatch) {
    this.run = run;
    this.fence = fence;
    this.edges = edges;
    this.answers = answers;
    this.since = edges.now();
    this.watch = watch;
    this.unwatch = watch.onBlock(() => {
      for (const each of this.refused) each.isSuspect ||= !this.isProven(each);
    });
  }

  add(fetched: Fetched): void {
    const { item, result, turn } = fetched;
    // A repeated refusal of a record that already has an open break for it is about the record; there may be very many
    // of them.
    if (result.outcome === 'unreachable' && result.reason === 'ACCESS_DENIED' && !item.refusedBefore) {
      const refusal = { fetched, until: Number.POSITIVE_INFINITY, isSuspect: false };
      this.refused.push(refusal);
      // In the second pass, control requests before and after it show whether the address is served.
      if (!this.isSecondAsking) refusal.until = this.watch.refused();
      return;
    }
    const isInDoubt = isDoubtful(result);
    const isKept = isInDoubt && !item.refusedBefore && !this.isSecondAsking;
    (isKept ? this.doubtful : this.items).push(fetched);
    if (isAbsence(result)) this.watch.refused();
    if (!isInDoubt) this.watch.served(turn, item);
    if (!this.answers.proven) return;
    this.acceptMissingAnswer();
    this.settleRefusals((refusal) => this.isProven(refusal));
  }

  /**
   * Stores every answer that is confirmed. @param isBelieved whether missing answers and single refusals at the end
   * count as observations
   */
  async saveLast(isBelieved: boolean): Promise<void> {
    if (isBelieved) {
      this.acceptMissingAnswer();
      this.settleRefusals(() => true);
    }
    await this.save();
  }

  /** Whether records are left that have to be fetched once more. */
  get isAnyLeft(): boolean {
    return this.leftOut > 0;
  }

  /** Starts the second pass: refusals from now on wait for `saveLast`. */
  askAgain(): void {
    this.isSecondAsking = true;
    this.leftOut = 0;
  }

  /** To be called when nothing more will be added. */
  close(): void {
    this.unwatch();
  }

  private acceptMissingAnswer(): void {
    this.items.push(...this.doubtful.splice(0));
  }

  private isProven({ until }: Refused): boolean {
    return until < this.watch.provenTurn;
  }

  private settleRefusals(isDue: (refusal: Refused) => boolean): void {
    const kept: Refused[] = [];
    for (const refusal of this.refused) {
      if (!isDue(refusal)) kept.push(refusal);
      else if (refusal.isSuspect) this.leftOut++;
      else this.items.push(refusal.fetched);
    }
    this.refused = kept;
  }

  isDue(now: Instant): boolean {
    return this.items.length >= BATCH || now - this.since >= BATCH_AGE_MS;
  }

  async save(): Promise<void> {
    this.since = this.edges.now();
    await this.edges.heartbeat();
    if (this.items.length === 0) return;
    let left = this.items;
    const observed = left.length;
    this.items = [];
    while (left.length > 0) {
      const stale = await this.edges.items.save(
        this.run.runId,
        this.fence,
        left.map((each) => this.observed(each)),
      );
      // A webhook changed these records while their answer was under way: the projection is computed again.
      const newer = new Map(stale.map(({ recordKey, projection }) => [recordKey, projection]));
      left = left.flatMap(({ item, result, turn }) => {
        const projection = newer.get(item.recordKey);
        return projection === undefined ? [] : [{ item: { ...item, projection }, result, turn }];
      });
    }
    this.edges.progress(observed);
  }

  private observed({ item, result }: Fetched): ObservedItem {
    return observed(item, result, this.edges.statuses, this.run.businessDate);
  }
}

/** Whether the answer may not be about the record: a refusal, no answer, or another record's body. */
export function isDoubtful(result: FetchResult): boolean {
  if (result.outcome === 'verified') return false;
  return result.outcome === 'unreachable' ? result.reason !== 'RECORD_MISSING' : result.reason === 'RECORD_ID_MISMATCH';
}

/** An answer of the client in the form in which it is stored. */
export function observed(
  item: PlannedItem,
  result: FetchResult,
  statuses: StatusModel,
  date: BusinessDate,
): ObservedItem {
  const { recordKey } = item;
  const { attempts, at, httpStatus } = result;
  switch (result.outcome) {
    case 'verified': {
      const { outcome, state, body, httpStatus } = result;
      const basis = item.projection.lastSnapshot;
      const advanced = advance(item.projection, state, statuses, at, date);
      return { recordKey, attempts, observed: { outcome, state, ...body, at, httpStatus, basis, ...advanced } };
    }
    case 'quarantined': {
      const { reason, detail, drift, body } = result;
      return { recordKey, attempts, observed: { outcome: 'quarantined', reason, detail, drift, httpStatus, body, at } };
    }
    case 'unreachable': {
      const { reason, errorCode } = result;
      return { recordKey, attempts, observed: { outcome: 'unreachable', reason, httpStatus, errorCode, at } };
    }
  }
}
