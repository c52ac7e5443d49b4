/** What an installation has beside the program. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the package has the roles that its errors and its guide name', () => {
  const root = new URL('../..', import.meta.url);
  const said = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(said) as [{ files: { path: string }[] }];
  const docs = files.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  expect(docs).toEqual(['docs/deploy/postgresql/roles.sql']);
}, 60_000);
