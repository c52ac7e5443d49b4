import { expect, it } from 'vitest';
import { aPurchase } from '../../service/bodies.ts';
import { aReceiver, INTAKE_TOKEN } from './a-receiver.ts';

it('refuses to start where webhooks must be signed and there is no key', async () => {
  await expect(aReceiver({ TIEOUT_WEBHOOK_PUBLIC_KEY: '' })).rejects.toThrow(/webhooks\.publicKeys is empty/);
});

it('takes unsigned webhooks only where that is said, and says so', async () => {
  const receiver = await aReceiver({}, { 'webhooks.requireSignature': 'false' });
  expect((await receiver.post('/webhooks/purchases', aPurchase())).status).toBe(200);
  expect((await receiver.post('/webhooks/purchases', '{"a":')).status).toBe(400);
  expect(receiver.serving.notes).toContain('webhooks are taken unsigned: webhooks.requireSignature is false');
  await receiver.close();
});

it('has no endpoint for events and quotes without a token for them', async () => {
  const receiver = await aReceiver({ TIEOUT_INTAKE_TOKEN: '' });
  const authorization = `Bearer ${INTAKE_TOKEN}`;
  for (const path of ['/events', '/quotes']) {
    expect((await receiver.post(path, '{}', { authorization })).status).toBe(404);
    expect((await receiver.post(path, '{}', { authorization: 'Bearer ' })).status).toBe(404);
  }
  await receiver.close();
});
