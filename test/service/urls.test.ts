import { describe, expect, it } from 'vitest';
import { createUrls, endpointOf } from '../../src/service/urls.ts';
import { SALE_ID, TOKEN } from './bodies.ts';

const urls = createUrls({ baseUrl: 'https://service.example/api/' });

describe('addresses', () => {
  it('of a purchase and a sale', () => {
    expect(urls.record('purchase', 'sqs6a428mqjtzbv', TOKEN)).toBe(
      `/api/host-api/purchase/sqs6a428mqjtzbv?secret=${TOKEN}`,
    );
    expect(urls.record('sale', SALE_ID, TOKEN)).toBe(`/api/host-api/offramp/sale/${SALE_ID}?secret=${TOKEN}`);
  });

  it('follow the configured base and sale path', () => {
    const other = createUrls({ baseUrl: 'https://x.example/v/api//', salePath: '/host-api/v3/offramp/sale/{id}' });
    expect(other.record('sale', '7', 't')).toBe('/v/api/host-api/v3/offramp/sale/7?secret=t');
  });

  it('encode the values of their query', () => {
    expect(urls.record('purchase', '322', 'a&b=c/d+#?%')).toBe(
      '/api/host-api/purchase/322?secret=a%26b%3Dc%2Fd%2B%23%3F%25',
    );
    expect(urls.pathTo('/x', { a: 'ż \ud800', b: undefined, c: '' })).toBe('/api/x?a=%C5%BC%20%EF%BF%BD&c=');
  });

  it.each(['../quote', 'a/b', 'a?b', 'a#b', '', 'a b', '%2e%2e', 'a'.repeat(65), 'ż'])(
    'are not built from the id %j',
    (id) => {
      expect(() => urls.record('purchase', id, TOKEN)).toThrow('the record id has characters');
    },
  );

  it('are not built from a token that is none, and do not repeat it', () => {
    expect(() => urls.record('purchase', '322', 'a\r\nHost: x')).toThrow(
      /^the view token has characters that no view token has$/,
    );
  });
});

describe('endpoints', () => {
  it('say which version has them', () => {
    expect(() => endpointOf('countries', 'v3')).toThrow('the API v3 has no "countries"');
    expect(() => endpointOf('quote', 'v2')).toThrow('the API v2 has no "quote"');
  });
});
