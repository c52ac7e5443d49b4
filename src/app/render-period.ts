/** Renders a closed month into a folder of its own. */
import { join } from 'node:path';
import { renderPeriod } from '../periods/render.ts';
import { tableFormats } from '../publish/load-documents.ts';
import { tableDecimals } from '../publish/profiles.ts';
import type { App } from './app.ts';
import { documentsFor } from './documents-for.ts';
import { periodEdges } from './periods.ts';
import type { RenderOptions } from './render-run.ts';

/**
 * @param options `published` has the sealed set, which is verified first
 * @returns the folder of the set
 * @throws what `renderPeriod` throws; PackageMissingError
 */
export async function renderClosedPeriod(
  app: App,
  period: string,
  {
    out,
    published,
    profile,
    decimals,
    formats,
    signal,
  }: Required<Omit<RenderOptions, 'reports'>> & { signal: AbortSignal },
): Promise<string> {
  const publication = {
    out,
    profile,
    decimals: tableDecimals(decimals, profile),
    formats: tableFormats(formats),
    suffix: `render-${process.pid}`,
  };
  const documents = () => documentsFor(formats, null, decimals);
  return join(out, await renderPeriod(periodEdges(app, published), period, { publication, documents }, signal));
}
