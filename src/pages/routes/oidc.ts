/** Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. */
import type { FastifyInstance } from 'fastify';
import * as oidc from 'openid-client';
import type { OidcSettings, PagesEdges } from '../contract.ts';
import { RefusedError } from '../errors.ts';
import { note, openSession, rolesFrom } from '../people.ts';
import { localPath, queryOf } from '../request.ts';

const RETURN = '/sign-in/oidc/return';

export function oidcRoutes(app: FastifyInstance, edges: PagesEdges, settings: OidcSettings): void {
  const open = { config: { permission: 'public' as const } };
  const configuration = discovered(settings);
  const returnTo = (host: string) => new URL(RETURN, edges.settings.url ?? `http://${host}`);

  app.get('/sign-in/oidc', open, async (request, reply) => {
    const config = await configuration();
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    request.session.set('oidc', { state, nonce, verifier, next: localPath(queryOf(request).get('next')) });
    const to = oidc.buildAuthorizationUrl(config, {
      redirect_uri: returnTo(request.host).href,
      scope: settings.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return reply.redirect(to.href, 303);
  });

  app.get(RETURN, open, async (request, reply) => {
    const begun = request.session.get('oidc');
    // Each begun sign-in accepts one callback: state, nonce and verifier are deleted before it is answered.
    request.session.set('oidc', undefined);
    if (begun === undefined) throw new RefusedError('This sign-in was not begun here. Begin it again.');
    const current = returnTo(request.host);
    current.search = queryOf(request).toString();
    const claims = await claimsOf(await configuration(), current, begun);
    const name = textOf(claims[settings.nameClaim]) ?? textOf(claims.sub);
    const account = `oidc:${textOf(claims.iss) ?? settings.issuer}:${textOf(claims.sub) ?? ''}`;
    const given = claims[settings.rolesClaim];
    const values = (Array.isArray(given) ? given : [given]).filter((value) => typeof value === 'string');
    const roles = rolesFrom(values, edges.settings.roles);
    if (name === null || roles.length === 0) {
      const actor = { name: name ?? 'unknown', account, proof: 'proved' } as const;
      await note(edges, actor, { action: 'sign-in', subject: account, outcome: 'refused', detail: 'no role' });
      throw new RefusedError('You are known, but no role is given to you here. Ask an administrator.');
    }
    await openSession(request, edges, { name, account, roles });
    return reply.redirect(begun.next, 303);
  });
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 256 ? value.trim() : null;
}

/**
 * The issuer's configuration is requested once, and again after a failure. Plain HTTP is for an issuer on this machine.
 */
function discovered({ issuer, clientId, clientSecret }: OidcSettings): () => Promise<oidc.Configuration> {
  const server = new URL(issuer);
  const isNear = ['localhost', '127.0.0.1', '[::1]'].includes(server.hostname);
  let asked: Promise<oidc.Configuration> | null = null;
  return async () => {
    asked ??= oidc.discovery(
      server,
      clientId,
      undefined,
      clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      isNear ? { execute: [oidc.allowInsecureRequests] } : {},
    );
    try {
      return await asked;
    } catch (error) {
      asked = null;
      throw error;
    }
  };
}

/** The claims of the ID token, and of the user-info endpoint where there is one. @throws RefusedError */
async function claimsOf(
  config: oidc.Configuration,
  current: URL,
  { state, nonce, verifier }: { state: string; nonce: string; verifier: string },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const tokens = await oidc.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new RefusedError('The provider sent no ID token.');
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
    const more = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
    return { ...more, ...claims };
  } catch (error) {
    if (
      error instanceof oidc.ClientError ||
      error instanceof oidc.ResponseBodyError ||
      error instanceof oidc.AuthorizationResponseError
    ) {
      throw new RefusedError('The provider did not confirm this sign-in. Begin it again.', { cause: error });
    }
    throw error;
  }
}
