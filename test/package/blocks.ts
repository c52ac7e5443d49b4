/**
 * Every code block of the pages that users follow, run as it stands, in a clean folder for each page with the packed program installed.
 *
 * - `sh` blocks of a page run one after another in one shell. A command fails that ends with 2 or more: 0 and 1 (open breaks) are results.
 * - ```sh keeps-running``` is a program that stays in the foreground: it is stopped once it says that it is ready.
 * - ```sh not-run: REASON``` cannot run on a bare machine, and says why.
 * - A block with a name of a file (```yaml prices.yaml```) is written as that file first.
 * - `ts` blocks are compiled with strict types, `js` ones parsed, `sql` ones run by DuckDB, `python` ones by a Python that has pandas.
 *
 * What stands for something of the reader's own is replaced: the address of the Service, a folder for backups, RUN and ID.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PORT = 4481;
const ORIGIN = `http://127.0.0.1:${PORT}`;
/** Blocks that are not run, at most: the others must stay many more. */
const MOST_NOT_RUN = 12;
const MINUTES = 4;
const PAGES = [
  'README.md',
  ...globSync(['docs/tutorial/*.md', 'docs/how-to/*.md', 'docs/reference/*.md', 'examples/*/README.md'], { cwd: ROOT }),
];

interface Block {
  language: string;
  /** What follows the language on the opening line. */
  info: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```([a-z]+)(?: ([^\n]*))?\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', info = '', body = '']) => ({
      language,
      info,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** What a page has before its first block: settings of the sandbox and its lines; a night, where the page works on one. */
const PRELUDE = `
printf 'service: { url: "${ORIGIN}/api", rateLimits: off }\\n' > tieout.yaml
cp ../ids.csv ../quotes.ndjson . && cp tieout.yaml looser.yaml && mkdir -p inbox backup && cp ids.csv inbox
curl -s ${ORIGIN}/sandbox/webhook-key > service-key.pem
if grep -q 'tieout init' blocks.sh; then rm tieout.yaml
elif grep -q -e '\\bRUN\\b' -e '\\bID\\b' blocks.sh && ! grep -q 'tieout import\\|sandbox --records' blocks.sh; then
  npx tieout import ids.csv && npx tieout quotes import quotes.ndjson
  npx tieout run reference-data && npx tieout run
fi >/dev/null
`;

/** Before each command that names them. */
const RUN =
  'npx tieout runs list --json | node -p "JSON.parse(fs.readFileSync(0)).runs.find(({ job }) => job === \'nightly\').run_id"';
const ID = 'npx tieout breaks list --json | node -p "JSON.parse(fs.readFileSync(0)).breaks[0].break_id.slice(0, 12)"';

function asRun(text: string): string {
  return text
    .replaceAll('https://service.example/api', `${ORIGIN}/api`)
    .replaceAll('/backup/', 'backup/')
    .replaceAll(/\bRUN\b/g, `"$(${RUN})"`)
    .replaceAll(/\bID\b/g, `"$(${ID})"`);
}

/** A program in the foreground: started, waited for, stopped. Its address stays taken for the blocks that follow. */
function staying(text: string): string {
  const lines = asRun(text).trim().split('\n');
  return [
    ...lines.slice(0, -1),
    `${lines.at(-1)?.replace(/#.*/, '')} > staying.log 2>&1 &`,
    "for second in $(seq 300); do grep -sqE 'Ctrl-C|Listening|sign-in' staying.log && break; kill -0 $! || break; sleep 1; done",
    "grep -E 'Ctrl-C|Listening|sign-in' staying.log > /dev/null || { cat staying.log >&2; exit 9; }",
    '',
  ].join('\n');
}

/** @param folder with the package installed @throws Error that names the page and the line */
export async function everyBlock(folder: string, node: string, pages = PAGES): Promise<string> {
  const program = join(folder, 'node_modules/tieout/src/cli/tieout.js');
  for (const taken of [4010, 8080]) {
    const isTaken = await fetch(`http://127.0.0.1:${taken}`).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new Error(`the documents' port ${taken} is taken on this machine`);
  }
  const home = join(folder, 'pages');
  mkdirSync(home);
  const path = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`;
  const sandbox = spawn(
    node,
    [program, 'sandbox', '--records', '12', '--defects', '0.4', '--rate-limit', 'off', '--port', String(PORT)],
    {
      cwd: home,
      stdio: 'ignore',
    },
  );
  const counts = { run: 0, notRun: 0, compiled: 0 };
  try {
    await until(`${ORIGIN}/sandbox/stats`);
    for (const [name, at] of [
      ['ids.csv', 'tracked'],
      ['quotes.ndjson', 'quotes'],
    ] as const) {
      writeFileSync(join(home, name), await (await fetch(`${ORIGIN}/sandbox/${at}`)).text());
    }
    for (const page of pages) {
      const blocks = blocksOf(page);
      const here = join(home, page.replaceAll(/[^A-Za-z]/g, '-'));
      mkdirSync(here);
      if (page.startsWith('examples/')) cpSync(join(ROOT, page, '..'), here, { recursive: true });
      symlinkSync(join(folder, 'node_modules'), join(here, 'node_modules'));
      compile(page, blocks, here, node);
      counts.compiled += blocks.filter(({ language }) => /^[jt]s$/.test(language)).length;
      const shell = blocks.filter(({ language }) => language === 'sh');
      counts.notRun += shell.filter(({ info }) => info.startsWith('not-run: ')).length;
      const runs = shell.filter(({ info }) => !info.startsWith('not-run: '));
      if (runs.length === 0) continue;
      const unknown = runs.find(({ info }) => info !== '' && info !== 'keeps-running');
      if (unknown !== undefined) throw new Error(`${page}: a shell block is marked ${unknown.info}`);
      writeFileSync(join(here, 'blocks.sh'), runs.map(({ text }) => text).join(''));
      const files = blocks.filter(({ info }) => /^[\w-]+\.[a-z]+$/.test(info));
      const script = [
        // The package is there already.
        'npm() { :; }; set -m -o pipefail',
        "trap 'for job in $(jobs -p); do kill -- -$job; done 2>/dev/null' EXIT",
        PRELUDE,
        ...files.map(
          ({ info, text }) =>
            `cat > ${info} <<'BLOCK'\n${info === 'ids.csv' || info === 'quotes.ndjson' ? readFileSync(join(home, info), 'utf8') : asRun(text)}BLOCK`,
        ),
        'trap \'code=$?; if [ $code -ge 2 ]; then echo "$BASH_COMMAND: $code" >&2; exit $code; fi\' ERR',
        // What an earlier block started may not listen yet.
        'curl() { command curl --retry 30 --retry-connrefused --retry-delay 1 "$@"; }',
        ...runs.map(({ info, text }) => (info === '' ? asRun(text) : staying(text))),
        'exit 0',
      ].join('\n');
      const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
        cwd: here,
        env: { PATH: path, HOME: home },
        encoding: 'utf8',
        timeout: MINUTES * 60_000,
        input: '',
      });
      if (status !== 0) throw new Error(`${page} ended with ${status}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`);
      counts.run += runs.length;
    }
    if (counts.notRun > MOST_NOT_RUN) throw new Error(`${counts.notRun} blocks are not run; at most ${MOST_NOT_RUN}`);
  } finally {
    sandbox.kill();
  }
  return `${counts.run} shell blocks ran (${counts.notRun} need more than a bare machine), ${counts.compiled} blocks of code compiled`;
}

function compile(page: string, blocks: readonly Block[], here: string, node: string): void {
  const files = blocks.flatMap(({ language, text }, n) => {
    if (language !== 'ts' && language !== 'js') return [];
    const file = join(here, `block-${n}.${language === 'ts' ? 'mts' : 'mjs'}`);
    writeFileSync(file, text);
    if (language === 'js') execFileSync(node, ['--check', file], { stdio: 'inherit' });
    return language === 'ts' ? [file] : [];
  });
  if (files.length === 0) return;
  const options = '--noEmit --module nodenext --target es2024 --strict --skipLibCheck --types node --typeRoots'.split(
    ' ',
  );
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, [...options, join(ROOT, 'node_modules/@types'), ...files], {
    cwd: here,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${page}: ${stdout.replaceAll(`${here}/`, '')}`);
}

interface Stakes {
  money_at_stake: { currency: string; bearer: string; total: string }[];
}

/** The recipes of docs/how-to/analysing.md, over reports of the demo; and the example of the README is one of them. @param demo with `out/latest` */
export function recipes(demo: string, node: string, duckdb: string): string {
  const [sql, python] = ['sql', 'python'].map(
    (wanted) => blocksOf('docs/how-to/analysing.md').find(({ language }) => language === wanted)?.text ?? '',
  );
  const query = `const { DuckDBInstance } = await import(${JSON.stringify(duckdb)});
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    console.log(JSON.stringify((await connection.runAndReadAll(${JSON.stringify(sql)})).getRowsJson()));`;
  const rows = JSON.parse(
    execFileSync(node, ['--input-type=module', '-e', query], { cwd: demo, encoding: 'utf8' }),
  ) as unknown[][];
  const stakes = (JSON.parse(readFileSync(join(demo, 'out/latest/manifest.json'), 'utf8')) as Stakes).money_at_stake;
  const isUser = ({ currency, bearer }: Stakes['money_at_stake'][number]) => currency === 'EUR' && bearer === 'user';
  const euros = Number(stakes.find(isUser)?.total).toFixed(6);
  const sums = rows.map(([currency, bearer, , sum]) => `${currency} ${bearer} ${Number(sum).toFixed(6)}`);
  if (!sums.includes(`EUR user ${euros}`)) throw new Error(`DuckDB sums ${sums.join(', ')}, and not ${euros} EUR`);
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, record = '', more = ''] = /^\| FEE_APPLIED_DIFFERS \| (\S+) \| \S+ \| \S+ \| (\S+) \|/m.exec(readme) ?? [];
  const breaks = readFileSync(join(demo, 'out/latest/breaks.csv'), 'utf8').split('\n');
  const records = readFileSync(join(demo, 'out/latest/records.csv'), 'utf8').split('\n');
  // The fee and its quote move with the day's prices; their difference is planted.
  const ofIt = breaks.find((line) => line.includes(`,${record},`) && line.includes(',FEE_APPLIED_DIFFERS,'));
  const difference = Number(/: (\S+) EUR more \(/.exec(ofIt ?? '')?.[1]).toFixed(2);
  if (difference !== more || !records.some((line) => line.includes(`,${record},`) && line.includes(',RELEASED,')))
    throw new Error(`README.md shows ${record} with ${more} EUR too much, and the demo does not: ${ofIt}`);
  const withPandas = ['python3', '/usr/bin/python3'].find(
    (each) => spawnSync(each, ['-c', 'import pandas']).status === 0,
  );
  if (withPandas === undefined) return `DuckDB read ${rows.length} rows; pandas is not installed`;
  const said = execFileSync(withPandas, ['-c', python ?? ''], { cwd: demo, encoding: 'utf8' });
  if (!said.includes(stakes.find(isUser)?.total ?? 'no total'))
    throw new Error(`pandas does not sum ${euros} EUR: ${said}`);
  return `DuckDB and pandas read ${basename(demo)}/out/latest as docs/how-to/analysing.md says`;
}

async function until(address: string): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if (
      await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${address} does not answer`);
}
