/** An identity provider with people in groups, whose own pages ask for a name and a consent. */
import { createServer, type Server } from 'node:http';
import Provider from 'oidc-provider';
import type { BrowserContext, Page } from 'playwright-core';
import type { Role } from '../../../src/domain/actor.ts';
import { listenLocally } from '../../support/listen-locally.ts';

const ACCOUNTS: Readonly<Record<string, readonly string[]>> = { ann: ['finance'], bob: ['leads'], eve: ['nobody'] };

export const ROLES_OF_GROUPS = new Map<string, Role>([
  ['finance', 'analyst'],
  ['leads', 'reviewer'],
]);

export const oidcSettings = (issuer: string) => ({
  issuer,
  clientId: 'tieout',
  clientSecret: null,
  nameClaim: 'email',
  rolesClaim: 'groups',
  scope: 'openid email groups',
});

export interface StartedProvider {
  server: Server;
  issuer: string;
  /** Answers from now on, and sends people back to this address alone. */
  allow: (to: string) => void;
}

export async function startProvider(): Promise<StartedProvider> {
  const server = createServer();
  const port = await listenLocally(server);
  const issuer = `http://127.0.0.1:${port}`;
  return {
    server,
    issuer,
    allow: (to) => {
      const oidc = new Provider(issuer, {
        clients: [
          {
            client_id: 'tieout',
            token_endpoint_auth_method: 'none',
            redirect_uris: [to],
            grant_types: ['authorization_code'],
          },
        ],
        pkce: { required: () => true },
        claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
        scopes: ['openid', 'email', 'groups'],
        cookies: { keys: ['a test'] },
        findAccount: async (_context, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, email: `${id}@example.com`, groups: ACCOUNTS[id] ?? [] }),
        }),
      });
      server.on('request', oidc.callback());
    },
  };
}

/** Signs in on the pages of the provider; ends where the provider leads back to. */
export async function signInBy(context: BrowserContext, url: string, name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/breaks`);
  await page.getByRole('link', { name: /Sign in with/ }).click();
  await page.fill('input[name=login]', name);
  await page.fill('input[name=password]', 'anything');
  await page.click('button[type=submit]');
  await page.click('button[type=submit]');
  return page;
}
