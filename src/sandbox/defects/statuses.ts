/** Defects in the statuses of a record, and in what changes between two nights. */

import type { Body } from '../contract.ts';
import { type BodyContext, type Defect, ON_THE_WAY, RELEASED } from './defect.ts';

/** Met in the field, in no list (field facts); one defect each, so that none hides behind another. */
export const STATUS_FIAT_PENDING = unknownStatus('FIAT_PENDING');
export const STATUS_REVIEW_REJECTED = unknownStatus('REVIEW_REJECTED');

function unknownStatus(status: string): Defect {
  return {
    name: `status-${status.toLowerCase().replaceAll('_', '-')}`,
    says: `The status is ${status}, which no list has.`,
    codes: ['STATUS_UNKNOWN'],
    night: 1,
    wants: { ...ON_THE_WAY, statuses: [status, status] },
  };
}

export const STATUS_FELL_BACK: Defect = {
  name: 'status-fell-back',
  says: 'FIAT_RECEIVED on the first night, PAYMENT_STARTED on the second.',
  codes: ['STATUS_REGRESSED'],
  night: 2,
  wants: { ...ON_THE_WAY, statuses: ['FIAT_RECEIVED', 'PAYMENT_STARTED'] },
};

/** The transaction hash and all figures stay, or RESTATED would be due as well. Young, or the new status could be stuck. */
export const STATUS_LEFT_THE_END: Defect = {
  name: 'status-left-the-end',
  says: 'RELEASED on the first night, PAYMENT_STARTED on the second.',
  codes: ['STATUS_REGRESSED'],
  night: 2,
  wants: { ...ON_THE_WAY, statuses: ['RELEASED', 'PAYMENT_STARTED'] },
};

/** Well over the five days that a record may stay. Only seen as stuck by its own updatedAt on the first night. */
export const STATUS_STUCK: Defect = {
  name: 'status-stuck',
  says: 'In PAYMENT_IN_PROGRESS for ten days and more.',
  codes: ['STATUS_STUCK'],
  night: 1,
  wants: {
    kind: 'purchase',
    linking: 'linked',
    ageHours: [250, 500],
    statuses: ['PAYMENT_IN_PROGRESS', 'PAYMENT_IN_PROGRESS'],
  },
};

export const EXPECTATION_CONTRADICTED: Defect = {
  name: 'expectation-contradicted',
  says: 'The application expects RELEASED, the record is EXPIRED.',
  codes: ['STATUS_CONFLICT'],
  night: 1,
  wants: { ...RELEASED, statuses: ['EXPIRED', 'EXPIRED'] },
  tracked: (line) => [{ ...line, expected_status: 'RELEASED' }],
};

export const RELEASED_WITHOUT_TX: Defect = {
  name: 'released-without-tx',
  says: 'RELEASED, and finalTxHash is null.',
  codes: ['RELEASED_WITHOUT_TX'],
  night: 1,
  wants: RELEASED,
  body: (body) => ({ ...body, finalTxHash: null }),
};

/** Fields that change between the nights. */
function onSecondNight(change: (body: Body) => Body) {
  return (body: Body, { night, changedAt }: BodyContext): Body =>
    night === 1 ? body : { ...change(body), updatedAt: changedAt };
}

const HOUR = 3_600_000;

/** Not compared with any quote and of no consequence for the fee's sum: only RESTATED speaks of it. */
export const HOST_CUT_RESTATED: Defect = {
  name: 'host-cut-restated',
  observedOnly: true,
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
