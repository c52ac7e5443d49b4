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
export function fetchedAnswers(run: Run, fence: Fence, edges: BatchEdges, answers: AnswerCount, watch: BlockWatch) {
  let items: Fetched[] = [];
  const doubtful: Fetched[] = [];
  let refused: Refused[] = [];
  let isSecondAsking = false;
  let leftOut = 0;
  let since = edges.now();
  const isProven = ({ until }: Refused) => until < watch.provenTurn;
  const unwatch = watch.onBlock(() => {
    for (const each of refused) each.isSuspect ||= !isProven(each);
  });
  const acceptMissingAnswer = () => void items.push(...doubtful.splice(0));
  const settleRefusals = (isDue: (refusal: Refused) => boolean): void => {
    const kept: Refused[] = [];
    for (const refusal of refused) {
      if (!isDue(refusal)) kept.push(refusal);
      else if (refusal.isSuspect) leftOut++;
      else items.push(refusal.fetched);
    }
    refused = kept;
  };
  const save = async (): Promise<void> => {
    since = edges.now();
    await edges.heartbeat();
    if (items.length === 0) return;
    let left = items;
    const count = left.length;
    items = [];
    while (left.length > 0) {
      const batch = left.map(({ item, result }) => observed(item, result, edges.statuses, run.businessDate));
      const stale = await edges.items.save(run.runId, fence, batch);
      // A webhook changed these records while their answer was under way: the projection is computed again.
      const newer = new Map(stale.map(({ recordKey, projection }) => [recordKey, projection]));
      left = left.flatMap(({ item, result, turn }) => {
        const projection = newer.get(item.recordKey);
        return projection === undefined ? [] : [{ item: { ...item, projection }, result, turn }];
      });
    }
    edges.progress(count);
  };
  return {
    add(fetched: Fetched): void {
      const { item, result, turn } = fetched;
      // A repeated refusal of a record that already has an open break for it is about the record; there may be very many
      // of them.
      if (result.outcome === 'unreachable' && result.reason === 'ACCESS_DENIED' && !item.refusedBefore) {
        const refusal = { fetched, until: Number.POSITIVE_INFINITY, isSuspect: false };
        refused.push(refusal);
        // In the second pass, control requests before and after it show whether the address is served.
        if (!isSecondAsking) refusal.until = watch.refused();
        return;
      }
      const isInDoubt = isDoubtful(result);
      const isKept = isInDoubt && !item.refusedBefore && !isSecondAsking;
      (isKept ? doubtful : items).push(fetched);
      if (isAbsence(result)) watch.refused();
      if (!isInDoubt) watch.served(turn, item);
      if (!answers.proven) return;
      acceptMissingAnswer();
      settleRefusals(isProven);
    },
    isDue: (now: Instant) => items.length >= BATCH || now - since >= BATCH_AGE_MS,
    save,
    /** Stores every answer that is confirmed. @param isBelieved whether missing answers and single refusals at the end count */
    async saveLast(isBelieved: boolean): Promise<void> {
      if (isBelieved) {
        acceptMissingAnswer();
        settleRefusals(() => true);
      }
      await save();
    },
    /** Whether records are left that have to be fetched once more. */
    isAnyLeft: () => leftOut > 0,
    /** Starts the second pass: refusals from now on wait for `saveLast`. */
    askAgain(): void {
      isSecondAsking = true;
      leftOut = 0;
    },
    /** To be called when nothing more will be added. */
    close: unwatch,
  };
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
