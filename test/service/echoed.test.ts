import { describe, expect, it } from 'vitest';
import { cutTokens, withoutEchoes } from '../../src/service/evidence.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { normalisePurchase } from '../../src/service/normalise-record.ts';
import { KnownSecrets } from '../../src/text/secret-forms.ts';
import { aPurchase } from './bodies.ts';

const TOKEN = 'mg3v/q92+d2=bdht';

const ENCODINGS: readonly (readonly [string, string])[] = [
  ['plain', TOKEN],
  ['URL-encoded', encodeURIComponent(TOKEN)],
  ['URL-encoded in lower case', encodeURIComponent(TOKEN).replace(/%../g, (code) => code.toLowerCase())],
  ['every letter URL-encoded', [...TOKEN].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')],
  ['JSON inside of JSON', JSON.stringify(JSON.stringify({ a: TOKEN })).slice(1, -1)],
  ['base64', Buffer.from(TOKEN).toString('base64')],
  ['hexadecimal digits', Buffer.from(TOKEN).toString('hex')],
  ['base64 inside of an address', `https://x/?q=${Buffer.from(`a=${TOKEN}&b=1`).toString('base64url')}`],
];

const FIELDS = ['status', 'paymentMethodType', 'finalTxHash', 'receiverAddress'] as const;

function readWith(field: string, text: string) {
  const body = aPurchase({ [field]: JSON.stringify(text) });
  return {
    body,
    reading: normalisePurchase(withoutEchoes(parseExactJson(body), new KnownSecrets([TOKEN])), 'Service'),
  };
}

describe.each(ENCODINGS)('a token that comes back %s', (_, text) => {
  it.each(FIELDS)('makes %s drift', (field) => {
    const { reading } = readWith(field, `got ${text}`);
    expect(reading).toMatchObject({ ok: false, drift: [{ field, found: 'the view token' }] });
  });

  it.each(FIELDS)('is not kept as evidence in %s', (field) => {
    const { body } = readWith(field, text);
    const kept = cutTokens(body, TOKEN);
    expect(kept).toContain('[cut]');
    for (const [, form] of ENCODINGS) expect(kept).not.toContain(form);
  });
});

it('leaves a field alone that the rules do not need, and cuts it from the evidence', () => {
  const { reading } = readWith('debug', TOKEN);
  expect(reading.ok).toBe(true);
});

it('cuts a name of a field before it is suggested', () => {
  const body = `{"${TOKEN}":1,"id":"a"}`;
  expect(JSON.stringify(withoutEchoes(parseExactJson(body), new KnownSecrets([TOKEN])))).toBe('{"[cut]":"1","id":"a"}');
});

it.each([
  ['a number', '{"a":1234567890123,"b":7}', '{"a":"[cut]","b":"7"}'],
  ['a list', '{"a":["x123456789012",["123456789012"],"b"]}', '{"a":["[cut]",["[cut]"],"b"]}'],
  ['an object', '{"a":{"b":"123456789012","c":null,"d":true}}', '{"a":{"b":"[cut]","c":null,"d":true}}'],
  ['an object in a token field', '{"viewToken":{"v":"123456789012"}}', '{"viewToken":{"v":"[cut]"}}'],
  ['a field that begins like a token field', '{"viewTokenOf":"123456789012"}', '{"viewTokenOf":"[cut]"}'],
  ['no token field', '{"viewToken":"123456789012"}', '{"viewToken":"123456789012"}'],
])('cuts it from %s', (_, body, clean) => {
  expect(JSON.stringify(withoutEchoes(parseExactJson(body), new KnownSecrets(['123456789012'])))).toBe(clean);
});
