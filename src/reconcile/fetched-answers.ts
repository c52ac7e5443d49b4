/** What a fetch has learned, until it is stored: batch by batch, and what is in doubt only once it can be believed. */
import type { BusinessDate, Instant } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import type { StatusModel } from '../domain/status.ts';
import type { FetchResult } from '../service/contract.ts';
import type { Fence, ItemStore, ObservedItem, PlannedItem } from '../store/contract.ts';
import { advance } from './advance.ts';
import type { AnswerCount } from './stop-rules.ts';

/** A batch is stored at this size, or when it is this old: durable soon, yet cheap when answers come fast. */
const BATCH = 200;
const BATCH_AGE_MS = 1000;

/** Where they are stored, and who is told. */
export interface AnswerEdges {
  items: Pick<ItemStore, 'save'>;
  statuses: StatusModel;
  now: () => Instant;
  progress: (observed: number) => void;
  heartbeat: () => Promise<void>;
}

export interface Fetched {
  item: PlannedItem;
  result: FetchResult;
}

/**
 * Collects what was fetched and stores it in one transaction. Refusals and silence are kept back until some answer proves
 * that this address is served: an address that is blocked must not leave a verdict on any record.
 */
export class FetchedAnswers {
  private items: Fetched[] = [];
  private doubtful: Fetched[] = [];
  private readonly answers: AnswerCount;
  private since: Instant;
  private readonly run: Run;
  private readonly fence: Fence;
  private readonly edges: AnswerEdges;

  constructor(run: Run, fence: Fence, edges: AnswerEdges, answers: AnswerCount) {
    this.run = run;
    this.fence = fence;
    this.edges = edges;
    this.answers = answers;
    this.since = edges.now();
  }

  add(fetched: Fetched): void {
    // A refusal that stands as a break already is about the record, and there may be very many of them.
    const isInDoubt = !fetched.item.refusedBefore && isDoubtful(fetched.result);
    (isInDoubt ? this.doubtful : this.items).push(fetched);
    if (this.answers.proven) this.believe();
  }

  /** @param isBelieved whether what was in doubt to the end is an observation; otherwise it is asked for again. */
  async saveLast(isBelieved: boolean): Promise<void> {
    if (isBelieved) this.believe();
    await this.save();
  }

  private believe(): void {
    this.items.push(...this.doubtful.splice(0));
  }

  isDue(now: Instant): boolean {
    return this.items.length >= BATCH || now - this.since >= BATCH_AGE_MS;
  }

  async save(): Promise<void> {
    this.since = this.edges.now();
    await this.edges.heartbeat();
    if (this.items.length === 0) return;
    let left = this.items;
    this.items = [];
    this.edges.progress(left.length);
    while (left.length > 0) {
      const stale = await this.edges.items.save(
        this.run.runId,
        this.fence,
        left.map((each) => this.observed(each)),
      );
      // A webhook moved these records on while their answer was under way: what follows from it is worked out again.
      const newer = new Map(stale.map(({ recordKey, projection }) => [recordKey, projection]));
      left = left.flatMap(({ item, result }) => {
        const projection = newer.get(item.recordKey);
        return projection === undefined ? [] : [{ item: { ...item, projection }, result }];
      });
    }
  }

  private observed({ item, result }: Fetched): ObservedItem {
    return observed(item, result, this.edges.statuses, this.run.businessDate);
  }
}

function isDoubtful(result: FetchResult): boolean {
  if (result.outcome === 'verified') return false;
  return result.outcome === 'unreachable' ? result.reason !== 'RECORD_MISSING' : result.reason === 'RECORD_ID_MISMATCH';
}

/** What the client learned, in the form in which it is stored. */
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
      const { projection, statusChange } = advance(item.projection, result.state, statuses, at, date);
      const { sha256, evidence } = result.body;
      return {
        recordKey,
        attempts,
        observed: {
          outcome: 'verified',
          state: result.state,
          sha256,
          evidence,
          at,
          httpStatus: result.httpStatus,
          projection,
          basis: item.projection.lastSnapshot,
          statusChange,
        },
      };
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
