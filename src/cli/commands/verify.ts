/** `tieout verify`: re-hashes, re-parses and re-totals published sets, and checks the chain of manifests. */
import { command, type Register } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { count } from '../run-report.ts';

export const register: Register = (program, context) => {
  command(program, 'verify', {
    summary: 'Check published report sets: hashes, rows, totals, footing and the chain of manifests',
    details:
      'A folder is one set, one business date, or the whole out folder. Exits with 1 when anything does not hold.',
    examples: ['tieout verify out/latest', 'tieout verify out'],
  })
    .argument('<dir...>', 'folders to verify')
    .action((folders: string[], _flags: unknown, self) =>
      context.run(self, async ({ out }) => {
        const { verifySets } = await import('../../publish/verify.ts');
        const sets = await verifySets(folders);
        const bad = sets.filter(({ problems }) => problems.length > 0);
        if (out.json) await out.value(sets);
        else {
          for (const { path, files, rows, problems } of sets) {
            if (problems.length === 0)
              await out.line(`${out.paint('green', 'holds')}  ${path}: ${files} files, ${count(rows)} rows`);
            else {
              await out.line(`${out.paint('red', 'FAILS')}  ${path}`);
              for (const problem of problems) await out.line(`       ${problem}`);
            }
          }
          if (bad.length > 0)
            await out.line(
              '\nA set that fails was changed after it was published. Restore it from a backup, or render the run again: tieout report RUN',
            );
        }
        return bad.length > 0 ? EXIT.breaks : EXIT.clean;
      }),
    );
};
