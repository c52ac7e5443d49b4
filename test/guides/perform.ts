/**
 * Performs the examples of guides in a copy of the tree. The steps are in the guides themselves, as code blocks:
 *
 * - `ts`: a new file. Its path is the block's first line (`// reports/refunds.ts`) or stands in the heading above.
 * - `diff`: an edit of one file, its path in the same places. Lines begin with a blank, `+` or `-`; a line `…` skips text.
 * - `sh`: the commands of the guide; every one must succeed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Performed {
  /** Paths from the root. */
  created: string[];
  edited: string[];
  /** As the guide has them, but for `&&`. */
  commands: string[];
}

interface Block {
  language: string;
  path: string | null;
  lines: string[];
}

/**
 * Writes the files of a guide into the copy.
 * @param guide `docs/contributing/adding-a-report.md`. @throws Error for a step that does not fit the tree.
 */
export function performGuide(guide: string, copy: string): Performed {
  const done: Performed = { created: [], edited: [], commands: [] };
  for (const block of blocksOf(readFileSync(join(ROOT, guide), 'utf8'))) perform(block, copy, done);
  return done;
}

/** Tracked files and new ones, as they are now. */
export function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'tieout-guides-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of listed.toString().split('\0')) {
    if (path !== '' && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(copy, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @throws Error for a step without a path. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let inHeading: string | null = null;
  let block: Block | null = null;
  for (const line of text.split('\n')) {
    if (block === null) {
      if (line.startsWith('#')) inHeading = /`([\w./-]+\/[\w.-]+\.\w+)`/.exec(line)?.[1] ?? null;
      const language = /^```(ts|diff|sh)$/.exec(line)?.[1];
      if (language !== undefined) block = { language, path: inHeading, lines: [] };
    } else if (line === '```') {
      blocks.push(withOwnPath(block));
      block = null;
    } else {
      block.lines.push(line);
    }
  }
  return blocks;
}

function withOwnPath({ language, path, lines }: Block): Block {
  const own = /^\/\/ ([\w./-]+)$/.exec(lines[0] ?? '')?.[1];
  return own === undefined ? { language, path, lines } : { language, path: own, lines: lines.slice(1) };
}

function perform({ language, path, lines }: Block, copy: string, done: Performed): void {
  if (language === 'sh') {
    done.commands.push(...lines.flatMap((line) => line.split(' && ')));
    return;
  }
  if (path === null) throw new Error(`a ${language} block names no file: ${lines[0]}`);
  const file = join(copy, path);
  if (language === 'ts') {
    if (existsSync(file)) throw new Error(`${path} exists already`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
    done.created.push(path);
    return;
  }
  writeFileSync(file, edited(path, readFileSync(file, 'utf8'), lines));
  done.edited.push(path);
}

/** @throws Error where the lines before the edit are not in the file, or are in it twice. */
function edited(path: string, text: string, lines: readonly string[]): string {
  let result = text;
  for (const hunk of lines.join('\n').split(/^…$/m)) {
    const steps = hunk.split('\n').filter((line) => line !== '');
    const side = (sign: string) =>
      steps.flatMap((line) => (line[0] === ' ' || line[0] === sign ? [`${line.slice(1)}\n`] : [])).join('');
    const [before, after] = [side('-'), side('+')];
    const at = result.indexOf(before);
    if (at < 0 || result.includes(before, at + 1)) throw new Error(`${path} does not have exactly once:\n${before}`);
    result = result.slice(0, at) + after + result.slice(at + before.length);
  }
  return result;
}

/** Runs a command of a guide in the copy; returns its output. @throws Error with the output of one that fails. */
export function run(command: string, cwd: string): string {
  const path = `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command.replace(/^npx /, '')], {
    cwd,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
  });
  const output = `${stdout}${stderr}`;
  if (status !== 0) throw new Error(`${command}: ${status}\n${output}`);
  return output;
}
