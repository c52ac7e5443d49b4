/** `tieout widget migrate`: deprecated parameters and values become present ones. */

import { EXIT } from '../../domain/errors.ts';
import { migrateWidgetConfig } from '../../widget/migrate.ts';
import { buildWidgetUrl } from '../../widget/url.ts';
import { command, type Register } from '../context.ts';
import { collect, readAssetsFile, readWidgetInput } from './input.ts';
import { tellNotes } from './report.ts';

interface MigrateFlags {
  set: readonly string[];
  assets?: string;
}

export const register: Register = (program, context) => {
  command(program, 'widget migrate', {
    summary: 'Modernise a widget configuration',
    details:
      'Prints the configuration as JSON, or as a URL where a URL was given; what was changed and why goes to standard error.\n' +
      'A note that begins with "look" changes what some users see. Exits with 2 where something could not be migrated.',
    examples: [
      'tieout widget migrate widget.json > widget-new.json',
      "tieout widget migrate 'https://widget.example/?swapAsset=ETH_*&fiatCurrency=EUR&fiatValue=50'",
    ],
  })
    .argument('[config]', 'JSON or YAML file, - for standard input, or a hosted URL')
    .option('--set <name=value>', 'sets one parameter; may be given often', collect, [])
    .option('--assets <file>', 'an assets response; with it bare symbols get their chain')
    .action((source: string | undefined, flags: MigrateFlags, self) =>
      context.run(self, async (session) => {
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
      }),
    );
};
