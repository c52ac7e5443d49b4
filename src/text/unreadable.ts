const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the files in it',
  EACCES: 'may not be read by this user',
};

/** `ENOENT`, or the error's name; never its message, which may quote more than it should. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}

/** Why a file cannot be read, in words. @param error of a system call */
export function whyUnreadable(error: unknown): string {
  const code = errorCode(error);
  return WHY[code] ?? `cannot be read (${code})`;
}
