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
])('the value of %s is cut out', (name) => {
  expect(withoutSecrets(`{"a":1,"${name}" : "x\\"y","b":"z"}`)).toBe(`{"a":1,"${name}" : "[cut out]","b":"z"}`);
});

it('cuts out every secret by its name, and no other value', () => {
  expect(withoutSecrets('{"password":"a","in":{"apiKey":"b"}}')).toBe(
    '{"password":"[cut out]","in":{"apiKey":"[cut out]"}}',
  );
  const harmless = '{"amount":"100","tokenised":"x","passwords":"y","note":"password"}';
  expect(withoutSecrets(harmless)).toBe(harmless);
});
