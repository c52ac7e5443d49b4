import { describe, expect, it } from 'vitest';
import type { CircuitPolicy } from '../../../src/service/pacing/circuit.ts';
import { type SharedCircuit, sharedCircuit } from '../../../src/service/pacing/shared-circuit.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { WatchedLog } from './watched-log.ts';

const POLICY: CircuitPolicy = { forbidden: true, refused: false, probeMs: 35_000 };

/** The log of an address, and as many processes' views of its circuit as a test wants. */
class Address {
  readonly clock = new FakeClock();
  readonly log = new WatchedLog();

  view(): SharedCircuit {
    return sharedCircuit(this.log, 'host', this.clock.monotonic, POLICY);
  }
}

const answer = (kind: 'ok' | 'forbidden' | 'refused' | 'limited') => ({ kind, retryAfterMs: null });

describe('the circuit as a process knows it', () => {
  it('is not taken for closed before the first look', async () => {
    const view = new Address().view();
    expect(view.isClosed).toBe(false);
    await view.refresh(5_000);
    expect(view.isClosed).toBe(true);
  });

  it('is looked at without writing', async () => {
    const address = new Address();
    await address.view().refresh(5_000);
    expect(address.log.transactions).toBe(1);
    expect(address.log.saved).toEqual([]);
  });
});

describe('an answer is shared with other processes', () => {
  it.each([
    { kind: 'limited', worth: true },
    { kind: 'forbidden', worth: true },
    { kind: 'refused', worth: false },
    { kind: 'ok', worth: false },
  ] as const)('while nothing is wrong, where it is $kind: $worth', async ({ kind, worth }) => {
    const address = new Address();
    const view = address.view();
    await view.refresh(5_000);
    expect(await view.report(answer(kind))).toBe(worth);
    expect(address.log.saved).toHaveLength(worth ? 1 : 0);
  });

  it('where it is the first success of a process that knows nothing: it ends the refusals of others', async () => {
    const address = new Address();
    const [here, there] = [address.view(), address.view()];
    for (let refusal = 0; refusal < 4; refusal++) await here.report(answer('forbidden'));
    expect(await there.report(answer('ok'))).toBe(true);
    expect(address.log.circuit('host')).toMatchObject({ state: 'closed', refusals: 0 });
  });

  it('where the circuit is open, of every kind; one that changes nothing is not written', async () => {
    const address = new Address();
    const view = address.view();
    await view.report(answer('limited'));
    for (const kind of ['ok', 'forbidden', 'refused'] as const) expect(await view.report(answer(kind))).toBe(true);
    expect(address.log.saved).toHaveLength(1);
  });
});
