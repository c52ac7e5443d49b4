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
/** Refusals in a row that look like a blocked address; as many open the circuit. */
const AS_OF_A_BLOCK = 5;

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
  /** What `begin` gave before the record was asked for. */
  turn: number;
}

/**
 * Collects what was fetched and stores it in one transaction. An address that is blocked must not leave a verdict on any
 * record, so silence is kept back until some answer proves that this address is served, and a refusal until an answer to
 * a later question does. Refusals as of a block, in the middle of a run, are not believed at all but asked again.
 */
export class FetchedAnswers {
  private items: Fetched[] = [];
  private doubtful: Fetched[] = [];
  private refused: Fetched[] = [];
  private refusedInARow = 0;
  private looksBlocked = false;
  private begun = 0;
  /** Questions begun when the last refusal came in: a block may have begun after those had been answered. */
  private begunAtRefusal = 0;
  private isSecondAsking = false;
  private leftOut = 0;
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

  /** To be called before a record is asked for. */
  begin(): number {
    this.begun++;
    return this.begun;
  }

  add(fetched: Fetched): void {
    const { item, result, turn } = fetched;
    // A refusal that stands as a break already is about the record, and there may be very many of them.
    const isKnown = item.refusedBefore || this.isSecondAsking;
    if (!isKnown && isRefusal(result)) {
      this.refused.push(fetched);
      this.begunAtRefusal = this.begun;
      this.refusedInARow++;
      this.looksBlocked ||= this.refusedInARow >= AS_OF_A_BLOCK;
      return;
    }
    const isInDoubt = !isKnown && isDoubtful(result);
    (isInDoubt ? this.doubtful : this.items).push(fetched);
    if (isKnown && isDoubtful(result)) return;
    if (!isInDoubt) this.refusedInARow = 0;
    if (!this.answers.proven) return;
    this.believeSilence();
    if (!isInDoubt && turn > this.begunAtRefusal) this.believeRefusals();
  }

  /**
   * @param isBelieved whether what was in doubt to the end is an observation; otherwise it is left for another time.
   * @returns whether records are left that have to be asked once more.
   */
  async saveLast(isBelieved: boolean): Promise<boolean> {
    if (isBelieved) {
      this.believeSilence();
      this.believeRefusals();
    }
    await this.save();
    return isBelieved && this.leftOut > 0;
  }

  /** From now on a refusal is the second one of its record, and is believed. */
  askAgain(): void {
    this.isSecondAsking = true;
    this.leftOut = 0;
  }

  private believeSilence(): void {
    this.items.push(...this.doubtful.splice(0));
  }

  private believeRefusals(): void {
    const refused = this.refused.splice(0);
    if (this.looksBlocked) this.leftOut += refused.length;
    else this.items.push(...refused);
    this.looksBlocked = false;
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
      left = left.flatMap(({ item, result, turn }) => {
        const projection = newer.get(item.recordKey);
        return projection === undefined ? [] : [{ item: { ...item, projection }, result, turn }];
      });
    }
  }

  private observed({ item, result }: Fetched): ObservedItem {
    return observed(item, result, this.edges.statuses, this.run.businessDate);
  }
}

function isRefusal(result: FetchResult): boolean {
  return result.outcome === 'unreachable' && result.reason === 'ACCESS_DENIED';
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
