/** The workbook and the page of a set; apart from the main line, so that rendering a stored run loads no client of a chain. */
import type { View } from '../ports/html-view.ts';
import type { SetDocument } from '../publish/documents.ts';
import { loadDocuments } from '../publish/load-documents.ts';
import { pluginFormats } from '../publish/plugin-formats.ts';
import { type DecimalsChoice, documentDecimals } from '../publish/profiles.ts';
import { RULES } from '../rules/index.ts';

/**
 * @param history the out folder whose earlier runs a page compares with; null for none
 * @param views of the page; those of a run by default
 * @throws UsageError where their package is not installed
 */
export async function documentsFor(
  formats: readonly string[],
  history: string | null,
  decimals: DecimalsChoice,
  views?: () => Promise<readonly View[]>,
): Promise<SetDocument[]> {
  const actions = new Map(RULES.map(({ code, action }) => [code, action]));
  const own = await loadDocuments({
    actions,
    formats,
    history,
    decimals: documentDecimals(decimals),
    views: views ?? (async () => (await import('../../reports/html/index.ts')).VIEWS),
  });
  // A month's workbook has its own tables, and no files of plugins.
  return views === undefined ? [...own, ...pluginFormats()] : own;
}
