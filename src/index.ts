/**
 * Tieout as a library: what `import … from 'tieout'` gives. Everything that the command line does rests on the same parts;
 * `docs/library.md` has examples.
 */
export { ConfigError } from '../config/problems.ts';
export type { Selection, VerdictCounts } from './domain/run.ts';
export {
  type Imported,
  type ReconcileOptions,
  type Reconciliation,
  reconcile,
  type TrackedRecord,
} from './library/reconcile.ts';
export { createServiceClient } from './library/service-client.ts';
export type { SettingMap, SettingsSource, SettingValue, TieoutSettings } from './library/settings.ts';
export { PublicationError } from './publish/errors.ts';
export { ServiceUnavailableError } from './reconcile/stop-rules.ts';
export { LockHeldError } from './runner/lease.ts';
export type { FetchResult, QuoteAnswer, QuoteRequest, RecordRef, ServiceClient } from './service/contract.ts';
export { readWebhookKeys, SIGNATURE_HEADER, verifyWebhook, WebhookKeyError } from './service/webhook-signature.ts';
export { buildWidgetUrl } from './service/widget/build-url.ts';
export { checkWidgetConfig, type WidgetCheck } from './service/widget/check.ts';
export type { RawWidgetConfig } from './service/widget/config.ts';
export { WidgetUrlError, WidgetValueError } from './service/widget/errors.ts';
export { migrateWidgetConfig, type WidgetMigration } from './service/widget/migrate.ts';
export { readWidgetUrl, type WidgetUrlReading } from './service/widget/read-url.ts';
export { ServiceNotConfiguredError } from './wiring.ts';
