/** Reads NDJSON as published: an object per line, all with the same keys; values become cells, unknown an empty one. */
export class NdjsonReader {
  private rest = '';
  private header: string | null = null;
  private rows = 0;

  /** The rows that are whole with this piece of text; before the first, the header. @throws Error with the row. */
  push(text: string): string[][] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.read(line));
  }

  end(): string[][] {
    const last = this.rest;
    this.rest = '';
    return last === '' ? [] : this.read(last);
  }

  private read(line: string): string[][] {
    this.rows++;
    const row = objectOf(line);
    if (row === null) throw new Error(`row ${this.rows}: is not a JSON object`);
    const keys = Object.keys(row);
    const cells = Object.values(row).map((value) => (value === null ? '' : String(value)));
    const names = JSON.stringify(keys);
    if (this.header === null) {
      this.header = names;
      return [keys, cells];
    }
    if (this.header !== names) throw new Error(`row ${this.rows}: has other keys than the first row`);
    return [cells];
  }
}

function objectOf(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
