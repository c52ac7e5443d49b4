/**
 * Delivers webhooks (field facts "Webhooks"): at once, and after a failure four times more, three minutes apart. Then the
 * event is dropped for good: there is no list of them and no replay.
 */
import type { Delivery, DeliveryAttempt, DeliveryState, SandboxInstant, SandboxKind } from '../contract.ts';
import type { Agenda, Appointment } from './agenda.ts';
import { readTarget, type Target } from './loopback.ts';
import { post } from './post.ts';
import { SIGNATURE_HEADER, type Signer } from './signer.ts';

const RETRIES = 4;
const APART = 3 * 60_000;

export interface Parcel {
  kind: SandboxKind;
  recordId: string;
  type: string;
  url: string;
  /** The envelope with the record in it. */
  body: object;
}

export interface Courier {
  deliver(parcel: Parcel): void;
  deliveries(): readonly Delivery[];
  /** Gives up what is in flight. */
  close(): void;
}

interface Journey {
  readonly number: number;
  readonly parcel: Parcel;
  readonly text: string;
  readonly signature: string;
  state: DeliveryState;
  readonly attempts: DeliveryAttempt[];
  next: Appointment | null;
}

export function createCourier(agenda: Agenda, now: () => SandboxInstant, signer: Signer): Courier {
  const journeys: Journey[] = [];
  const closing = new AbortController();

  async function attempt(journey: Journey, target: Extract<Target, { ok: true }>): Promise<void> {
    const at = now();
    journey.next = null;
    const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: journey.signature };
    const answer = await post(target.url, target.path, headers, journey.text, closing.signal);
    if (closing.signal.aborted) return;
    journey.attempts.push({ at: iso(at), ...answer });
    if (answer.problem === null) journey.state = 'delivered';
    else if (journey.attempts.length > RETRIES) journey.state = 'dropped';
    else journey.next = agenda.after(at, APART, () => void attempt(journey, target));
  }

  return {
    deliver(parcel) {
      const target = readTarget(parcel.url);
      const journey: Journey = {
        number: journeys.length + 1,
        parcel,
        // The bytes are fixed now: a repeated delivery says what was true when the event happened.
        text: JSON.stringify(parcel.body),
        signature: signer.sign(parcel.body),
        state: target.ok ? 'pending' : 'refused',
        attempts: [],
        next: null,
      };
      journeys.push(journey);
      if (target.ok) void attempt(journey, target);
      else journey.attempts.push({ at: iso(now()), status: null, problem: target.problem });
    },
    deliveries: () => journeys.map(shown),
    close: () => closing.abort(),
  };
}

function shown({ number, parcel, state, attempts, next }: Journey): Delivery {
  const { kind, recordId, type, url } = parcel;
  return { number, kind, recordId, type, url, state, attempts, nextAttemptAt: next === null ? null : iso(next.due()) };
}

function iso(at: SandboxInstant): string {
  return new Date(at).toISOString();
}
