/** The documentation pages of both servers: `/openapi.json` and `/docs`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSandbox } from '../sandbox/a-sandbox.ts';
import { documentAt, type Json } from '../support/openapi.ts';
import { aReceiver } from './webhooks/a-receiver.ts';

interface Server {
  origin: string;
  close(): Promise<void>;
}

const SERVERS: readonly (readonly [title: string, start: () => Promise<Server>])[] = [
  ['On-ramp and off-ramp Service (sandbox)', () => aSandbox()],
  [
    'Tieout receiver',
    async () => {
      const receiver = await aReceiver();
      return { origin: receiver.serving.url, close: () => receiver.close() };
    },
  ],
];

describe.each(SERVERS)('%s', (title, start) => {
  let server: Server;
  const get = (path: string, init: RequestInit = {}) => fetch(server.origin + path, init);
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  it('shows its title on a page, and the same document twice', async () => {
    const document = await documentAt(server.origin);
    expect((document.info as Json).title).toBe(title);
    expect(await (await get('/docs')).text()).toContain(`<title>${title}</title>`);
    expect(JSON.stringify(await documentAt(server.origin))).toBe(JSON.stringify(document));
  });

  it('refers to each named schema from the places that use it, and has no second one for requests', async () => {
    const document = await documentAt(server.origin);
    const { schemas } = document.components as { schemas: Json };
    const used = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name ?? '',
    );
    expect(used.filter((name) => !(name in schemas))).toEqual([]);
    expect(new Set(used)).toEqual(new Set(Object.keys(schemas)));
    expect(Object.keys(schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
  });

  it('has the files of the page from the disk, and answers a conditional request with 304', async () => {
    const script = await get('/docs/static/swagger-ui-bundle.js');
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toMatch('javascript');
    expect(script.headers.get('x-content-type-options')).toBe('nosniff');
    // An answer that is not read keeps its connection busy.
    expect((await script.text()).length).toBeGreaterThan(100_000);
    const headers = { 'if-none-match': script.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
    expect((await get('/docs/static/swagger-ui-bundle.js', { headers })).status).toBe(304);
    expect((await get('/docs/static/nothing.js')).status).toBe(404);
    expect((await get('/docs/static/..%2f..%2fpackage.json')).status).toBeGreaterThanOrEqual(400);
    expect(await (await get('/docs', { method: 'HEAD' })).text()).toBe('');
  });

  it('lets the page load nothing from another origin', async () => {
    const policy = (await get('/docs')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:/);
  });
});
