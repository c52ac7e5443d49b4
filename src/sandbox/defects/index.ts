/** All defects, in the order in which they take turns, and which records have them. */

import { UsageError } from '../../domain/errors.ts';
import type { Bodies } from '../contract.ts';
import { mix } from '../random.ts';
import { AMOUNT_DEFECTS } from './amounts.ts';
import type { Defect, DefectShape } from './defect.ts';
import { DELIVERY_DEFECTS } from './deliveries.ts';
import { AT_THE_EDGE } from './edges.ts';
import { MARKET_DEFECTS } from './market.ts';
import { CONTRACT_DEFECTS, QUOTE_DEFECTS, SHOWN_DEFECTS } from './promises.ts';
import { READING_DEFECTS, STATUS_DEFECTS } from './records.ts';

/** The order of turns; the first 25 have the break code of every rule that compares between them. Defects that are not named here come later. */
const ORDER = `
  record-unknown overcharged status-stuck token-refused quote-missing hidden-markup fee-renamed
  host-cut-restated base-fee-moved another-record status-fell-back network-fee-moved address-changed
  total-not-footing two-tokens payout-short status-on-hold fee-above-maximum expectation-contradicted
  above-asset-limit released-without-tx method-unsupported quote-for-sibling-asset rates-contradict
  created-in-9999 look-alike-contract one-transaction-twice sent-before-paid not-refunded
  bank-fee-raised record-gone amount-scaled tx-restated status-left-the-end
  quote-without-method creation-moved record-vanished sale-amount-renamed
`
  .trim()
  .split(/\s+/);

/** Much like an earlier one: after all others, which a small population then has. */
const LAST = new Set(['fee-as-text', 'token-unauthorised', 'crypto-amount-gone', 'status-in-compliance']);

const turnOf = ({ name }: Defect) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

function named(shapes: Readonly<Record<string, DefectShape>>): Defect[] {
  return Object.entries(shapes).flatMap(([name, { times = 1, ...shape }]) =>
    Array.from({ length: times }, () => ({ night: 1 as const, ...shape, name })),
  );
}

const DEFECTS: readonly Defect[] = [
  AMOUNT_DEFECTS,
  STATUS_DEFECTS,
  READING_DEFECTS,
  QUOTE_DEFECTS,
  AT_THE_EDGE,
  SHOWN_DEFECTS,
]
  .flatMap(named)
  .sort((a, b) => turnOf(a) - turnOf(b));

/** Which records are defective: spread evenly over the population, the kinds of defect in turn. */
const STREAM = 31;

export interface Allocation {
  /** The defect of the record at this index, or null for a clean one. */
  defectOf(index: number): Defect | null;
  /** Indices of the defective records, ascending. */
  indices(): Iterable<number>;
}

/** Evidence besides the Service's own answers that records will be compared with. */
interface Proofs {
  chains: boolean;
  contract: boolean;
  market: boolean;
}

/**
 * @param rate share of the records, 0 to 1.
 * @param kinds names of defects or break codes; undefined for all.
 * @throws UsageError
 */
export function allocate(
  seed: number,
  records: number,
  rate: number,
  kinds: readonly string[] | undefined,
  bodies: Bodies,
  { chains, contract, market }: Proofs,
): Allocation {
  const floating = market ? named(MARKET_DEFECTS) : [];
  // A quarter beyond the quote may be within a quarter of the market.
  const known = market ? DEFECTS.filter(({ name }) => !name.startsWith('network-fee-just')) : DEFECTS;
  const inTurn = [...floating, ...known, ...(contract ? named(CONTRACT_DEFECTS) : [])];
  const plain = inTurn.sort((a, b) => Number(LAST.has(a.name)) - Number(LAST.has(b.name)));
  // First those that need such evidence, so that a small population has one of each.
  const all = chains ? [...named(DELIVERY_DEFECTS), ...plain.flatMap(onChains)] : plain;
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

/** Where there are chains, the restated transaction of a purchase on one of them is one that no chain knows, and they have their own copy of one. */
function onChains(defect: Defect): Defect[] {
  if (defect.copiesOlder === true) return [];
  if (defect.name !== 'tx-restated') return [defect];
  const wants = { ...defect.wants, assets: ['ETH_ETH', 'ETH_USDC'] };
  return [{ ...defect, codes: [...defect.codes, 'DELIVERY_NOT_FOUND'], wants }];
}

function inSpec(defect: Defect): Defect[] {
  if (defect.observedOnly === true) return [];
  return [defect.wantsInSpec === undefined ? defect : { ...defect, wants: { ...defect.wants, ...defect.wantsInSpec } }];
}

function chosenDefects(kinds: readonly string[] | undefined, all: readonly Defect[]): readonly Defect[] {
  if (kinds === undefined) return all;
  for (const kind of kinds) {
    if (all.some((defect) => isNamed(defect, kind))) continue;
    const names = new Set(all.map(({ name }) => name));
    const remedy = `use a break code, or one of ${[...names].join(', ')}`;
    throw new UsageError(`no defect is called ${kind}`, { remedy });
  }
  return all.filter((defect) => kinds.some((kind) => isNamed(defect, kind)));
}

function isNamed(defect: Defect, kind: string): boolean {
  return defect.name === kind || defect.codes.includes(kind);
}
