/** The error of a publication that failed, with its cause and its remedy. */
import { codeOf, SYSTEM_FAULTS, UnavailableError } from '../domain/errors.ts';

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

/** The cause of a PublicationError where the place of the set has a set of other content. */
export class PlaceTakenError extends Error {}

/** By the code of a failed system call. */
const KNOWN: typeof SYSTEM_FAULTS = {
  ...SYSTEM_FAULTS,
  EROFS: { reason: 'the file system is read-only', remedy: 'point --out somewhere else' },
  EACCES: { reason: 'permission denied', remedy: 'let this user write to the out folder' },
  ENOTDIR: { reason: 'a part of the path is a file', remedy: 'point --out somewhere else' },
  EPERM: { reason: 'not permitted', remedy: 'let this user write to the out folder' },
};
