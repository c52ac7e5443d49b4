/** A sandbox, a browser, and short ways to use the widget page in them. */
import { createServer } from 'node:http';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { SandboxOptions } from '../../../src/sandbox/contract.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { CHROMIUM_FLAGS } from './chromium.ts';

export function aBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.TIEOUT_CHROMIUM, args: [...CHROMIUM_FLAGS] });
}

/** Prices stand still and records hurry: from creation to the end in a second and a half. */
export function aFastSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return createSandbox({
    bodies: 'observed',
    clock: () => Date.now(),
    records: 10,
    prices: 'still',
    speed: 50,
    rateLimits: 'off',
    ...options,
  });
}

export function widgetUrl(sandbox: Sandbox, parameters: Record<string, string> = {}): string {
  const required = {
    hostAppName: 'Example app',
    hostLogoUrl: `${sandbox.origin}/widget/logo.svg`,
    hostApiKey: sandbox.hostApiKey,
  };
  return `${sandbox.origin}/?${new URLSearchParams({ ...required, ...parameters })}`;
}

export interface OpenPage {
  page: Page;
  /** What the browser complained of: script errors, and what the page's policy forbade. */
  complaints: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** An app on an origin of its own that frames the widget and keeps the messages that it receives. */
export async function anEmbeddingApp(frameUrl: string) {
  const html = `<!doctype html><title>App</title><script>
    window.told = []; addEventListener('message', ({ data, origin }) => told.push({ ...data, origin }));
  </script><iframe src="${frameUrl.replaceAll('&', '&amp;')}" width="420" height="900" title="widget"></iframe>`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
