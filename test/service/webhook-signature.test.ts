import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isSigned, readWebhookKeys, verifyWebhook, WebhookKeyError } from '../../src/service/webhook-signature.ts';

/** Made once with OpenSSL for these tests; it signs nothing else. */
const PRIVATE = `-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgS5nTi8X7XoccG5kTA9Ar
PRC/7oHJQ2Iiig+PzOqTvtWhRANCAASXvV4KteDnfr6R6H46tvIKEYsc4glYIs82
dMn9vaFT+7S+NjFcSLENT0XUpQaByC8t4W5201teVabl3CTG1oeL
-----END PRIVATE KEY-----`;
const PUBLIC = `-----BEGIN PUBLIC KEY-----
MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEl71eCrXg536+keh+OrbyChGLHOIJWCLP
NnTJ/b2hU/u0vjYxXEixDU9F1KUGgcgvLeFudtNbXlWm5dwkxtaHiw==
-----END PUBLIC KEY-----`;

/** The signed text: keys sorted, no white space, numbers as JavaScript prints them. */
const SIGNED = '{"amounts":[1,2.5,1e-7,104.76],"b":"x","purchase":{"id":"322","status":"RELEASED"},"type":"CREATED"}';
/** The same object as it may travel: other order, white space, numbers written otherwise. */
const BODY = `{ "type": "CREATED", "purchase": { "status": "RELEASED", "id": "322" }, "b": "\\u0078",
  "amounts": [1.0, 2.50, 0.0000001, 104.76] }`;

/** One signature and its twin with s replaced by n − s; neither was made by the code under test. */
const LOW_S = 'MEQCIGFC9Xbr/7NfK59R8FRqduwy00wT4AsqNiwSSrd7VHcGAiBuxlQLMfCZfhI8SjEg55rGlXjdwZqiNTmLx427nNlOYw==';
const HIGH_S = 'MEUCIGFC9Xbr/7NfK59R8FRqduwy00wT4AsqNiwSSrd7VHcGAiEAkTmr9M4PZoHtw7XO3xhlOCU1/yUUpmsCNArQ0TNc8t4=';

const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const OTHER_PUBLIC = other.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const withBytes = (change: (bytes: Buffer) => Buffer) => change(bytesOf(LOW_S)).toString('base64');

describe('a webhook signature (field facts "Webhooks", spec §5.7)', () => {
  it('verifies over the body printed with sorted keys, however the body itself is written', () => {
    expect(verifyWebhook(SIGNED, LOW_S, [PUBLIC])).toBe(true);
    expect(verifyWebhook(BODY, LOW_S, [PUBLIC])).toBe(true);
  });

  it('verifies with a high s, which is as valid as a low one', () => {
    expect(verifyWebhook(BODY, HIGH_S, [PUBLIC])).toBe(true);
  });

  it('verifies with any of several keys, in one text or in several', () => {
    expect(verifyWebhook(BODY, LOW_S, [OTHER_PUBLIC, PUBLIC])).toBe(true);
    expect(verifyWebhook(BODY, LOW_S, [`${OTHER_PUBLIC}\n${PUBLIC}`])).toBe(true);
    expect(verifyWebhook(BODY, LOW_S, readWebhookKeys([PUBLIC, OTHER_PUBLIC]))).toBe(true);
  });

  it('is of the numbers as JavaScript prints them, with any digits sent', () => {
    const signature = sign('sha256', Buffer.from('{"a":0.1,"b":1e+21,"c":0,"d":100}'), createPrivateKey(PRIVATE));
    const body = '{"d":1e2,"c":-0,"b":1000000000000000000000,"a":0.1000000000000000055}';
    expect(verifyWebhook(body, signature.toString('base64'), [PUBLIC])).toBe(true);
  });

  it.each([
    ['a forged body', () => verifyWebhook(BODY.replace('322', '323'), LOW_S, [PUBLIC])],
    ['a key added to the body', () => verifyWebhook(BODY.replace('{', '{"more":1,'), LOW_S, [PUBLIC])],
    ['another key', () => verifyWebhook(BODY, LOW_S, [OTHER_PUBLIC])],
    ['no key at all', () => verifyWebhook(BODY, LOW_S, [])],
    ['no signature', () => verifyWebhook(BODY, '', [PUBLIC])],
    [
      'a truncated signature',
      () =>
        verifyWebhook(
          BODY,
          withBytes((b) => b.subarray(0, -1)),
          [PUBLIC],
        ),
    ],
    [
      'a byte behind the signature',
      () =>
        verifyWebhook(
          BODY,
          withBytes((b) => Buffer.concat([b, Buffer.from([0])])),
          [PUBLIC],
        ),
    ],
    [
      'a byte behind the second number, inside the sequence',
      () =>
        verifyWebhook(
          BODY,
          withBytes((b) => Buffer.concat([Buffer.from([0x30, b.length - 1]), b.subarray(2), Buffer.from([0])])),
          [PUBLIC],
        ),
    ],
    [
      'BER with a long length',
      () =>
        verifyWebhook(
          BODY,
          withBytes((b) => Buffer.concat([Buffer.from([0x30, 0x81, b.length - 2]), b.subarray(2)])),
          [PUBLIC],
        ),
    ],
    [
      'a number with a needless leading zero',
      () =>
        verifyWebhook(
          BODY,
          withBytes((b) =>
            Buffer.concat([Buffer.from([0x30, b.length - 1, 0x02, 0x21, 0x00]), b.subarray(4, 36), b.subarray(36)]),
          ),
          [PUBLIC],
        ),
    ],
    [
      'a negative number (a high bit without its zero)',
      () =>
        verifyWebhook(BODY, Buffer.concat([Buffer.from([0x30, 6, 2, 1, 0x81, 2, 1, 0x81])]).toString('base64'), [
          PUBLIC,
        ]),
    ],
    ['two zeros', () => verifyWebhook(BODY, Buffer.from([0x30, 6, 2, 1, 0, 2, 1, 0]).toString('base64'), [PUBLIC])],
    ['base64 with white space', () => verifyWebhook(BODY, `${LOW_S.slice(0, 20)} ${LOW_S.slice(20)}`, [PUBLIC])],
    ['base64 without its padding', () => verifyWebhook(BODY, LOW_S.replace(/=+$/, ''), [PUBLIC])],
    ['base64 of the URL kind', () => verifyWebhook(BODY, LOW_S.replaceAll('/', '_'), [PUBLIC])],
    ['a text that is not JSON', () => verifyWebhook('{"a":', LOW_S, [PUBLIC])],
    ['a body nested a hundred thousand times', () => verifyWebhook('['.repeat(1e5) + ']'.repeat(1e5), LOW_S, [PUBLIC])],
    [
      'a signature of the received bytes, not of the canonical form',
      () =>
        verifyWebhook(BODY, sign('sha256', Buffer.from(BODY), createPrivateKey(PRIVATE)).toString('base64'), [PUBLIC]),
    ],
    [
      'a signature with another hash',
      () =>
        verifyWebhook(BODY, sign('sha512', Buffer.from(SIGNED), createPrivateKey(PRIVATE)).toString('base64'), [
          PUBLIC,
        ]),
    ],
  ])('does not verify %s', (_what, verifying) => {
    expect(verifying()).toBe(false);
  });

  it('leaves the thread of the receiver free while the curves of a burst are worked out', async () => {
    const keys = readWebhookKeys([OTHER_PUBLIC, PUBLIC]);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => isSigned(BODY, index % 2 === 0 ? LOW_S : HIGH_S, keys)),
    );
    clearInterval(counting);
    expect(answers.every((is) => is)).toBe(true);
    expect(turns).toBeGreaterThan(0);
    expect(await isSigned(BODY.replace('322', '323'), LOW_S, keys)).toBe(false);
    expect(await isSigned(BODY, '', keys)).toBe(false);
    expect(await isSigned('{"a":', LOW_S, keys)).toBe(false);
  });
});

function refusalOf(pems: readonly string[]): unknown {
  try {
    return readWebhookKeys(pems);
  } catch (error) {
    return error;
  }
}

const secretLinesOf = (pem: string) =>
  pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----') && !PUBLIC.includes(line));

describe('webhook keys', () => {
  it.each([
    ['a text that is no key', 'hello', 'cannot be read'],
    [
      'a key on another curve',
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString(),
      'is of another kind',
    ],
    [
      'a key of another kind',
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'is of another kind',
    ],
  ])('are refused at the start: %s', (_what, pem, why) => {
    expect(() => readWebhookKeys([PUBLIC, pem])).toThrow(WebhookKeyError);
    expect(() => readWebhookKeys([PUBLIC, pem])).toThrow(
      `webhooks.publicKeys: key 2 ${why}; give a PEM public key on the curve secp256k1, as the Service publishes it for each environment`,
    );
  });

  it.each([
    ['alone', PRIVATE],
    ['behind a public one', `${PUBLIC}\n${PRIVATE}`],
    ['of a pair in the older form', other.privateKey.export({ type: 'sec1', format: 'pem' }).toString()],
    ['cut off', PRIVATE.slice(0, -30)],
  ])('are refused where a private one was pasted, and it is not printed: %s', (_what, pem) => {
    const refusal = refusalOf([PUBLIC, pem]);
    expect(refusal).toMatchObject({ message: expect.stringMatching(/^webhooks\.publicKeys: key 2 is a private key;/) });
    const shown = inspect(refusal, { depth: 9, showHidden: true });
    for (const line of secretLinesOf(pem)) expect(shown).not.toContain(line);
  });
});
