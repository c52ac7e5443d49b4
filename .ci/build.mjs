/**
 * `npm run build`: compiles to `dist/`, copies the widget's page, and keeps only those declarations (.d.ts) that the library's two
 * entries reach: the others are a third of the installed files, and no program can import them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENTRIES = ['dist/src/index.d.ts', 'dist/src/app/library/plugin.d.ts'];
const WIDGET = 'src/sandbox/widget/page';

rmSync('dist', { recursive: true, force: true });
execFileSync('node_modules/.bin/tsc', ['-p', 'src/tsconfig.build.json'], { stdio: 'inherit' });
cpSync(WIDGET, join('dist', WIDGET), { recursive: true });

const reached = new Set(ENTRIES);
// The set grows meanwhile.
for (const file of reached) {
  for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'(\.[^']+)\.[jt]s'/g)) {
    reached.add(join(dirname(file), `${target}.d.ts`));
  }
}
for (const file of globSync('dist/**/*.d.ts')) if (!reached.has(file)) rmSync(file);
