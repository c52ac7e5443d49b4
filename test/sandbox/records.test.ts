import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrackedLine } from '../../src/sandbox/contract.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { purchase, sale } from '../../src/service/wire/records.ts';
import { aSandbox, get } from './a-sandbox.ts';

let sandbox: Sandbox;
let lines: TrackedLine[];
beforeAll(async () => {
  sandbox = await aSandbox({ records: 200 });
  lines = [...sandbox.trackedLines()];
});
afterAll(() => sandbox.close());

const PATHS = { purchase: '/host-api/purchase/', sale: '/host-api/offramp/sale/' };
const read = (line: TrackedLine, secret = line.view_token) =>
  get(sandbox.url, `${PATHS[line.kind]}${line.id}?secret=${secret}`);
const first = (kind: TrackedLine['kind']): TrackedLine => {
  const line = lines.find((each) => each.kind === kind);
  if (line === undefined) throw new Error(`the population has no ${kind}`);
  return line;
};

describe('GET /host-api/purchase/{id} (spec §2.9, §4.3) and /host-api/offramp/sale/{id} (spec §2.8, §4.1)', () => {
  it('give every tracked record, as the specification has it', async () => {
    for (const line of lines) {
      const { status, body } = await read(line);
      expect(status).toBe(200);
      expect((line.kind === 'purchase' ? purchase : sale).safeParse(body).error).toBeUndefined();
      expect(body).toMatchObject({ id: line.id, createdAt: line.created_at });
    }
  });

  it('gives a sale under the path that an integrator calls too, where bodies are the observed ones', async () => {
    const declared = await aSandbox({ records: 200, bodies: 'spec' });
    const line = first('sale');
    const path = `/host-api/v3/offramp/sale/${line.id}?secret=${line.view_token}`;
    const { status, body } = await get(sandbox.url, path);
    expect([status, body.id]).toEqual([200, line.id]);
    expect((await get(declared.url, path)).status).toBe(404);
    await declared.close();
  });

  it('never gives one kind under the path of the other', async () => {
    const [bought, sold] = [first('purchase'), first('sale')];
    expect((await get(sandbox.url, `${PATHS.sale}${bought.id}?secret=${bought.view_token}`)).status).toBe(404);
    expect((await get(sandbox.url, `${PATHS.purchase}${sold.id}?secret=${sold.view_token}`)).status).toBe(404);
  });
});

describe("reading needs the secret (spec §5.3), and refusals are the application's own errors (spec §7.1)", () => {
  it.each(['purchase', 'sale'] as const)(
    '401 without it, 403 with a wrong one, 404 for an unknown %s',
    async (kind) => {
      const line = first(kind);
      const missing = await get(sandbox.url, `${PATHS[kind]}${line.id}`);
      expect([missing.status, missing.body]).toEqual([
        401,
        { code: 'SERVICES.HOST_API.SECRET_REQUIRED', statusCode: 401 },
      ]);
      const wrong = await read(line, 'aaaaaaaaaaaaaaaa');
      expect([wrong.status, wrong.body]).toEqual([403, { code: 'SERVICES.HOST_API.INVALID_SECRET', statusCode: 403 }]);
      const unknown = await get(sandbox.url, `${PATHS[kind]}sabcdefghijklmn?secret=${line.view_token}`);
      expect([unknown.status, unknown.body]).toEqual([404, { code: 'SERVICES.HOST_API.NOT_FOUND', statusCode: 404 }]);
    },
  );
});

describe("the framework's own errors have no code (field facts)", () => {
  it('answers an unknown path without repeating its query', async () => {
    const { status, body } = await get(sandbox.url, '/host-api/v9/assets?secret=abc');
    expect([status, body]).toEqual([
      404,
      { message: 'Cannot GET /api/host-api/v9/assets', error: 'Not Found', statusCode: 404 },
    ]);
  });

  it('answers JSON that cannot be read with 400', async () => {
    const response = await fetch(`${sandbox.url}/host-api/quote?hostApiKey=${sandbox.hostApiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"fiat',
    });
    expect(response.status).toBe(400);
    const body: unknown = await response.json();
    expect(body).toMatchObject({ error: 'Bad Request', statusCode: 400 });
    expect(body).not.toHaveProperty('code');
  });
});
