/**
 * The judging terms of a run, frozen as text: a replay judges by the settings that were in force that night, not
 * by those of today. Decimals are written as text, maps in sorted order, so equal terms give equal bytes.
 */
import { createHash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import type { JudgingTerms } from '../domain/case.ts';
import { Decimal } from '../domain/decimal.ts';
import type { DeliveryTerms } from '../domain/delivery.ts';
import type { PriceList } from '../domain/price-list.ts';
import type { Instant, Kind } from '../domain/record.ts';
import type { StatusDefinition } from '../domain/status.ts';
import { capturedKinds, reusedIn, type Survey } from '../domain/survey.ts';
import type { ToleranceOverride, Tolerances } from '../domain/tolerance.ts';
import type { RuleConfig } from './rule-set.ts';

/** Everything that decides a verdict apart from the case itself. */
export interface RunTerms extends Omit<JudgingTerms, 'asOf' | 'quotesCaptured' | 'reusedTx' | 'hostShare' | 'common'> {
  rules: RuleConfig;
}

export function freezeTerms(terms: RunTerms): string {
  return stringify({
    statuses: { purchase: [...terms.statuses.purchase.values()], sale: [...terms.statuses.sale.values()] },
    tolerances: {
      ...terms.tolerances,
      currencies: Object.fromEntries(terms.tolerances.currencies),
      rules: Object.fromEntries(terms.tolerances.rules),
    },
    rules: terms.rules,
    binding: terms.binding,
    window: terms.window,
    identifierName: terms.identifierName,
    feeCeilings: terms.feeCeilings,
    ...(terms.renamedAssets === undefined ? {} : { renamedAssets: terms.renamedAssets }),
    ...(terms.timezone === 'UTC' ? {} : { timezone: terms.timezone }),
    // Absent without chains, so that the terms of such a run are what they always were.
    ...(terms.deliveries === null ? {} : { deliveries: terms.deliveries }),
    ...(terms.prices === null ? {} : { prices: terms.prices }),
  });
}

/** SHA-256 of the frozen terms: two runs with the same hash judge alike. */
export function termsHash(frozen: string): string {
  return createHash('sha256').update(frozen).digest('hex');
}

/** Decimals as their texts, and maps as lists or objects. */
interface Frozen extends Omit<RunTerms, 'statuses' | 'tolerances' | 'deliveries' | 'prices'> {
  statuses: Record<Kind, StatusDefinition[]>;
  tolerances: Omit<Tolerances, 'currencies' | 'rules'> &
    Record<'currencies' | 'rules', Record<string, ToleranceOverride>>;
  deliveries?: DeliveryTerms;
  prices?: PriceList;
}

/** Fields that hold a decimal wherever they are; the same names may hold a word, a date or a number too. */
const DECIMALS = new Set(
  'absolute relative percentPoints consistency reference sinceQuote networkFee percent fixed minimum maximum from to'.split(
    ' ',
  ),
);
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function thawed(key: string, value: unknown): unknown {
  return typeof value === 'string' && DECIMALS.has(key) && DECIMAL.test(value) ? Decimal.parse(value) : value;
}

/** The inverse of `freezeTerms`; the text is our own, so its form is trusted. */
export function thawTerms(text: string): RunTerms {
  const frozen = JSON.parse(text, thawed) as Frozen;
  const { tolerances, statuses, deliveries = null, prices = null, ...rest } = frozen;
  const byValue = (definitions: StatusDefinition[]) => new Map(definitions.map((each) => [each.value, each]));
  return {
    // Terms from before prices could be indicative: every quote bound then. Older ones knew no ceilings, and counted working
    // days in UTC.
    ...{ binding: { price: 'locked', networkFee: 'locked' }, feeCeilings: [], timezone: 'UTC' },
    ...rest,
    statuses: { purchase: byValue(statuses.purchase), sale: byValue(statuses.sale) },
    tolerances: {
      ...tolerances,
      networkFee: tolerances.networkFee ?? Decimal.ZERO,
      rate: { ...tolerances.rate, sinceQuote: tolerances.rate.sinceQuote ?? Decimal.ZERO },
      currencies: new Map(Object.entries(tolerances.currencies)),
      rules: new Map(Object.entries(tolerances.rules)),
    },
    deliveries,
    prices,
  };
}

/** The terms that rules see, for a run judged at `asOf`. @param survey null: as if quotes were captured as a rule */
export function judgingTerms(terms: RunTerms, asOf: Instant, survey: Survey | null = null): JudgingTerms {
  const { rules: _, ...rest } = terms;
  const hostShare = survey?.hostShare === undefined ? {} : { hostShare: Decimal.parse(survey.hostShare) };
  const common = survey === null ? {} : { common: survey };
  return { asOf, quotesCaptured: capturedKinds(survey), reusedTx: reusedIn(survey), ...hostShare, ...common, ...rest };
}
