import { describe, expect, it } from 'vitest';
import type { LiveRequest } from '../../../src/sandbox/contract.ts';
import { aSandbox, asNumber, asObject, get, post } from '../a-sandbox.ts';

const buy: LiveRequest = {
  kind: 'purchase',
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  fiatValue: 100,
  method: 'CARD_PAYMENT',
};
const sell: LiveRequest = {
  kind: 'sale',
  cryptoAssetSymbol: 'ETH_ETH',
  fiatCurrency: 'EUR',
  cryptoAmount: '50000000000000000',
  method: 'SEPA',
};

const STEP = 15_000;

describe('live records beside the seeded ones (spec §2.8, §2.9)', () => {
  it('serves a purchase by id and token, and refuses as for any other', async () => {
    await using sandbox = await aSandbox();
    const { id, viewToken, body } = sandbox.live.create(buy);
    const path = `/host-api/purchase/${id}`;
    expect((await get(sandbox.url, `${path}?secret=${viewToken}`)).body).toEqual(body);
    expect(body).toMatchObject({
      id,
      status: 'INITIALIZED',
      fiatValue: 100,
      paymentMethodType: 'CARD_PAYMENT',
      purchaseViewToken: viewToken,
      createdAt: '2026-11-01T03:10:00.000Z',
      endTime: '2026-11-04T03:10:00.000Z',
    });
    expect(body).not.toHaveProperty('finalTxHash');
    expect((await get(sandbox.url, path)).status).toBe(401);
    expect((await get(sandbox.url, `${path}?secret=aaaaaaaaaaaaaaaa`)).status).toBe(403);
    expect((await get(sandbox.url, `/host-api/offramp/sale/${id}?secret=${viewToken}`)).status).toBe(404);
  });

  it('serves a sale, with UUID and both token names', async () => {
    await using sandbox = await aSandbox();
    const { id, viewToken } = sandbox.live.create(sell);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    const { body } = await get(sandbox.url, `/host-api/offramp/sale/${id}?secret=${viewToken}`);
    expect(body).toMatchObject({
      status: 'CREATED',
      purchaseViewToken: viewToken,
      saleViewToken: viewToken,
      crypto: { amount: '50000000000000000', status: 'not-started' },
      fiat: { currencySymbol: 'EUR', status: 'not-started', payoutMethod: 'SEPA' },
    });
  });

  it('has the figures of the quote of that minute, to the last digit', async () => {
    await using sandbox = await aSandbox();
    const { body } = sandbox.live.create(buy);
    const quote = await post(sandbox.url, `/host-api/v3/onramp/quote/all?hostApiKey=${sandbox.hostApiKey}`, {
      cryptoAssetSymbol: 'ETH_ETH',
      fiatCurrency: 'EUR',
      fiatValue: 100,
    });
    const card = asObject(quote.body.CARD_PAYMENT);
    expect(body.cryptoAmount).toBe(card.cryptoAmount);
    expect(body.appliedFee).toBe(card.appliedFee);
    expect(body.baseServiceFee).toBe(card.baseServiceFee);
    // 3.9 % of the crypto's value and the network fee, within the total (field facts).
    const cv = (Number(body.cryptoAmount) / 1e18) * asNumber(body.assetExchangeRate);
    expect(cv + asNumber(body.appliedFee)).toBeCloseTo(100, 10);
  });

  it('still prices give one price at all times', async () => {
    await using sandbox = await aSandbox({ prices: 'still' });
    const first = sandbox.live.create(buy).body.cryptoAmount;
    sandbox.advanceClock(7 * 3_600_000);
    expect(sandbox.live.create(buy).body.cryptoAmount).toBe(first);
  });

  it('gives every record an id and a token of its own, apart from all seeded ones', async () => {
    await using sandbox = await aSandbox({ records: 300 });
    const live = Array.from({ length: 300 }, (_, n) => sandbox.live.create(n % 2 === 0 ? buy : sell));
    const ids = [...sandbox.trackedLines()].map(({ id }) => id).concat(live.map(({ id }) => id));
    expect(new Set(ids).size).toBe(600);
    expect(new Set(live.map(({ viewToken }) => viewToken)).size).toBe(300);
    // A sandbox that is started again must not reuse them for other records.
    await using later = await aSandbox({ records: 300, clock: () => Date.UTC(2026, 10, 1, 3, 11) });
    expect(ids).not.toContain(later.live.create(buy).id);
  });
});

describe('the way through the statuses (spec §3), by the clock of the sandbox', () => {
  async function journey(request: LiveRequest) {
    const sandbox = await aSandbox();
    const { id } = sandbox.live.create(request);
    const seen: string[] = [];
    for (let i = 0; i < 8; i++) {
      const status = sandbox.live.records().find((line) => line.id === id)?.status ?? '';
      if (seen.at(-1) !== status) seen.push(status);
      sandbox.advanceClock(STEP);
    }
    await sandbox.close();
    return seen;
  }

  it.each([
    [buy, 'INITIALIZED PAYMENT_STARTED PAYMENT_IN_PROGRESS PAYMENT_EXECUTED RELEASING RELEASED'],
    [
      { ...buy, method: 'MANUAL_BANK_TRANSFER' },
      'INITIALIZED PAYMENT_STARTED FIAT_SENT FIAT_RECEIVED RELEASING RELEASED',
    ],
    [{ ...buy, outcome: 'held' as const }, 'INITIALIZED'],
    [{ ...buy, outcome: 'failed' as const }, 'INITIALIZED PAYMENT_STARTED PAYMENT_FAILED EXPIRED'],
    [{ ...buy, outcome: 'returned' as const }, 'INITIALIZED PAYMENT_STARTED FIAT_RECEIVED CANCELLED'],
    [{ ...buy, outcome: 'expired' as const }, 'INITIALIZED EXPIRED'],
    [{ ...buy, outcome: 'unverified' as const }, 'INITIALIZED CANCELLED'],
    [{ ...buy, outcome: 'rejected' as const }, 'INITIALIZED PAYMENT_STARTED FIAT_RECEIVED CANCELLED'],
    [sell, 'CREATED RELEASED'],
    [{ ...sell, outcome: 'expired' as const }, 'CREATED EXPIRED'],
  ])('%j', async (request, statuses) => {
    expect(await journey(request)).toEqual(statuses.split(' '));
  });

  it('says when each step was taken, however late it is read', async () => {
    await using sandbox = await aSandbox();
    const { id, viewToken } = sandbox.live.create(buy);
    await post(sandbox.origin, '/sandbox/clock', { advanceMs: 3_600_000 });
    const { body } = await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`);
    expect([body.status, body.updatedAt]).toEqual(['RELEASED', '2026-11-01T03:11:15.000Z']);
    expect(body.finalTxHash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('goes faster with speed, from the start and while it runs', async () => {
    await using sandbox = await aSandbox({ speed: 10 });
    const { id } = sandbox.live.create(buy);
    sandbox.advanceClock(1_500);
    expect(sandbox.live.records()[0]?.status).toBe('PAYMENT_STARTED');
    expect((await post(sandbox.origin, '/sandbox/clock', { speed: 1_000 })).status).toBe(200);
    sandbox.advanceClock(15);
    expect(sandbox.live.records()).toMatchObject([{ id, status: 'PAYMENT_IN_PROGRESS' }]);
    expect((await post(sandbox.origin, '/sandbox/clock', { speed: 0 })).status).toBe(400);
  });
});

describe('POST /api/widget/testing/purchase/{id}/release', () => {
  it('releases a purchase at once, and answers the same when asked again', async () => {
    await using sandbox = await aSandbox();
    const { id, viewToken } = sandbox.live.create({ ...buy, outcome: 'held' });
    sandbox.advanceClock(60_000);
    const path = `/widget/testing/purchase/${id}/release`;
    expect((await post(sandbox.url, path, {})).status).toBe(401);
    expect((await post(sandbox.url, `${path}?secret=wrong`, {})).status).toBe(403);
    const released = await post(sandbox.url, `${path}?secret=${viewToken}`, {});
    expect([released.status, released.body.status]).toEqual([200, 'RELEASED']);
    expect(released.body.updatedAt).toBe('2026-11-01T03:11:00.000Z');
    expect((await post(sandbox.url, `${path}?secret=${viewToken}`, {})).body).toEqual(released.body);
    sandbox.advanceClock(3_600_000);
    expect(sandbox.live.records()[0]?.status).toBe('RELEASED');
  });

  it('leaves alone what has ended otherwise, and does not know seeded purchases', async () => {
    await using sandbox = await aSandbox();
    const { id, viewToken } = sandbox.live.create({ ...buy, outcome: 'expired' });
    sandbox.advanceClock(STEP);
    const ended = await post(sandbox.url, `/widget/testing/purchase/${id}/release?secret=${viewToken}`, {});
    expect([ended.status, ended.body.code]).toEqual([409, 'SANDBOX.PURCHASE_HAS_ENDED']);
    const seeded = [...sandbox.trackedLines()].find(({ kind }) => kind === 'purchase');
    const path = `/widget/testing/purchase/${seeded?.id}/release?secret=${seeded?.view_token}`;
    expect((await post(sandbox.url, path, {})).status).toBe(404);
  });
});

describe('orders that the Service would refuse', () => {
  it.each<[Partial<LiveRequest>, number, string]>([
    [{ cryptoAssetSymbol: 'ETH_NOTHING' }, 400, 'ASSET_NOT_SUPPORTED'],
    [{ method: 'CASH' }, 400, 'VALIDATION_EXCEPTION'],
    [{ method: 'PIX' }, 400, 'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD'],
    [
      { userCountryCode: 'jp', method: 'MANUAL_BANK_TRANSFER' },
      400,
      'SERVICES.HOST_API.UNSUPPORTED_CURRENCY_FOR_REQUESTED_PAYMENT_METHOD',
    ],
    [{ fiatValue: 3 }, 400, 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO'],
    [{ fiatValue: 0 }, 400, 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO'],
    [{ fiatValue: undefined, cryptoAmount: '0' }, 400, 'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO'],
    [{ fiatValue: 1e300 }, 400, 'VALIDATION_EXCEPTION'],
    [{ fiatValue: 5.99 }, 400, 'SANDBOX.AMOUNT_TOO_LOW'],
    [{ fiatValue: 15_001 }, 400, 'SANDBOX.AMOUNT_TOO_HIGH'],
    [{ cryptoAmount: '1' }, 400, 'VALIDATION_EXCEPTION'],
    [{ outcome: 'held', kind: 'sale', method: 'SEPA' }, 400, 'VALIDATION_EXCEPTION'],
    [{ address: 'two words' }, 400, 'VALIDATION_EXCEPTION'],
    [{ quotedAt: '2026-11-01T03:09:59.000Z' }, 409, 'SANDBOX.QUOTE_EXPIRED'],
  ])('%j', async (change, status, code) => {
    await using sandbox = await aSandbox();
    const answer = await post(sandbox.origin, '/sandbox/live', { ...buy, ...change });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((await get(sandbox.origin, '/sandbox/live')).list).toEqual([]);
  });

  it('takes one over HTTP too', async () => {
    await using sandbox = await aSandbox();
    const answer = await post(sandbox.origin, '/sandbox/live', { ...buy, quotedAt: '2026-11-01T03:10:00.000Z' });
    expect(answer.status).toBe(201);
    expect((await get(sandbox.origin, '/sandbox/live')).list).toMatchObject([{ id: answer.body.id, kind: 'purchase' }]);
    expect((await post(sandbox.origin, '/sandbox/live', { ...buy, fiatvalue: 1 })).status).toBe(400);
  });
});

it('can be tampered with: the endpoint answers otherwise, for a reconciliation to find', async () => {
  await using sandbox = await aSandbox();
  const { id, viewToken } = sandbox.live.create(buy);
  expect((await post(sandbox.origin, `/sandbox/live/${id}/tamper`, { appliedFee: 99.5 })).status).toBe(200);
  const { body } = await get(sandbox.url, `/host-api/purchase/${id}?secret=${viewToken}`);
  expect([body.appliedFee, body.fiatValue]).toEqual([99.5, 100]);
  expect((await post(sandbox.origin, '/sandbox/live/unknown/tamper', { appliedFee: 1 })).status).toBe(404);
});
