/** Who knows the webhook's address, has seen signed deliveries, and would like to be believed. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { aReceiver, type Receiver } from '../intake/webhooks/a-receiver.ts';
import { aPurchase } from '../service/bodies.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { faultRow } from './harness/row.ts';

/** Order of the curve secp256k1, and the prime of its field. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const P = 2n ** 256n - 2n ** 32n - 977n;

interface Forgery {
  name: string;
  /** As the header would have it. */
  signature: string;
  body?: string;
}

faultRow(
  {
    number: 16,
    fault:
      'webhook signature that is forged, truncated, BER, with trailing bytes, of another key or with edge values; body changed, reordered or replayed',
    how: 'every bit and every length of real signatures, each class of malformed DER, edge values of r and s, other keys, curves and hashes; by the function and by the HTTP port',
    mustHold: 'no forgery is accepted; a high s is accepted; a replay has one effect however its body is written',
  },
  async (row) => {
    // Their own test vectors for this curve are in no package.
    row.gap("Wycheproof's own vectors (no npm package has them; its classes of forgeries are generated instead)");
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const random = seededRandom(row.seed);
    const body = created('forged');
    let accepted = 0;
    let tried = 0;
    let highS = 0;
    for (let n = 0; n < (row.isShort ? 3 : 60); n++) {
      const { der, r, s } = signed(body, privateKey);
      expect(verifyWebhook(body, base64(derOf(r, s)), [pem])).toBe(true);
      if (verifyWebhook(body, base64(derOf(r, N - s)), [pem])) highS++;
      for (const { name, signature, body: other = body } of [
        ...bytewise(der, random),
        ...classes(r, s, body, privateKey),
      ]) {
        tried++;
        if (!verifyWebhook(other, signature, [pem])) continue;
        accepted++;
        row.say(`accepted: ${name}`);
      }
      expect(highS, 'both of a pair (s, n - s)').toBe(n + 1);
    }
    row.measured('forgeries', tried);
    row.measured('forgeries accepted', accepted);
    row.measured('signatures with a high s accepted', highS);
    expect(accepted).toBe(0);
    const receiver = await aReceiver({ TIEOUT_WEBHOOK_PUBLIC_KEY: pem });
    try {
      const { der, r, s } = signed(body, privateKey);
      const all = [...classes(r, s, body, privateKey), ...bytewise(der, random)];
      const some = row.isShort ? all.filter((_, n) => n < 60 || n % 20 === 0) : all;
      for (const { name, signature, body: other = body } of some) {
        // What cannot stand in a header at all is refused by the client.
        if (!/^[\x20-\x7e]*$/.test(signature)) continue;
        const { status } = await receiver.post('/webhooks/purchases', other, { 'x-body-signature': signature });
        expect(status, name).toBe(401);
      }
      expect(effects(receiver)).toEqual({ deliveries: 0, tracked: 0 });
      row.measured('forgeries to the port answered 401', some.length);
      row.measured('further effects of replays', await replays(receiver, privateKey));
    } finally {
      await receiver.close();
    }
  },
);

const created = (id: string) =>
  `{"type":"CREATED","purchase":${aPurchase({ id: `"${id}"`, status: '"INITIALIZED"', finalTxHash: 'null' })}}`;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Sorted and printed by code of the row's own: what the Service signs. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${sorted(each)}`).join(',')}}`;
}

function signed(body: string, key: KeyObject): { der: Buffer; r: bigint; s: bigint } {
  const raw = sign('sha256', Buffer.from(sorted(JSON.parse(body))), { key, dsaEncoding: 'ieee-p1363' });
  const [r, s] = [raw.subarray(0, 32), raw.subarray(32)].map((half) => BigInt(`0x${half.toString('hex')}`));
  return { der: derOf(r ?? 0n, s ?? 0n), r: r ?? 0n, s: s ?? 0n };
}

/** The shortest two's complement. */
function integer(value: bigint): Buffer {
  let length = 1;
  while (BigInt.asIntN(length * 8, value) !== value) length++;
  const hex = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0');
  return tlv(0x02, Buffer.from(hex, 'hex'));
}

function tlv(tag: number, content: Buffer, length: readonly number[] = [content.length]): Buffer {
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const derOf = (r: bigint, s: bigint): Buffer => tlv(0x30, Buffer.concat([integer(r), integer(s)]));

/** Every bit flipped, every length cut, bytes added, and noise. */
function bytewise(der: Buffer, random: () => number): Forgery[] {
  const found: Forgery[] = [];
  for (let bit = 0; bit < der.length * 8; bit++) {
    const changed = Buffer.from(der);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    found.push({ name: `bit ${bit} flipped`, signature: base64(changed) });
  }
  for (let length = 0; length < der.length; length++) {
    found.push({ name: `cut to ${length} bytes`, signature: base64(der.subarray(0, length)) });
  }
  for (const tail of [[0], [5, 0], [0, 0], [...der]]) {
    found.push({ name: `${tail.length} bytes behind it`, signature: base64(Buffer.concat([der, Buffer.from(tail)])) });
  }
  for (let n = 0; n < 20; n++) {
    const noise = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 80) }, () => Math.floor(random() * 256)));
    found.push({ name: 'noise', signature: base64(noise) });
  }
  return found;
}

/** One of each kind that readers have been known to take. */
function classes(r: bigint, s: bigint, body: string, key: KeyObject): Forgery[] {
  const [R, S] = [integer(r), integer(s)];
  const both = Buffer.concat([R, S]);
  const der = tlv(0x30, both);
  const padded = (value: bigint, zeros: number) =>
    tlv(0x02, Buffer.concat([Buffer.alloc(zeros), integer(value).subarray(2)]));
  const of = (...parts: Buffer[]) => tlv(0x30, Buffer.concat(parts));
  const malformed: [string, Buffer][] = [
    ['long length of the sequence', tlv(0x30, both, [0x81, both.length])],
    ['longer length of the sequence', tlv(0x30, both, [0x82, 0, both.length])],
    ['length of r in the long form', of(tlv(0x02, R.subarray(2), [0x81, R.length - 2]), S)],
    ['length of s in the long form', of(R, tlv(0x02, S.subarray(2), [0x81, S.length - 2]))],
    ['indefinite length', Buffer.concat([Buffer.from([0x30, 0x80]), both, Buffer.from([0, 0])])],
    ['indefinite length of r', of(Buffer.concat([Buffer.from([0x22, 0x80]), R, Buffer.from([0, 0])]), S)],
    ['length of the sequence too short', tlv(0x30, both, [both.length - 1])],
    ['length of the sequence too long', tlv(0x30, both, [both.length + 1])],
    ['length of 2^64', tlv(0x30, both, [0x88, 1, 0, 0, 0, 0, 0, 0, 0, both.length])],
    ['r padded', of(padded(r, 1), S)],
    ['s padded', of(R, padded(s, 2))],
    ['something behind s', of(R, S, Buffer.from([0x05, 0x00]))],
    ['three numbers', of(R, S, S)],
    ['one number', of(R)],
    ['no number', of()],
    ['a sequence in a sequence', tlv(0x30, der)],
    ['a null for r', of(Buffer.from([0x05, 0x00]), S)],
    ['an empty integer for s', of(R, Buffer.from([0x02, 0x00]))],
    ['a real for r', of(Buffer.from([0x09, 0x00]), S)],
    ['a bit string around it', tlv(0x03, Buffer.concat([Buffer.from([0]), der]))],
    ['r and s without form, 64 bytes', Buffer.from(hex(r) + hex(s), 'hex')],
    ['r and s exchanged', derOf(s, r)],
    ...[0x00, 0x10, 0x31, 0x70, 0xb0].map((tag): [string, Buffer] => [`tag ${tag} for the sequence`, tlv(tag, both)]),
    ...[0x00, 0x01, 0x03, 0x04, 0x0a, 0x82].map((tag): [string, Buffer] => [
      `tag ${tag} for r`,
      of(tlv(tag, R.subarray(2)), S),
    ]),
  ];
  const edges = [0n, 1n, -1n, 2n, N - 1n, N, N + 1n, P, P + 1n, 2n ** 256n - 1n, 2n ** 256n, -r, r - N, r + N];
  for (const edge of edges) {
    malformed.push([`r = ${edge}`, derOf(edge, s)], [`s = ${edge}`, derOf(r, edge)]);
    for (const other of edges) malformed.push([`(${edge}, ${other})`, derOf(edge, other)]);
  }
  malformed.push(
    ['s + n', derOf(r, s + N)],
    ['-s', derOf(r, -s)],
    ['s - n', derOf(r, s - N)],
    ['r + n', derOf(r + N, s)],
  );
  const text = base64(der);
  return [
    ...malformed.map(([name, bytes]) => ({ name, signature: base64(bytes) })),
    { name: 'nothing', signature: '' },
    { name: 'hexadecimal', signature: der.toString('hex') },
    { name: 'base64 of base64', signature: base64(Buffer.from(text)) },
    { name: 'base64 with a blank', signature: `${text.slice(0, 8)} ${text.slice(8)}` },
    { name: 'base64 with more padding', signature: `${text}==` },
    { name: 'two of them', signature: `${text},${text}` },
    ...foreign(body, key),
    ...changedBodies(body, text),
  ];
}

const hex = (value: bigint) => value.toString(16).padStart(64, '0');

/** Valid signatures by another key or over another body. */
function foreign(body: string, key: KeyObject): Forgery[] {
  const text = Buffer.from(sorted(JSON.parse(body)));
  const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
  const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  const rsa = createPrivateKey(
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  return [
    { name: 'another key', signature: base64(sign('sha256', text, other)) },
    { name: 'another curve', signature: base64(sign('sha256', text, p256)) },
    { name: 'another kind', signature: base64(sign('sha256', text, rsa)) },
    ...['sha1', 'sha384', 'sha512', 'sha3-256'].map((hash) => ({
      name: hash,
      signature: base64(sign(hash, text, key)),
    })),
    { name: 'the body as it came', signature: base64(sign('sha256', Buffer.from(body), key)) },
    {
      name: 'the purchase alone',
      signature: base64(sign('sha256', Buffer.from(sorted(JSON.parse(body).purchase)), key)),
    },
  ];
}

/** The right signature of another body. */
function changedBodies(body: string, signature: string): Forgery[] {
  const changes: [string, string][] = [
    [body.replace('forged', 'forgee'), 'another id'],
    [body.replace('4.76', '4.77'), 'another fee'],
    [body.replace('"CREATED"', '"RELEASED"'), 'another event'],
    [body.replace('{"type"', '{"more":null,"type"'), 'a field more'],
    [body.replace('"type":"CREATED",', ''), 'a field less'],
    [body.replace('"finalTxHash":null', '"finalTxHash":"null"'), 'a text for null'],
    [body.replace('4.76', '"4.76"'), 'a text for a number'],
    [`[${body}]`, 'in a list'],
    [`${body}${body}`, 'twice'],
    [`${body}\0`, 'with NUL'],
    [body.replace('"CREATED"', '"CREATED","type":"RELEASED"'), 'the same key twice, the last one another'],
  ];
  return changes.map(([changed, name]) => {
    expect(changed, name).not.toBe(body);
    return { name, signature, body: changed };
  });
}

function effects({ folder }: Receiver): { deliveries: number; tracked: number } {
  const db = new Database(join(folder, 'tieout.db'), { readonly: true });
  const count = (table: string) => db.prepare(`select count(*) from ${table}`).pluck().get() as number;
  const found = { deliveries: count('deliveries'), tracked: count('tracked_records') };
  db.close();
  return found;
}

/** One captured delivery, in every way of writing it that its signature allows. */
async function replays(receiver: Receiver, key: KeyObject): Promise<number> {
  const body = created('replayed');
  const { r, s } = signed(body, key);
  const [low, high] = [base64(derOf(r, s)), base64(derOf(r, N - s))];
  const parsed = JSON.parse(body);
  const texts = [
    body,
    sorted(parsed),
    JSON.stringify(parsed, null, 2),
    JSON.stringify({ purchase: Object.fromEntries(Object.entries(parsed.purchase).reverse()), type: parsed.type }),
    body.replace('2500', '2500.0'),
    body.replace('4.76', '47.6e-1'),
    body.replace('CREATED', '\\u0043REATED'),
    `${body}\r\n`,
  ];
  for (const text of [...texts, ...texts]) {
    for (const signature of [low, high]) {
      const { status } = await receiver.post('/webhooks/purchases', text, { 'x-body-signature': signature });
      expect(status).toBe(200);
    }
  }
  const { deliveries, tracked } = effects(receiver);
  expect({ deliveries, tracked }).toEqual({ deliveries: 1, tracked: 1 });
  return deliveries - 1;
}
