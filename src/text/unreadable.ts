const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder; name the files in it',
  EACCES: 'may not be read by this user',
};

/** Why a file cannot be read, in words. @param error of a system call */
export function whyUnreadable(error: unknown): string {
  const code = (error as { code?: string }).code ?? 'unknown error';
  return WHY[code] ?? `cannot be read (${code})`;
}
