/** Where a Chromium is, or how one gets onto this machine. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** What Chromium needs to run without a screen, as root, and without network access but to the tests. */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const;

export type FoundChromium = { path: string } | { missing: string };

/** @param named a path from TIEOUT_CHROMIUM, which then must be executable. */
export function findOrInstallChromium(named: string | undefined, say: (text: string) => void): FoundChromium {
  if (named !== undefined) return isProgram(named) ? { path: named } : { missing: `${named} cannot be run` };
  const found = PLACES.find(isProgram);
  if (found !== undefined) return { path: found };
  const obstacle = obstacleToInstalling();
  if (obstacle !== null) return { missing: `there is no Chromium here, and ${obstacle}` };
  say('Installing chromium with apt-get …');
  const installed = install();
  const path = PLACES.find(isProgram);
  return installed && path !== undefined
    ? { path }
    : { missing: 'there is no Chromium here, and apt-get could not install one' };
}

function obstacleToInstalling(): string | null {
  if (process.platform !== 'linux') return 'it is installed by itself on Linux only';
  if (!isProgram('/usr/bin/apt-get')) return 'this Linux has no apt-get';
  return process.getuid?.() === 0 ? null : 'only root may install one';
}

function install(): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env, timeout: 600_000 }).status === 0;
  return apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
