/** A snapshot is one fetched or delivered body of a record, normalised; unknown is null, never zero. */
import type { Asset } from './asset.ts';
import type { Decimal } from './decimal.ts';
import type { Instant, Origin, RecordPosition } from './record.ts';

/** The fields that rules and reports need, the same for purchases (spec §2.9) and sales (§2.8). */
export interface RecordState extends RecordPosition {
  /** As the body has it; null where a sale has none. */
  status: string | null;
  /** By the body; null where it has none, and the tracked time is taken. */
  createdAt: Instant | null;
  /** The Service's last change of the record, by its own clock. */
  updatedAt: Instant | null;
  asset: Asset;
  /** Crypto amount in units (wei). */
  cryptoUnits: bigint;
  /** ISO 4217 code, upper-case. */
  fiatCurrency: string;
  /** Purchases: the total the user pays. Sales: the total the user receives. In `fiatCurrency`. */
  fiatValue: Decimal;
  /** Price of one whole token in `fiatCurrency`. */
  exchangeRate: Decimal | null;
  /** Price of one whole token in EUR. */
  exchangeRateEur: Decimal | null;
  /** Price of `fiatCurrency` in EUR. */
  fiatRateEur: Decimal | null;
  /** The Service's fee before discounts and the host's share (spec §2.9), in `fiatCurrency`. */
  baseFee: Decimal | null;
  /** What the transfer costs, in `fiatCurrency`; inside `appliedFee`. */
  networkFee: Decimal | null;
  /** The fee the user pays, network fee included. Purchases always have it. */
  appliedFee: Decimal | null;
  /** The part of `appliedFee` that goes to the host, in `fiatCurrency`. */
  hostFeeCut: Decimal | null;
  /** The current name of the payment or payout method; old names are mapped (spec §2.11), unknown ones kept. */
  paymentMethod: string | null;
  /** Where the tokens of a purchase go, with a memo where the chain needs one. */
  receiverAddress: string | null;
  /** The transaction that moved the tokens: to the user of a purchase, to the Service of a sale. */
  finalTxHash: string | null;
  /** When an unpaid purchase expires. */
  endTime: Instant | null;
  /** When the payment arrived, was released and was given back, by the body's own list of moments; absent where it has none. */
  paidAt?: Instant;
  releasedAt?: Instant;
  returnedAt?: Instant;
  /** Fields that the specification has and the body lacks, by path; absent where an earlier version read the body. */
  lacks?: readonly string[];
  /** The body has another view token than the one that it was read with. */
  hasOtherToken?: true;
  /** Of a sale: how the transfer of its tokens stands, and the currency of its fee where that is not the payout's; absent where the body says neither. */
  cryptoStatus?: string;
  feeCurrency?: string;
  /** How the payout stands, where the body has another word for the sale as a whole. */
  payoutStatus?: string;
  /** A name in the body that is of another asset than its other names: `symbol MATIC_ETH`, `type MATIC`; absent where they agree. */
  alsoNamed?: string;
  /** Steps of the body's own list of moments that an order rarely takes; absent where there are none. */
  oddSteps?: readonly OddStep[];
}

/** From one status to the next one. */
export interface OddStep {
  /** Null: the step is from before the creation, or from long after the last update. */
  from: string | null;
  to: string;
  /** When, by the list; null where the next one is the status of the body. */
  at: Instant | null;
}

/** A field that the rules need and that a body lacks or has in another form. */
export interface Drift {
  /** Path in the body, with the deployment's own names: `asset.decimals`, `baseServiceFee`. */
  field: string;
  problem: 'missing' | 'type' | 'value';
  /** The found value in words, without any secret: `a string`, `-0.43`, `nothing`. */
  found: string;
  /** The expected form: `a number`. */
  expected: string;
  /** A remedy worth trying, or null. */
  hint: string | null;
}

/** Identity of stored evidence. */
export interface Evidence {
  /** SHA-256 of the bytes received, 64 hexadecimal digits. */
  sha256: string;
  receivedAt: Instant;
  origin: Origin;
}

/** The same bytes give the same state: that is what lets a replay agree. */
export interface Snapshot {
  state: RecordState;
  evidence: Evidence;
}
