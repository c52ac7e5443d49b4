/** Thrown when a report set cannot be written; the set before it is untouched. Exit code 4. */
export class PublicationError extends Error {
  override readonly name = 'PublicationError';
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonOf(cause)}. Nothing was published; the report sets before it are untouched.`, { cause });
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space, then run again with --resume',
  EDQUOT: 'the disk quota is used up; free some space, then run again with --resume',
  EROFS: 'the file system is read-only; point --out somewhere else, then run again with --resume',
  EACCES: 'permission denied; let this user write to the out folder, then run again with --resume',
  EPERM: 'not permitted; let this user write to the out folder, then run again with --resume',
  EIO: 'the disk reported an input/output error; check it before running again with --resume',
};

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  if (code !== undefined && REMEDIES[code] !== undefined) return `${REMEDIES[code]} (${code})`;
  return cause instanceof Error ? cause.message : String(cause);
}
