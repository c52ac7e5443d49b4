/** `tieout widget url`: the hosted URL of a widget configuration. */

import { EXIT, UsageError } from '../../domain/errors.ts';
import { expandAssets } from '../../widget/assets.ts';
import { checkWidgetConfig, sortProblems } from '../../widget/check.ts';
import { isLeftOut } from '../../widget/config.ts';
import { buildWidgetUrl } from '../../widget/url.ts';
import { command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import type { Session } from '../session.ts';
import { readAssetsFile, readWidgetInput } from './input.ts';
import { tellProblems } from './report.ts';

export const register: Register = (program) => {
  command(program, 'widget url', {
    summary: 'Build the hosted URL of a widget configuration',
    details:
      'Checks the configuration first; on errors it prints no URL and exits with 2. The parameter url, the address ' +
      'of a non-production widget, overrides --base. Without a hostApiKey, that of the settings is used.',
    examples: [
      'tieout widget url widget.yaml --base https://widget.example/',
      'tieout widget url widget.yaml --set enabledCryptoAssets=ETH_* --assets assets.json --expand',
    ],
  })
    .argument('[config]', 'JSON or YAML file, - for standard input, or a hosted URL')
    .option('--set <name=value>', 'set one parameter; repeatable', collect)
    .option('--base <url>', 'address of the widget')
    .option('--assets <file>', 'file with the output of `tieout service assets`')
    .option('--expand', 'write out CHAIN_* as the assets it stands for; needs --assets')
    .runs(async (session, source, flags) => {
      if (flags.expand && flags.assets === undefined) throw new UsageError('--expand needs --assets FILE');
      const input = await readWidgetInput(session, source, flags.set);
      const offered = flags.assets === undefined ? undefined : readAssetsFile(session, flags.assets);
      const keyed = await withHostApiKey(session, input.config);
      const check = checkWidgetConfig(keyed, { integration: 'hosted', ...offered });
      const all = sortProblems([...input.problems, ...check.errors, ...check.warnings]);
      const config = flags.expand ? expanded(keyed, offered?.assets ?? []) : keyed;
      const url = all.valid ? buildWidgetUrl(config, flags.base ?? input.baseUrl ?? undefined) : null;
      if (session.out.json) await session.out.value({ url, ...all });
      else {
        tellProblems(session, all);
        if (url !== null) await session.out.line(url);
      }
      return all.valid ? EXIT.clean : EXIT.usage;
    });
};

type Config = Readonly<Record<string, unknown>>;

/** The settings are read only where they are needed: a configuration that has its key works without any. */
async function withHostApiKey(session: Session, config: Config): Promise<Config> {
  if (!isLeftOut(config.hostApiKey)) return config;
  const { settings } = await session.settings();
  return settings.service.hostApiKey === null ? config : { ...config, hostApiKey: settings.service.hostApiKey };
}

function expanded(config: Config, assets: Parameters<typeof expandAssets>[1]): Config {
  const lists = ['enabledCryptoAssets', 'swapAsset', 'offrampAsset'] as const;
  const entries = lists.flatMap((name) => {
    const list = config[name];
    // A blank list means all assets already, and says so in fewer letters.
    if (isLeftOut(list) || (typeof list !== 'string' && !Array.isArray(list))) return [];
    const { assets: named, unknown } = expandAssets(list, assets);
    return [[name, [...named, ...unknown].join(',')] as const];
  });
  return { ...config, ...Object.fromEntries(entries) };
}
