/** Renders a closed month into a folder of its own. */
import { join } from 'node:path';
import type { ReportFormat } from '../../config/settings.ts';
import { renderPeriod } from '../periods/render.ts';
import type { DecimalsMode, ProfileName } from '../ports/report-definition.ts';
import { tableFormats } from '../publish/load-documents.ts';
import type { App } from './app.ts';
import { periodDocuments, periodEdges } from './periods.ts';

export interface PeriodRenderOptions {
  /** The folder to render into, apart from the published sets. */
  out: string;
  /** The out folder with the sealed set, which is verified first. */
  published: string;
  profile: ProfileName;
  decimals: DecimalsMode;
  formats: readonly ReportFormat[];
  signal: AbortSignal;
}

/** @returns the folder of the set @throws what `renderPeriod` throws; ChartLibraryMissingError */
export async function renderClosedPeriod(
  app: App,
  period: string,
  { out, published, profile, decimals, formats, signal }: PeriodRenderOptions,
): Promise<string> {
  const publication = { out, profile, decimals, formats: tableFormats(formats), suffix: `render-${process.pid}` };
  const documents = () => periodDocuments(formats);
  const edges = periodEdges(app);
  const sealed = { ...edges, publication: { ...edges.publication, out: published } };
  return join(out, await renderPeriod(sealed, period, { publication, documents }, signal));
}
