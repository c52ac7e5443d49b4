/** Fields that change between the nights. */
import type { Body } from '../contract.ts';
import type { BodyContext, Defect } from './defect.ts';
import { ON_THE_WAY, RELEASED } from './shapes.ts';

function onSecondNight(change: (body: Body) => Body) {
  return (body: Body, { night, changedAt }: BodyContext): Body =>
    night === 1 ? body : { ...change(body), updatedAt: changedAt };
}

const HOUR = 3_600_000;

/** Not compared with any quote and of no consequence for the fee's sum: only RESTATED speaks of it. */
export const HOST_CUT_RESTATED: Defect = {
  name: 'host-cut-restated',
  says: 'hostFeeCut is cut by a third after the purchase was released.',
  codes: ['RESTATED'],
  night: 2,
  wants: { ...RELEASED, assets: ['BTC_BTC', 'ETH_ETH', 'SOLANA_SOL'], complete: true },
  body: onSecondNight((body) => ({ ...body, hostFeeCut: Number(body.hostFeeCut) * 0.67 })),
};

export const TX_RESTATED: Defect = {
  name: 'tx-restated',
  says: 'finalTxHash is another one after the purchase was released.',
  codes: ['RESTATED'],
  night: 2,
  wants: RELEASED,
  body: onSecondNight((body) => ({ ...body, finalTxHash: reversed(String(body.finalTxHash)) })),
};

/** Unfinished records: after a terminal status RESTATED might claim the change too. */
export const ADDRESS_CHANGED: Defect = {
  name: 'address-changed',
  says: 'receiverAddress is another one on the second night.',
  codes: ['FIELD_CHANGED'],
  night: 2,
  wants: ON_THE_WAY,
  body: onSecondNight((body) => ({ ...body, receiverAddress: reversed(String(body.receiverAddress)) })),
};

export const CREATION_MOVED: Defect = {
  name: 'creation-moved',
  says: 'createdAt is an hour later on the second night.',
  codes: ['FIELD_CHANGED'],
  night: 2,
  wants: ON_THE_WAY,
  body: onSecondNight((body) => ({
    ...body,
    createdAt: new Date(Date.parse(String(body.createdAt)) + HOUR).toISOString(),
  })),
};

/** Another text of the same form: the prefix (`0x`, `bc1q`) stays where it is. */
function reversed(text: string): string {
  const head = text.startsWith('0x') ? 2 : 4;
  return text.slice(0, head) + [...text.slice(head)].reverse().join('');
}
