import { describe, expect, it } from 'vitest';
import { load, problem, problems } from './loading.ts';

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

describe('a private key in the place of a public one', () => {
  const LINES = ['MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg', 'S5nTi8X7XoccG5kTA9ArPRC/7oHJQ2Iiig+PzOqTvtWh'];
  const pem = (kind: string) => `-----BEGIN ${kind}-----\n${LINES.join('\n')}\n-----END ${kind}-----`;
  const asYaml = (text: string) => `webhooks:\n  publicKeys:\n    - |\n${text.replace(/^/gm, '      ')}\n`;
  const variable = (text: string) => ({ env: { TIEOUT_WEBHOOK_PUBLIC_KEY: text } });

  it.each([
    ['of the settings file', { yaml: asYaml(pem('PRIVATE KEY')) }],
    ['of the settings file, of the older form', { yaml: asYaml(pem('EC PRIVATE KEY')) }],
    ['of the environment', variable(pem('PRIVATE KEY'))],
    ['of the environment, behind a public one', variable(`${pem('PUBLIC KEY')}\n${pem('EC PRIVATE KEY')}`)],
    ['of the environment, without its end', variable(pem('PRIVATE KEY').slice(0, -12))],
  ])('%s is refused and not printed', (_where, given) => {
    const told = JSON.stringify(problems(given));
    expect(told).toContain('webhooks.publicKeys');
    expect(told).toContain('a public key in PEM');
    for (const line of LINES) expect(told).not.toContain(line.slice(0, 16));
  });
});
