/** The header that opens `/events` and `/quotes`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aReceiver, INTAKE_TOKEN, type Receiver } from './a-receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await aReceiver();
});
afterAll(() => receiver.close());

it.each([
  [`Bearer ${INTAKE_TOKEN}`, 400],
  [`bearer ${INTAKE_TOKEN}`, 400],
  [`Bearer   ${INTAKE_TOKEN}`, 400],
  [`Basic Bearer ${INTAKE_TOKEN}`, 401],
  [`XBearer ${INTAKE_TOKEN}`, 401],
  [`Bearer ${INTAKE_TOKEN} more`, 401],
  [`Bearer ${INTAKE_TOKEN}x`, 401],
  [`Bearer ${INTAKE_TOKEN.slice(0, -1)}`, 401],
  [`Bearer${INTAKE_TOKEN}`, 401],
  ['Bearer', 401],
])('%s is answered with %i where the body is empty', async (authorization, status) => {
  for (const path of ['/events', '/quotes']) {
    expect((await receiver.post(path, '{}', { authorization })).status).toBe(status);
  }
});
