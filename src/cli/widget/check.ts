/** `tieout widget check`: lists every problem of a widget configuration. */

import { EXIT } from '../../domain/errors.ts';
import { checkWidgetConfig, sortProblems } from '../../widget/check.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import { readAssetsFile, readWidgetInput } from './input.ts';
import { printProblems } from './report.ts';

export const register: Register = (program) => {
  command(program, 'widget check', {
    summary: 'List every problem of a widget configuration',
    details:
      'Exits with 2 on errors; warnings alone exit with 0. With --assets, checks assets and amounts against the ' +
      'offer of the Service. Sends nothing.',
    examples: [
      'tieout widget check widget.yaml',
      "tieout widget check 'https://widget.example/?hostAppName=App&inAsset=EUR&inAssetValue=50'",
      'tieout widget check widget.json --set variant=embedded-mobile --assets assets.json --json',
    ],
  })
    .argument('[config]', 'JSON or YAML file, - for standard input, or a hosted URL')
    .option('--set <name=value>', 'set one parameter; repeatable', collect)
    .option('--assets <file>', 'file with the output of `tieout service assets`')
    .choice('--integration <how>', 'how the widget is shown', ['hosted', 'embedded'])
    .runs(async (session, source, flags) => {
      const input = await readWidgetInput(session, source, flags.set);
      const check = checkWidgetConfig(input.config, {
        integration: flags.integration ?? (input.baseUrl === null ? undefined : 'hosted'),
        ...(flags.assets === undefined ? {} : readAssetsFile(session, flags.assets)),
      });
      const all = sortProblems([...input.problems, ...check.errors, ...check.warnings]);
      if (session.out.json) await session.out.value(all);
      else await printProblems(session, all);
      return all.valid ? EXIT.clean : EXIT.usage;
    });
};
