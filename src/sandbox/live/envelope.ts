/** Webhook envelopes (field facts "Webhooks"): purchases come without an event id, sales with one that is not the sale's. */
import type { Body, SandboxKind } from '../contract.ts';
import type { Draws } from '../random.ts';

export function envelope(kind: SandboxKind, type: string, record: Body, draws: Draws): Body {
  if (kind === 'purchase') return { type, purchase: record };
  return { id: drawEventId(draws), type, mode: 'OFFRAMP', payload: record };
}

function drawEventId(draws: Draws): string {
  const hex = draws.hex(32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
