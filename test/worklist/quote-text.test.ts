import { expect, it } from 'vitest';
import { withoutSecrets } from '../../src/worklist/quote-text.ts';

it.each([
  'apiKey',
  'api_key',
  'hostApiKey',
  'host_api_key',
  'viewToken',
  'view_token',
  'source_view_token',
  'accessToken',
  'access_token',
  'Authorization',
  'secret',
  'client_secret',
  'password',
  'apiKey1',
  'view.token',
  'viewToken2',
  'Cookie',
  'Proxy-Authorization',
  'x-signature',
  'passphrase',
  'credentials',
])('the value of %s is cut out', (name) => {
  expect(withoutSecrets(`{"a":1,"${name}" : "x\\"y","b":"z"}`)).toBe(`{"a":1,"${name}":"[cut out]","b":"z"}`);
});

it('cuts out every secret by its name, and no other value', () => {
  expect(withoutSecrets('{"password":"a","in":{"apiKey":"b"}}')).toBe(
    '{"password":"[cut out]","in":{"apiKey":"[cut out]"}}',
  );
  const harmless = '{"amount":"100","tokenised":"x","note":"password"}';
  expect(withoutSecrets(harmless)).toBe(harmless);
});

it('cuts values of every type, and what a text itself names, and keeps the digits of numbers', () => {
  const cut = (json: string) => expect(withoutSecrets(json));
  cut('{"password":["a"],"secret":{"v":"a"},"token":1234,"\\u0074oken2":"a"}').toBe(
    '{"password":"[cut out]","secret":"[cut out]","token":"[cut out]","token2":"[cut out]"}',
  );
  cut('{"url":"https://x.example/?apiKey=abc&a=1","raw":["Authorization","Bearer abc"]}').toBe(
    '{"url":"https://x.example/?apiKey=[secret]&a=1","raw":["Authorization","Bearer [secret]"]}',
  );
  const kept =
    '{"fee":1.10,"big":123456789012345678901234567890,"tokenAddress":"0xab","token":null,"__proto__":{"a":1e400}}';
  cut(kept).toBe(kept);
});
