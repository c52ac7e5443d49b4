/** The sandbox's own clock: the given clock plus an offset, which the control routes set. */
import type { SandboxInstant } from './contract.ts';

export type MovedClock = ReturnType<typeof createMovedClock>;

export function createMovedClock(clock: () => SandboxInstant) {
  let offset = 0;
  return {
    now: () => clock() + offset,
    advance(ms: number) {
      offset += ms;
    },
    /** The clock goes on from there. */
    set(at: SandboxInstant) {
      offset = at - clock();
    },
  };
}
