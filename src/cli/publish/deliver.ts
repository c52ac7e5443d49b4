/** `tieout deliver`: sends a published set to its targets, again where it was sent before. */
import { EXIT, UsageError } from '../../domain/errors.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import { runNamed } from '../runs/runs.ts';

export const register: Register = (program) => {
  command(program, 'deliver', {
    details:
      'Sends what a target lacks: first the files, then manifest.json, and latest.json last. Never changes a file that is there; sends a ' +
      'mail again. Exits with 4 if a target failed; the other targets got their files.',
    examples: ['tieout deliver nightly-2026-11-20-r1', 'tieout deliver nightly-2026-11-20-r1 --to finance'],
  })
    .argument('<run>', 'its id, as `tieout runs list` prints it')
    .option('--to <name>', 'only this target of `deliver`; repeatable', collect)
    .runsOnApp(async (app, { out }, runId, flags) => {
      const run = await runNamed(app, runId);
      if (run.publishedTo === null) throw new UsageError(`${runId} published no set, so there is nothing to deliver`);
      if (app.settings.deliver.length === 0)
        throw new UsageError(
          'deliver: the settings name no target; add one, such as { name: finance, type: folder, path: /mnt/finance }',
        );
      const { deliverSet } = await import('../../app/deliver.ts');
      const results = await deliverSet(app, run.publishedTo, flags.to);
      const words = results.map(
        ({ target, sent, problem }) =>
          `${target}: ${problem ?? (sent === 0 ? 'everything was there' : `${sent} sent`)}`,
      );
      await out.result(results, words.join('\n'));
      return results.some(({ problem }) => problem !== null) ? EXIT.unavailable : EXIT.clean;
    });
};
