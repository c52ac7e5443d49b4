/** Watches that closed months stay as they were closed. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The published bytes of closed months: the sets of their nights and the sealed set of the month. */
export class Archive {
  readonly changed: string[] = [];
  private readonly out: string;
  private readonly months: string[] = [];
  private readonly digests = new Map<string, string>();

  constructor(out: string) {
    this.out = out;
  }

  /** Stores the hashes of a month, `YYYY-MM`. Returns the number of its files. */
  close(month: string): number {
    this.months.push(month);
    const files = this.filesOf(month);
    for (const file of files) this.digests.set(file, this.digestOf(file));
    return files.length;
  }

  check(): void {
    const gone = new Set(this.digests.keys());
    for (const month of this.months) {
      for (const file of this.filesOf(month)) {
        gone.delete(file);
        if (this.digests.get(file) !== this.digestOf(file)) this.changed.push(file);
      }
    }
    this.changed.push(...gone);
  }

  private filesOf(month: string): string[] {
    const days = readdirSync(this.out).filter((name) => name.startsWith(month));
    return [...days, join('periods', month)].flatMap((folder) => {
      const entries = readdirSync(join(this.out, folder), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.out.length + 1));
    });
  }

  private digestOf(file: string): string {
    return createHash('sha256')
      .update(readFileSync(join(this.out, file)))
      .digest('hex');
  }
}
