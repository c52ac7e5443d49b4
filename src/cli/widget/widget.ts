/** `tieout widget url|check|migrate`: the hosted URL of a configuration, its problems, its present form. */
import { EXIT, UsageError } from '../../domain/errors.ts';
import { counted } from '../../text/counts.ts';
import { expandAssets } from '../../widget/assets.ts';
import type { WidgetCheck } from '../../widget/check.ts';
import { checkWidgetConfig, sortProblems } from '../../widget/check.ts';
import { isLeftOut } from '../../widget/config.ts';
import { migrateWidgetConfig } from '../../widget/migrate.ts';
import type { WidgetProblem } from '../../widget/problems.ts';
import { buildWidgetUrl } from '../../widget/url.ts';
import { type CliCommand, type CommandText, command, type Register } from '../context.ts';
import { collect } from '../flags.ts';
import type { Session } from '../session.ts';
import { readAssetsFile, readWidgetInput } from './input.ts';

export const register: Register = (program) => {
  ofConfig(program, 'widget url', {
    summary: 'Build the hosted URL of a widget configuration',
    details:
      'Checks the configuration first; on errors it prints no URL and exits with 2. The parameter url, the address ' +
      'of a non-production widget, overrides --base. Without a hostApiKey, that of the settings is used.',
    examples: [
      'tieout widget url widget.yaml --base https://widget.example/',
      'tieout widget url widget.yaml --set enabledCryptoAssets=ETH_* --assets assets.json --expand',
    ],
  })
    .option('--base <url>', 'address of the widget')
    .option('--expand', 'write out CHAIN_* as the assets it stands for; needs --assets')
    .runs(async (session, source, flags) => {
      if (flags.expand && flags.assets === undefined) throw new UsageError('--expand needs --assets FILE');
      const input = await readWidgetInput(session, source, flags.set);
      const offered = flags.assets === undefined ? undefined : readAssetsFile(flags.assets);
      const keyed = await withHostApiKey(session, input.config);
      const check = checkWidgetConfig(keyed, { integration: 'hosted', ...offered });
      const all = sortProblems([...input.problems, ...check.errors, ...check.warnings]);
      const config = flags.expand ? expanded(keyed, offered?.assets ?? []) : keyed;
      const url = all.valid ? buildWidgetUrl(config, flags.base ?? input.baseUrl ?? undefined) : null;
      if (session.out.json) await session.out.value({ url, ...all });
      else {
        // On standard error, because the data is the URL or the configuration.
        for (const problem of [...all.errors, ...all.warnings]) {
          const { severity, code, parameter } = problem;
          session.screen.write(`${severity} ${code} ${parameter}: ${sentence(problem)}\n`);
        }
        if (url !== null) await session.out.line(url);
      }
      return all.valid ? EXIT.clean : EXIT.usage;
    });

  ofConfig(program, 'widget check', {
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
    .choice('--integration <how>', 'how the widget is shown', ['hosted', 'embedded'])
    .runs(async (session, source, flags) => {
      const input = await readWidgetInput(session, source, flags.set);
      const check = checkWidgetConfig(input.config, {
        integration: flags.integration ?? (input.baseUrl === null ? undefined : 'hosted'),
        ...(flags.assets === undefined ? {} : readAssetsFile(flags.assets)),
      });
      const all = sortProblems([...input.problems, ...check.errors, ...check.warnings]);
      if (session.out.json) await session.out.value(all);
      else await printProblems(session, all);
      return all.valid ? EXIT.clean : EXIT.usage;
    });

  ofConfig(program, 'widget migrate', {
    summary: 'Replace the deprecated parameters of a widget configuration',
    details:
      'Prints the configuration as JSON, or as a URL if it was given as one; the changes with their reasons go to ' +
      'standard error. A note that begins with "look" changes what some users see. With --assets, bare symbols get ' +
      'their chain. Exits with 2 if a parameter could not be migrated.',
    examples: [
      'tieout widget migrate widget.json > widget-new.json',
      "tieout widget migrate 'https://widget.example/?swapAsset=ETH_*&fiatCurrency=EUR&fiatValue=50'",
    ],
  }).runs(async (session, source, flags) => {
    const input = await readWidgetInput(session, source, flags.set);
    const assets = flags.assets === undefined ? undefined : readAssetsFile(flags.assets).assets;
    const { config, notes } = migrateWidgetConfig(input.config, { assets });
    const url = input.baseUrl === null ? null : buildWidgetUrl(config, input.baseUrl);
    if (session.out.json) await session.out.value({ config, url, notes });
    else {
      for (const { action, parameter, value, to, why, attention } of notes) {
        const target = to === null ? '' : ` → ${to.parameter}=${to.value}`;
        session.screen.write(`${attention ? 'look ' : ''}${action} ${parameter}=${value}${target}: ${why}\n`);
      }
      if (url === null) await session.out.value(config);
      else await session.out.line(url);
    }
    return notes.some(({ action }) => action === 'kept') ? EXIT.usage : EXIT.clean;
  });
};

const ofConfig = (program: CliCommand, path: string, text: CommandText) =>
  command(program, path, text)
    .argument('[config]', 'JSON or YAML file, - for standard input, or a hosted URL')
    .option('--set <name=value>', 'set one parameter; repeatable', collect)
    .option('--assets <file>', 'file with the output of `tieout service assets`');

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

const sentence = ({ message, remedy }: WidgetProblem) => `${message}. ${remedy}`;

/** The table of `widget check`, on standard output: here the problems are the data. */
async function printProblems({ out }: Session, { errors, warnings }: WidgetCheck): Promise<void> {
  await out.table(
    [
      { title: 'severity', cell: ({ severity }) => severity },
      { title: 'code', cell: ({ code }) => code },
      { title: 'parameter', cell: ({ parameter }) => parameter },
      { title: 'value', cell: ({ value }) => abridged(value ?? '') },
      { title: 'what to do', cell: sentence, wide: true },
    ],
    [...errors, ...warnings],
  );
  await out.line(
    errors.length + warnings.length === 0
      ? 'No problems.'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}.`,
  );
}

/** Long values would leave no room for the sentence; the JSON form has them in full. */
function abridged(value: string): string {
  return value.length > 44 ? `${value.slice(0, 43)}…` : value;
}
