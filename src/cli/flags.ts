/** The flags that every command has, before or after its name. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../config/duration.ts';
import type { FlagValue } from '../../config/load.ts';
import { Decimal } from '../domain/decimal.ts';
import { UsageError } from '../domain/errors.ts';

/** For an option that may be given often. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** @throws UsageError */
export function nameAndValue(flag: string, pair: string): readonly [string, string] {
  const [name = '', value] = pair.split(/=(.*)/s);
  if (name === '' || value === undefined) throw new UsageError(`${flag} ${pair}: write it as name=value`);
  return [name, value];
}

/** A command line is visible in the list of processes and in the history of the shell. @throws UsageError for an address with a password */
export async function refusePassword(flag: string, url: string | undefined, remedy: string): Promise<void> {
  const { maskUrl } = await import('../../config/mask.ts');
  // The key of a client certificate is the name of a file.
  const bare = url?.replace(/[?&]sslkey=[^&#]*/g, '');
  if (bare === undefined || maskUrl(bare) === bare) return;
  const why = bare.includes('://')
    ? 'no password on the command line'
    : 'is no address such as postgres://user@host/database or sqlite:PATH; no password on the command line';
  throw new UsageError(`${flag}: ${why}; ${remedy}`);
}

export interface CommonFlags {
  config: string | undefined;
  /** As typed; they are settings too. */
  out: string | undefined;
  timezone: string | undefined;
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  /** False with --no-color. */
  color: boolean;
  /** False with --no-progress. */
  progress: boolean;
  failOn: 'none' | 'new' | 'open';
  /** Those that are settings, with the typed flag. */
  settings: readonly FlagValue[];
}

type RawFlags = Partial<Omit<CommonFlags, 'settings'> & { logLevel: string; concurrency: string }>;

/** Values of settings are checked with the other settings, so that all problems are reported at once. */
export function addCommonFlags(program: Command): void {
  const flags = [
    new Option('--config <file>', 'settings file (default: tieout.yaml, if there is one)'),
    new Option('--out <dir>', 'folder that report sets are published to (default: setting out, or out)'),
    new Option('--json', 'print data as JSON'),
    new Option(
      '--log-level <level>',
      'trace, debug, info, warn, error, fatal or silent (default: setting logLevel, or info)',
    ),
    new Option('--timezone <name>', 'IANA time zone of business days (default: setting timezone, or UTC)'),
    new Option(
      '--concurrency <n>',
      'requests in flight at once, 1 to 256 (default: setting service.concurrency, or 8)',
    ),
    new Option('-q, --quiet', 'only warnings and errors, no progress'),
    new Option('-v, --verbose', 'more log lines, and the causes of errors'),
    new Option('--no-color', 'no colours'),
    new Option('--no-progress', 'no progress bar'),
    new Option('--fail-on <what>', 'breaks that cause exit code 1').choices(['none', 'new', 'open']).default('open'),
  ];
  for (const flag of flags) program.addOption(flag);
}

/** @throws UsageError for flags that contradict each other. */
export function readCommonFlags(command: Command): CommonFlags {
  const raw: RawFlags = command.optsWithGlobals();
  if (raw.quiet && raw.verbose) throw new UsageError('-q and -v contradict each other; give one of them');
  const settings: FlagValue[] = [];
  const set = (flag: string, path: readonly string[], value: string | undefined) => {
    if (value !== undefined) settings.push({ flag, path, value });
  };
  set('--out', ['out'], raw.out);
  set('--timezone', ['timezone'], raw.timezone);
  set('--concurrency', ['service', 'concurrency'], raw.concurrency);
  if (raw.logLevel !== undefined) set('--log-level', ['logLevel'], raw.logLevel);
  else if (raw.verbose) set('-v', ['logLevel'], 'debug');
  else if (raw.quiet) set('-q', ['logLevel'], 'warn');
  const { config, out, timezone, json = false, quiet = false, verbose = false } = raw;
  const { color = true, progress = true, failOn = 'open' } = raw;
  return { config, out, timezone, json, quiet, verbose, color, progress, failOn, settings };
}

type Env = Readonly<Record<string, string | undefined>>;

/** Colours only for a terminal that wants them (no-color.org). */
export function wantsColor(flags: { color: boolean }, stream: { isTTY?: boolean }, env: Env): boolean {
  const asked = flags.color && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return asked && stream.isTTY === true;
}

/** A continuous-integration log would keep every frame of a bar. */
export function wantsProgress(flags: { progress: boolean; quiet: boolean }, env: Env): boolean {
  const ci = env.CI ?? '';
  return flags.progress && !flags.quiet && (ci === '' || ci === 'false' || ci === '0');
}

/** @throws InvalidArgumentError, which the command line reports as a usage error. */
export function positiveNumber(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (value < 1) throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.');
  return value;
}

/** Milliseconds. @throws InvalidArgumentError, which the command line reports as a usage error. */
export function positiveDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('It must be a duration, as 90s, 30m or 6h.');
  return ms;
}

/** For an amount of money that is no less than nothing. */
export function plainAmount(text: string): Decimal {
  if (/^\d{1,30}(?:\.\d{1,30})?$/.test(text)) return Decimal.parse(text);
  throw new InvalidArgumentError('Write an amount as 12.50.');
}
