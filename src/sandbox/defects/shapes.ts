/** Shapes that several defects want their records in. */
import type { Wants } from './defect.ts';

/** Unfinished on both nights, and too young to be stuck on either. */
export const ON_THE_WAY = {
  ageHours: [3, 30],
  kind: 'purchase',
  linking: 'linked',
  statuses: ['FIAT_RECEIVED', 'FIAT_RECEIVED'],
} as const satisfies Wants;

/** A finished purchase, released well before the first night. */
export const RELEASED = {
  ageHours: [72, 240],
  kind: 'purchase',
  linking: 'linked',
  statuses: ['RELEASED', 'RELEASED'],
} as const satisfies Wants;
