/** All defects, in the order in which they take turns, and which records have them. The first 24 have every break code between them. */

import { EXIT, TieoutError } from '../../domain/errors.ts';
import type { Bodies } from '../contract.ts';
import { mix } from '../random.ts';
import {
  ABOVE_ASSET_LIMIT,
  AMOUNT_SCALED,
  BASE_FEE_MOVED,
  FEE_ABOVE_MAXIMUM,
  HIDDEN_MARKUP,
  NETWORK_FEE_MOVED,
  OVERCHARGED,
  PAYOUT_SHORT,
  RATES_CONTRADICT,
  TOTAL_NOT_FOOTING,
} from './amounts.ts';
import type { Defect } from './defect.ts';
import { DELIVERY_DEFECTS } from './deliveries.ts';
import { AT_THE_EDGE } from './edges.ts';
import { METHOD_UNSUPPORTED, QUOTE_FOR_SIBLING, QUOTE_MISSING, QUOTE_WITHOUT_METHOD } from './quotes.ts';
import {
  ANOTHER_RECORD,
  CRYPTO_AMOUNT_GONE,
  FEE_AS_TEXT,
  FEE_RENAMED,
  RECORD_GONE,
  RECORD_UNKNOWN,
  RECORD_VANISHED,
  SALE_AMOUNT_RENAMED,
  TOKEN_REFUSED,
  TOKEN_UNAUTHORISED,
  TWO_TOKENS,
} from './reading.ts';
import {
  ADDRESS_CHANGED,
  CREATION_MOVED,
  EXPECTATION_CONTRADICTED,
  HOST_CUT_RESTATED,
  RELEASED_WITHOUT_TX,
  STATUS_FELL_BACK,
  STATUS_FIAT_PENDING,
  STATUS_LEFT_THE_END,
  STATUS_REVIEW_REJECTED,
  STATUS_STUCK,
  TX_RESTATED,
} from './statuses.ts';

const DEFECTS: readonly Defect[] = [
  RECORD_UNKNOWN,
  OVERCHARGED,
  STATUS_STUCK,
  TOKEN_REFUSED,
  QUOTE_MISSING,
  HIDDEN_MARKUP,
  FEE_RENAMED,
  HOST_CUT_RESTATED,
  BASE_FEE_MOVED,
  ANOTHER_RECORD,
  STATUS_FELL_BACK,
  NETWORK_FEE_MOVED,
  ADDRESS_CHANGED,
  TOTAL_NOT_FOOTING,
  TWO_TOKENS,
  AMOUNT_SCALED,
  STATUS_FIAT_PENDING,
  FEE_ABOVE_MAXIMUM,
  EXPECTATION_CONTRADICTED,
  ABOVE_ASSET_LIMIT,
  RELEASED_WITHOUT_TX,
  METHOD_UNSUPPORTED,
  QUOTE_FOR_SIBLING,
  RATES_CONTRADICT,
  RECORD_GONE,
  PAYOUT_SHORT,
  FEE_AS_TEXT,
  TX_RESTATED,
  TOKEN_UNAUTHORISED,
  STATUS_LEFT_THE_END,
  QUOTE_WITHOUT_METHOD,
  CRYPTO_AMOUNT_GONE,
  CREATION_MOVED,
  RECORD_VANISHED,
  SALE_AMOUNT_RENAMED,
  STATUS_REVIEW_REJECTED,
  ...AT_THE_EDGE,
];

/** Which records are defective: spread evenly over the population, the kinds of defect in turn. */
const STREAM = 31;

export interface Allocation {
  /** The defect of the record at this index, or null for a clean one. */
  defectOf(index: number): Defect | null;
  /** Indices of the defective records, ascending. */
  indices(): Iterable<number>;
}

/** Thrown when `defectKinds` names what is neither a defect nor a break code with one. */
export class UnknownDefectError extends TieoutError {
  override readonly name = 'UnknownDefectError';
  override readonly exitCode = EXIT.usage;
  constructor(kind: string, all: readonly Defect[]) {
    super(`no defect is called ${kind}`, {
      remedy: `use a break code, or one of ${all.map(({ name }) => name).join(', ')}`,
    });
  }
}

/**
 * @param rate share of the records, 0 to 1.
 * @param kinds names of defects or break codes; undefined for all.
 * @throws UnknownDefectError
 */
export function allocate(
  seed: number,
  records: number,
  rate: number,
  kinds: readonly string[] | undefined,
  bodies: Bodies,
  chains: boolean,
): Allocation {
  const all = chains ? [...DEFECTS.map(onChains), ...DELIVERY_DEFECTS] : DEFECTS;
  const chosen = chosenDefects(kinds, bodies === 'spec' ? all.flatMap(inSpec) : all);
  const count = Math.min(records, Math.round(records * rate));
  const places = new Map<number, Defect>();
  for (let k = 0; k < count; k++) {
    const defect = chosen[k % chosen.length];
    if (defect === undefined) continue;
    // One place in each of `count` stretches without a common index: no two fall together, and none bunch up.
    const start = Math.floor((k * records) / count);
    const end = Math.floor(((k + 1) * records) / count);
    const within = mix(seed, k, STREAM) / 0x1_0000_0000;
    places.set(start + Math.floor(within * (end - start)), defect);
  }
  return { defectOf: (index) => places.get(index) ?? null, indices: () => places.keys() };
}

/** Where there are chains, the restated transaction of a purchase on one of them is one that no chain knows. */
function onChains(defect: Defect): Defect {
  if (defect !== TX_RESTATED) return defect;
  return {
    ...defect,
    codes: [...defect.codes, 'DELIVERY_NOT_FOUND'],
    wants: { ...defect.wants, assets: ['ETH_ETH', 'ETH_USDC'] },
  };
}

function inSpec(defect: Defect): Defect[] {
  if (defect.observedOnly === true) return [];
  return [defect.wantsInSpec === undefined ? defect : { ...defect, wants: { ...defect.wants, ...defect.wantsInSpec } }];
}

function chosenDefects(kinds: readonly string[] | undefined, all: readonly Defect[]): readonly Defect[] {
  if (kinds === undefined) return all;
  for (const kind of kinds) {
    if (!all.some((defect) => isNamed(defect, kind))) throw new UnknownDefectError(kind, all);
  }
  return all.filter((defect) => kinds.some((kind) => isNamed(defect, kind)));
}

function isNamed(defect: Defect, kind: string): boolean {
  return defect.name === kind || defect.codes.includes(kind);
}
