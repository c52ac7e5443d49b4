/**
 * The signature of webhooks (field facts "Webhooks"; spec §5 and §6 show none): header `X-Body-Signature`, base64 of a DER
 * ECDSA signature on secp256k1 with SHA-256, over the body printed again with sorted keys and no white space.
 */

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import stringify from 'fast-json-stable-stringify';
import { UsageError } from '../domain/errors.ts';
import { isWithinJsonLimits } from '../text/json-limits.ts';

/** As HTTP servers give it. */
export const SIGNATURE_HEADER = 'x-body-signature';

/** Thrown for a configured key that cannot verify a webhook. Exit code 2. */
export class WebhookKeyError extends UsageError {
  /** @param position counted from 1, in `webhooks.publicKeys`. */
  constructor(position: number, why: string, cause?: unknown) {
    super(`webhooks.publicKeys: key ${position} ${why}`, {
      remedy: 'give a PEM public key on the curve secp256k1, as the Service publishes it for each environment',
      cause,
    });
  }
}

/**
 * Reads PEM texts once, so that a wrong one is found at the start and not at the first webhook. A text may hold several
 * keys, one behind the other, as an environment variable has them during a rotation.
 * @throws WebhookKeyError
 */
export function readWebhookKeys(pems: readonly string[]): readonly KeyObject[] {
  return pems.flatMap(readKeys);
}

function readKeys(pem: string, index: number): readonly KeyObject[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]{1,40}-----[^-]{1,16384}-----END [A-Z ]{1,40}-----/g) ?? [pem];
  return blocks.map((block) => readKey(block, index + 1));
}

function readKey(pem: string, position: number): KeyObject {
  // Node would make the public key of it, and the private one would stay in the settings, where they are printed.
  if (pem.includes('PRIVATE KEY')) throw new WebhookKeyError(position, 'is a private key');
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (error) {
    throw new WebhookKeyError(position, 'cannot be read', error);
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'secp256k1')
    throw new WebhookKeyError(position, 'is of another kind');
  return key;
}

/**
 * The bytes that are signed: numbers exactly as JavaScript prints them, keys sorted, no white space. Null for a text that
 * is not JSON, or that is larger or deeper than any webhook: printing costs far more than the check.
 */
export function signedText(bodyText: string): string | null {
  if (!isWithinJsonLimits(bodyText)) return null;
  try {
    return stringify(JSON.parse(bodyText));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Whether one of the keys signed this body. Pure; false for anything that is not a signature, never an error.
 *
 * @param bodyText the request body as received, before anything was mapped or renamed.
 * @param signatureBase64 the value of `X-Body-Signature`.
 * @param keys PEM texts, or keys from `readWebhookKeys`; several while environments or rotations overlap.
 * @throws WebhookKeyError for a PEM text that is no public key on secp256k1.
 * @example verifyWebhook(await request.text(), request.headers.get('x-body-signature') ?? '', [publicKeyPem])
 */
export function verifyWebhook(
  bodyText: string,
  signatureBase64: string,
  keys: readonly (string | KeyObject)[],
): boolean {
  const readable = keys.flatMap((key, index) => (typeof key === 'string' ? readKeys(key, index) : [key]));
  const read = readSigned(bodyText, signatureBase64);
  return read !== null && readable.some((key) => verify('sha256', read.signed, key, read.signature));
}

const verifyAside = promisify(verify);

/** The same on other threads: of a burst the arithmetic of the curve would take this one as long as all else together. */
export async function isSigned(text: string, signatureBase64: string, keys: readonly KeyObject[]): Promise<boolean> {
  const read = readSigned(text, signatureBase64);
  if (read === null) return false;
  for (const key of keys) if (await verifyAside('sha256', read.signed, key, read.signature)) return true;
  return false;
}

/** The bytes that are signed, and the signature; null where one of them is none. */
function readSigned(bodyText: string, signatureBase64: string): { signed: Buffer; signature: Buffer } | null {
  const signature = Buffer.from(signatureBase64, 'base64');
  // Node skips characters that are not base64; only the canonical spelling counts.
  if (signature.toString('base64') !== signatureBase64 || !isStrictDer(signature)) return null;
  const text = signedText(bodyText);
  return text === null ? null : { signed: Buffer.from(text, 'utf8'), signature };
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** A 256-bit integer, and the zero byte that keeps a high one positive. */
const LONGEST_INTEGER = 33;
/** Two such integers with their heads need no long form of a length. */
const LONGEST_SHORT_FORM = 0x7f;

/**
 * Strict DER: two positive integers, each in its shortest form, and nothing behind them. Lenient readers accept many texts
 * for one signature. True for bytes that are the one DER form of some pair (r, s) of at most 256 bits;
 * does not verify it.
 */
function isStrictDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== SEQUENCE || bytes[1] === undefined || bytes[1] > LONGEST_SHORT_FORM) return false;
  if (bytes.length !== 2 + bytes[1]) return false;
  const afterR = endOfInteger(bytes, 2);
  return afterR !== null && endOfInteger(bytes, afterR) === bytes.length;
}

/** Where the integer that begins at `at` ends; null where none begins there, or not in its shortest form. */
function endOfInteger(bytes: Uint8Array, at: number): number | null {
  const length = bytes[at + 1];
  if (bytes[at] !== INTEGER || length === undefined || length === 0 || length > LONGEST_INTEGER) return null;
  const end = at + 2 + length;
  const first = bytes[at + 2];
  const second = bytes[at + 3];
  if (end > bytes.length || first === undefined || first >= 0x80) return null;
  // A leading zero is only for a number whose first bit is set; alone it would be zero, which no signature has.
  if (first === 0 && (length === 1 || second === undefined || second < 0x80)) return null;
  return end;
}
