import { describe, expect, it } from 'vitest';
import { load, problem } from './loading.ts';

const webhooks = (yaml: string) => load({ yaml: `webhooks:\n  ${yaml}\n` }).settings.webhooks;
const fault = (yaml: string) => problem({ yaml: `webhooks:\n  ${yaml}\n` });

describe('webhooks.trustProxy', () => {
  it.each([
    ['trustProxy: true', true],
    ['trustProxy: false', false],
    ['trustProxy: [10.0.0.7, "2001:db8::/32"]', ['10.0.0.7', '2001:db8::/32']],
    ['port: 80', false],
  ])('%s', (yaml, expected) => {
    expect(webhooks(yaml).trustProxy).toEqual(expected);
  });

  it.each([
    ['trustProxy: yes', 'allowed: true, false, or a list of IP addresses and networks'],
    ['trustProxy: 10.0.0.7', 'allowed: true, false, or a list'],
    ['trustProxy: []', 'needs at least one item'],
    ['trustProxy: [proxy.example]', 'allowed: an IP address or a network'],
    ['trustProxy: [10.0.0.0/33]', 'allowed: an IP address or a network'],
    ['trustProxy: [10.0.0.0/8/8]', 'allowed: an IP address or a network'],
    ['trustProxy: ["2001:db8::/129"]', 'allowed: an IP address or a network'],
  ])('refuses %s', (yaml, message) => {
    expect(fault(yaml)).toContain(message);
  });
});

describe('webhooks.docs', () => {
  it.each([
    ['docs: true', true],
    ['docs: false', false],
    ['docs: auto', 'auto'],
    ['port: 80', 'auto'],
  ])('%s', (yaml, expected) => {
    expect(webhooks(yaml).docs).toBe(expected);
  });

  it('refuses anything else', () => {
    expect(fault('docs: loopback')).toContain('webhooks.docs');
  });
});
