/** A progress bar on standard error, for a person at a terminal; nothing anywhere else. */
import { SingleBar } from 'cli-progress';
import type { Terminal } from './world.ts';

export interface Progress {
  /** Done so far, in the unit of `total`; `note` is the end of the line. */
  update: (done: number, note?: string) => void;
  stop: () => void;
}

/**
 * Standard error as shared by a bar and by log lines, which must not be written into each other.
 * @param isWanted false for `--no-progress`, `-q` and CI
 */
export function screenOn(stream: Terminal, isWanted: boolean) {
  let shown: SingleBar | undefined;
  return {
    /** A log line or message; replaces the bar's line, and the bar is drawn again below. */
    write: (text: string) => void stream.write(shown === undefined ? text : `\r\u001b[2K${text}`),
    /** @param options a label such as `Importing` */
    start({ label, total }: { label: string; total: number }): Progress {
      if (!isWanted || stream.isTTY !== true || total <= 0) return SILENT;
      const bar = new SingleBar({
        stream,
        format: `${label} {bar} {percentage} %  {note}  {eta_formatted} left`,
        hideCursor: true,
        clearOnComplete: true,
        barsize: 30,
        // Two a second: a bar must not compete with the work, nor fill a recorded session.
        fps: 2,
      });
      bar.start(total, 0, { note: '' });
      shown = bar;
      return {
        update: (done, note = '') => bar.update(Math.min(done, total), { note }),
        stop: () => {
          bar.stop();
          if (shown === bar) shown = undefined;
        },
      };
    },
    /** Shows the cursor again; called at the end of every command. */
    end(): void {
      shown?.stop();
      shown = undefined;
    },
  };
}

const SILENT: Progress = { update: () => undefined, stop: () => undefined };
