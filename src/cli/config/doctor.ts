/** `tieout doctor`: checks everything that a run needs, and says what to mend. */
import { EXIT } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';

export const register: Register = (program) => {
  command(program, 'doctor', {
    details:
      'Sends up to four requests to the Service (its currencies, one record, its assets and one quote), which count ' +
      'against the limits, and reads every source without storing anything. Exits with 4 if a check fails, and with 2 if ' +
      'a setting is wrong or missing.',
    examples: ['tieout doctor', 'tieout doctor --json'],
  })
    .option('--offline', 'send nothing')
    .runsOnApp(async (app, { out }, flags) => {
      const { checksOf } = await import('../../app/doctor.ts');
      const checks = await checksOf(app, { offline: flags.offline === true });
      const colours = { ok: 'green', note: 'yellow', wrong: 'red' } as const;
      const lines = checks.map(
        ({ what, state, says }) => `${out.paint(colours[state], state.padEnd(5))}  ${what.padEnd(14)}  ${says}`,
      );
      await out.result(
        checks.map(({ what, state, says }) => ({ what, state, says })),
        lines.join('\n'),
      );
      if (checks.some(({ isSetting }) => isSetting)) return EXIT.usage;
      return checks.some(({ state }) => state === 'wrong') ? EXIT.unavailable : EXIT.clean;
    });
};
