/** A progress bar on standard error, for a person at a terminal; nothing anywhere else. */
import { SingleBar } from 'cli-progress';
import type { Terminal } from './world.ts';

export interface Progress {
  /** Done so far, in the unit of `total`; `note` is the end of the line. */
  update: (done: number, note?: string) => void;
  stop: () => void;
}

/** Standard error as shared by a bar and by log lines, which must not be written into each other. */
export class Screen {
  private readonly stream: Terminal;
  private readonly enabled: boolean;
  private bar: SingleBar | undefined;

  /** @param enabled false for `--no-progress`, `-q` and CI */
  constructor(stream: Terminal, enabled: boolean) {
    this.stream = stream;
    this.enabled = enabled && stream.isTTY === true;
  }

  /** A log line or message; replaces the bar's line, and the bar is drawn again below. */
  write(text: string): void {
    this.stream.write(this.bar === undefined ? text : `\r\u001b[2K${text}`);
  }

  /** @param options a label such as `Importing` */
  start({ label, total }: { label: string; total: number }): Progress {
    if (!this.enabled || total <= 0) return SILENT;
    const bar = new SingleBar({
      stream: this.stream,
      format: `${label} {bar} {percentage} %  {note}  {eta_formatted} left`,
      hideCursor: true,
      clearOnComplete: true,
      barsize: 30,
      // Two a second: a bar must not compete with the work, nor fill a recorded session.
      fps: 2,
    });
    bar.start(total, 0, { note: '' });
    this.bar = bar;
    return {
      update: (done, note = '') => bar.update(Math.min(done, total), { note }),
      stop: () => {
        bar.stop();
        if (this.bar === bar) this.bar = undefined;
      },
    };
  }

  /** Shows the cursor again; called at the end of every command. */
  end(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}

const SILENT: Progress = { update: () => undefined, stop: () => undefined };
