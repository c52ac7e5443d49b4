/** Replaces every deprecated parameter and value of a widget configuration (spec §2.11). */

import { currentPaymentMethod } from '../domain/method-names.ts';
import type { AssetTerms } from '../domain/reference.ts';
import { presentAsset } from './assets.ts';
import type { RawWidgetConfig } from './config.ts';
import { type FlowsInForce, flowsInForce } from './flows.ts';
import { draftText, type MigrationDraft, type MigrationNote, takeUp } from './migrate-draft.ts';
import { migrateSides } from './migrate-sides.ts';

export interface WidgetMigration {
  /** Unchanged parameters keep their place and value; new ones are at the end. */
  config: Readonly<Record<string, unknown>>;
  /** Empty where nothing was deprecated. */
  notes: readonly MigrationNote[];
}

interface MigrationContext {
  /** An assets response, v3, normalised: with it bare v1 symbols get their chain. */
  assets?: readonly AssetTerms[] | undefined;
}

/**
 * New parameters win over legacy ones. In and out follow the flow that is shown first; where more flows are enabled the
 * notes say what the others lose. Amounts are converted exactly or not at all. Migrating twice changes nothing more.
 * @example migrateWidgetConfig({ fiatCurrency: 'EUR', fiatValue: '50' }).config
 * // { inAsset: 'EUR', inAssetValue: '5000' }
 */
export function migrateWidgetConfig(config: RawWidgetConfig, { assets }: MigrationContext = {}): WidgetMigration {
  const draft: MigrationDraft = { config: new Map(Object.entries(config)), notes: [] };
  const flows = flowsInForce(config);
  mergeAssetLists(draft, flows, assets ?? []);
  migrateSides(draft, flows, assets ?? []);
  renamePaymentMethod(draft);
  return { config: Object.fromEntries(draft.config), notes: draft.notes };
}

function renamePaymentMethod(draft: MigrationDraft): void {
  const old = draftText(draft, 'paymentMethodType');
  if (old === null || currentPaymentMethod(old) === old) return;
  const value = currentPaymentMethod(old);
  draft.config.set('paymentMethodType', value);
  draft.notes.push({
    action: 'converted',
    parameter: 'paymentMethodType',
    value: old,
    to: { parameter: 'paymentMethodType', value },
    why: `${old} is the old name of ${value}`,
    attention: false,
  });
}

const OLD_LISTS = ['swapAsset', 'offrampAsset'] as const;
const NEW_LIST = 'enabledCryptoAssets';

/** `swapAsset` first, as deployments were seen to do; each asset once. */
function mergeAssetLists(draft: MigrationDraft, flows: FlowsInForce, assets: readonly AssetTerms[]): void {
  const hadSwapAsset = draftText(draft, 'swapAsset') !== null;
  const old = OLD_LISTS.flatMap((parameter) => {
    const value = takeUp(draft, parameter);
    return value === null ? [] : [{ parameter, value }];
  });
  if (old.length === 0) return;
  for (const { parameter } of old) draft.config.delete(parameter);
  const present = draftText(draft, NEW_LIST);
  if (present !== null) {
    for (const each of old) {
      draft.notes.push({
        ...each,
        action: 'removed',
        to: { parameter: NEW_LIST, value: present },
        why: `${NEW_LIST} is given, and wins`,
        attention: false,
      });
    }
    return;
  }
  const items = old.flatMap(({ value }) => value.split(',').map((item) => item.trim()));
  const named = [...new Set(items.filter((item) => item !== '').map((item) => presentAsset(item, assets)))];
  if (named.length === 0) return;
  const value = named.join(',');
  draft.config.set(NEW_LIST, value);
  for (const each of old) {
    const { why, attention } = consequence(each.parameter, flows, hadSwapAsset);
    draft.notes.push({
      ...each,
      action: value === each.value ? 'moved' : 'converted',
      to: { parameter: NEW_LIST, value },
      why,
      attention,
    });
  }
}

/** The new list applies to all flows, so it can exclude assets that the old ones allowed. */
function consequence(
  parameter: (typeof OLD_LISTS)[number],
  { enabled, first }: FlowsInForce,
  hadSwapAsset: boolean,
): { why: string; attention: boolean } {
  const successor = `${NEW_LIST} replaces it, for all flows`;
  if (parameter === 'swapAsset') return { why: successor, attention: false };
  const others = enabled.filter((flow) => flow !== 'OFFRAMP');
  if (others.length === 0) {
    if (!hadSwapAsset) return { why: successor, attention: false };
    const why = `${successor}; the assets of swapAsset can now be sold too, and its first is the one selected`;
    return { why, attention: true };
  }
  if (!hadSwapAsset) {
    const why = `${successor}; it was for OFFRAMP only, and now limits ${others.join(', ')} too, which had all assets`;
    return { why, attention: true };
  }
  const selected = first === 'OFFRAMP' ? '; the first item of swapAsset is now the one selected' : '';
  return { why: `${successor}; its assets can now be bought as well${selected}`, attention: true };
}
