/** One command: its flags, its output, its settings on demand, and the resources to close at its end. */
import type { Command } from 'commander';
import type { FlagValue, LoadedSettings } from '../../config/load.ts';
import type { App } from '../app/app.ts';
import { hasPlugins } from '../app/version.ts';
import type { AppOptions } from '../app/wiring.ts';
import { TieoutError } from '../domain/errors.ts';
import type { Job } from '../ports/job.ts';
import type { SystemClock } from '../runner/clock.ts';
import type { Releasers } from '../runner/releasers.ts';
import { type CommonFlags, readCommonFlags, wantsColor, wantsProgress } from './flags.ts';
import type { Logger } from './logger.ts';
import { Output } from './output.ts';
import { Screen } from './progress.ts';
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

export class Session {
  readonly flags: CommonFlags;
  readonly world: World;
  readonly out: Output;
  readonly screen: Screen;
  readonly signal: AbortSignal;
  readonly clock: SystemClock;
  /** The log where standard error must contain only JSON: of a service, or of a command that has logged already. */
  jsonLog: Logger | null = null;
  /** Released last in, first out, when the command ends. */
  readonly releasers: Releasers;
  private readonly openApp: OpenApp;
  private readonly scrubber: Scrubber;
  private readonly name: string;

  constructor(input: SessionInput, releasers: Releasers, command: Command) {
    this.world = input.world;
    this.clock = input.world.clock;
    this.signal = input.signal;
    this.openApp = input.openApp;
    this.scrubber = input.scrubber;
    this.releasers = releasers;
    this.name = command.name();
    this.flags = readCommonFlags(command);
    const { stdout, stderr, env } = input.world;
    this.out = new Output(stdout, { json: this.flags.json, color: wantsColor(this.flags, stdout, env) });
    this.screen = new Screen(stderr, wantsProgress(this.flags, env));
    releasers.push('progress bar', () => this.screen.end());
  }

  /**
   * Loads the settings; from here on their secrets are scrubbed from every message.
   * @throws ConfigError
   */
  settings(flags: readonly FlagValue[] = []): Promise<LoadedSettings> {
    return this.load([...this.flags.settings, ...flags]);
  }

  /** The folder of published runs, for commands that use `--out` for another folder. */
  async publishedOut(): Promise<string> {
    const loaded = await this.load(this.flags.settings.filter(({ flag }) => flag !== '--out'));
    return loaded.settings.out;
  }

  private async load(flags: readonly FlagValue[]): Promise<LoadedSettings> {
    const [{ loadSettings, pluginsNamed }, { environmentSecrets }, { KNOWN_NAMES }] = await Promise.all([
      import('../../config/load.ts'),
      import('../../config/environment.ts'),
      import('../app/known-names.ts'),
    ]);
    // Messages about settings must not show secrets either.
    this.scrubber.add(environmentSecrets(this.world.env));
    const input = { flags, configFile: this.flags.config, env: this.world.env, readFile: this.world.readFile };
    // Before the settings are checked: they may name rules of plugins.
    const { names, from } = pluginsNamed(input);
    if (names.length > 0 || hasPlugins()) await (await import('../app/plugins.ts')).usePlugins(names, from);
    const loaded = loadSettings({ ...input, known: KNOWN_NAMES });
    this.scrubber.add(loaded.secrets());
    return loaded;
  }

  /** Remarks on the settings are logged once, here. */
  async log(loaded: LoadedSettings): Promise<Logger> {
    const { createLogger } = await import('./logger.ts');
    const human = this.world.stderr.isTTY === true;
    const log = createLogger({
      level: loaded.settings.logLevel,
      human,
      write: (line) => {
        if (!human) this.jsonLog = log;
        this.screen.write(line);
      },
      scrub: (text) => this.scrubber.scrub(text),
    });
    if (!human && SERVICES.includes(this.name)) this.jsonLog = log;
    for (const note of loaded.notes) log.warn(note);
    return log;
  }

  /** Removes the secrets of the settings from a text that is not logged. */
  scrub(text: string): string {
    return this.scrubber.scrub(text);
  }

  /** The wired application, closed when the command ends. */
  async app({ flags, judgesOnly, onProgress }: AppRequest = {}): Promise<App> {
    const loaded = await this.settings(flags);
    return this.openApp({
      loaded,
      log: await this.log(loaded),
      clock: this.clock,
      releasers: this.releasers,
      random: Math.random,
      signal: this.signal,
      judgesOnly,
      mayMake: FIRST.includes(this.name) || (SENDING.includes(this.name) && loaded.settings.service.url !== null),
      onProgress,
    });
  }
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
