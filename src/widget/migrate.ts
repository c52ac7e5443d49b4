/** Modernises a widget configuration: every deprecated parameter and value of spec §2.11. */

import { currentPaymentMethod } from '../domain/method-names.ts';
import type { AssetTerms } from '../domain/reference.ts';
import type { RawWidgetConfig } from './config.ts';
import { flowsInForce } from './flows.ts';
import { draftText, type MigrationDraft, type MigrationNote } from './migrate-draft.ts';
import { mergeAssetLists } from './migrate-lists.ts';
import { migrateSides } from './migrate-sides.ts';

export interface WidgetMigration {
  /** Parameters that were not touched keep their place and value; new ones stand at the end. */
  config: Readonly<Record<string, unknown>>;
  /** Empty where nothing was deprecated. */
  notes: readonly MigrationNote[];
}

export interface MigrationContext {
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
