/** The workbook and the page of a set; apart from the main line, so that rendering a stored run loads no client of a chain. */
import type { View } from '../ports/html-view.ts';
import type { SetDocument } from '../publish/documents.ts';
import { loadDocuments } from '../publish/load-documents.ts';
import { type DecimalsChoice, documentDecimals } from '../publish/profiles.ts';
import { RULES } from '../rules/index.ts';

/**
 * @param history the out folder whose earlier runs a page compares with; null for none
 * @param views of the page; those of a run by default
 * @throws PackageMissingError
 */
export function documentsFor(
  formats: readonly string[],
  history: string | null,
  decimals: DecimalsChoice,
  views: () => Promise<readonly View[]> = async () => (await import('../../reports/html/index.ts')).VIEWS,
): Promise<SetDocument[]> {
  const actions = new Map(RULES.map(({ code, action }) => [code, action]));
  return loadDocuments({
    actions,
    formats,
    history,
    decimals: documentDecimals(decimals),
    views,
  });
}
