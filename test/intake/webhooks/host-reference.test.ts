import { expect, it } from 'vitest';
import { hostReferenceOf } from '../../../src/intake/server/deliveries.ts';

it.each([
  ['/webhooks/purchases?userId=42&sessionId=7', 'userId=42&sessionId=7'],
  ['/webhooks/purchases', null],
  ['/webhooks/purchases?', null],
  // As it stood in the address: who put it there recognises it.
  ['/w?name=J%C3%BCrgen+K', 'name=J%C3%BCrgen+K'],
  ['/w?a=1&&b=2', 'a=1&b=2'],
  // An address may carry a password of its own.
  ['/w?token=abc&userId=42', 'userId=42'],
  ['/w?userId=42&api_key=abc&X-Auth=y&clientSecret=z', 'userId=42'],
  ['/w?t%6Fken=abc', null],
  ['/w?%zz=1&a=2', '%zz=1&a=2'],
  ['/w?%token=abc&a=2', 'a=2'],
  [`/w?a=${'x'.repeat(100)}&b=${'y'.repeat(200)}&c=1`, `a=${'x'.repeat(100)}`],
])('%s gives %s', (url, reference) => {
  expect(hostReferenceOf(url)).toBe(reference);
});

it.each(['jwt=a.b.c', 'pwd=hunter2', 'key=abc', 'api_key=abc', 'sessionKey=abc'])('has no %s', (parameter) => {
  expect(hostReferenceOf(`/webhooks/purchases?userId=42&${parameter}`)).toBe('userId=42');
});
