/** The file of rejected lines, readable by its owner alone, tokens cut: NDJSON, or CSV where its name ends in `.csv`. */
import { open } from 'node:fs/promises';
import { csvText } from '../text/csv-text.ts';
import { harmless } from '../text/visible.ts';
import type { RejectedLine } from './contract.ts';

type Row = RejectedLine & { file: string };

/** Replaces an earlier file. @throws as node:fs does. */
export async function openRejects(path: string) {
  const handle = await open(path, 'w', 0o600);
  // An older file keeps its own mode when it is overwritten.
  await handle.chmod(0o600);
  const isCsv = /\.csv$/i.test(path);
  if (isCsv) await handle.appendFile('file,line,reason,raw\n');
  const textOf = isCsv ? csvOf : ndjsonOf;
  return {
    add: (file: string, rejected: RejectedLine) => handle.appendFile(textOf({ ...rejected, file })),
    /** @throws where the last lines could not be written. */
    close: () => handle.close(),
  };
}

function ndjsonOf({ file, line, reason, raw }: Row): string {
  return `${JSON.stringify({ file, line, reason, raw })}\n`;
}

/** A spreadsheet opens it: text that it would run as a formula gets an apostrophe, as in published reports. */
function csvOf({ file, line, reason, raw }: Row): string {
  return csvText([[file, String(line), reason, raw].map(harmless)]);
}
