/** Why a report set was not published, and what to do about it. */
import { EXIT, TieoutError } from '../domain/errors.ts';

/** What a reader of the out folder finds after a failed publication. */
const LEFT = {
  old: 'Nothing was published; the report sets before it are untouched.',
  new: 'The set itself is complete and in its place; only the list of sets or `latest` is behind, which --resume completes.',
} as const;

/**
 * Thrown when a report set cannot be written, read back or put in its place; the sets before it are untouched and its
 * temporary folder is removed. Exit code 4. `cause` is what the file system said.
 */
export class PublicationError extends TieoutError {
  override readonly name = 'PublicationError';
  override readonly exitCode = EXIT.unavailable;
  constructor(what: string, cause: unknown, left: keyof typeof LEFT = 'old') {
    super(`${what}: ${reasonOf(cause)}. ${LEFT[left]}`, { cause });
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space, then run again with --resume',
  EDQUOT: 'the disk quota is used up; free some space, then run again with --resume',
  EROFS: 'the file system is read-only; point --out somewhere else, then run again with --resume',
  EACCES: 'permission denied; let this user write to the out folder, then run again with --resume',
  EPERM: 'not permitted; let this user write to the out folder, then run again with --resume',
  EIO: 'the disk reported an input/output error; check it before running again with --resume',
  EMFILE: 'too many open files; raise the limit (ulimit -n), then run again with --resume',
};

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  if (code !== undefined && REMEDIES[code] !== undefined) return `${REMEDIES[code]} (${code})`;
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
}

/** `ENOENT` of a system call's error; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
