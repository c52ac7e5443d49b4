/** `tieout db check`: finds rows that were changed outside Tieout. */

import { EXIT } from '../../domain/errors.ts';
import { count } from '../../text/counts.ts';
import { command, type Register } from '../context.ts';

export const register: Register = (program) => {
  command(program, 'db check', {
    summary: 'Find rows of the database that were changed outside Tieout',
    details:
      'Compares figures with their keyed digests, breaks with their histories, findings, decisions and reviews with ' +
      "their keyed seals, and closed months with their sealed sets; checks the file's integrity. Exits with 1 if a " +
      'check fails. Figures stored before digests were introduced are counted as unchecked.',
    examples: ['tieout db check', 'tieout db check --json'],
  }).runs(async (session) => {
    const [{ periodEdges }, { problemsOfSet }] = await Promise.all([
      import('../../app/periods.ts'),
      import('../../periods/status.ts'),
    ]);
    const app = await session.app();
    const { integrity } = await app.upkeep.status();
    const { checked, unchecked, problems: rows } = await app.upkeep.check();
    const problems = [...(integrity === 'ok' ? [] : [`integrity: ${integrity}`]), ...rows];
    for (const { period } of await app.store.periods.list()) {
      problems.push(...(await problemsOfSet(periodEdges(app), await app.store.periods.statements(period))));
    }
    const { out } = session;
    if (out.json) await out.value({ checked, unchecked, problems });
    else {
      for (const problem of problems) await out.line(problem);
      await out.line(
        `${count(checked)} bodies checked, ${count(unchecked)} without a digest; ${count(problems.length)} problems`,
      );
    }
    return problems.length > 0 ? EXIT.breaks : EXIT.clean;
  });
};
