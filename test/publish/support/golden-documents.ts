/** The page and the workbook of the golden set, made from its published files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VIEWS } from '../../../reports/html/index.ts';
import { REPORTS } from '../../../reports/index.ts';
import type { FinishedTables } from '../../../src/publish/documents.ts';
import { realFileSystem } from '../../../src/publish/file-system.ts';
import { pageDocument } from '../../../src/publish/html/document.ts';
import { loadDraw } from '../../../src/publish/html/draw.ts';
import type { Manifest } from '../../../src/publish/manifest.ts';
import { profileOf } from '../../../src/publish/profiles.ts';
import { workbookDocument } from '../../../src/publish/xlsx/workbook.ts';
import { unzip } from './unzip.ts';

const FOLDER = join(import.meta.dirname, '../../golden/standard');

function goldenTables(): FinishedTables {
  // Without what differs from machine to machine, such as the hash of the configuration.
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as Manifest;
  return {
    folder: FOLDER,
    files: manifest.files,
    definitions: REPORTS.map(({ definition }) => definition),
    facts: manifest,
    profile: profileOf('standard'),
    decimals: 'exact',
    fileSystem: realFileSystem,
  };
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** Path below `test/golden/documents` → text; of the workbook, each of its parts, one element a line. */
export async function goldenDocuments(): Promise<Map<string, Buffer>> {
  const tables = goldenTables();
  const actions = new Map([['FEE_APPLIED_DIFFERS', 'Claim the difference.']]);
  const page = pageDocument({ views: VIEWS, draw: await loadDraw(), history: null, actions });
  const workbook = await bytesOf(workbookDocument({ decimals: 'exact' }).pieces(tables));
  const parts = [...unzip(workbook)].map(
    ([path, text]) => [join('workbook', path), Buffer.from(text.replaceAll('><', '>\n<'))] as const,
  );
  return new Map([['report.html', await bytesOf(page.pieces(tables))], ...parts]);
}
