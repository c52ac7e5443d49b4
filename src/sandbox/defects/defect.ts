/** A defect is data: the conditions for its record, the change, and every break code that is due for it. */
import type { Body, Night, SandboxKind, TrackedLine } from '../contract.ts';
import type { Method } from '../payment-tables.ts';
import type { Figures, Offer } from '../pricing.ts';

/** Conditions for a record under which its defect has exactly the breaks of the answer key. Absent: any value. */
export interface Conditions {
  kind?: SandboxKind;
  /** `captured`: no quote id in the tracked line; the quote is found by its amount. */
  linking?: 'linked' | 'captured';
  api?: 'v1' | 'v3';
  /** v3 identifiers. */
  assets?: readonly string[];
  currencies?: readonly string[];
  /** Names; one that supports the currency is drawn. */
  methods?: readonly string[];
  /** This very method, whether the currency supports it or not, at its own percentage. */
  method?: Method;
  /** The ordered fiat amount, in EUR. */
  fiatEur?: readonly [number, number];
  /** Age on the first night. */
  ageHours?: readonly [number, number];
  /** The status on each night; overrides what is drawn. */
  statuses?: readonly [first: string, second: string];
  /** Every optional field is in the body. */
  complete?: boolean;
}

/** How a record's endpoint answers instead of with its body. */
export type Refusal = 404 | 410 | 401 | 403 | 'another-record';

/** How a delivery on a local chain goes wrong. */
export type DeliveryFault =
  | 'missing'
  | 'reverted'
  | 'stranger'
  | 'look-alike'
  | 'short'
  | 'late'
  | 'pending'
  | 'reused';

export interface BodyContext {
  night: Night;
  identifierName: string;
  /** On the second night some time after the first: when the change was made. */
  changedAt: string;
}

/** A defect under its name. */
export interface DefectShape {
  /** A sentence for readers of the answer key. */
  says: string;
  /** All codes due, no more and no less. */
  codes: readonly string[];
  /** Codes that speak of it as well where the market of those days makes them. */
  also?: readonly string[];
  /** The first night on which they are due; absent: 1. */
  night?: Night;
  /** Records of one turn; absent: 1. */
  times?: number;
  wants?: Conditions;
  /** Further conditions where bodies have only the fields of the specification. */
  wantsInSpec?: Conditions;
  /** It shows only in fields that the specification does not declare. */
  observedOnly?: true;
  refusal?: (night: Night) => Refusal | null;
  /** The record has the price of its own moment, in a floating market; otherwise that of its quote. */
  floats?: true;
  /** The record's own figures, where they are not the quote's. */
  figures?: (quoted: Figures, decimals: number) => Figures;
  /** The methods of the quote, where they differ from the record's. `own` is the record's method. */
  offers?: (offers: readonly Offer[], own: Method) => readonly Offer[];
  /** The v3 identifier of the asset that the quote is for, where it is not the record's. */
  quotedAsset?: (identifier: string) => string;
  /** The amounts that the app showed, where they differ from the quote. */
  shown?: (quoted: Figures, own: Figures) => { total: number; fee: number };
  /** The percentage of the contract's price list. */
  contractPercent?: number;
  /** The quote is not exported. */
  withoutQuote?: boolean;
  /** The body, last of all. */
  body?: (body: Body, context: BodyContext) => Body;
  /** The lines of the tracked export for this record. */
  tracked?: (line: TrackedLine, strangerToken: string) => readonly TrackedLine[];
  /** It is a copy of an older purchase, that one's transaction included, under an id of its own. */
  copiesOlder?: true;
  /** The fault of its delivery on the local chain. */
  delivery?: DeliveryFault;
  /** A second token that the Service accepts, as the record's owner has two. */
  acceptsStrangerToken?: boolean;
}

export interface Defect extends DefectShape {
  name: string;
  night: Night;
}

/** Unfinished on both nights, and too young to be stuck on either. */
export const ON_THE_WAY = {
  ageHours: [3, 30],
  kind: 'purchase',
  linking: 'linked',
  statuses: ['FIAT_RECEIVED', 'FIAT_RECEIVED'],
} as const satisfies Conditions;

/** A finished purchase, released well before the first night. */
export const RELEASED = {
  ageHours: [72, 240],
  kind: 'purchase',
  linking: 'linked',
  statuses: ['RELEASED', 'RELEASED'],
} as const satisfies Conditions;

/** With a time of the last change: without one a sale could always have changed just now. */
export const dated = (body: Body): Body => ({
  ...body,
  updatedAt: new Date(Date.parse(String(body.createdAt)) + 3_600_000).toISOString(),
});
