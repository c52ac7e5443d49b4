import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTokens, receivedBody } from '../../src/service/evidence.ts';
import { processorMs } from '../support/processor-time.ts';

const TOKEN = 'mg3voq92hd2mbdht';

describe('evidence', () => {
  it.each([
    ['the field', `{"id":"a","purchaseViewToken":"${TOKEN}","x":1}`, '{"id":"a","purchaseViewToken":"[cut]","x":1}'],
    ['a sale’s field', '{"saleViewToken" : "another-token" }', '{"saleViewToken" : "[cut]" }'],
    [
      'a field of another token, nested',
      '[{"a":{"purchaseViewToken":"zzz"}}]',
      '[{"a":{"purchaseViewToken":"[cut]"}}]',
    ],
    ['a field that is a number', '{"purchaseViewToken":123456,"x":1}', '{"purchaseViewToken":"[cut]","x":1}'],
    ['a field that is an object', `{"saleViewToken":{"v":["a","}"]},"x":[1]}`, '{"saleViewToken":"[cut]","x":[1]}'],
    ['a field in lines of its own', '{"saleViewToken"\r\n\t:\r\n\t"zzz"}', '{"saleViewToken"\r\n\t:\r\n\t"[cut]"}'],
    ['a field in capitals', '{"PURCHASEVIEWTOKEN":[1]}', '{"PURCHASEVIEWTOKEN":"[cut]"}'],
    ['a field with an underscore', '{"sale_view_token":[1]}', '{"sale_view_token":"[cut]"}'],
    [
      'a list in lines of its own',
      '{"saleViewToken"\n\r\t :\n\r\t [1,{"a":2},3],"x":1}',
      '{"saleViewToken"\n\r\t :\n\r\t "[cut]","x":1}',
    ],
    ['a number at the end', '{"x":1,"purchaseViewToken":123}', '{"x":1,"purchaseViewToken":"[cut]"}'],
    ['a number before a blank', '{"purchaseViewToken":123 ,"x":1}', '{"purchaseViewToken":"[cut]" ,"x":1}'],
    ['a field outside any object', '"purchaseViewToken":[1]', '"purchaseViewToken":"[cut]"'],
    [
      'a value that ends with a backslash',
      '{"purchaseViewToken":"a\\\\","x":"c"}',
      '{"purchaseViewToken":"[cut]","x":"c"}',
    ],
    [
      'a value with a backslash and a quote',
      '{"purchaseViewToken":"a\\\\\\"b","x":"c"}',
      '{"purchaseViewToken":"[cut]","x":"c"}',
    ],
    ['a field name with an escape that is none', '{"a\\xViewToken":{"v":"zzz"}}', '{"a\\xViewToken":"[cut]"}'],
    ['a body inside a string', '{"note":"{\\"viewToken\\": \\"zzz\\"}"}', '{"note":"{\\"viewToken\\": \\"[cut]\\"}"}'],
    [
      'a body inside a string inside a string',
      '{"n":"{\\\\\\"viewToken\\\\\\":\\\\\\"zzz\\\\\\"}"}',
      '{"n":"{\\\\\\"viewToken\\\\\\":\\\\\\"[cut]\\\\\\"}"}',
    ],
    ['a name and a value in words', 'view_token = zzz, viewtoken:yyy', 'view_token = [cut], viewtoken:[cut]'],
    ['names in single quotes', "{'viewToken':'zzz'}", "{'viewToken':'[cut]'}"],
    ['the query of an address', '<a href="/x?secret=zzz&secret=yyy">', '<a href="/x?secret=[cut]&secret=[cut]">'],
    ['an escaped field name', '{"purchase\\u0056iewToken":"zzz"}', '{"purchase\\u0056iewToken":"[cut]"}'],
    ['an escaped value', '{"purchaseViewToken":"a\\"b","x":"c"}', '{"purchaseViewToken":"[cut]","x":"c"}'],
    ['the token elsewhere', `{"url":"https://x/?secret=${TOKEN}&a=1"}`, '{"url":"https://x/?secret=[cut]&a=1"}'],
    ['the token with escapes', '{"n":"x mg3voq92hd2\\u006dbdht y"}', '{"n":"x [cut] y"}'],
    ['the token as a key', `{"${TOKEN}":1}`, '{"[cut]":1}'],
    ['a value that never ends', '{"purchaseViewToken":"mg3voq92', '{"purchaseViewToken":"[cut]"'],
    ['a body that is no JSON', `<p>${TOKEN}</p>`, '<p>[cut]</p>'],
  ])('has no token: %s', (_what, text, expected) => {
    expect(cutTokens(text, TOKEN)).toBe(expected);
  });

  it('keeps everything else as it was written', () => {
    const text = '{ "id":"a", "purchaseViewToken":null,\n"fee":0.10, "name":"\\u00e9 \\"q\\"", "fee2":1e-7, "fee":2 }';
    expect(cutTokens(text, TOKEN)).toBe(text);
  });

  it.each([
    ['a name that only begins like it', '{"viewTokenExpiresAt":"2026","fee":1}'],
    ['the name as a value', '{"a":"viewToken","b":[1]}'],
    ['no value', 'viewToken: null, nosecret=zzz'],
    ['what is cut already', '{"purchaseViewToken":"[cut]","note":"?secret=[cut]"}'],
    ['a string with escapes', '{"note":"a\\nb \\u0041","x":"c"}'],
  ])('leaves %s', (_what, text) => {
    for (const token of [TOKEN, null]) expect(cutTokens(text, token)).toBe(text);
  });

  it('cuts token fields where no token was sent', () => {
    expect(cutTokens(`{"viewToken":"zzz","note":"\\u0041 ${TOKEN}"}`, null)).toBe(
      `{"viewToken":"[cut]","note":"\\u0041 ${TOKEN}"}`,
    );
  });

  it('cuts a token that needs encoding in both forms', () => {
    expect(cutTokens('{"a":"x+y/z=ab","b":"?s=x%2By%2Fz%3Dab","c":"x+y\\/z=ab"}', 'x+y/z=ab')).toBe(
      '{"a":"[cut]","b":"?s=[cut]","c":"[cut]"}',
    );
  });

  it('cuts a very short token only where it stands alone', () => {
    expect(cutTokens('{"a":"12","b":"1234","c":12}', '12')).toBe('{"a":"[cut]","b":"1234","c":12}');
  });

  it('never holds the token, with any text around it and any escapes', () => {
    const escaped = fc
      .array(fc.boolean(), { minLength: 16, maxLength: 16 })
      .map((flags) =>
        [...TOKEN].map((c, i) => (flags[i] ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join(''),
      );
    const text = fc.tuple(fc.string(), escaped, fc.string()).map(([before, token, after]) => {
      const [left, right] = [JSON.stringify(before).slice(0, -1), JSON.stringify(after).slice(1)];
      return `{"note":${left}${token}${right}}`;
    });
    fc.assert(
      fc.property(text, (body) => {
        const kept: unknown = JSON.parse(cutTokens(body, TOKEN));
        expect(JSON.stringify(kept)).not.toContain(TOKEN);
        expect(JSON.stringify(kept)).toContain('[cut]');
      }),
    );
  });

  it.each([
    ['its own field', `{"purchaseViewToken":"${TOKEN}"}`, false],
    ['an object in its own field', `{"purchaseViewToken":{"v":"${TOKEN}"}}`, false],
    ['another field', `{"purchaseViewToken":"${TOKEN}","note":"${TOKEN}"}`, true],
    ['another field, escaped', `{"purchaseViewToken":"${TOKEN}","note":"\\u006d${TOKEN.slice(1)}"}`, true],
    ['a name', `{"${TOKEN}":1}`, true],
  ])('knows whether the token came back outside the token fields: %s', (_where, text, isEchoed) => {
    const read = receivedBody(Buffer.from(text), text, TOKEN);
    expect(read).toMatchObject({ isEchoed, body: { evidence: expect.not.stringContaining(TOKEN.slice(1)) } });
  });

  it('is known by the hash of the bytes received, token included', () => {
    const bytes = Buffer.from(`{"purchaseViewToken":"${TOKEN}"}`);
    expect(receivedBody(bytes, bytes.toString(), TOKEN).body).toEqual({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      evidence: '{"purchaseViewToken":"[cut]"}',
    });
  });
});

describe('time', () => {
  const size = 250_000;
  it.each([
    ['open quotes', '"\\'.repeat(size / 2)],
    ['quotes and backslashes', `"${'\\"'.repeat(size / 2)}`],
    ['token fields in token fields', '"purchaseViewToken":['.repeat(size / 21)],
    ['open token fields', '"purchaseViewToken":"\\"'.repeat(size / 24)],
    ['blanks behind token fields', `"purchaseViewToken"${' '.repeat(size)}`],
    ['brackets', `{"saleViewToken":${'['.repeat(size)}`],
    ['commas', `{"saleViewToken":${'[,'.repeat(size / 2)}`],
    ['names without quotes', 'viewtoken='.repeat(size / 10)],
    ['percent signs', '%25'.repeat(size / 3)],
    ['backslashes', '\\'.repeat(size)],
  ])('grows with the length alone: %s', (_, text) => {
    expect(processorMs(() => cutTokens(text, TOKEN))).toBeLessThan(5000);
  });
});
