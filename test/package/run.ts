/**
 * `npm run test:package [-- MAJOR…]`: packs Tieout, installs the package into an empty folder under each Node, and uses it
 * there as its users do: the command, the demo, the library with its types, every code block of the documents. Needs the npm registry.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everyBlock, recipes } from './blocks.ts';
import { stranger } from './stranger.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAJORS = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['22', '24', '26'];
/** The oldest major that runs Tieout: `engines` of package.json. An older one must be refused. */
const OLDEST = 24;

/** Of an installation without optional packages, blocks of the disk counted. */
const MOST_MIB = 120;

/** What a user writes: every function of the library once, typed. */
const PROGRAM = `
import { buildWidgetUrl, createServiceClient, reconcile, verifyWebhook, type Reconciliation } from 'tieout';
const url: string = buildWidgetUrl({ hostAppName: 'App' }, 'https://widget.example/');
const genuine: boolean = verifyWebhook('{}', 'MAA=', []);
const refused = await createServiceClient({ settings: {} }).then(() => '', (error: Error) => error.name);
const run: (options: Parameters<typeof reconcile>[0]) => Promise<Reconciliation> = reconcile;
console.log(JSON.stringify({ url, genuine, refused, run: typeof run }));
`;
const SAID =
  '{"url":"https://widget.example/?hostAppName=App","genuine":false,"refused":"ServiceNotConfiguredError","run":"function"}';

const work = mkdtempSync(join(tmpdir(), 'tieout-package-'));
try {
  const tarball = pack();
  for (const major of MAJORS) await use(major, tarball);
  console.log(`The package installs under Node ${MAJORS.join(', ')}, and runs from Node ${OLDEST} on.`);
  const report = process.env.TIEOUT_TEST_REPORT;
  // The packing, and each Node.
  if (report !== undefined) writeFileSync(report, JSON.stringify({ passed: 1 + MAJORS.length, failed: 0 }));
} finally {
  rmSync(work, { recursive: true, force: true });
}

function pack(): string {
  npm(['pack', '--silent', '--pack-destination', work], ROOT);
  const name = readdirSync(work).find((each) => each.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack made no package');
  const said = execFileSync(join(ROOT, 'node_modules/.bin/publint'), [join(work, name), '--strict'], {
    encoding: 'utf8',
  });
  console.log(`packed ${name}; publint: ${said.trim().split('\n').at(-1)}`);
  return join(work, name);
}

async function use(major: string, tarball: string): Promise<void> {
  // A name that addresses would read otherwise.
  const folder = join(work, `node ${major} #1 %41`);
  mkdirSync(folder);
  // Outside of the sources: "moduleResolution" finds the types that the package ships, and nothing else.
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "empty", "private": true, "type": "module", "allowScripts": { "node": true } }',
  );
  npm(['install', '--silent', '--save-exact', tarball], folder);
  const size = Number(execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }).split('\t')[0]);
  if (size >= MOST_MIB) throw new Error(`the installation takes ${size} MiB, and at most ${MOST_MIB} are allowed`);
  npm(['install', '--silent', '--save-exact', `node@${major}`], folder);
  const node = join(folder, 'node_modules/.bin/node');
  const run = (args: readonly string[]) =>
    execFileSync(node, args, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } });
  const version = run(['--version']).trim();
  if (!version.startsWith(`v${major}.`)) throw new Error(`asked for Node ${major}, got ${version}`);
  const command = 'node_modules/tieout/src/cli/tieout.js';
  if (Number(major) < OLDEST) {
    const refused = spawnSync(node, [command, '--version'], { cwd: folder, encoding: 'utf8', timeout: 20_000 });
    if (refused.status !== 2 || !refused.stderr.includes(`needs Node ${OLDEST} or newer`)) {
      throw new Error(`Node ${version} ended with ${refused.status}, and said: ${refused.stderr}`);
    }
    console.log(`Node ${version}: installed, and refused in one sentence`);
    return;
  }
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  mustBe('tieout --version', run([command, '--version']).trim().split('+')[0] ?? '', own.version);
  const demo = run([command, 'demo', '--records', '400', '--defects', '0.1', '--json']);
  const { injected, found, false_alarms: falseAlarms } = JSON.parse(demo) as Record<string, number>;
  if (injected === 0 || found !== injected || falseAlarms !== 0) throw new Error(`the demo went wrong: ${demo}`);
  writeFileSync(join(folder, 'program.mts'), PROGRAM);
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--strict',
    '--skipLibCheck',
    '--types',
    'node',
    '--typeRoots',
    join(ROOT, 'node_modules/@types'),
  ];
  execFileSync(compiler, [...options, 'program.mts'], { cwd: folder, stdio: 'inherit' });
  mustBe('the library', run(['program.mjs']).trim(), SAID);
  if (!existsSync(join(folder, 'out'))) throw new Error('the demo left no reports');
  if (Number(major) === OLDEST) {
    console.log(await stranger(folder, node));
    // The tutorial's page of a night needs what only some deployments install.
    npm(['install', '--silent', 'echarts@6'], folder);
    const demo = join(folder, 'recipes');
    mkdirSync(demo);
    execFileSync(node, [join(folder, command), 'demo', '--out', 'out'], { cwd: demo, stdio: 'ignore' });
    npm(['ci', '--silent'], join(ROOT, 'bench/duckdb'));
    console.log(recipes(demo, node, join(ROOT, 'bench/duckdb/node_modules/@duckdb/node-api/lib/index.js')));
    console.log(await everyBlock(folder, node));
  }
  console.log(`Node ${version}: installed, ${size} MiB, demo ${found} of ${injected} found, library typed and used`);
}

function npm(args: readonly string[], cwd: string): void {
  execFileSync('npm', [...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

function mustBe(what: string, seen: string, expected: string): void {
  if (seen !== expected) throw new Error(`${what} said ${seen}, not ${expected}`);
}
