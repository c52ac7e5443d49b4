/** Undoing `Content-Encoding` within a limit: a small bomb must not become a large body. */

import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { ExchangeError } from '../ports/service-errors.ts';
import { BodyTooLargeError, NotHttpError, TruncatedBodyError } from './errors/exchange-errors.ts';

/** What is offered to the Service. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/** A body never has more than two; a long list is an attack on memory and time. */
const MAX_LAYERS = 2;

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  'raw deflate': promisify(inflateRaw),
} as const;

/**
 * The body without its encodings. zlib stops as soon as `maxBytes` would be passed, so memory never grows beyond it.
 * @throws BodyTooLargeError, TruncatedBodyError, NotHttpError (an encoding that was not offered, or corrupt bytes)
 */
export async function decodeContent(body: Buffer, encoding: string | null, maxBytes: number): Promise<Buffer> {
  const layers = (encoding ?? '').split(',').map((layer) => layer.trim().toLowerCase());
  const applied = layers.filter((layer) => layer !== '' && layer !== 'identity');
  if (applied.length > MAX_LAYERS) throw new NotHttpError('ENCODING');
  let decoded = body;
  for (const layer of applied.reverse()) decoded = await decodeLayer(decoded, layer, maxBytes);
  return decoded;
}

async function decodeLayer(body: Buffer, layer: string, maxBytes: number): Promise<Buffer> {
  const decode = decoderOf(layer, body);
  if (decode === null) throw new NotHttpError('ENCODING');
  // An answer without a body may still name the encoding that it would have had.
  if (body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw decodingError(error, maxBytes);
  }
}

/** `deflate` is zlib by the standard and raw by some servers; the first byte tells. */
function decoderOf(layer: string, body: Buffer) {
  if (layer === 'deflate') return ((body[0] ?? 0) & 0x0f) === 8 ? decoders.deflate : decoders['raw deflate'];
  return layer === 'gzip' || layer === 'x-gzip' || layer === 'br' ? decoders[layer] : null;
}

function decodingError(error: unknown, maxBytes: number): ExchangeError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new BodyTooLargeError(maxBytes);
  if (code === 'Z_BUF_ERROR') return new TruncatedBodyError(code);
  return new NotHttpError(code);
}
