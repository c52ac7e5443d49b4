/** One command: its flags, its output, its settings on demand, and the resources to close at its end. */
import type { Command } from 'commander';
import type { FlagValue, LoadedSettings } from '../../config/load.ts';
import type { App } from '../app/app.ts';
import { hasPlugins } from '../app/version.ts';
import type { AppOptions } from '../app/wiring.ts';
import { TieoutError } from '../domain/errors.ts';
import type { Job } from '../ports/job.ts';
import type { Releasers } from '../runner/releasers.ts';
import { readCommonFlags, wantsColor, wantsProgress } from './flags.ts';
import type { Logger } from './logger.ts';
import { outputTo } from './output.ts';
import { screenOn } from './progress.ts';
import type { Scrubber } from './scrub.ts';
import type { World } from './world.ts';

export type OpenApp = (options: AppOptions) => Promise<App>;

export interface SessionInput {
  world: World;
  openApp: OpenApp;
  scrubber: Scrubber;
  /** Aborted by SIGINT and SIGTERM; long work then saves and stops. */
  signal: AbortSignal;
}

interface AppRequest extends Pick<AppOptions, 'judgesOnly' | 'onProgress'> {
  /** Settings that the command's own flags give. */
  flags?: readonly FlagValue[];
}

/** Services, whose standard error is collected by a program. */
const SERVICES: readonly string[] = ['schedule', 'serve', 'worker'];

/** Their requests are booked in the database, also where it is new. */
const SENDING: readonly string[] = ['capture', 'run', 'audit', 'service', 'worker'];

/** The others that may be first over a database. Those that are neither find an empty one, and leave none. */
const FIRST: readonly string[] = ['import', 'serve', 'schedule', 'link', 'close', 'doctor'];

export type Session = ReturnType<typeof openSession>;

/** @param releasers released last in, first out, when the command ends */
export function openSession(
  { world, openApp, scrubber, signal }: SessionInput,
  releasers: Releasers,
  command: Command,
) {
  const { stdout, stderr, env, clock, readFile } = world;
  const name = command.name();
  const flags = readCommonFlags(command);
  const out = outputTo(stdout, { json: flags.json, color: wantsColor(flags, stdout, env) });
  const screen = screenOn(stderr, wantsProgress(flags, env));
  releasers.push('progress bar', () => screen.end());
  const scrub = (text: string) => scrubber.scrub(text);
  let jsonLog: Logger | null = null;

  const load = async (given: readonly FlagValue[]): Promise<LoadedSettings> => {
    const [{ loadSettings, pluginsNamed }, { environmentSecrets }, { KNOWN_NAMES }] = await Promise.all([
      import('../../config/load.ts'),
      import('../../config/environment.ts'),
      import('../app/known-names.ts'),
    ]);
    // Messages about settings must not show secrets either.
    scrubber.add(environmentSecrets(env));
    const input = { flags: given, configFile: flags.config, env, readFile };
    // Before the settings are checked: they may name rules of plugins.
    const { names, from } = pluginsNamed(input);
    if (names.length > 0 || hasPlugins()) await (await import('../app/plugins.ts')).usePlugins(names, from);
    const loaded = loadSettings({ ...input, known: KNOWN_NAMES });
    scrubber.add(loaded.secrets());
    return loaded;
  };
  const settings = (given: readonly FlagValue[] = []) => load([...flags.settings, ...given]);
  const logOf = async (loaded: LoadedSettings): Promise<Logger> => {
    const { createLogger } = await import('./logger.ts');
    const human = stderr.isTTY === true;
    const write = (line: string) => {
      if (!human) jsonLog = log;
      screen.write(line);
    };
    const log = createLogger({ level: loaded.settings.logLevel, human, write, scrub });
    if (!human && SERVICES.includes(name)) jsonLog = log;
    for (const note of loaded.notes) log.warn(note);
    return log;
  };
  return {
    flags,
    world,
    out,
    screen,
    signal,
    clock,
    releasers,
    /** The log where standard error must contain only JSON: of a service, or of a command that has logged already. */
    jsonLog: () => jsonLog,
    /** Loads the settings; from here on their secrets are scrubbed from every message. @throws ConfigError */
    settings,
    /** The folder of published runs, for commands that use `--out` for another folder. */
    publishedOut: async () => (await load(flags.settings.filter(({ flag }) => flag !== '--out'))).settings.out,
    /** Remarks on the settings are logged once, here. */
    log: logOf,
    /** Removes the secrets of the settings from a text that is not logged. */
    scrub,
    /** The wired application, closed when the command ends. */
    async app({ flags: given, judgesOnly, onProgress }: AppRequest = {}): Promise<App> {
      const loaded = await settings(given);
      return openApp({
        loaded,
        log: await logOf(loaded),
        clock,
        releasers,
        random: Math.random,
        signal,
        judgesOnly,
        mayMake: FIRST.includes(name) || (SENDING.includes(name) && loaded.settings.service.url !== null),
        onProgress,
      });
    },
  };
}

/** The application for a job that cron or systemd starts: a message is sent where it does not open. @param job null for all */
export async function announcedApp(session: Session, job: Job | null, request?: AppRequest): Promise<App> {
  try {
    return await session.app(request);
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    const [{ announceUnopened }, { settings }] = await Promise.all([
      import('../app/schedule.ts'),
      session.settings(request?.flags),
    ]);
    await announceUnopened(job, error, {
      settings: settings.notify,
      scrub: (text) => session.scrub(text),
      warn: (message) => session.screen.write(`${message}\n`),
      sleep: (ms) => session.clock.wall.sleep(ms),
    });
    throw error;
  }
}

/** Resolves when the signal is given, and keeps the process alive until then: timers of libraries may be unreferenced. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    clearInterval(alive);
  }
}
