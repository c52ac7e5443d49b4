/** A golden file that is nearly another one: `publish/excel/manifest.json.differs` has the lines that `publish/standard` has otherwise. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The other lines, each behind its number; null where another number of lines says it better whole. */
export function differences(text: string, standard: string): string | null {
  const [lines, others] = [text.split('\n'), standard.split('\n')];
  if (lines.length !== others.length) return null;
  return lines.flatMap((line, i) => (line === others[i] ? [] : [`${i + 1} ${line}\n`])).join('');
}

/** The file that a golden folder stands for. */
export function readGolden(folder: string, file: string): Buffer {
  const path = join(folder, file);
  if (existsSync(path)) return readFileSync(path);
  const lines = readFileSync(join(dirname(folder), 'standard', file), 'utf8').split('\n');
  const differs = existsSync(`${path}.differs`) ? readFileSync(`${path}.differs`, 'utf8') : '';
  for (const [, number, line = ''] of differs.matchAll(/^(\d+) (.*)$/gm)) lines[Number(number) - 1] = line;
  return Buffer.from(lines.join('\n'));
}
