/** Reading from texts and bytes, in chunks of any size. */
import type { IntakeItem, TrackedFileOptions } from '../../src/intake/contract.ts';
import { readTrackedFile } from '../../src/intake/read-tracked-file.ts';
import type { TrackedInput } from '../../src/ports/store/store.ts';

export async function* chunked(content: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content as string);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function readAll(
  content: string | Uint8Array,
  options: Partial<TrackedFileOptions> = {},
  chunk?: number,
): Promise<IntakeItem<TrackedInput>[]> {
  return all(readTrackedFile(chunked(content, chunk), { name: 'ids.csv', format: null, kind: null, ...options }));
}

/** `3 good purchase abc`, `4 rejected id is missing`, `note …`: a reading as lines to compare with. */
export async function told(content: string | Uint8Array, options: Partial<TrackedFileOptions> = {}): Promise<string[]> {
  const items = await readAll(content, options);
  return items.map((item) => {
    if (item.type === 'note') return `note ${item.text}`;
    return item.type === 'good'
      ? `${item.line} good ${item.value.kind} ${item.value.id}`
      : `${item.line} rejected ${item.reason}`;
  });
}
