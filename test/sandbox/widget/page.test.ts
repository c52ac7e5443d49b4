import { describe, expect, it } from 'vitest';
import { aSandbox, asList, get, post } from '../a-sandbox.ts';

const QUERY = 'hostAppName=App&hostLogoUrl=https%3A%2F%2Fapp.example%2Fl.svg&hostApiKey=sandbox-host-key';
const WISH = { direction: 'onramp', asset: 'ETH_ETH', currency: 'EUR', amount: '100', unit: 'fiat', country: null };
const ORDER = {
  ...WISH,
  parameters: `?${QUERY}`,
  method: 'CARD_PAYMENT',
  address: '0x0000000000000000000000000000000000000001',
  outcome: 'released',
  quotedAt: '2026-11-01T03:10:00.000Z',
};

describe('the hosted page (spec §4.4)', () => {
  it('is at the origin, loads nothing from elsewhere, and may be framed', async () => {
    await using sandbox = await aSandbox();
    const page = await fetch(`${sandbox.origin}/?${QUERY}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain('frame-ancestors *');
    const html = await page.text();
    for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await fetch(sandbox.origin + path)).status, path).toBe(200);
    }
  });

  it('costs no request of the limits', async () => {
    await using sandbox = await aSandbox({ rateLimits: [{ requests: 1, perMs: 60_000 }] });
    for (let i = 0; i < 5; i++) {
      expect((await get(sandbox.origin, `/widget/settings?${QUERY}`)).status).toBe(200);
      expect((await post(sandbox.origin, '/widget/quote', WISH)).status).toBe(200);
    }
    expect(sandbox.stats().requests).toBe(0);
  });

  it('does not reveal to the page whom the Service will call', async () => {
    await using sandbox = await aSandbox();
    const { body } = await get(sandbox.origin, `/widget/settings?${QUERY}&webhookStatusUrl=http://127.0.0.1:1/x`);
    expect(body).toMatchObject({ hostAppName: 'App', apiUrl: sandbox.url });
    expect(body).not.toHaveProperty('webhookUrls');
  });
});

describe('the live quote', () => {
  it('has every method with its fees, and says how long it holds', async () => {
    await using sandbox = await aSandbox({ clock: () => Date.UTC(2026, 10, 1, 3, 10, 45) });
    const { body } = await post(sandbox.origin, '/widget/quote', WISH);
    expect([body.quotedAt, body.validFor]).toEqual(['2026-11-01T03:10:45.000Z', 15_000]);
    const methods = asList(body.methods);
    expect(methods.map(({ name }) => name)).toEqual([
      'MANUAL_BANK_TRANSFER',
      'AUTO_BANK_TRANSFER',
      'CARD_PAYMENT',
      'APPLE_PAY',
      'GOOGLE_PAY',
    ]);
    expect(methods[2]).toMatchObject({ label: 'Card', pays: '100.00 EUR', networkFee: '1.41 EUR', problem: null });
  });

  it('keeps to the methods of a country', async () => {
    await using sandbox = await aSandbox();
    const { body } = await post(sandbox.origin, '/widget/quote', { ...WISH, country: 'jp' });
    expect(asList(body.methods).map(({ name }) => name)).toEqual(['CARD_PAYMENT', 'APPLE_PAY']);
  });

  it('says why an amount cannot be ordered', async () => {
    await using sandbox = await aSandbox();
    const problem = async (change: object) => {
      const { body } = await post(sandbox.origin, '/widget/quote', { ...WISH, ...change });
      return body.code ?? asList(body.methods)[0]?.problem;
    };
    expect(await problem({ amount: '5' })).toBe('The least is 6.00 EUR.');
    expect(await problem({ amount: '15000.01' })).toBe('The most is 15,000.00 EUR.');
    expect(await problem({ amount: '2' })).toBe('SWAP.VALIDATION.SWAP_VALUE_IS_ZERO');
    expect(await problem({ amount: '10.001' })).toBe('VALIDATION_EXCEPTION');
    expect(await problem({ currency: 'NPR' })).toBe('FIAT_CURRENCY_NOT_SUPPORTED');
  });
});

describe('an order of the page', () => {
  it('makes a record with the address of the parameters as webhook, and not one from the page', async () => {
    await using sandbox = await aSandbox();
    const hook = 'http://127.0.0.1:9/hook?userId=7';
    const parameters = `?${QUERY}&webhookStatusUrl=${encodeURIComponent(hook)}&offrampWebhookV3Url=http://127.0.0.1:9/no`;
    const { status, body } = await post(sandbox.origin, '/widget/orders', { ...ORDER, parameters });
    expect([status, body.kind, body.apiUrl]).toEqual([201, 'purchase', sandbox.url]);
    expect(sandbox.live.deliveries()).toMatchObject([{ recordId: body.id, type: 'CREATED', url: hook }]);
    const token = { 'x-view-token': String(body.viewToken) };
    const progress = await get(sandbox.origin, `/widget/purchases/${body.id}`, token);
    expect(progress.body).toMatchObject({ status: 'INITIALIZED', ended: false, says: 'Waiting for your payment' });
    expect((await get(sandbox.origin, `/widget/purchases/${body.id}`)).status).toBe(403);
    expect((await get(sandbox.origin, '/widget/purchases/unknown', token)).status).toBe(404);
  });

  it.each([
    [{ parameters: '' }, 400],
    [{ parameters: `?${QUERY}&enabledCryptoAssets=BTC_BTC` }, 400],
    [{ direction: 'offramp', method: 'SEPA' }, 400],
    [{ quotedAt: '2026-11-01T03:08:00.000Z' }, 409],
    [{ extra: 1 }, 400],
  ])('is refused with %j', async (change, status) => {
    await using sandbox = await aSandbox();
    expect((await post(sandbox.origin, '/widget/orders', { ...ORDER, ...change })).status).toBe(status);
    expect(sandbox.live.records()).toEqual([]);
  });

  // Spec §2.11 failureUrl: verification failures, final check failures.
  it.each([
    ['unverified', 'You could not be verified'],
    ['rejected', 'The final check failed, and your money was sent back'],
  ])('ends an order that is %s on an error screen', async (outcome, says) => {
    await using sandbox = await aSandbox();
    const { body } = await post(sandbox.origin, '/widget/orders', { ...ORDER, outcome });
    sandbox.advanceClock(600_000);
    const token = { 'x-view-token': String(body.viewToken) };
    const progress = await get(sandbox.origin, `/widget/purchases/${String(body.id)}`, token);
    expect(progress.body).toMatchObject({ ended: true, succeeded: false, says });
  });

  it('counts orders by the integration key (spec §2.11 hostApiKey)', async () => {
    await using sandbox = await aSandbox({ hostApiKeys: ['sandbox-host-key', 'another'] });
    await post(sandbox.origin, '/widget/orders', ORDER);
    await post(sandbox.origin, '/widget/orders', ORDER);
    await post(sandbox.origin, '/widget/orders', {
      ...ORDER,
      parameters: `?${QUERY.replace(/sandbox-host-key/, 'another')}`,
    });
    expect(sandbox.stats().byHostApiKey).toEqual({ 'sandbox-host-key': 2, another: 1 });
  });

  it('recalculates an amount into another currency, in its minor units (spec §2.11 fiatValue)', async () => {
    await using sandbox = await aSandbox();
    const into = async (amount: string, from: string, to: string) => {
      const { status, body } = await post(sandbox.origin, '/widget/recalculate', { amount, from, to });
      return status === 200 ? body.amount : status;
    };
    expect(await into('50', 'EUR', 'EUR')).toBe('50.00');
    const yen = String(await into('50', 'EUR', 'JPY'));
    expect(yen).toMatch(/^\d{4}$/);
    // There and back again, to the yen.
    expect(Number(await into(yen, 'JPY', 'EUR'))).toBeCloseTo(50, 1);
    expect([await into('50', 'EUR', 'XXX'), await into('x', 'EUR', 'USD')]).toEqual([400, 400]);
  });

  it('shows a failure as one', async () => {
    await using sandbox = await aSandbox();
    const { body } = await post(sandbox.origin, '/widget/orders', { ...ORDER, outcome: 'failed' });
    sandbox.advanceClock(600_000);
    const { body: progress } = await get(sandbox.origin, `/widget/purchases/${body.id}`, {
      'x-view-token': String(body.viewToken),
    });
    expect(progress).toMatchObject({ status: 'EXPIRED', ended: true, succeeded: false, transaction: null });
    expect(asList(progress.steps).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'failed']);
  });
});
