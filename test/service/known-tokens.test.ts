import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FetchResult } from '../../src/ports/service.ts';
import { KnownTokens } from '../../src/service/known-tokens.ts';
import { KnownSecrets } from '../../src/text/secret-forms.ts';
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

describe('a body is taken to be free of all known tokens', () => {
  const free = `{"status":"RELEASED","finalTxHash":"0x${'a1b2c3d4'.repeat(8)}"}`;

  it.each(FORMS)('not where one is in it %s, its own or another', (_, form) => {
    const known = new KnownTokens();
    for (const token of [OTHER, TOKEN]) known.add(token);
    for (const text of [form, `{"status":"${form}"}`, free.replace('RELEASED', form)])
      expect([known.areAbsent(text, TOKEN), known.areAbsent(text, OTHER)]).toEqual([false, false]);
    expect([known.areAbsent(free, TOKEN), known.areAbsent(free, OTHER)]).toEqual([true, true]);
  });

  it('not where its own token is not looked for: unknown, too short, or of too many that begin alike', () => {
    const known = new KnownTokens();
    known.add('klmnopqrs');
    const alike = Array.from({ length: 40 }, (_, n) => `begin-alike-${n}`);
    for (const token of alike) known.add(token);
    expect(['never-added-to-it', 'klmnopqrs', alike[39] ?? ''].map((own) => known.areAbsent(free, own))).toEqual([
      false,
      false,
      false,
    ]);
    expect(known.areAbsent(free, alike[0] ?? '')).toBe(true);
  });

  it('never where a search for each form would find one', () => {
    const token = fc.string({
      unit: fc.constantFrom('a', 'b', '-', '_', '+', '/', '%', '"', '\\', '4'),
      minLength: 10,
      maxLength: 14,
    });
    const encodings = [
      (text: string) => text,
      encodeURIComponent,
      (text: string) => JSON.stringify(text).slice(1, -1),
      (text: string) => Buffer.from(`x${text}`).toString('base64'),
      (text: string) => Buffer.from(text).toString('hex'),
    ];
    fc.assert(
      fc.property(
        token,
        token,
        fc.array(fc.string({ maxLength: 6 })),
        fc.nat(),
        fc.nat(),
        (own, other, around, n, m) => {
          const known = new KnownTokens();
          for (const each of [own, other]) known.add(each);
          const encode = encodings[n % encodings.length] ?? encodeURIComponent;
          const text = around.join(encode(m % 2 === 0 ? own : other));
          if (known.areAbsent(text, own)) expect(new KnownSecrets([own, other]).isIn(text)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

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
      { numRuns: 200 },
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
