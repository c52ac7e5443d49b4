/**
 * Signs webhooks as the Service does (field facts "Webhooks"): ECDSA on secp256k1 with SHA-256, DER, base64, over the body
 * printed with sorted keys and no white space.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import { UsageError } from '../../domain/errors.ts';

export const SIGNATURE_HEADER = 'X-Body-Signature';

/** Thrown for a given key that cannot sign a webhook. */
export class SigningKeyError extends UsageError {
  constructor(cause?: unknown) {
    super('webhookPrivateKey is not a private key that can sign webhooks', {
      remedy: 'give a PEM private key on the curve secp256k1',
      cause,
    });
  }
}

export type Signer = ReturnType<typeof createSigner>;

/** @param privateKey PEM; without one a pair is made. @throws SigningKeyError */
export function createSigner(privateKey: string | undefined) {
  const key =
    privateKey === undefined ? generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey : read(privateKey);
  return {
    /** PEM, SPKI: what a receiver is configured with. */
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    /** The value of the header for a body, which is signed as JSON and not as bytes. */
    sign: (body: object) =>
      sign('sha256', Buffer.from(stringify(body), 'utf8'), { key, dsaEncoding: 'der' }).toString('base64'),
  };
}

function read(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new SigningKeyError(error);
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'secp256k1') throw new SigningKeyError();
  return key;
}
