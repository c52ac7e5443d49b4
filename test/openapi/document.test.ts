import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiDescription, Endpoint } from '../../src/openapi/contract.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { faultsOf, type Json } from '../support/openapi.ts';

const coin = z.looseObject({ name: z.string(), baseServiceFee: z.number().describe('What it costs.') });
const purse = z.looseObject({ coins: z.array(coin) });

const endpoint = (part: Partial<Endpoint> = {}): Endpoint => ({
  method: 'GET',
  path: '/purses/{id}',
  id: 'getPurse',
  tag: 'purses',
  summary: 'One purse',
  params: z.object({ id: z.string() }),
  answers: { 200: { says: 'The purse.', schema: purse } },
  ...part,
});

const api = (...endpoints: Endpoint[]): ApiDescription => ({
  title: 'Purses',
  version: '1',
  about: 'Purses and coins.',
  tags: [{ name: 'purses', about: 'Purses.' }],
  schemas: { Purse: purse, Coin: coin },
  security: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  endpoints,
  webhooks: [],
});

const operation = (document: Json, path: string, method: string) =>
  (document.paths as Record<string, Record<string, Json>>)[path]?.[method];

it('names a schema once, and refers to it from wherever it is used, other schemas included', async () => {
  const document = openApiDocument(api(endpoint()));
  expect(operation(document, '/purses/{id}', 'get')?.responses).toEqual({
    200: {
      description: 'The purse.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Purse' } } },
    },
  });
  expect((document.components as Json).schemas).toEqual({
    Purse: {
      type: 'object',
      properties: { coins: { type: 'array', items: { $ref: '#/components/schemas/Coin' } } },
      required: ['coins'],
    },
    Coin: {
      type: 'object',
      properties: { name: { type: 'string' }, baseServiceFee: { type: 'number', description: 'What it costs.' } },
      required: ['name', 'baseServiceFee'],
    },
  });
  expect(await faultsOf(document)).toBeNull();
});

it('writes a schema without a name where it is used, and refers to named ones from there', () => {
  const either = z.union([purse, z.null()]);
  const document = openApiDocument(api(endpoint({ answers: { 200: { says: 'Maybe.', schema: either } } })));
  expect(operation(document, '/purses/{id}', 'get')?.responses).toMatchObject({
    200: {
      content: {
        'application/json': { schema: { anyOf: [{ $ref: '#/components/schemas/Purse' }, { type: 'null' }] } },
      },
    },
  });
});

it('tells needed parameters from others, wherever they stand', async () => {
  const document = openApiDocument(
    api(
      endpoint({
        query: z.object({ key: z.string().describe('A key.'), size: z.enum(['s', 'l']).optional() }),
        headers: z.object({ 'X-Trace': z.string().optional() }),
      }),
    ),
  );
  expect(operation(document, '/purses/{id}', 'get')?.parameters).toEqual([
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'key',
      in: 'query',
      required: true,
      description: 'A key.',
      schema: { type: 'string', description: 'A key.' },
    },
    { name: 'size', in: 'query', required: false, schema: { type: 'string', enum: ['s', 'l'] } },
    { name: 'X-Trace', in: 'header', required: false, schema: { type: 'string' } },
  ]);
  expect(await faultsOf(document)).toBeNull();
});

it('has bodies, headers of answers, answers without a body, and what is needed to be let in', async () => {
  const document = openApiDocument(
    api(
      endpoint({
        method: 'POST',
        path: '/purses',
        id: 'makePurse',
        params: z.object({}),
        body: { about: 'The purse.', schema: purse, examples: { empty: { coins: [] } } },
        answers: { 204: { says: 'Made.', headers: { Location: z.string().describe('Where it is.') } } },
        needs: ['key'],
      }),
    ),
  );
  expect(operation(document, '/purses', 'post')).toEqual({
    operationId: 'makePurse',
    tags: ['purses'],
    summary: 'One purse',
    requestBody: {
      required: true,
      description: 'The purse.',
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Purse' },
          examples: { empty: { value: { coins: [] } } },
        },
      },
    },
    responses: {
      204: {
        description: 'Made.',
        headers: { Location: { description: 'Where it is.', schema: { type: 'string', description: 'Where it is.' } } },
      },
    },
    security: [{ key: [] }],
  });
  expect(await faultsOf(document)).toBeNull();
});

it('gives fields the name that they have on the wire, where they are properties and where they are required', () => {
  const document = openApiDocument({ ...api(endpoint()), renamed: { baseServiceFee: 'baseMakerFee' } });
  const { Coin } = (document.components as { schemas: Record<string, Json> }).schemas;
  expect(Object.keys(Coin?.properties as Json)).toEqual(['name', 'baseMakerFee']);
  expect(Coin?.required).toEqual(['name', 'baseMakerFee']);
});

it('two methods at one path stand side by side, and the same description gives the same document', () => {
  const two = api(endpoint(), endpoint({ method: 'POST', id: 'changePurse' }));
  const document = openApiDocument(two);
  expect(Object.keys((document.paths as Json)['/purses/{id}'] as Json)).toEqual(['get', 'post']);
  expect(JSON.stringify(openApiDocument(two))).toBe(JSON.stringify(document));
});
