/** One live record as the sandbox keeps it. */

import type { CatalogueAsset } from '../catalogue-asset.ts';
import type { Body, SandboxInstant, SandboxKind } from '../contract.ts';
import type { Method } from '../methods.ts';
import type { Figures } from '../pricing.ts';
import type { Appointment } from './agenda.ts';
import type { LiveStep } from './journey.ts';

export interface LiveRecord {
  readonly kind: SandboxKind;
  readonly id: string;
  readonly token: string;
  readonly asset: CatalogueAsset;
  readonly currency: string;
  readonly method: Method;
  readonly figures: Figures;
  readonly address: string;
  /** Where a seller sends the crypto; null for a purchase. */
  readonly payInAddress: string | null;
  readonly createdAt: SandboxInstant;
  /** The transaction that it will end with, should it be released. */
  readonly transaction: string;
  readonly webhookUrl: string | null;
  /** Every step on the way, in order. */
  steps: readonly LiveStep[];
  /** Which of them it has reached. */
  position: number;
  /** When it got there: the body's `updatedAt`. */
  since: SandboxInstant;
  /** Fields that its endpoint answers otherwise than they are. */
  tampered: Body;
  /** Its next step on the agenda, or null at the end. */
  next: Appointment | null;
}

/** Where the record stands. */
export function stepOf(record: LiveRecord): LiveStep {
  const step = record.steps[record.position];
  if (step === undefined) throw new RangeError(`live record ${record.id} is beyond its last step`);
  return step;
}
