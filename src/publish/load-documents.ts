/** The workbook and the page, loaded only where they are asked for: a plain run pays for neither. */

import type { View } from '../ports/html-view.ts';
import type { DecimalsMode, ProfileName } from '../ports/report-definition.ts';
import type { SetDocument } from './documents.ts';
import type { Draw } from './html/draw.ts';
import { type DecimalsChoice, tableDecimals } from './profiles.ts';

interface DocumentOptions {
  /** `xlsx` and `html` are made; the tables are not documents. */
  formats: readonly string[];
  /** What the page shows; asked for only where a page is made. */
  views: () => Promise<readonly View[]>;
  /** The out folder whose earlier runs the page compares with; null for none. */
  history: string | null;
  /** Rule code → what to do about such a break. */
  actions: ReadonlyMap<string, string>;
  /** How the workbook holds amounts. */
  decimals: DecimalsMode;
  /** Loads the chart library; another one in tests. */
  loadCharts?: () => Promise<Draw>;
}

/** To be called before the work begins: what is missing is reported then, not after it. @throws UsageError */
export async function loadDocuments(options: DocumentOptions): Promise<SetDocument[]> {
  const documents: SetDocument[] = [];
  if (options.formats.includes('html')) {
    const [{ loadDraw }, { pageDocument }, views] = await Promise.all([
      import('./html/draw.ts'),
      import('./html/document.ts'),
      options.views(),
    ]);
    const draw = await loadDraw(options.loadCharts);
    documents.push(pageDocument({ views, draw, history: options.history, actions: options.actions }));
  }
  if (options.formats.includes('xlsx')) {
    const { workbookDocument } = await import('./xlsx/workbook.ts');
    documents.push(workbookDocument({ decimals: options.decimals }));
  }
  return documents;
}

/** As which tables reports are written: CSV always, as the documents are made of it. */
export function tableFormats(formats: readonly string[]): ('csv' | 'json')[] {
  return formats.includes('json') ? ['csv', 'json'] : ['csv'];
}

/** How the tables of a set are printed, by the settings of reports. */
export function tableSettings(settings: {
  profile: ProfileName;
  decimals: DecimalsChoice;
  formats: readonly string[];
}) {
  const { profile, decimals, formats } = settings;
  return { profile, decimals: tableDecimals(decimals, profile), formats: tableFormats(formats) };
}
