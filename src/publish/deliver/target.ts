import { randomUUID } from 'node:crypto';
import { UnavailableError } from '../../domain/errors.ts';
import { inTime } from '../../ports/in-time.ts';

/** Where a set is delivered to: a folder, a bucket, a server. Paths are relative to the target, with `/`. */
export interface Target {
  /** The file's bytes, of a longer one than `most` the first `most + 1`: what others put there may have no end. Null where there is none. */
  read(path: string, most: number): Promise<Uint8Array | null>;
  /** The file appears whole or not at all, and replaces the one before. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Under which a file is written until it is whole: `.NAME.<36 characters>.partial`. A delivery that was killed leaves it. */
export const partialName = (name: string) => `.${name}.${randomUUID()}.partial`;

export const isPartialOf = (name: string, entry: string) =>
  entry.startsWith(`.${name}.`) && entry.endsWith('.partial') && entry.length === partialName(name).length;

/** As long as a file may take. */
const QUIET_MS = 600_000;

/** The target, whose every answer comes in time or is an error. */
export function timely({ read, write, close }: Target, quietMs = QUIET_MS): Target {
  const remedy = 'check it, then send the set with `tieout deliver`';
  const quiet = () => new UnavailableError(`the target gave no answer for ${quietMs / 1000} s`, { remedy });
  const within = <T>(work: Promise<T>) => inTime(work, quietMs, quiet);
  return {
    read: (path, most) => within(read(path, most)),
    write: (path, bytes) => within(write(path, bytes)),
    close: () => within(close()),
  };
}

/** The part of the settings that targets are opened with; secrets are read from their files when it is. */
export type TargetSettings =
  | { type: 'folder'; name: string; path: string }
  | {
      type: 's3';
      name: string;
      /** `https://s3.example/bucket/prefix` */
      url: string;
      region: string;
      accessKeyId: string;
      secretFile: string;
    }
  | {
      type: 'sftp';
      name: string;
      /** `sftp://user@host:22/folder` */
      url: string;
      /** A private key; else a password. */
      keyFile: string | null;
      passwordFile: string | null;
      /** `SHA256:…`, as `ssh-keyscan HOST | ssh-keygen -lf -` prints it. */
      hostKey: string;
    }
  | {
      type: 'email';
      name: string;
      url: string;
      from: string;
      to: readonly string[];
      passwordFile: string | null;
      /** Names of files of the set. */
      attach: readonly string[];
      /** Where people find the sets; the set's path is added. */
      link: string | null;
    };
