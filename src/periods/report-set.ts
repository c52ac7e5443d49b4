/** The set of a closed month, or of a delta to one: the reports over its records, and what differs, published as any set is. */
import { join } from 'node:path';
import type { SetFacts } from '../ports/html-view.ts';
import type { PeriodChange } from '../ports/period.ts';
import type { ReportDefinition } from '../ports/report-definition.ts';
import type { JudgedPage, Report, RunFacts, SettledRecord } from '../ports/settled.ts';
import type { SetDocument } from '../publish/documents.ts';
import { realFileSystem } from '../publish/file-system.ts';
import { MANIFEST, type ManifestFacts, sha256Of } from '../publish/manifest.ts';
import { Publication, type PublicationSettings } from '../publish/publication.ts';
import { ReportRows } from '../publish/report-rows.ts';
import { orDiscard } from '../publish/report-set.ts';
import type { PeriodSetName } from '../publish/set-path.ts';

interface PeriodSetOptions extends PublicationSettings {
  name: PeriodSetName;
  facts: RunFacts;
  reports: readonly Report[];
  /** Workbooks and pages, made of the finished tables in this order. */
  documents: readonly SetDocument[];
  /** The table of what differs. */
  changes: ReportDefinition<PeriodChange>;
}

export interface PeriodSet {
  /** Before the records: the host's revenue of the month, and breaks of it that are about none of the records. */
  writeAhead(page: Pick<JudgedPage, 'revenue' | 'outside'>): void;
  /** In report order: each record as last read, and as the last look left it. */
  write(records: readonly { settled: SettledRecord; looked: SettledRecord }[]): void;
  /** In report order. */
  writeChanges(changes: readonly PeriodChange[]): void;
  publish(facts: ManifestFacts & SetFacts): Promise<{ folder: string; manifestSha256: string }>;
  discard(): void;
}

/** Coverage lists observations; every other report lists what is known. */
const OF_LOOKS: readonly string[] = ['coverage'];

/** Opens the set in a temporary folder. @throws PublicationError */
export function openPeriodSet(options: PeriodSetOptions): PeriodSet {
  const { name, facts, reports } = options;
  const fileSystem = options.fileSystem ?? realFileSystem;
  const publication = new Publication({ ...options, ...name });
  const { known = [], looks = [] } = Object.groupBy(reports, ({ definition }) =>
    OF_LOOKS.includes(definition.name) ? 'looks' : 'known',
  );
  const { ofKnown, ofLooks, changes } = orDiscard(publication, () => ({
    ofKnown: new ReportRows(known, facts, publication),
    ofLooks: new ReportRows(looks, facts, publication),
    changes: publication.open(options.changes),
  }));
  return {
    writeAhead: (page) => ofKnown.write({ records: [], ...page }),
    write: (records) => {
      ofKnown.write({ records: records.map(({ settled }) => settled), outside: [] });
      ofLooks.write({ records: records.map(({ looked }) => looked), outside: [] });
    },
    writeChanges: (rows) => {
      if (rows.length > 0) changes.write(rows);
    },
    publish: async (manifest) => {
      ofKnown.end();
      ofLooks.end();
      for (const { name: document, pieces } of options.documents) {
        await publication.attach(document, pieces(publication.tablesFor(manifest)));
      }
      const folder = await publication.publish(manifest);
      const bytes = fileSystem.readFile(join(options.out, folder, MANIFEST));
      return { folder, manifestSha256: sha256Of(bytes) };
    },
    discard: () => publication.discard(),
  };
}
