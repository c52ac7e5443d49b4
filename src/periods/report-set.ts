/** The set of a closed month, or of a delta to one: the reports over its records, and what differs, published as any set is. */
import { join } from 'node:path';
import type { SetFacts } from '../ports/html-view.ts';
import type { PeriodChange } from '../ports/period.ts';
import type { ReportDefinition, RowSink } from '../ports/report-definition.ts';
import type { OutsideBreak, Report, RunFacts, SettledRecord, SettledRevenue } from '../ports/settled.ts';
import type { SetDocument } from '../publish/documents.ts';
import { realFileSystem } from '../publish/file-system.ts';
import { MANIFEST, type ManifestFacts, sha256Of } from '../publish/manifest.ts';
import { Publication, type PublicationSettings } from '../publish/publication.ts';
import { ReportRows } from '../publish/report-rows.ts';
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
  /** In report order: each record as last read, and as the last look left it. */
  write(records: readonly { settled: SettledRecord; looked: SettledRecord }[]): void;
  /** Before the records. */
  writeRevenue(known: SettledRevenue): void;
  /** Before the records: breaks of the month that are about none of them. */
  writeOutside(breaks: readonly OutsideBreak[]): void;
  /** In report order. */
  writeChanges(changes: readonly PeriodChange[]): void;
  publish(facts: ManifestFacts & SetFacts): Promise<{ folder: string; manifestSha256: string }>;
  discard(): void;
}

/** Coverage lists observations; every other report lists what is known. */
const OF_LOOKS: readonly string[] = ['coverage'];

/** Opens the set in a temporary folder. @throws PublicationError */
export function openPeriodSet(options: PeriodSetOptions): PeriodSet {
  const { name, facts, reports, changes } = options;
  const fileSystem = options.fileSystem ?? realFileSystem;
  const publication = new Publication({ ...options, ...name });
  const open = () => {
    const isOfLooks = ({ definition }: Report) => OF_LOOKS.includes(definition.name);
    const known = new ReportRows(
      reports.filter((each) => !isOfLooks(each)),
      facts,
      publication,
    );
    const looks = new ReportRows(reports.filter(isOfLooks), facts, publication);
    return { known, looks, changed: publication.open(changes) };
  };
  const { known, looks, changed } = orDiscard(publication, open);
  return {
    write: (records) => {
      known.write({ records: records.map(({ settled }) => settled), outside: [] });
      looks.write({ records: records.map(({ looked }) => looked), outside: [] });
    },
    writeRevenue: (revenue) => known.write({ records: [], outside: [], revenue }),
    writeOutside: (outside) => known.write({ records: [], outside }),
    writeChanges: (rows) => writeRows(changed, rows),
    publish: async (manifest) => {
      known.end();
      looks.end();
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

function writeRows<Row>(sink: RowSink<Row>, rows: readonly Row[]): void {
  if (rows.length > 0) sink.write(rows);
}

function orDiscard<T>(publication: Publication, open: () => T): T {
  try {
    return open();
  } catch (error) {
    // The caller has no set yet that it could discard.
    publication.discard();
    throw error;
  }
}
