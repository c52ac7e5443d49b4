/** Defects of a record: refusals, bodies of another shape, statuses, and changes between two nights. */
import type { Body } from '../contract.ts';
import { type BodyContext, type DefectShape, ON_THE_WAY, RELEASED } from './defect.ts';

/** Bodies in which a field that the rules need is gone, renamed or of another type. All are quarantined, and no more. */
const CODES = ['SCHEMA_DRIFT'] as const;

function renamed(body: Body, from: string, to: string): Body {
  const { [from]: value, ...rest } = body;
  return { ...rest, [to]: value };
}

export const READING_DEFECTS: Readonly<Record<string, DefectShape>> = {
  'record-unknown': {
    says: 'The Service answers 404 for a stored id.',
    codes: ['RECORD_MISSING'],
    refusal: () => 404,
  },
  'record-gone': {
    says: 'The Service answers 410 for a stored id.',
    codes: ['RECORD_MISSING'],
    refusal: () => 410,
  },
  /** Not finished, so that the second night surely looks at it again. */
  'record-vanished': {
    says: 'Readable on the first night, 404 on the second.',
    codes: ['RECORD_MISSING'],
    night: 2,
    wants: ON_THE_WAY,
    refusal: (night) => (night === 2 ? 404 : null),
  },
  'token-refused': {
    says: 'The right token is answered with 403.',
    codes: ['ACCESS_DENIED'],
    refusal: () => 403,
  },
  'token-unauthorised': {
    says: 'The right token is answered with 401.',
    codes: ['ACCESS_DENIED'],
    refusal: () => 401,
  },
  'another-record': {
    says: "The body is its neighbour's.",
    codes: ['RECORD_ID_MISMATCH'],
    refusal: () => 'another-record',
  },
  /** The Service accepts both tokens: the conflict is due, whichever of them the importer keeps. */
  'two-tokens': {
    says: 'The application exports the id twice, with different tokens.',
    codes: ['TRACKING_CONFLICT'],
    wants: { linking: 'linked' },
    acceptsStrangerToken: true,
    tracked: (line, strangerToken) => [line, { ...line, view_token: strangerToken }],
  },
  'fee-renamed': {
    says: 'appliedFee has become totalFee.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: (body) => renamed(body, 'appliedFee', 'totalFee'),
  },
  'fee-as-text': {
    says: 'appliedFee is a string with a currency in it.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: (body) => ({ ...body, appliedFee: `${String(body.appliedFee)} ${String(body.fiatCurrency)}` }),
  },
  'crypto-amount-gone': {
    says: 'cryptoAmount is missing.',
    codes: CODES,
    wants: { kind: 'purchase' },
    body: ({ cryptoAmount: _, ...rest }) => rest,
  },
  'sale-amount-renamed': {
    says: 'crypto has become cryptoAsset in a sale.',
    codes: CODES,
    wants: { kind: 'sale' },
    body: (body) => renamed(body, 'crypto', 'cryptoAsset'),
  },
};

// Defects in the statuses of a record, and in its changes between two nights.

/** A status that is in no list. */
const unknownStatus = (status: string): DefectShape => ({
  says: `The status is ${status}, which no list has.`,
  codes: ['STATUS_UNKNOWN'],
  wants: { ...ON_THE_WAY, statuses: [status, status] },
});

/** Fields that change between the nights. */
function onSecondNight(change: (body: Body) => Body) {
  return (body: Body, { night, changedAt }: BodyContext): Body =>
    night === 1 ? body : { ...change(body), updatedAt: changedAt };
}

const HOUR = 3_600_000;

/** For a body without a list of actions, which would begin before its creation. */
const moved = onSecondNight((body) => ({
  ...body,
  createdAt: new Date(Date.parse(String(body.createdAt)) + HOUR).toISOString(),
}));

/** Another text of the same form: the prefix (`0x`, `bc1q`) stays where it is. */
function reversed(text: string): string {
  const head = text.startsWith('0x') ? 2 : 4;
  return text.slice(0, head) + [...text.slice(head)].reverse().join('');
}

/** Its own list of moments: paid within three hours, and expired after three days all the same. */
function expiredAfterPayment(createdAt: string): Body {
  const after = (hours: number) => new Date(Date.parse(createdAt) + hours * HOUR).toISOString();
  const steps = { INITIALIZED: 0, PAYMENT_STARTED: 1, FIAT_RECEIVED: 3, EXPIRED: 72 };
  const actions = Object.entries(steps).map(([newStatus, hours]) => ({ newStatus, timestamp: after(hours) }));
  return { updatedAt: after(72), endTime: after(72), actions };
}

export const STATUS_DEFECTS: Readonly<Record<string, DefectShape>> = {
  // One defect each, so that neither hides the other.
  'status-on-hold': unknownStatus('ON_HOLD'),
  'status-in-compliance': unknownStatus('COMPLIANCE_CHECK'),
  'status-fell-back': {
    says: 'FIAT_RECEIVED on the first night, PAYMENT_STARTED on the second.',
    codes: ['STATUS_REGRESSED'],
    night: 2,
    wants: { ...ON_THE_WAY, statuses: ['FIAT_RECEIVED', 'PAYMENT_STARTED'] },
  },
  /** The transaction hash and all figures stay, or RESTATED would be due as well. Young, or the new status could be stuck. */
  'status-left-the-end': {
    says: 'RELEASED on the first night, PAYMENT_STARTED on the second.',
    codes: ['STATUS_REGRESSED'],
    night: 2,
    wants: { ...ON_THE_WAY, statuses: ['RELEASED', 'PAYMENT_STARTED'] },
  },
  /** Well over the five days that a record may stay. Only seen as stuck by its own updatedAt on the first night. */
  'status-stuck': {
    says: 'In PAYMENT_IN_PROGRESS for ten days and more.',
    codes: ['STATUS_STUCK'],
    wants: {
      kind: 'purchase',
      linking: 'linked',
      ageHours: [250, 500],
      statuses: ['PAYMENT_IN_PROGRESS', 'PAYMENT_IN_PROGRESS'],
    },
  },
  'expectation-contradicted': {
    says: 'The application expects RELEASED, the record is EXPIRED.',
    codes: ['STATUS_CONFLICT'],
    wants: { ...RELEASED, statuses: ['EXPIRED', 'EXPIRED'] },
    body: (body) => ({ ...body, endTime: body.updatedAt }),
    tracked: (line) => [{ ...line, expected_status: 'RELEASED' }],
  },
  /** On a chain that no sandbox delivers on. */
  'sent-before-paid': {
    says: 'FIAT_RECEIVED, and finalTxHash names a transaction already.',
    codes: ['RECORD_CONTRADICTS_ITSELF'],
    wants: { ...ON_THE_WAY, assets: ['TRON_TRX', 'XRP_XRP'] },
    body: (body) => ({ ...body, finalTxHash: '5f0c'.repeat(16) }),
  },
  'one-transaction-twice': {
    says: "The purchase is a copy of an earlier one, that one's transaction included, under an id of its own.",
    codes: ['TX_REUSED'],
    wants: RELEASED,
    withoutQuote: true,
    copiesOlder: true,
  },
  /** The specification's purchase does not say that it was paid, and two nights see no more of it. */
  'not-refunded': {
    observedOnly: true,
    says: 'Paid, expired without a delivery two weeks and more ago, and not refunded.',
    codes: ['REFUND_DUE'],
    wants: { ...RELEASED, ageHours: [500, 620], statuses: ['EXPIRED', 'EXPIRED'] },
    body: (body) => ({ ...body, ...expiredAfterPayment(String(body.createdAt)) }),
  },
  'released-without-tx': {
    says: 'RELEASED, and finalTxHash is null.',
    codes: ['RELEASED_WITHOUT_TX'],
    wants: RELEASED,
    body: (body) => ({ ...body, finalTxHash: null }),
  },
  /** Not compared with any quote, and without effect on the fee's sum: only RESTATED finds it. */
  'host-cut-restated': {
    observedOnly: true,
    says: 'hostFeeCut is cut by a third after the purchase was released.',
    codes: ['RESTATED'],
    night: 2,
    // Without a partner's fee on top: what it is less by would be more of the Service's own fee.
    wants: { ...RELEASED, assets: ['BTC_BTC', 'ETH_ETH'], complete: true },
    body: onSecondNight((body) => ({ ...body, hostFeeCut: Number(body.hostFeeCut) * 0.67 })),
  },
  'tx-restated': {
    says: 'finalTxHash is another one after the purchase was released.',
    codes: ['RESTATED'],
    night: 2,
    wants: RELEASED,
    body: onSecondNight((body) => ({ ...body, finalTxHash: reversed(String(body.finalTxHash)) })),
  },
  /** Unfinished records: after a terminal status RESTATED might claim the change too. */
  'address-changed': {
    says: 'receiverAddress is another one on the second night.',
    codes: ['FIELD_CHANGED'],
    night: 2,
    // Addresses without a checksum: this defect is no mistyped one.
    wants: { ...ON_THE_WAY, assets: ['ETH_ETH', 'ETH_USDC', 'ETH_USDT', 'MATIC_USDC'] },
    body: onSecondNight((body) => ({ ...body, receiverAddress: reversed(String(body.receiverAddress)) })),
  },
  'creation-moved': {
    says: 'createdAt is an hour later on the second night.',
    codes: ['FIELD_CHANGED'],
    night: 2,
    wants: ON_THE_WAY,
    body: ({ actions: _, ...body }, context) => moved(body, context),
  },
  /** On both nights, or FIELD_CHANGED would be due as well. The tracked line has the true date. */
  'created-in-9999': {
    says: 'createdAt is the first of January 9999.',
    codes: ['DATE_IMPLAUSIBLE'],
    wants: RELEASED,
    body: (body) => ({ ...body, createdAt: '9999-01-01T00:00:00.000Z' }),
  },
};
