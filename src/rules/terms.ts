/**
 * The judging terms of a run, frozen as text: a replay judges by the settings that were in force that night, not
 * by those of today. Decimals are written as text, maps in sorted order, so equal terms give equal bytes.
 */
import { createHash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import type { JudgingTerms } from '../domain/case.ts';
import { Decimal } from '../domain/decimal.ts';
import type { DeliveryTerms } from '../domain/delivery.ts';
import type { FeeCeiling } from '../domain/fee-ceilings.ts';
import type { PriceList } from '../domain/price-list.ts';
import type { Instant, Kind } from '../domain/record.ts';
import type { StatusDefinition } from '../domain/status.ts';
import { capturedKinds, reusedIn, type Survey } from '../domain/survey.ts';
import type { QuoteBinding, ToleranceOverride, Tolerances } from '../domain/tolerance.ts';
import type { RuleConfig } from './rule-set.ts';

/** Everything that decides a verdict apart from the case itself. */
export interface RunTerms extends Omit<JudgingTerms, 'asOf' | 'quotesCaptured' | 'reusedTx' | 'hostShare'> {
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
    // Absent without chains, so that the terms of such a run are what they always were.
    ...(terms.deliveries === null ? {} : { deliveries: terms.deliveries }),
    ...(terms.prices === null ? {} : { prices: terms.prices }),
  });
}

/** SHA-256 of the frozen terms: two runs with the same hash judge alike. */
export function termsHash(frozen: string): string {
  return createHash('sha256').update(frozen).digest('hex');
}

/** Decimals as their texts, maps as objects. */
type Written<T> = T extends Decimal
  ? string
  : T extends ReadonlyMap<string, infer V>
    ? Record<string, Written<V>>
    : T extends object
      ? { [K in keyof T]: Written<T[K]> }
      : T;

interface Frozen
  extends Omit<RunTerms, 'statuses' | 'tolerances' | 'binding' | 'deliveries' | 'prices' | 'feeCeilings'> {
  statuses: Record<Kind, StatusDefinition[]>;
  tolerances: Omit<Written<Tolerances>, 'rate' | 'networkFee'> & {
    rate: Omit<Written<Tolerances['rate']>, 'sinceQuote'> & { sinceQuote?: string };
    networkFee?: string;
  };
  /** Absent in terms from before prices could be indicative: every quote bound then. */
  binding?: QuoteBinding;
  /** Absent in older terms, which knew none. */
  feeCeilings?: readonly (Omit<FeeCeiling, 'percent'> & { percent: string })[];
  deliveries?: DeliveryTerms;
  prices?: Written<PriceList>;
}

function thawAbsolute(text: string): Decimal | 'minor-unit' {
  return text === 'minor-unit' ? text : Decimal.parse(text);
}

function thawOverrides(frozen: Frozen['tolerances']['rules']): Map<string, ToleranceOverride> {
  return new Map(
    Object.entries(frozen).map(([key, { absolute, relative }]) => [
      key,
      {
        absolute: absolute === undefined ? undefined : thawAbsolute(absolute),
        relative: relative === undefined ? undefined : Decimal.parse(relative),
      },
    ]),
  );
}

/** The inverse of `freezeTerms`; the text is our own, so its form is trusted. */
export function thawTerms(text: string): RunTerms {
  const frozen = JSON.parse(text) as Frozen;
  const { fiat, crypto, requoted, rate, networkFee, currencies, rules } = frozen.tolerances;
  const byValue = (definitions: StatusDefinition[]) => new Map(definitions.map((each) => [each.value, each]));
  return {
    statuses: { purchase: byValue(frozen.statuses.purchase), sale: byValue(frozen.statuses.sale) },
    tolerances: {
      fiat: { absolute: thawAbsolute(fiat.absolute), relative: Decimal.parse(fiat.relative) },
      crypto: { relative: Decimal.parse(crypto.relative) },
      requoted: { percentPoints: Decimal.parse(requoted.percentPoints) },
      rate: {
        consistency: Decimal.parse(rate.consistency),
        reference: Decimal.parse(rate.reference),
        sinceQuote: Decimal.parse(rate.sinceQuote ?? '0'),
      },
      networkFee: Decimal.parse(networkFee ?? '0'),
      currencies: thawOverrides(currencies),
      rules: thawOverrides(rules),
    },
    rules: frozen.rules,
    binding: frozen.binding ?? { price: 'locked', networkFee: 'locked' },
    window: frozen.window,
    identifierName: frozen.identifierName,
    feeCeilings: (frozen.feeCeilings ?? []).map((each) => ({ ...each, percent: Decimal.parse(each.percent) })),
    deliveries: frozen.deliveries ?? null,
    prices: frozen.prices === undefined ? null : thawPrices(frozen.prices),
  };
}

function thawPrices({ name, versions }: Written<PriceList>): PriceList {
  const optional = (text: string | null) => (text === null ? null : Decimal.parse(text));
  return {
    name,
    versions: versions.map((version) => ({
      ...version,
      lines: version.lines.map((line) => ({
        ...line,
        amount: line.amount === null ? null : { from: Decimal.parse(line.amount.from), to: optional(line.amount.to) },
        percent: Decimal.parse(line.percent),
        fixed: Decimal.parse(line.fixed),
        minimum: optional(line.minimum),
        maximum: optional(line.maximum),
      })),
    })),
  };
}

/** The terms that rules see, for a run judged at `asOf`. @param survey null: as if quotes were captured as a rule */
export function judgingTerms(terms: RunTerms, asOf: Instant, survey: Survey | null = null): JudgingTerms {
  const { rules: _, ...rest } = terms;
  const hostShare = survey?.hostShare === undefined ? {} : { hostShare: Decimal.parse(survey.hostShare) };
  return { asOf, quotesCaptured: capturedKinds(survey), reusedTx: reusedIn(survey), ...hostShare, ...rest };
}
