/** Prints a year, as docs/explanation/capacity.md has it. */
import type { Lived } from './live-a-year.ts';
import { totalOf } from './sizes.ts';

const kilo = (bytes: number) => `${Math.round(bytes / 1000).toLocaleString('en')} KB`;

export function print(store: string, { costs, sizes, months, archives, deleted }: Lived, seconds: number): void {
  const total = totalOf(sizes);
  const lines = [
    `${store}: ${Math.round(seconds)} s, ${kilo(total)}`,
    `bytes: ${JSON.stringify(costs)}`,
    `deleted: ${JSON.stringify(deleted)}`,
    `at the end of each month: ${months.map(kilo).join(', ')}`,
    ...archives.map(({ file, bytes, runs, replayed }) => `${file}: ${kilo(bytes)}, ${runs} runs, ${replayed} replayed`),
    '| table | rows | bytes | a row |',
    '|---|---:|---:|---:|',
    ...sizes
      .filter(({ bytes }) => bytes > total / 1000)
      .map(
        ({ table, rows, bytes }) =>
          `| \`${table}\` | ${rows.toLocaleString('en')} | ${kilo(bytes)} | ${rows === 0 ? '' : Math.round(bytes / rows)} |`,
      ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
