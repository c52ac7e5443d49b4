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

/** What was slow, and what could be. */
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
    fault: 'texts and bodies on which searching, sorting or canonicalising could take quadratic or exponential time',
    how: 'the log, the evidence and the signature, each with up to 2 MiB of repeated pieces; 300 requests of 255 KiB with a wrong signature at the receiver while honest webhooks come; ids of 38 letters',
    mustHold:
      'nothing takes longer than 1 s; no honest webhook waits longer than 1 s or is refused; SIGTERM is answered within 5 s',
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
  row.measured('bytes each, at most', bytes);
  row.measured('bytes of gzip of the smallest', smallest);
  row.measured('longest ms', Math.round(longest));
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
    row.measured('attacks refused', `${refused} of ${count}`);
    row.measured('honest webhooks taken', `${taken} of ${honest}`);
    row.measured('longest wait ms', Math.round(longest));
    expect(refused).toBe(count);
    expect(taken).toBe(honest);
    expect(longest).toBeLessThan(1000);
  } finally {
    const begun = performance.now();
    await receiver.close();
    row.measured('closed after ms', Math.round(performance.now() - begun));
  }
}
