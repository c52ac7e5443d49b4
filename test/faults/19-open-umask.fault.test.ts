/** With an open umask, no file of Tieout may be readable by others. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until, type Workspace } from '../e2e/support/workspace.ts';
import { CannotInjectError, faultRow } from './harness/row.ts';
import { openScene, SCENE_DATE } from './harness/scene.ts';

const ENV = { NODE_OPTIONS: `--import ${new URL('./children/open-umask.ts', import.meta.url).href}` };

/** Everything below a folder: path and the last nine bits of its mode, in octal. */
function modes(folder: string, below = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    // A link has no mode of its own: what it points at has.
    if (entry.isSymbolicLink()) continue;
    found.set(path, (statSync(join(folder, path)).mode & 0o777).toString(8));
    if (entry.isDirectory()) for (const [deeper, mode] of modes(folder, path)) found.set(deeper, mode);
  }
  return found;
}

faultRow(
  {
    number: 19,
    fault: 'umask 000',
    how: 'every command that writes files starts with umask 000; one of the runs is killed in the middle',
    mustHold:
      'files have mode 0600, folders 0700: database, WAL, key file, reports, rejects, backups, and files that a kill left',
  },
  async (row) => {
    if (process.platform === 'win32') throw new CannotInjectError('this system has no umask');
    await using scene = await openScene({
      records: 40,
      settings: 'reports: { formats: [csv, xlsx, html, json] }\nwebhooks: { port: 0, requireSignature: false }\n',
    });
    const { place } = scene;
    // The scene's database was made under the umask of the test: it is made again.
    rmSync(place.path('var'), { recursive: true });
    const before = modes(place.folder);
    const seen = new Map<string, string>();
    const look = () => {
      for (const [path, mode] of modes(place.folder)) if (!before.has(path)) seen.set(path, mode);
    };
    const ids = [...scene.sandbox.trackedLines()].map((line) => JSON.stringify(line)).join('\n');
    const quotes = [...scene.sandbox.quoteLines()].map((line) => JSON.stringify(line)).join('\n');
    const run = async (args: readonly string[], stdin = '', codes: readonly number[] = [0, 1]) => {
      const { code, err } = await place.process(args, { stdin, env: ENV });
      expect(codes, `${args.join(' ')}: ${err}`).toContain(code);
      look();
    };
    await run(['import', '-', '--rejects', 'rejected.csv'], `${ids}\n{"kind":"purchase"}`, [0, 1, 3]);
    await run(['quotes', 'import', '-', '--rejects', 'rejected-quotes.csv'], `${quotes}\n{}`, [0, 1, 3]);
    // The fault is there: what a program under this umask makes without care is open.
    execFileSync(process.execPath, ['-e', "require('node:fs').writeFileSync('careless', '')"], {
      cwd: place.folder,
      env: { ...ENV, PATH: process.env.PATH ?? '' },
    });
    expect(modes(place.folder).get('careless')).toBe('666');
    rmSync(place.path('careless'));
    const killed = place.start(['run', '--date', SCENE_DATE], { env: ENV });
    await until('a part was asked for', () => {
      look();
      return scene.proxy.arrivals.length > 5;
    });
    killed.child.kill('SIGKILL');
    await killed.done;
    look();
    await run(['run', '--resume']);
    await run(['db', 'backup', 'backups/copy.db']);
    if (!row.isShort) {
      await run(['audit', '--from', '2026-01-01', '--to', '2027-01-01'], '', [0, 1, 3]);
      await run([
        'report',
        `nightly-${SCENE_DATE}-r1`,
        '--profile',
        'excel-eu',
        '--format',
        'csv,xlsx',
        '--out',
        'again/deep',
      ]);
      await run(['replay', `nightly-${SCENE_DATE}-r1`, '--out', 'replayed']);
      await run(['demo', '--records', '30', '--out', 'demonstration', '--no-progress'], '', [0, 1]);
    }
    await receive(place, look);
    look();
    const open = [...seen].filter(([, mode]) => mode !== '600' && mode !== '700');
    row.measured('files and folders', seen.size);
    row.measured('files and folders open to others', open.length);
    expect(seen.get('var/tieout.db')).toBe('600');
    expect([...seen.keys()].filter((path) => /\.db-(?:wal|shm)$/.test(path))).not.toEqual([]);
    expect(seen.size).toBeGreaterThan(20);
    expect(open).toEqual([]);
  },
);

/** Receives webhooks for a moment: the only command that writes without a waiting caller. */
async function receive(place: Workspace, look: () => void): Promise<void> {
  const serving = place.start(['serve'], { env: ENV });
  let told = '';
  serving.child.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  await until('it listens', () => /http:\/\/127\.0\.0\.1:\d+/.test(told));
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(told)?.[0] ?? '';
  const body = JSON.stringify({
    type: 'CREATED',
    purchase: { id: 'webhook-1', purchaseViewToken: 'tokentokentoken1' },
  });
  const answer = await fetch(`${address}/webhooks/purchases`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(answer.status).toBeLessThan(300);
  look();
  serving.child.kill('SIGTERM');
  await serving.done;
}
