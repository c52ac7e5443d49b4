/** `tieout widget migrate`: replaces deprecated parameters and values. */

import { EXIT } from '../../domain/errors.ts';
import { migrateWidgetConfig } from '../../widget/migrate.ts';
import { buildWidgetUrl } from '../../widget/url.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import { readAssetsFile, readWidgetInput } from './input.ts';
import { tellNotes } from './report.ts';

export const register: Register = (program) => {
  command(program, 'widget migrate', {
    summary: 'Replace the deprecated parameters of a widget configuration',
    details:
      'Prints the configuration as JSON, or as a URL if it was given as one; the changes with their reasons go to ' +
      'standard error. A note that begins with "look" changes what some users see. With --assets, bare symbols get ' +
      'their chain. Exits with 2 if a parameter could not be migrated.',
    examples: [
      'tieout widget migrate widget.json > widget-new.json',
      "tieout widget migrate 'https://widget.example/?swapAsset=ETH_*&fiatCurrency=EUR&fiatValue=50'",
    ],
  })
    .argument('[config]', 'JSON or YAML file, - for standard input, or a hosted URL')
    .option('--set <name=value>', 'set one parameter; repeatable', collect)
    .option('--assets <file>', 'file with the output of `tieout service assets`')
    .runs(async (session, source, flags) => {
      const input = await readWidgetInput(session, source, flags.set);
      const assets = flags.assets === undefined ? undefined : readAssetsFile(session, flags.assets).assets;
      const { config, notes } = migrateWidgetConfig(input.config, { assets });
      const url = input.baseUrl === null ? null : buildWidgetUrl(config, input.baseUrl);
      if (session.out.json) await session.out.value({ config, url, notes });
      else {
        tellNotes(session, notes);
        if (url === null) await session.out.value(config);
        else await session.out.line(url);
      }
      return notes.some(({ action }) => action === 'kept') ? EXIT.usage : EXIT.clean;
    });
};
