import { expect, it } from 'vitest';
import { maskUrl, secretValues, showMasked, showRefused } from '../../config/mask.ts';

it.each([
  ['postgres://app:hunter2@db:5432/x', 'postgres://app:********@db:5432/x'],
  ['postgres://app@db/x', 'postgres://app@db/x'],
  ['postgres://app:hun/ter2@db/x', 'postgres://********@db/x'],
  ['postgres://app:hun?ter#2@db/x', 'postgres://********@db/x'],
  ['postgres://app:hun@ter2@db/x', 'postgres://app:********@db/x'],
  ['postgres://db/x?password=hunter2&sslmode=require', 'postgres://db/x?password=********&sslmode=require'],
  ['postgres://db/x?sslpassword=hunter2', 'postgres://db/x?sslpassword=********'],
  ['https://b.example/x?X-Amz-Signature=abc&a=b', 'https://b.example/x?X-Amz-Signature=********&a=b'],
  ['https://service.example/api?secret=abc', 'https://service.example/api?secret=********'],
  [
    'https://b.example/x?keys=abc&key2=d&pass1=e&keyword=f',
    'https://b.example/x?keys=********&key2=********&pass1=********&keyword=f',
  ],
  ['app:hunter2@db', '********'],
  ['sqlite:var/tieout.db', 'sqlite:var/tieout.db'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

it('the value of a secret parameter is cut from any text, as it is read and as it is written', () => {
  const url = 'https://service.example/api?a=b&access_token=hun%2Fter2';
  expect(secretValues({ service: { url } })).toEqual([url, 'hun/ter2', 'hun%2Fter2']);
});

it.each(['http:/app:hunter2@proxy', 'http:app:hunter2@proxy'])(
  '%s, which is read as an address, is hidden as one',
  (url) => {
    expect(showMasked(['service', 'proxy'], url)).toBe('********');
    expect(secretValues({ service: { proxy: url } })).toEqual([url, 'hunter2']);
  },
);

it.each([
  ['MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE', true],
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', true],
  ['Tr0ub4dor&3-and-more', true],
  ['http:/service.example/api2', false],
  ['keys/service2.pem', false],
  ['15 minutes', false],
  ['2026-11-20T04:15:00Z', false],
  ['90seconds', false],
  ['1500milliseconds', false],
  ['Europe/Warsaw1', false],
  ['minor-units-2', false],
  ['manual_bank_transfer2', false],
  ['FEE_APPLIED_DIFFERS_2', false],
  ['recommended-limits-2026', false],
  ['hufsyz-ticRub-qyvwe3', true],
  ['k3j9-x2mq-7hgd-p0ws', true],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479', true],
  ['password12345678', true],
])('%s, refused in the place of another value, is hidden: %s', (value, isHidden) => {
  expect(showRefused(['service', 'timeout'], value)).toBe(isHidden ? '********' : value);
  expect(showRefused(['webhooks', 'trustedProxies'], ['10.0.0.1', { a: value }])).toBe(
    showMasked([], ['10.0.0.1', { a: isHidden ? '********' : value }]),
  );
});
