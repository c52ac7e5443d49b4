import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { addDocumentation } from '../../src/openapi/pages.ts';
import { withRoutes } from '../support/openapi.ts';

const DOCUMENT = { openapi: '3.1.0', info: { title: 'Purses', version: '1' }, paths: {} };

let app: FastifyInstance | null = null;
afterEach(async () => app?.close());

function aServer(load: () => Promise<typeof DOCUMENT> = async () => DOCUMENT): FastifyInstance {
  app = fastify();
  addDocumentation(app, load);
  return app;
}

it('builds the document when somebody asks, and once', async () => {
  let builds = 0;
  const server = aServer(async () => {
    builds++;
    return DOCUMENT;
  });
  await server.ready();
  expect(builds).toBe(0);
  for (let i = 0; i < 2; i++) expect((await server.inject('/openapi.json')).json()).toEqual(DOCUMENT);
  expect((await server.inject('/docs')).body).toContain('<title>Purses</title>');
  expect(builds).toBe(1);
});

it('tries again where it failed', async () => {
  let failures = 1;
  const server = aServer(() => (failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve(DOCUMENT)));
  expect((await server.inject('/docs')).statusCode).toBe(500);
  expect((await server.inject('/docs')).statusCode).toBe(200);
});

it('has the files of the page from the disk, and tells who has them already', async () => {
  const server = aServer();
  const script = await server.inject('/docs/static/swagger-ui-bundle.js');
  expect(script.statusCode).toBe(200);
  expect(script.headers['content-type']).toMatch('javascript');
  expect(script.headers['x-content-type-options']).toBe('nosniff');
  const headers = { 'if-none-match': String(script.headers.etag) };
  expect((await server.inject({ url: '/docs/static/swagger-ui-bundle.js', headers })).statusCode).toBe(304);
  expect((await server.inject('/docs/static/nothing.js')).statusCode).toBe(404);
  expect((await server.inject('/docs/static/..%2f..%2fpackage.json')).statusCode).toBeGreaterThanOrEqual(400);
  expect((await server.inject({ method: 'HEAD', url: '/docs' })).body).toBe('');
});

it('lets the page load nothing from elsewhere', async () => {
  const { headers } = await aServer().inject('/docs');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:/);
});

it('makes no second server before somebody looks', async () => {
  const { started, routes } = await withRoutes(async () => aServer());
  await started.ready();
  expect(routes).toEqual(['GET /docs', 'GET /openapi.json']);
});
