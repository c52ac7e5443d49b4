/**
 * The page and the workbook of the golden set to the byte. After a change that is meant, `npm run generate` writes them anew;
 * read the difference before it is committed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GENERATE } from '../golden/generate.ts';
import { goldenDocuments } from './support/golden-documents.ts';

const GOLDEN = join(import.meta.dirname, '../golden/documents');

it('are the same as ever, part by part', async () => {
  const made = await goldenDocuments();
  const kept = readdirSync(GOLDEN, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(kept.map(({ parentPath, name }) => join(parentPath, name)).sort()).toEqual(
    [...made.keys()].map((path) => join(GOLDEN, path)).sort(),
  );
  for (const [path, bytes] of made) {
    expect(bytes.toString(), `documents/${path}; ${GENERATE}`).toBe(readFileSync(join(GOLDEN, path), 'utf8'));
  }
});
