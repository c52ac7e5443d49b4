/** The way of a live record through its statuses (spec §3, field facts), and the webhooks that it sets off. */

import { drawAddress, drawTransaction } from '../addresses.ts';
import type { CatalogueAsset } from '../assets-catalogue.ts';
import type { Body, Environment, LiveOutcome, SandboxInstant, SandboxKind } from '../contract.ts';
import { BY_BANK, BY_CARD, TERMINAL } from '../journey.ts';
import type { Method } from '../payment-tables.ts';
import type { Figures } from '../pricing.ts';
import type { Draws } from '../random.ts';
import type { ScheduledTask } from './task-schedule.ts';

/** `crypto.status` and `fiat.status` of a sale (field facts "Sales"). */
interface SaleSides {
  crypto: string;
  fiat: string;
}

interface LiveStep {
  status: string;
  /** Milliseconds after the step before, at speed 1. */
  after: number;
  /** The type of the webhook that announces it, or null. */
  event: string | null;
  /** For sales only. */
  sides: SaleSides | null;
  /** A sentence for the waiting user. */
  says: string;
}

/** Long enough to be seen, short enough to be waited for. */
const STEP = 15_000;

const PURCHASE_SAYS: Readonly<Record<string, string>> = {
  INITIALIZED: 'Waiting for your payment',
  PAYMENT_STARTED: 'Payment started',
  PAYMENT_IN_PROGRESS: 'Payment in progress',
  PAYMENT_EXECUTED: 'Payment received',
  PAYMENT_FAILED: 'The payment failed',
  FIAT_SENT: 'Your bank has sent the money',
  FIAT_RECEIVED: 'Payment received',
  RELEASING: 'Sending your crypto',
  RELEASED: 'Your crypto was sent',
  EXPIRED: 'The purchase expired',
  CANCELLED: 'Your money was sent back',
};

export function liveJourney(kind: SandboxKind, method: Method, outcome: LiveOutcome): readonly LiveStep[] {
  if (kind === 'sale') return outcome === 'expired' ? NOT_SENT : SOLD;
  switch (outcome) {
    case 'released':
      return purchaseSteps(method.name.endsWith('TRANSFER') ? BY_BANK : BY_CARD);
    case 'held':
      return purchaseSteps(['INITIALIZED']);
    case 'failed':
      return purchaseSteps(['INITIALIZED', 'PAYMENT_STARTED', 'PAYMENT_FAILED', 'EXPIRED']);
    case 'returned':
      return RETURNED;
    case 'expired':
      return purchaseSteps(['INITIALIZED', 'EXPIRED']);
    case 'unverified':
      return inWords(purchaseSteps(['INITIALIZED', 'CANCELLED']), 'You could not be verified');
    case 'rejected':
      return inWords(RETURNED, 'The final check failed, and your money was sent back');
  }
}

const RETURNED = purchaseSteps(['INITIALIZED', 'PAYMENT_STARTED', 'FIAT_RECEIVED', 'CANCELLED'], {
  CANCELLED: 'RETURNED',
});

/** The last step of a purchase that is released by a call. */
export const RELEASED_STEP: LiveStep = purchaseStep('RELEASED', {});

export function isTerminalStep({ status }: LiveStep): boolean {
  return TERMINAL.has(status);
}

/** From there on the price is fixed: the payment of a purchase has arrived, or the transfer of a sale. */
export function isExecutedStep({ status, sides }: LiveStep): boolean {
  return ['PAYMENT_EXECUTED', 'FIAT_RECEIVED', 'RELEASED'].includes(status) || sides?.crypto === 'completed';
}

/** The same way with its last step in other words. */
function inWords(steps: readonly LiveStep[], says: string): readonly LiveStep[] {
  return steps.map((step, index) => (index === steps.length - 1 ? { ...step, says } : step));
}

function purchaseSteps(
  statuses: readonly string[],
  events: Readonly<Record<string, string>> = {},
): readonly LiveStep[] {
  return statuses.map((status) => purchaseStep(status, events));
}

/** Of purchases, creation and release are announced, and a return; an expiry is not (field facts "Webhooks"). */
function purchaseStep(status: string, events: Readonly<Record<string, string>>): LiveStep {
  const event = events[status] ?? { INITIALIZED: 'CREATED', RELEASED: 'RELEASED' }[status] ?? null;
  return { status, after: STEP, event, sides: null, says: PURCHASE_SAYS[status] ?? status };
}

function saleStep(status: string, event: string | null, crypto: string, fiat: string, says: string): LiveStep {
  return { status, after: STEP, event, sides: { crypto, fiat }, says };
}

const SALE_CREATED = saleStep('CREATED', 'CREATED', 'not-started', 'not-started', 'Waiting for your crypto');

const SOLD: readonly LiveStep[] = [
  SALE_CREATED,
  saleStep('CREATED', null, 'initiated', 'not-started', 'Your crypto is on its way'),
  saleStep('CREATED', null, 'completed', 'initiated', 'Crypto received, paying out'),
  saleStep('RELEASED', 'RELEASED', 'completed', 'completed', 'Your money was paid out'),
];

const NOT_SENT: readonly LiveStep[] = [
  SALE_CREATED,
  {
    ...saleStep('EXPIRED', 'EXPIRED', 'not-started', 'not-started', 'The sale expired: no crypto came'),
    after: 2 * STEP,
  },
];

/** One live record as the sandbox keeps it. */
export interface LiveRecord {
  readonly kind: SandboxKind;
  readonly id: string;
  readonly token: string;
  readonly asset: CatalogueAsset;
  readonly currency: string;
  readonly method: Method;
  /** In a floating market an estimate until it is executed. */
  figures: Figures;
  isExecuted: boolean;
  readonly address: string;
  /** Where a seller sends the crypto; null for a purchase. */
  readonly payInAddress: string | null;
  readonly createdAt: SandboxInstant;
  /** The transaction that it will end with, should it be released. */
  readonly transaction: string;
  readonly webhookUrl: string | null;
  readonly environment: Environment;
  /** Every step on the way, in order. */
  steps: readonly LiveStep[];
  /** Index of the current step. */
  position: number;
  /** The time of that step: the body's `updatedAt`. */
  since: SandboxInstant;
  /** Fields that its endpoint answers with other values. */
  tampered: Body;
  /** Its next step on the schedule, or null at the end. */
  next: ScheduledTask | null;
}

type Given = 'kind' | 'id' | 'token' | 'asset' | 'currency' | 'method' | 'figures' | 'createdAt' | 'steps';

/** At its first step. */
export function newLiveRecord(given: Pick<LiveRecord, Given>, draws: Draws): LiveRecord {
  const { kind, asset, createdAt } = given;
  return {
    ...given,
    isExecuted: false,
    address: drawAddress(draws, asset.chain),
    payInAddress: kind === 'sale' ? drawAddress(draws, asset.chain) : null,
    transaction: drawTransaction(draws, asset.chain),
    webhookUrl: null,
    environment: 'live',
    position: 0,
    since: createdAt,
    tampered: {},
    next: null,
  };
}

/** The present step of the record. */
export function stepOf(record: LiveRecord): LiveStep {
  const step = record.steps[record.position];
  if (step === undefined) throw new RangeError(`live record ${record.id} is beyond its last step`);
  return step;
}
