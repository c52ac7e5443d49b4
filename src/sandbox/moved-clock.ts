/** The sandbox's own clock: the given clock plus an offset, which the control routes set. */
import type { SandboxInstant } from './contract.ts';

export interface MovedClock {
  now(): SandboxInstant;
  advance(ms: number): void;
  /** The clock goes on from there. */
  set(at: SandboxInstant): void;
}

export function createMovedClock(clock: () => SandboxInstant): MovedClock {
  let offset = 0;
  return {
    now: () => clock() + offset,
    advance(ms) {
      offset += ms;
    },
    set(at) {
      offset = at - clock();
    },
  };
}
