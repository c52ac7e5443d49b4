/** The error of a publication that failed, with its cause and its remedy. */
import { codeOf, UnavailableError } from '../domain/errors.ts';

/** The state of the out folder after a failed publication. */
const LEFT = {
  old: 'nothing was published, and earlier report sets are untouched',
  new: 'the set is complete and published; only the list of sets or `latest` is behind, which --resume completes',
} as const;

/**
 * Thrown when a report set cannot be written, read back or put in its place; the sets before it are untouched and its
 * temporary folder is removed. Exit code 4. `cause` is the file system's error.
 */
export class PublicationError extends UnavailableError {
  constructor(what: string, cause: unknown, left: keyof typeof LEFT = 'old') {
    const code = codeOf(cause);
    const known = code === null ? undefined : KNOWN[code];
    const said = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
    const reason = known === undefined ? said : `${known.reason} (${code})`;
    super(`${what}: ${reason}; ${LEFT[left]}`, {
      cause,
      remedy: known && `${known.remedy}, then run again with --resume`,
    });
  }
}

/** What the disk or the system lacks, wherever a command met it; null for an error of any other kind. */
export function systemFault(error: unknown): string | null {
  const code = codeOf(error) ?? '';
  const fault = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE'].includes(code) ? KNOWN[code] : undefined;
  return fault === undefined ? null : `${fault.reason} (${code}); ${fault.remedy}, then run the command again`;
}

/** By the code of a failed system call. */
const KNOWN: Readonly<Record<string, { reason: string; remedy: string }>> = {
  ENOSPC: { reason: 'the disk is full', remedy: 'free some space' },
  EDQUOT: { reason: 'the disk quota is used up', remedy: 'free some space' },
  EROFS: { reason: 'the file system is read-only', remedy: 'point --out somewhere else' },
  EACCES: { reason: 'permission denied', remedy: 'let this user write to the out folder' },
  ENOTDIR: { reason: 'a part of the path is a file', remedy: 'point --out somewhere else' },
  EPERM: { reason: 'not permitted', remedy: 'let this user write to the out folder' },
  EIO: { reason: 'the disk reported an input/output error', remedy: 'check it' },
  EMFILE: { reason: 'too many open files', remedy: 'raise the limit (ulimit -n)' },
};
