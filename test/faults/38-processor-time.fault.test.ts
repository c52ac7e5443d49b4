/** Bodies that are cheap to send and dear to read: from strangers at the receiver, and from the Service. */
import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { Scrubber } from '../../src/cli/scrub.ts';
import { cutTokens } from '../../src/service/evidence.ts';
import { verifyWebhook } from '../../src/service/webhook-signature.ts';
import { aReceiver } from '../intake/webhooks/a-receiver.ts';
import { aPurchase, TOKEN } from '../service/bodies.ts';
import { processorMs } from '../support/processor-time.ts';
import { faultRow, type Row } from './harness/row.ts';

const KIB = 1024;
const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);

/** Functions that were slow, and functions that could be. */
const PIECES = [
  'a',
  'view_',
  '"\\',
  '"purchaseViewToken":[',
  '"purchaseViewToken":"\\"',
  '[',
  '{"a":',
  '[{"b":[',
  '%25',
  'token = ',
  'x://a:',
  '=:',
];

/** A DER signature of the right form that no key made. */
const NO_SIGNATURE = Buffer.from(`3006020101020101`, 'hex').toString('base64');

faultRow(
  {
    number: 38,
    fault: 'text or body on which searching, sorting or canonicalising could take quadratic or exponential time',
    how: 'log, evidence and signature each get up to 2 MiB of repeated pieces; the receiver gets 300 requests of 255 KiB with a wrong signature among honest webhooks; ids of 38 letters',
    mustHold:
      'no call takes longer than 1 s; no honest webhook is refused or waits longer than 1 s; the receiver closes within 5 s of SIGTERM',
  },
  async (row) => {
    inThisProcess(row);
    await atTheReceiver(row);
  },
);

function inThisProcess(row: Row): void {
  const pem = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString();
  const bytes = (row.isShort ? 256 : 2048) * KIB;
  let longest = 0;
  let smallest = Number.POSITIVE_INFINITY;
  const timed = (work: () => unknown) => {
    longest = Math.max(longest, processorMs(work));
  };
  for (const piece of PIECES) {
    const text = repeated(piece, bytes);
    smallest = Math.min(smallest, gzipSync(text).length);
    timed(() => new Scrubber().scrub(text));
    timed(() => cutTokens(text, TOKEN));
    timed(() => verifyWebhook(text.slice(0, 255 * KIB), NO_SIGNATURE, [pem]));
  }
  row.measured('texts', PIECES.length * 3);
  row.measured('bytes of the longest', bytes);
  row.measured('bytes of the smallest when compressed', smallest);
  row.measured('slowest call, ms', Math.round(longest));
  expect(longest).toBeLessThan(1000);
}

async function atTheReceiver(row: Row): Promise<void> {
  const receiver = await aReceiver();
  try {
    const attacks = [
      `{"id":"a","x":${'['.repeat(63)}${'1,'.repeat(4000)}1${']'.repeat(63)},"pad":"${'p'.repeat(200 * KIB)}"}`,
      repeated('{"a":[', 255 * KIB),
      `{${Array.from({ length: 9000 }, (_, n) => `"k${9000 - n}":${n}`).join(',')},"pad":"${'p'.repeat(120 * KIB)}"}`,
      `[${'1,'.repeat(120 * KIB)}1]`,
    ];
    const count = row.isShort ? 60 : 300;
    let refused = 0;
    const attack = (async () => {
      for (let n = 0; n < count; n++) {
        const body = attacks[n % attacks.length] ?? '';
        const { status } = await receiver.post('/webhooks/purchases', body, { 'x-body-signature': NO_SIGNATURE });
        if ([400, 401, 429].includes(status)) refused++;
      }
    })();
    let longest = 0;
    let taken = 0;
    const honest = row.isShort ? 20 : 100;
    for (let n = 0; n < honest; n++) {
      const begun = performance.now();
      const body = JSON.stringify({ type: 'CREATED', purchase: JSON.parse(aPurchase({ id: `"honest${n}"` })) });
      const { status } = await receiver.webhook('purchase', body);
      longest = Math.max(longest, performance.now() - begun);
      if (status === 200) taken++;
    }
    await attack;
    const long = { id: `${'a'.repeat(38)}!`, type: 'PURCHASE_CREATED' };
    const begun = performance.now();
    const { status } = await receiver.event(JSON.stringify({ ...long, purchase: { id: 'b'.repeat(64) } }));
    longest = Math.max(longest, performance.now() - begun);
    expect(status).not.toBe(200);
    row.measured('forged webhooks refused', `${refused} of ${count}`);
    row.measured('honest webhooks accepted', `${taken} of ${honest}`);
    row.measured('longest wait of an honest webhook, ms', Math.round(longest));
    expect(refused).toBe(count);
    expect(taken).toBe(honest);
    expect(longest).toBeLessThan(1000);
  } finally {
    const begun = performance.now();
    await receiver.close();
    row.measured('closed after, ms', Math.round(performance.now() - begun));
  }
}
