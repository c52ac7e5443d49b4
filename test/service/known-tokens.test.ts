import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FetchResult } from '../../src/ports/service.ts';
import { KnownTokens } from '../../src/service/known-tokens.ts';
import { processorMs } from '../support/processor-time.ts';
import { aPurchase, PURCHASE_ID, TOKEN } from './bodies.ts';
import { clientUnderTest } from './client-under-test.ts';
import { httpServer, sendJson } from './http-server.ts';

const OTHER = 'Zk8/oth+er"Tok3n';
const FORMS: readonly (readonly [string, string])[] = [
  ['unchanged', OTHER],
  ['in an address', encodeURIComponent(OTHER)],
  ['in an address twice', encodeURIComponent(encodeURIComponent(OTHER))],
  ['in JSON', JSON.stringify(OTHER).slice(1, -1)],
  ['with code points', [...OTHER].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
  ['in hexadecimal digits', Buffer.from(OTHER).toString('hex')],
  ['in upper-case hexadecimal digits', `00${Buffer.from(OTHER).toString('hex').toUpperCase()}00`],
  ...[0, 1, 2].flatMap((before) =>
    (['base64', 'base64url'] as const).map(
      (encoding) =>
        [
          `in ${encoding} after ${before} bytes`,
          Buffer.from(`${'x'.repeat(before)}${OTHER}y`).toString(encoding),
        ] as const,
    ),
  ),
];

describe('a token of another record', () => {
  it.each(FORMS)('is found %s, at any place', (_, form) => {
    const known = new KnownTokens();
    for (let n = 0; n < 2000; n++) known.add(`${n}-of-record-abc`);
    known.add(OTHER);
    known.add(TOKEN);
    for (const text of [form, `{"status":"${form}"}`, `${TOKEN} ${form}`])
      expect(known.foundIn(text, TOKEN)).toEqual([OTHER]);
    expect(known.foundIn(form, OTHER)).toEqual([]);
  });

  it('is found where it begins with signs that base64 does not have', () => {
    const known = new KnownTokens();
    for (const token of ['a.b~c!d$efghijkl', '(of-another)']) {
      known.add(token);
      expect(known.foundIn(`{"note":"${token}"}`, TOKEN)).toEqual([token]);
    }
  });

  it('of ten characters is found; a shorter one is not looked for', () => {
    const known = new KnownTokens();
    known.add('abcdefghij');
    known.add('klmnopqrs');
    expect(known.foundIn('abcdefghij klmnopqrs', TOKEN)).toEqual(['abcdefghij']);
  });

  it('is found wherever a search for each of them would find it', () => {
    const tokens = fc.uniqueArray(
      fc.string({ unit: fc.constantFrom('a', 'b', '-', '_', '+', '/'), minLength: 10, maxLength: 14 }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(tokens, fc.array(fc.string({ maxLength: 6 })), fc.nat(), (all, around, n) => {
        const known = new KnownTokens();
        for (const token of all) known.add(token);
        const text = around.join(all[n % all.length] ?? '');
        expect([...known.foundIn(text, 'none')].sort()).toEqual(all.filter((token) => text.includes(token)).sort());
      }),
      { numRuns: 500 },
    );
  });

  it('is forgotten when it is the oldest beyond ten thousand, and no other is', () => {
    const known = new KnownTokens();
    // Each begins like none of the others, so that all of them have room.
    const token = (n: number) => `${((n + 1) * 7_919_777).toString(36)}-of-a-record`;
    for (let n = 0; n < 25_000; n++) known.add(token(n));
    const isKnown = (n: number) => known.foundIn(`{"note":"${token(n)}"}`, 'none').length === 1;
    expect([0, 9_999, 14_999].map(isKnown)).toEqual([false, false, false]);
    expect(Array.from({ length: 10_000 }, (_, n) => n + 15_000).filter((n) => !isKnown(n))).toEqual([]);
  });

  it('is searched for in time that does not grow with the number of tokens', () => {
    const known = new KnownTokens();
    for (let n = 0; n < 20_000; n++) known.add(`token-of-record-${n}-abc`);
    const text = 'token-of-'.repeat(200_000);
    expect(processorMs(() => expect(known.foundIn(text, 'none')).toEqual([]))).toBeLessThan(10_000);
  });
});

it.each(['status', 'finalTxHash', 'paymentMethodType', 'receiverAddress', 'somethingNew'])(
  'in %s it is in no stored part, and a judged field that contains it is drift',
  async (field) => {
    for (const [, form] of FORMS) {
      const server = await httpServer((response) => sendJson(response, aPurchase({ [field]: JSON.stringify(form) })));
      const { client } = clientUnderTest(server.baseUrl);
      try {
        client.know([OTHER]);
        const result: FetchResult = await client.fetchRecord(
          { kind: 'purchase', id: PURCHASE_ID, token: TOKEN },
          { pace: 'paced' },
        );
        expect([form, result.outcome]).toEqual([form, field === 'somethingNew' ? 'verified' : 'quarantined']);
        expect(JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
          form,
        );
      } finally {
        await client.close();
        await server.close();
      }
    }
  },
);
