/** Renders a closed month into a folder of its own. */
import { join } from 'node:path';
import type { ReportFormat } from '../../config/settings.ts';
import { renderPeriod } from '../periods/render.ts';
import type { ProfileName } from '../ports/report-definition.ts';
import { tableFormats } from '../publish/load-documents.ts';
import { type DecimalsChoice, tableDecimals } from '../publish/profiles.ts';
import type { App } from './app.ts';
import { documentsFor } from './documents-for.ts';
import { periodEdges } from './periods.ts';

interface PeriodRenderOptions {
  /** The folder to render into, apart from the published sets. */
  out: string;
  /** The out folder with the sealed set, which is verified first. */
  published: string;
  profile: ProfileName;
  decimals: DecimalsChoice;
  formats: readonly ReportFormat[];
  signal: AbortSignal;
}

/** @returns the folder of the set @throws what `renderPeriod` throws; ChartLibraryMissingError */
export async function renderClosedPeriod(
  app: App,
  period: string,
  { out, published, profile, decimals, formats, signal }: PeriodRenderOptions,
): Promise<string> {
  const publication = {
    out,
    profile,
    decimals: tableDecimals(decimals, profile),
    formats: tableFormats(formats),
    suffix: `render-${process.pid}`,
  };
  const documents = () => documentsFor(formats, null, decimals);
  const edges = periodEdges(app);
  const sealed = { ...edges, publication: { ...edges.publication, out: published } };
  return join(out, await renderPeriod(sealed, period, { publication, documents }, signal));
}
