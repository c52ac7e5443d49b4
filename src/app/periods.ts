/** Composes the edges of closing a month: the store, the reports, the keys, the lock and the terms in force. */
import { periodChanges, priorPeriod } from '../../reports/prior-period.ts';
import type { PeriodEdges } from '../periods/edges.ts';
import { tableSettings } from '../publish/load-documents.ts';
import { signerFor, verifyKeysOf } from '../publish/sign.ts';
import { freezeTerms, termsHash } from '../rules/terms.ts';
import { holdLease } from '../runner/lease.ts';
import type { App } from './app.ts';
import { documentsFor } from './documents-for.ts';
import { publishingRight, requireOwnFolder } from './out-folder.ts';
import { reportsOf } from './reports-of-run.ts';
import { statedRevenue } from './revenue.ts';
import { codeVersion } from './version.ts';
import { outFolderOf, ownHolder } from './wiring.ts';

/**
 * For `closePeriod`, `publishDelta`, `reviewPeriod`, `periodStatus` and `listMonths`.
 * @param out the out folder with the sealed sets, where the settings name another one for this command
 */
export function periodEdges(app: App, out = app.settings.out): PeriodEdges {
  const { store, settings } = app;
  const { publish, reports } = settings;
  const { holder, isDead } = ownHolder();
  const now = () => app.clock.wall.now();
  return {
    store,
    now,
    timezone: settings.timezone,
    lock: async () => {
      await requireOwnFolder(outFolderOf(app));
      return holdLease({
        leases: store.leases,
        name: 'periods',
        holder,
        isDead,
        now,
        ttlMs: settings.database.lease.ttl,
      });
    },
    right: (statementKey, fence) => publishingRight(store.publications, { statementKey }, fence, settings.out),
    frame: () => {
      const terms = freezeTerms(app.terms);
      return { terms, rulesHash: termsHash(terms), configHash: app.configHash(), codeVersion: codeVersion() };
    },
    readSigner: () => signerFor(publish.signingKeyFile),
    verifyKeys: () => verifyKeysOf(publish.verifyKeys),
    publication: { ...tableSettings(reports), out, suffix: holder, isGone: isDead },
    // Without earlier runs to compare with: the bytes of a statement do not depend on later publications.
    documents: () => documentsFor(reports.formats, null, reports.decimals),
    byRelease: settings.books.revenueMonth === 'released',
    revenue: (statement) => statedRevenue(store, statement),
    reports: { ofRun: reportsOf, changes: periodChanges, priorPeriod },
  };
}
