import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { FetchResult, RecordRef } from '../../src/ports/service.ts';
import type { ServiceClientOptions } from '../../src/service/client.ts';
import { parseExactJson } from '../../src/service/exact-json.ts';
import { readKeptBody } from '../../src/service/fetch-record.ts';
import { aPurchase, aSale, PURCHASE_ID, purchaseOf, SALE_ID, TOKEN } from './bodies.ts';
import { clientUnderTest, NOW, type Notes, noteTaker } from './client-under-test.ts';
import { httpServer, rawServer, type SeenRequest, sendHtml, sendJson } from './http-server.ts';
import { samplePart } from './sample.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const PURCHASE: RecordRef = { kind: 'purchase', id: PURCHASE_ID, token: TOKEN };
const SALE: RecordRef = { kind: 'sale', id: SALE_ID, token: TOKEN };

interface Asked {
  result: FetchResult;
  notes: Notes;
  requests: readonly SeenRequest[];
}

async function askAt(baseUrl: string, ref: RecordRef, options: Partial<ServiceClientOptions>) {
  const { client, notes } = clientUnderTest(baseUrl, options);
  open.push(client);
  const result = await client.fetchRecord(ref, { pace: 'paced' });
  // The token is in no part of the outcome.
  expect(inspect(result, { depth: 9 })).not.toContain(ref.token);
  expect(inspect(result, { depth: 9 })).not.toContain('/host-api/');
  return { result, notes };
}

/** Sends a request to a server with the given answer. */
async function ask(
  answer: (response: ServerResponse, count: number) => void,
  ref: RecordRef = PURCHASE,
  options: Partial<ServiceClientOptions> = {},
): Promise<Asked> {
  const server = await httpServer((response, _request, count) => answer(response, count));
  open.push(server);
  return { ...(await askAt(server.baseUrl, ref, options)), requests: server.requests };
}

const askJson = (body: string, status = 200, ref: RecordRef = PURCHASE) =>
  ask((response) => sendJson(response, body, status), ref);

function unreachable(reason: string, httpStatus: number | null, attempts: number, errorCode: string | null = null) {
  return { outcome: 'unreachable', reason, httpStatus, attempts, errorCode, at: NOW };
}

describe('an error code with a token in it', () => {
  const other = 'Qb5w81LnTzKx93aa';
  const codeFor = async (code: string, status: number) => {
    const server = await httpServer((response) => sendJson(response, JSON.stringify({ code }), status));
    open.push(server);
    const { client } = clientUnderTest(server.baseUrl);
    open.push(client);
    await client.fetchRecord({ ...PURCHASE, id: 'another', token: other }, { pace: 'paced' });
    const result = await client.fetchRecord(PURCHASE, { pace: 'paced' });
    return result.outcome === 'unreachable' ? result.errorCode : result.outcome;
  };

  it.each([400, 403, 404, 422])('of its own or of another record is not kept, with %i', async (status) => {
    const base64 = Buffer.from(other).toString('base64');
    for (const token of [TOKEN, other, encodeURIComponent(other), base64]) {
      expect(await codeFor(`E_${token}`, status)).toBeNull();
    }
    expect(await codeFor('E_NO_TOKEN', status)).toBe('E_NO_TOKEN');
  });
});

describe('a record that can be read', () => {
  it('is verified, and its body kept without the token', async () => {
    const text = aPurchase({ fiatValue: '104.76000000000001', note: `"see ?secret=${TOKEN}"` });
    const { result, notes, requests } = await askJson(text);
    if (result.outcome !== 'verified') throw new Error(result.outcome);
    expect(result).toMatchObject({ httpStatus: 200, attempts: 1, at: NOW });
    expect(result.state).toMatchObject({ kind: 'purchase', recordId: PURCHASE_ID, status: 'RELEASED' });
    expect(result.state.fiatValue.toString()).toBe('104.76000000000001');
    expect(result.body).toEqual({
      sha256: createHash('sha256').update(text).digest('hex'),
      evidence: text.replaceAll(TOKEN, '[cut]'),
    });
    expect(requests.map(({ url }) => url)).toEqual([`/api/host-api/purchase/${PURCHASE_ID}?secret=${TOKEN}`]);
    expect(notes).toEqual({ acquired: [{ pace: 'paced', mayWait: true }], reports: ['ok'], pauses: [] });
  });

  it('may have its token in its id', async () => {
    const id = `order-${TOKEN}`;
    const server = await httpServer((response) => sendJson(response, purchaseOf(id)));
    open.push(server);
    const { client } = clientUnderTest(server.baseUrl);
    open.push(client);
    const result = await client.fetchRecord({ ...PURCHASE, id }, { pace: 'paced' });
    if (result.outcome !== 'verified') throw new Error(`${result.outcome}: ${result.reason}`);
    expect(result.state.recordId).toBe(id);
    expect(result.body.evidence).not.toContain(TOKEN);
    const kept = readKeptBody(parseExactJson(result.body.evidence), { kind: 'purchase', id }, 'Service');
    expect(kept).toMatchObject({ outcome: 'verified', state: { recordId: id } });
  });

  it('may be a sale', async () => {
    const { result, requests } = await askJson(aSale(), 200, SALE);
    expect(result).toMatchObject({ outcome: 'verified', state: { kind: 'sale', status: null } });
    expect(requests[0]?.url).toBe(`/api/host-api/offramp/sale/${SALE_ID}?secret=${TOKEN}`);
  });

  it('may be a recorded one, under the maker’s name', async () => {
    const body = samplePart('webhook-purchase-created-eur-bank', 'purchase');
    const { result } = await ask((response) => sendJson(response, body), PURCHASE, { identifierName: 'Ramp' });
    if (result.outcome !== 'verified') throw new Error(result.outcome);
    expect(result.state.baseFee?.toString()).toBe('0.09475247524752475');
    expect(result.body.evidence).toContain('"baseRampFee":0.09475247524752475');
    expect(result.body.evidence).toContain('"purchaseViewToken":"[cut]"');
  });

  it('has the same hash compressed and not', async () => {
    const text = aPurchase();
    const { result } = await ask((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.from(text)));
    });
    expect(result).toMatchObject({ body: { sha256: createHash('sha256').update(text).digest('hex') } });
  });

  it('may come with a byte order mark, with no content type, or with one of the +json kind', async () => {
    const marked = await askJson(`\ufeff${aPurchase()}`);
    const untyped = await ask((response) => response.writeHead(200).end(aPurchase()));
    const special = await ask((response) =>
      response.writeHead(200, { 'content-type': 'application/hal+json' }).end(aPurchase()),
    );
    expect([marked, untyped, special].map(({ result }) => result.outcome)).toEqual([
      'verified',
      'verified',
      'verified',
    ]);
  });

  it('with an id that was a number in 2020', async () => {
    const { result } = await askJson(aPurchase({ id: '322' }), 200, { ...PURCHASE, id: '322' });
    expect(result.outcome).toBe('verified');
  });
});

describe('transient failures: three retries, then unreachable', () => {
  it.each([500, 502, 503, 504])('%i', async (status) => {
    const { result, notes } = await askJson('{"code":"INTERNAL","statusCode":500}', status);
    expect(result).toEqual(unreachable('SERVER_ERROR', status, 4, 'INTERNAL'));
    expect(notes.acquired).toHaveLength(4);
    expect(notes.reports).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(notes.pauses).toEqual([250, 500, 1000]);
  });

  it('no pause is longer than a third of the deadline, before it is halved', async () => {
    const { notes } = await ask((response) => sendJson(response, '{}', 503), PURCHASE, { timeoutMs: 1_200 });
    expect(notes.pauses).toEqual([200, 200, 200]);
  });

  it('no pause where it has no length; the run’s signal ends every wait', async () => {
    const instant = await ask((response) => sendJson(response, '{}', 503), PURCHASE, { random: () => 0 });
    expect(instant.notes.pauses).toEqual([]);
    const server = await httpServer((response) => sendJson(response, '{}', 503));
    open.push(server);
    const signals: (AbortSignal | undefined)[] = [];
    const clock = { now: () => NOW, sleep: async (_ms: number, signal?: AbortSignal) => void signals.push(signal) };
    const { client } = clientUnderTest(server.baseUrl, { clock, retries: 1 });
    open.push(client);
    const { signal } = new AbortController();
    await client.fetchRecord(PURCHASE, { pace: 'paced', signal });
    expect(signals).toEqual([signal]);
  });

  it('a burst of it, and then an answer', async () => {
    const { result, notes } = await ask((response, count) =>
      count <= 3 ? sendHtml(response, 503) : sendJson(response, aPurchase()),
    );
    expect(result).toMatchObject({ outcome: 'verified', attempts: 4 });
    expect(notes.acquired).toHaveLength(4);
  });

  it('no process listens: reported to the circuit', async () => {
    const server = await httpServer(() => undefined);
    await server.close();
    const { result, notes } = await askAt(server.baseUrl, PURCHASE, {});
    expect(result).toEqual(unreachable('NETWORK', null, 4, 'ECONNREFUSED'));
    expect(notes.reports).toEqual(['refused', 'refused', 'refused', 'refused']);
  });

  it('a name that does not exist; the circuit has nothing to learn', async () => {
    const { result, notes } = await askAt('http://no..such..host/api', PURCHASE, {});
    expect(result).toMatchObject({ reason: 'NETWORK', attempts: 4 });
    expect(notes.reports).toEqual([]);
  });

  it.each([
    ['reset in the body', 'content-length: 900\r\n\r\n{"id":"a"', 'reset', 'NETWORK'],
    ['fewer bytes than announced', 'content-length: 900\r\n\r\n{"id":"a"', 'end', 'NETWORK'],
    ['chunks without an end', 'transfer-encoding: chunked\r\n\r\n4\r\n{"id\r\n', 'end', 'NETWORK'],
    ['a body that never comes', 'content-length: 900\r\n\r\n', 'wait', 'TIMEOUT'],
  ] as const)('%s', async (_what, text, then, reason) => {
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${text}`);
      if (then === 'end') socket.end();
      if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 10);
    });
    open.push(server);
    const { result } = await askAt(server.baseUrl, PURCHASE, { timeoutMs: 150 });
    expect(result).toMatchObject({ outcome: 'unreachable', reason, attempts: 4 });
    expect(server.count()).toBe(4);
  });

  it('JSON that ends too early although its length is right', async () => {
    const { result } = await askJson(aPurchase().slice(0, 300));
    expect(result).toEqual(unreachable('NETWORK', 200, 4));
  });

  it('as many retries as configured', async () => {
    const { result } = await ask((response) => sendJson(response, '{}', 503), PURCHASE, { retries: 0 });
    expect(result).toEqual(unreachable('SERVER_ERROR', 503, 1));
  });
});

describe('a proxy’s answer: one retry, then unreachable', () => {
  it.each([
    ['a page', 'text/html', '<html>'],
    ['a page that is labelled JSON', 'application/json', '  <!doctype html><p>hi</p>'],
    ['plain text', 'text/plain', 'maintenance'],
    ['JSON under another label', 'text/plain', aPurchase()],
    ['nothing', 'application/json', ''],
    ['words without a label', undefined, 'It works!'],
  ])('%s', async (_what, type, body) => {
    const { result } = await ask((response) =>
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body),
    );
    expect(result).toEqual(unreachable('NOT_JSON', 200, 2));
  });

  it('a page once, and then the Service', async () => {
    const { result } = await ask((response, count) =>
      count === 1 ? sendHtml(response) : sendJson(response, aPurchase()),
    );
    expect(result).toMatchObject({ outcome: 'verified', attempts: 2 });
  });

  it('is not believed when it says that a record is missing or denied', async () => {
    const page = await ask((response) => sendHtml(response, 404));
    const empty = await ask((response) => response.writeHead(404).end());
    const denied = await ask((response) => sendHtml(response, 403));
    const array = await askJson('[]', 410);
    expect(page.result).toEqual(unreachable('NOT_JSON', 404, 2));
    expect(empty.result).toEqual(unreachable('NOT_JSON', 404, 2));
    expect(denied.result).toEqual(unreachable('NOT_JSON', 403, 1));
    expect(array.result).toEqual(unreachable('NOT_JSON', 410, 1));
  });
});

describe('answers about the record: no retry', () => {
  it.each([
    [404, '{"code":"SALE_NOT_FOUND","statusCode":404}', 'RECORD_MISSING', 'SALE_NOT_FOUND'],
    [404, '{"message":"Purchase not found","error":"Not Found","statusCode":404}', 'RECORD_MISSING', 'Not Found'],
    [410, '{"code":"GONE"}', 'RECORD_MISSING', 'GONE'],
    [404, '{}', 'RECORD_MISSING', null],
    [401, '{"message":"Unauthorized","statusCode":401}', 'ACCESS_DENIED', null],
    [403, '{"code":"INVALID_SECRET"}', 'ACCESS_DENIED', 'INVALID_SECRET'],
    [
      400,
      '{"name":"ValidationException","messages":["secret must be a string"]}',
      'CLIENT_ERROR',
      'ValidationException',
    ],
    [422, '{"code":"ODD"}', 'CLIENT_ERROR', 'ODD'],
    [404, '{"message":"Cannot GET /api/x","error":"Not Found","statusCode":404}', 'CLIENT_ERROR', 'CANNOT_GET'],
  ])('%i %s', async (status, body, reason, code) => {
    const { result, notes } = await askJson(body, status);
    expect(result).toEqual(unreachable(reason, status, 1, code));
    expect(notes.reports).toEqual([status === 403 ? 'forbidden' : 'ok']);
  });

  it('an expected 403 does not count for the circuit; any other answer does', async () => {
    const server = await httpServer((response, _request, count) =>
      sendJson(response, '{"code":"INVALID_SECRET"}', count === 1 ? 403 : 404),
    );
    open.push(server);
    const { client, notes } = clientUnderTest(server.baseUrl);
    for (const reason of ['ACCESS_DENIED', 'RECORD_MISSING']) {
      const result = await client.fetchRecord(PURCHASE, { pace: 'paced', refusalExpected: true });
      expect(result).toMatchObject({ outcome: 'unreachable', reason });
    }
    await client.close();
    expect(notes.reports).toEqual(['ok']);
  });

  it('the recorded answer of an unknown path is a wrong address, not a missing record', async () => {
    const body = samplePart('error-framework-404', 'message');
    expect(body).toBe('"Cannot GET <path>"');
    const { result } = await askJson(`{"message":${body},"error":"Not Found","statusCode":404}`, 404);
    expect(result).toEqual(unreachable('CLIENT_ERROR', 404, 1, 'CANNOT_GET'));
  });

  it.each([
    ['a page by its label', 'text/html', 'Forbidden', 'NOT_JSON'],
    ['a page by its beginning', 'text/plain', ' \n <html>', 'NOT_JSON'],
    ['words with a sign in them', 'text/plain', 'a < b', 'ACCESS_DENIED'],
    ['words without a label', undefined, 'Forbidden', 'ACCESS_DENIED'],
  ])('a denial by a proxy is recognised by its page: %s', async (_, type, body, reason) => {
    const { result } = await ask((response) =>
      response.writeHead(403, type === undefined ? {} : { 'content-type': type }).end(body),
    );
    expect(result).toMatchObject({ reason, httpStatus: 403 });
  });

  it('a path that is named in a list is not the framework’s word for an unknown path', async () => {
    const { result } = await askJson('{"message":["Cannot GET /x"],"error":"Not Found"}', 404);
    expect(result).toEqual(unreachable('RECORD_MISSING', 404, 1, 'Not Found'));
  });

  it('a denial without a word is a denial', async () => {
    const { result } = await ask((response) => response.writeHead(401).end());
    expect(result).toEqual(unreachable('ACCESS_DENIED', 401, 1));
  });

  it('a code that repeats the token is not passed on', async () => {
    const { result } = await askJson(`{"code":"BAD_SECRET_${TOKEN}"}`, 403);
    expect(result).toEqual(unreachable('ACCESS_DENIED', 403, 1));
  });
});

describe('too many requests', () => {
  it('it is reported to the limiter, and the record is requested again without using a retry', async () => {
    const { result, notes } = await ask((response, count) => {
      if (count === 1) sendJson(response, '{}', 429, { 'retry-after': '30' });
      else if (count <= 4) sendJson(response, '{}', 503);
      else sendJson(response, aPurchase());
    });
    expect(result).toMatchObject({ outcome: 'verified', attempts: 5 });
    expect(notes.reports).toEqual(['limited 30000', 'ok', 'ok', 'ok', 'ok']);
  });

  it('not for ever', async () => {
    const { result, notes } = await askJson('{}', 429);
    expect(result).toEqual(unreachable('CLIENT_ERROR', 429, 6, 'RATE_LIMITED'));
    expect(notes.reports).toEqual(Array.from({ length: 6 }, () => 'limited'));
  });
});

describe('quarantine: answers that are kept and never guessed at', () => {
  const read = async (body: string) => (await askJson(body)).result;

  it.each([
    ['a key twice', aPurchase().replace('"fiatValue"', '"fiatValue":1,"fiatValue"'), /the same key twice/],
    ['a number beyond all amounts', aPurchase({ hostFeeCut: '1e400' }), /cannot be kept exactly/],
    ['NaN', aPurchase({ appliedFee: 'NaN' }), /not JSON/],
    ['garbage after the end', `${aPurchase()}garbage`, /not JSON/],
  ])('unreadable: %s', async (_what, body, detail) => {
    const result = await read(body);
    expect(result).toMatchObject({
      outcome: 'quarantined',
      reason: 'UNREADABLE_BODY',
      attempts: 1,
      httpStatus: 200,
      drift: [],
      body: { evidence: body.replaceAll(TOKEN, '[cut]') },
    });
    expect(result).toMatchObject({ detail: expect.stringMatching(detail) });
  });

  it('bytes that are no UTF-8', async () => {
    const { result } = await ask((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(Buffer.concat([Buffer.from(`{"id":"${TOKEN}`), Buffer.from([0xff]), Buffer.from('"}')])),
    );
    expect(result).toMatchObject({
      reason: 'UNREADABLE_BODY',
      detail: 'the body cannot be read: it is not UTF-8',
      body: { evidence: '{"id":"[cut]ÿ"}' },
    });
  });

  it('a key twice, without a content type too', async () => {
    const { result } = await ask((response) => response.writeHead(200).end('{"id":"a","id":"b"}'));
    expect(result).toMatchObject({ reason: 'UNREADABLE_BODY', attempts: 1 });
  });

  it('drift, all of it', async () => {
    const result = await read(aPurchase({ appliedFee: '-0.43', networkFee: undefined, status: 'null' }));
    expect(result).toMatchObject({
      outcome: 'quarantined',
      reason: 'SCHEMA_DRIFT',
      detail:
        'networkFee: expected a number, found nothing; appliedFee: expected a number that is not negative, found -0.43; status: expected a string, found null',
      drift: [{ field: 'networkFee' }, { field: 'appliedFee' }, { field: 'status' }],
      body: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('drift of more than three fields: the first three, and how many more', async () => {
    const four = { fiatValue: '"1"', networkFee: '"1"', appliedFee: '"1"', status: '1' };
    const one = (field: string) => `${field}: expected a number, found a string`;
    expect(await read(aPurchase(four))).toMatchObject({
      detail: `${['fiatValue', 'networkFee', 'appliedFee'].map(one).join('; ')}; and 1 more`,
      drift: { length: 4 },
    });
  });

  it('the base fee under another maker’s name, which is named; no other drift names one', async () => {
    const renamed = await read(aPurchase({ baseServiceFee: undefined, baseRampFee: '3.9' }));
    expect(renamed).toMatchObject({ reason: 'SCHEMA_DRIFT', otherName: 'Ramp' });
    const more = await read(aPurchase({ baseServiceFee: undefined, baseRampFee: '3.9', status: '7' }));
    expect(more).toMatchObject({ otherName: 'Ramp', drift: { length: 2 } });
    for (const fields of [{ appliedFee: undefined }, { baseServiceFee: '"1"' }, { baseServiceFee: undefined }])
      expect(await read(aPurchase(fields))).not.toHaveProperty('otherName');
  });

  it('an empty id is drift, and a long one is shown by its first 64 characters', async () => {
    expect(await read(aPurchase({ id: '""' }))).toMatchObject({ reason: 'SCHEMA_DRIFT', drift: [{ field: 'id' }] });
    expect(await read(aPurchase({ id: `"${'i'.repeat(65)}"` }))).toMatchObject({
      reason: 'RECORD_ID_MISMATCH',
      drift: [{ found: 'i'.repeat(64) }],
    });
  });

  it.each(['null', '[]', '"x"', '7'])('JSON that is no object: %s', async (body) => {
    expect(await read(body)).toMatchObject({
      reason: 'SCHEMA_DRIFT',
      drift: [{ field: 'body', expected: 'an object' }],
    });
  });

  it('another record’s body, with other faults too', async () => {
    expect(await read(aPurchase({ id: '"other"' }))).toMatchObject({
      outcome: 'quarantined',
      reason: 'RECORD_ID_MISMATCH',
      detail: `The body is record other, not ${PURCHASE_ID}.`,
      drift: [{ field: 'id', problem: 'value', found: 'other', expected: PURCHASE_ID, hint: null }],
      body: { evidence: expect.stringContaining('"other"') },
    });
    expect(await read('{"id":322}')).toMatchObject({ reason: 'RECORD_ID_MISMATCH' });
    expect(await read(aPurchase({ id: `"${TOKEN}"` }))).toMatchObject({
      detail: `The body is record [cut], not ${PURCHASE_ID}.`,
    });
  });

  it.each([301, 302, 303, 307, 308, 304])('%i: the secret goes nowhere else', async (status) => {
    const elsewhere = await httpServer((response) => sendJson(response, aPurchase()));
    open.push(elsewhere);
    const { result } = await ask((response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    );
    expect(result).toMatchObject({
      outcome: 'quarantined',
      reason: 'REDIRECTED',
      httpStatus: status,
      attempts: 1,
      body: null,
    });
    expect(elsewhere.requests).toEqual([]);
  });

  it('a body beyond 2 MiB, sent or unpacked', async () => {
    const large = await askJson(`"${'x'.repeat(3 * 1024 * 1024)}"`);
    const bomb = await ask((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(3 * 1024 * 1024, 0x20))),
    );
    for (const { result } of [large, bomb]) {
      expect(result).toMatchObject({ outcome: 'quarantined', reason: 'BODY_TOO_LARGE', attempts: 1, body: null });
    }
  });
});

describe('a request that is not sent', () => {
  it('an id or a token that cannot be right', async () => {
    for (const ref of [
      { ...PURCHASE, id: '../quote' },
      { ...PURCHASE, token: 'a b' },
    ]) {
      const { client, notes } = clientUnderTest('http://127.0.0.1:1/api');
      open.push(client);
      expect(await client.fetchRecord(ref, { pace: 'paced' })).toEqual(unreachable('NOT_SENT', null, 0));
      expect(notes.acquired).toEqual([]);
    }
  });

  it('anything once the run is stopped: the waiting ends, with the limiter’s own error', async () => {
    const { client, notes } = clientUnderTest('http://127.0.0.1:1/api');
    open.push(client);
    const asking = client.fetchRecord(PURCHASE, { pace: 'paced', signal: AbortSignal.abort() });
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
    expect(notes.acquired).toEqual([]);
  });

  it('a retry that the limiter refuses', async () => {
    const server = await httpServer((response) => sendJson(response, '{}', 503));
    open.push(server);
    const notes: Notes = { acquired: [], reports: [], pauses: [] };
    const spent = Object.assign(new Error('spent'), { name: 'RequestBudgetError' });
    const limiter = noteTaker(notes);
    const { client } = clientUnderTest(server.baseUrl, {
      limiter: {
        ...limiter,
        acquire: async (options) => {
          if (notes.acquired.length === 2) throw spent;
          await limiter.acquire(options);
        },
      },
    });
    open.push(client);
    await expect(client.fetchRecord(PURCHASE, { pace: 'paced' })).rejects.toBe(spent);
    expect(server.requests).toHaveLength(2);
  });

  it('anything to a server that cannot prove who it is: the run ends there', async () => {
    const server = await httpServer((response) => sendJson(response, aPurchase()));
    open.push(server);
    const { client, notes } = clientUnderTest(`https://127.0.0.1:${server.port}/api`);
    open.push(client);
    await expect(client.fetchRecord(PURCHASE, { pace: 'paced' })).rejects.toMatchObject({ name: 'TlsError' });
    expect(notes.acquired).toHaveLength(1);
    expect(server.requests).toEqual([]);
  });
});
