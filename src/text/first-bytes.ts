/**
 * The first bytes of an answer: one more than `most` where it has more. Copied, not kept as a list of its pieces: each of one byte would
 * take 300 more.
 */
export async function firstBytes(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(most + 1);
  let size = 0;
  for await (const piece of pieces) {
    const taken = piece.subarray(0, bytes.length - size);
    bytes.set(taken, size);
    size += taken.length;
    if (size > most) break;
  }
  return Buffer.from(bytes.subarray(0, size));
}
