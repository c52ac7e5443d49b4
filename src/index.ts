/**
 * Tieout as a library: what `import … from 'tieout'` gives. Everything that the command line does rests on the same parts;
 * `docs/reference/library.md` has examples.
 */
export { ConfigError } from '../config/problems.ts';
export {
  type Imported,
  type ReconcileOptions,
  type Reconciliation,
  reconcile,
  type TrackedRecord,
} from './app/library/reconcile.ts';
export { createServiceClient } from './app/library/service-client.ts';
export { defineConfig, type SettingsSource, type TieoutSettings } from './app/library/settings.ts';
export { ServiceNotConfiguredError } from './app/wiring.ts';
export type { Selection, VerdictCounts } from './domain/run.ts';
export type { FetchResult, QuoteAnswer, QuoteRequest, RecordRef, ServiceClient } from './ports/service.ts';
export { PublicationError } from './publish/errors.ts';
export { LockHeldError } from './runner/lease.ts';
export { readWebhookKeys, SIGNATURE_HEADER, verifyWebhook, WebhookKeyError } from './service/webhook-signature.ts';
export { checkWidgetConfig, type WidgetCheck } from './widget/check.ts';
export type { RawWidgetConfig } from './widget/config.ts';
export { migrateWidgetConfig, type WidgetMigration } from './widget/migrate.ts';
export {
  buildWidgetUrl,
  readWidgetUrl,
  WidgetUrlError,
  type WidgetUrlReading,
  WidgetValueError,
} from './widget/url.ts';
