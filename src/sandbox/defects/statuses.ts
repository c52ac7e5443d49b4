/** Statuses that are unknown, fall back, stay too long, or contradict what the application expects. */
import type { Defect } from './defect.ts';
import { ON_THE_WAY, RELEASED } from './shapes.ts';

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
