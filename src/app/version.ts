/** Which code this is, as manifests, workers, logs and `--version` state it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';

/** The version of the code: raised whenever a judgement or a report may come out differently. */
export const CODE_VERSION = '0.1.0';

/** Where the code is: in a checkout and its image, and in the installed package. */
const CODE = ['src', 'jobs', 'reports', 'config', 'dist'];
const DIGITS = 12;

let known: string | null = null;
let plugins = '';

/** `0.1.0+5f3a…`: the version, and the commit of the checkout, or else the hash of what is installed; then the plugins. Read once. */
export function codeVersion(): string {
  known ??= versionOf(packageFolder());
  return `${known}${plugins}`;
}

export const hasPlugins = (): boolean => plugins !== '';

/** @param versions `name@hash` of each plugin in use */
export function usePluginVersions(versions: readonly string[]): void {
  plugins = versions.map((each) => ` ${each}`).join('');
}

/** The folder of package.json: of the checkout, or of the installed package. */
export function packageFolder(): string {
  return dirname(findPackageJSON(import.meta.url) ?? '.');
}

/** @param root the folder of package.json */
export function versionOf(root: string): string {
  return `${CODE_VERSION}+${(commitOf(root) ?? contentHashOf(root)).slice(0, DIGITS)}`;
}

/** From the files of git, which may not be installed; null where there is no checkout. */
function commitOf(root: string): string | null {
  const dotGit = join(root, '.git');
  if (!existsSync(dotGit)) return null;
  const folder = statSync(dotGit).isDirectory() ? dotGit : resolve(root, textOf(dotGit).replace('gitdir: ', ''));
  const head = textOf(join(folder, 'HEAD'));
  if (!head.startsWith('ref: ')) return head;
  const ref = head.slice('ref: '.length);
  const common = existsSync(join(folder, 'commondir')) ? resolve(folder, textOf(join(folder, 'commondir'))) : folder;
  const loose = join(common, ref);
  if (existsSync(loose)) return textOf(loose);
  const packed = join(common, 'packed-refs');
  const line = existsSync(packed)
    ? textOf(packed)
        .split('\n')
        .find((each) => each.endsWith(` ${ref}`))
    : undefined;
  return line?.split(' ')[0] ?? null;
}

const textOf = (path: string) => readFileSync(path, 'utf8').trim();

function contentHashOf(root: string): string {
  const hash = createHash('sha256');
  for (const folder of CODE.filter((each) => existsSync(join(root, each)))) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((each) => ['.ts', '.js'].includes(extname(each))).sort())
      hash.update(`${folder}/${file}\n`).update(readFileSync(join(root, folder, file)));
  }
  return hash.digest('hex');
}
