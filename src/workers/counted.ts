/** Tells what becomes of the batches that a worker takes. */
import type { BatchTaker, Claim } from '../ports/queue.ts';

/** `lapsed`: the claim was lost on the way, because the worker was silent for too long or the run was withdrawn. */
export type BatchEnd = 'done' | 'given-back' | 'lapsed';

/** @param tell called once a batch */
export function countedTaker(queue: BatchTaker, tell: (end: BatchEnd) => void): BatchTaker {
  return {
    claimMs: queue.claimMs,
    claim: async () => {
      const claim = await queue.claim();
      return claim === null ? null : counted(claim, tell);
    },
  };
}

function counted(claim: Claim, tell: (end: BatchEnd) => void): Claim {
  let ended = false;
  const end = (how: BatchEnd) => {
    if (!ended) tell(how);
    ended = true;
  };
  return {
    batch: claim.batch,
    renew: async () => {
      const held = await claim.renew();
      if (!held) end('lapsed');
      return held;
    },
    // After the queue has taken it: an end that it could not be told of is none.
    done: async (result) => {
      await claim.done(result);
      end('done');
    },
    giveBack: async (problem) => {
      await claim.giveBack(problem);
      end('given-back');
    },
  };
}
