/** Each test that docs/coverage-of-the-spec.md names exists, passes, and speaks of its row: runs the tests of the specification once more. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/coverage-of-the-spec.md', ROOT), 'utf8');

/** The part that lists the rows; the choices come after it. */
const ROWS = PAGE.slice(0, PAGE.indexOf('\n## Choices'));

interface VitestReport {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** Runs every other file of test/spec. Titles of the groups that a passed test stands in, by `file title`. */
async function runSpecTests(): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-coverage-'));
  const output = join(folder, 'report.json');
  const vitest = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', ROOT));
  const others = readdirSync(new URL('test/spec/', ROOT)).filter((file) => /^(?!coverage-).*\.test\.ts$/.test(file));
  const files = others.map((file) => `test/spec/${file}`);
  const flags = ['--reporter=json', `--outputFile=${output}`, '--maxWorkers=1'];
  const { VITEST: _inside, ...env } = process.env;
  // The status says whether all passed; which did is in the report.
  await promisify(execFile)(process.execPath, [vitest, 'run', ...files, ...flags], {
    cwd: fileURLToPath(ROOT),
    env,
  }).catch(() => undefined);
  const report = JSON.parse(readFileSync(output, 'utf8')) as VitestReport;
  rmSync(folder, { recursive: true });
  const passed = new Map<string, readonly string[]>();
  for (const { name, assertionResults } of report.testResults) {
    const file = name.slice(name.lastIndexOf('test/spec/'));
    for (const { ancestorTitles, title, status } of assertionResults) {
      if (status === 'passed') passed.set(`${file} ${title}`, ancestorTitles);
    }
  }
  return passed;
}

/** A row of one field (it begins with its name) has that name in the title of its test or of its group; any other row shares a word. */
function speaksOf(row: string, titles: string): boolean {
  const names = [...row.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => name.split(/[.?/ {}]/).slice(-1));
  if (/^`/.test(row)) return titles.includes(names[0] ?? row);
  const words = (row.match(/[A-Za-z]{5,}/g) ?? []).map((word) => word.replace(/s$/, ''));
  return [...names.filter((name) => name !== ''), ...words].some((word) => titles.includes(word));
}

it('every named test exists, passes, and names its row', async () => {
  const passed = await runSpecTests();
  const named = [...ROWS.matchAll(/^\| (.*)$/gm)].flatMap(([, line = '']) =>
    [...line.matchAll(/`(test\/spec\/[\w.-]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => {
      const row = line.slice(0, line.indexOf(' |'));
      return { row, file, title: title.replaceAll('\\|', '|') };
    }),
  );
  expect(named.length).toBeGreaterThan(200);
  const wanting = named.filter(({ row, file, title }) => {
    const tests = passed.get(`${file} ${title}`);
    return tests === undefined || !speaksOf(row, [...tests, title].join(' '));
  });
  expect(wanting).toEqual([]);
});
